"""The package itself."""

import perdure


def test_the_package_has_a_version():
    assert perdure.__version__.count(".") == 2
