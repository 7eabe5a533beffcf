"""Dictionaries, lists and sets in a store."""

import pickle

import numpy as np
import pytest

import perdure

VALUES = [None, True, False, 0, -1, 2**40, 2**70, -(2**90), 0.5, float("inf"), "", "grüße", b"", b"\0\1", (), (1, ("a", None), b"x")]


def test_values_come_back(store, path):
    d = perdure.Dict(store, "d")
    for value in VALUES:
        d["v"] = value
        assert d["v"] == value and type(d["v"]) is type(value)
        d[value] = value
    assert len(d) == len(VALUES) - 1 + 1  # False is 0, as in Python; and "v"
    store.close()
    with perdure.open(path) as s:
        d = s["d"]
        assert isinstance(d, perdure.Dict) and all(d[value] == value for value in VALUES)
        with pytest.raises(OSError):
            d["x"] = 1


def test_equal_numbers_are_one_key(store):
    d = perdure.Dict(store, "d", {1: "a"})
    d[1.0] = "b"
    d[True] = "c"
    d[np.int32(1)] = "d"
    assert len(d) == 1 and d[1] == "d" and (1.0,) not in d


@pytest.mark.parametrize("count", [10, 30_000])
def test_update_sets_all_keys_or_none(store, count):
    """Many keys are set in the order of the table's slots."""
    d = perdure.Dict(store, "d", {f"key{i}": -1 for i in range(0, count, 2)})
    d.update({f"key{i}": i for i in range(count)})
    assert len(d) == count and all(d[f"key{i}"] == i for i in range(count))
    with pytest.raises(TypeError):
        d.update({**{f"new{i}": i for i in range(count)}, "bad": object()})
    assert len(d) == count
    d.update([("a" * 100, (i, "b" * i)) for i in range(50)], key1=np.arange(3))
    assert d["a" * 100] == (49, "b" * 49) and d["key1"].tolist() == [0, 1, 2] and len(d) == count + 1


def test_arrays_are_values(store):
    d = perdure.Dict(store, "d")
    for a in (np.arange(6).reshape(2, 3), np.zeros(0), np.array(1.5), np.array(["a"]), np.zeros(2, [("x", "i4"), ("y", "f8")])):
        d["a"] = a
        np.testing.assert_array_equal(d["a"], a)
        assert d["a"].dtype == a.dtype


@pytest.mark.parametrize("value", [object(), [1], {1: 2}, {1}, np.array([object()])], ids=["object", "list", "dict", "set", "objects"])
def test_other_values_are_type_errors(store, value):
    d = perdure.Dict(store, "d", {"a": 1})
    with pytest.raises(TypeError, match="container"):
        d["a"] = value
    with pytest.raises(TypeError):
        d[value] = 1
    assert d.copy() == {"a": 1}


def test_dictionaries_are_mappings(store):
    d = perdure.Dict(store, "d", {"a": 1, "b": 2})
    assert sorted(d) == ["a", "b"] and dict(d.items()) == {"a": 1, "b": 2} and sorted(d.values()) == [1, 2]
    assert d == {"a": 1, "b": 2} and d.get("c") is None and d.get("c", 5) == 5 and "a" in d
    assert d.pop("a") == 1 and d.setdefault("c", 3) == 3 and d | {"z": 1} == {"b": 2, "c": 3, "z": 1}
    with pytest.raises(KeyError) as raised:
        d["zz"]
    assert raised.value.args == ("zz",) and isinstance(raised.value, perdure.Error)
    with pytest.raises(KeyError):
        del d["zz"]
    with pytest.raises(RuntimeError):
        for key in d:
            del d[key]
    d.clear()
    assert not d


def test_lists_are_sequences(store):
    x = perdure.List(store, "x", [1, "a", None])
    x.append(2.5)
    x.insert(1, "b")
    x[0] = (1, 2)
    assert x == [(1, 2), "b", "a", None, 2.5] and x[-1] == 2.5 and x[1:3] == ["b", "a"] and len(x) == 5
    del x[3]
    x[1:2] = ["c", "d"]
    x.extend([1])
    assert x.copy() == [(1, 2), "c", "d", "a", 2.5, 1] and x.index("d") == 2 and x.pop() == 1 and "d" in x
    x.reverse()
    assert x[0] == 2.5 and list(reversed(x))[0] == (1, 2)
    for wrong in (9, -9):
        with pytest.raises(IndexError):
            x[wrong]
    with pytest.raises(TypeError):
        x["a"]
    y = perdure.List(store, "y", [3, 1, 2])
    y.sort()
    assert y == [1, 2, 3]


def test_sets_are_sets(store):
    x = perdure.Set(store, "x", [1, 2, 2, "a"])
    x.add(3)
    x.discard("zz")
    x.remove("a")
    assert x == {1, 2, 3} and 2.0 in x and x & {2, 9} == {2} and x | {9} == {1, 2, 3, 9} and x <= {1, 2, 3, 4} and len(x) == 3
    with pytest.raises(KeyError):
        x.remove("a")


def test_containers_end_with_their_store_and_their_name(store, path):
    d = perdure.Dict(store, "g/d", {"a": 1})
    other = store["g/d"]
    other["b"] = 2
    assert d["b"] == 2 and list(store["g"]) == ["d"] and "d (dict)" in store.tree()
    del store["g/d"]
    for one in (d, other):
        with pytest.raises(perdure.Error, match="no container"):
            one["a"]
    perdure.List(store, "d")
    with pytest.raises(TypeError):
        perdure.Dict(store, "d")
    store.close()
    with pytest.raises(ValueError, match="closed"):
        len(d)
    with perdure.open(path) as s, pytest.raises(KeyError):
        s["g/d"]


def test_names_of_arrays_are_taken(store):
    store["a"] = 1
    with pytest.raises(perdure.Error):
        perdure.Dict(store, "a")
    perdure.Dict(store, "d")
    with pytest.raises(ValueError):
        store["d"] = 1


def test_an_exception_discards_changes(path):
    with perdure.open(path, "x") as s:
        perdure.Dict(s, "d", {"a": 1})
    with pytest.raises(ZeroDivisionError), perdure.open(path, "r+") as s:
        s["d"]["a"] = 2
        1 / 0
    with perdure.open(path) as s:
        assert s["d"]["a"] == 1
        assert pickle.loads(pickle.dumps(s["d"]))["a"] == 1


def test_containers_are_found_again_at_another_checkpoint(path):
    writer = perdure.open(path, "x")
    perdure.Dict(writer, "d", {"n": 0})
    writer.checkpoint()
    reader = perdure.open(path, beside_writer="hold")
    d = reader["d"]
    assert d["n"] == 0
    writer["d"]["n"] = 1
    writer.checkpoint()
    assert d["n"] == 0 and reader.refresh() and d["n"] == 1
    reader.close()
    writer.close()
