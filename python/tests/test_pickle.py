"""Handles in other processes."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import perdure


def total(array):
    return float(array[...].sum())


@pytest.fixture
def stored(path):
    with perdure.open(path, "x") as s:
        s["g/a"] = np.arange(10.0)
    return path


def test_handles_are_pickled_by_name_and_checkpoint(stored):
    with perdure.open(stored) as s:
        a, g, whole = pickle.loads(pickle.dumps((s["g/a"], s["g"], s)))
        assert a.tolist() == s["g/a"].tolist() and list(g) == ["a"] and list(whole) == ["g"]
        assert a.store is g.store is whole and len(pickle.dumps(s["g/a"])) < 300
        assert copy.copy(s["g/a"]).tolist() == a.tolist()
        whole.close()


def test_another_checkpoint_is_an_error(stored):
    with perdure.open(stored) as s:
        pickled = pickle.dumps(s["g/a"])
    with perdure.open(stored, "r+") as s:
        s["b"] = 1
    with pytest.raises(perdure.Error, match="pickled at checkpoint"):
        pickle.loads(pickled)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_workers_read(stored, method):
    with perdure.open(stored) as s:
        with multiprocessing.get_context(method).Pool(1) as pool:
            assert pool.map(total, [s["g/a"], s["g/a"]]) == [45.0, 45.0]
