"""The package itself."""

import subprocess
import sys

import pytest

import perdure


def test_the_package_has_a_version():
    assert perdure.__version__.count(".") == 2


@pytest.mark.parametrize("missing", ["xarray", "zarr"])
def test_packages_of_others_are_asked_for_where_they_are_needed(missing):
    program = f"""
import sys
import perdure
assert not {{"xarray", "zarr"}} & set(sys.modules)
sys.modules[{missing!r}] = None
try:
    import perdure.{missing}
except ImportError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said.startswith(f"perdure.{missing} needs the package {missing}") and said.endswith(f"pip install {missing}\n")
