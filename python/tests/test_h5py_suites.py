"""h5py's own tests of groups, slices, selections and attributes, on stores."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from h5py_differences import DIFFERENCES

pytestmark = pytest.mark.long

MODULES = ("test_group", "test_slicing", "test_selections", "test_attrs", "test_attrs_data", "test_attribute_create", "test_dataset_getitem")


@pytest.mark.parametrize("module", MODULES)
def test_only_the_differences_that_are_explained(module, tmp_path):
    outcomes = tmp_path / "outcomes"
    here = str(pathlib.Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-q", "-p", "h5py_stand_in", "-p", "no:cacheprovider", "-c", os.devnull,
         "--rootdir", tmp_path, "--tb=native", "--assert=plain", "--pyargs", f"h5py.tests.{module}"],
        cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "H5PY_OUTCOMES": str(outcomes), "PYTHONPATH": os.pathsep.join([here, *filter(None, sys.path)])},
    )  # fmt: skip
    assert outcomes.exists(), done.stdout + done.stderr
    found = json.loads(outcomes.read_text())
    failed = {name for name, outcome in found.items() if outcome == "failed"}
    explained = {name for names in DIFFERENCES.values() for name in names.get(module, "").split()}
    assert found and failed - explained == set(), done.stdout
    assert explained - failed == set(), "these pass, or are no tests any more"
