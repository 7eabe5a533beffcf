"""What tests share."""

import pathlib
import re
import shutil
import tempfile

import numpy as np
import pytest

import perdure

LEFT_OUT = "not long"
IS_LONG = re.compile(r"^pytestmark = pytest\.mark\.long$", re.MULTILINE)


def pytest_ignore_collect(collection_path, config):
    """Leaves long modules unread where no long test runs: they need packages that are not there."""
    is_module = collection_path.suffix == ".py" and config.option.markexpr == LEFT_OUT
    return True if is_module and IS_LONG.search(collection_path.read_text()) else None


def pytest_collection_modifyitems(items):
    """Expects the cases that a suite's class lists in DIFFERENCES to fail; each of the others has to pass."""
    found = {}
    for item in items:
        differences = getattr(item.cls, "DIFFERENCES", {}) if getattr(item, "cls", None) else {}
        found.setdefault(item.cls if differences else None, set()).add(item.originalname)
        if item.originalname in differences:
            item.add_marker(pytest.mark.xfail(strict=True, reason=differences[item.originalname]))
    for suite, names in found.items():
        unknown = set(suite.DIFFERENCES) - names - {name for name in suite.DIFFERENCES if hasattr(suite, name)} if suite else ()
        if unknown:
            raise pytest.UsageError(f"{suite.__name__}.DIFFERENCES names cases that the suite does not have: {sorted(unknown)}")


@pytest.fixture
def tmp_path():
    """A directory that waits for no device, where there is room; what a power cut leaves is tested elsewhere."""
    memory = pathlib.Path("/dev/shm")
    roomy = memory.is_dir() and shutil.disk_usage(memory).free > 1 << 30
    with tempfile.TemporaryDirectory(prefix="perdure-python-", dir=memory if roomy else None) as made:
        yield pathlib.Path(made)


@pytest.fixture
def path(tmp_path):
    """A place for a store."""
    return tmp_path / "t.store"


@pytest.fixture
def store(path):
    """A new store that is open for writing."""
    s = perdure.open(path, "x")
    yield s
    if s.is_open:
        s.discard()


@pytest.fixture
def grid():
    """Some numbers in two dimensions."""
    return np.arange(60, dtype=np.float64).reshape(6, 10)
