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


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_keeps_handles_and_their_identity(path, protocol):
    with perdure.open(path, "x") as s:
        s["a"] = np.arange(4)
        perdure.Dict(s, "d", {"k": (1, "x")})
        perdure.List(s, "g/l", [1, None])
        perdure.Set(s, "g/s", [b"b"])
    with perdure.open(path) as s:
        given = [s["a"], s["d"], s["g/l"], s["g/s"], s["g"], s]
        array, mapping, sequence, values, group, whole = pickle.loads(pickle.dumps(given, protocol))
        assert array.tolist() == [0, 1, 2, 3] and dict(mapping) == {"k": (1, "x")} and list(sequence) == [1, None] and set(values) == {b"b"}
        assert [type(one) for one in (array, mapping, sequence, values, group, whole)] == [type(one) for one in given]
        assert array.store is group.store is whole and mapping._store is whole
        twice = pickle.loads(pickle.dumps([given[0]] * 2, protocol))
        assert twice[0] is twice[1]
        assert copy.deepcopy(s["d"])["k"] == (1, "x")
        whole.close()


def test_another_checkpoint_is_an_error(stored):
    with perdure.open(stored) as s:
        pickled = pickle.dumps(s["g/a"])
    with perdure.open(stored, "r+") as s:
        s["b"] = 1
    with pytest.raises(perdure.Error, match="pickled at checkpoint"):
        pickle.loads(pickled)


class Samples:
    """What a loader of samples gives to its workers: a handle, opened in each worker when it is unpickled."""

    def __init__(self, array):
        self.array = array

    def __call__(self, i):
        return float(self.array[i])


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_workers_of_a_loader_read_samples(stored, method):
    with perdure.open(stored) as s:
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(Samples(s["g/a"]), range(10), chunksize=1) == list(range(10))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_workers_read(stored, method):
    with perdure.open(stored) as s:
        with multiprocessing.get_context(method).Pool(1) as pool:
            assert pool.map(total, [s["g/a"], s["g/a"]]) == [45.0, 45.0]
