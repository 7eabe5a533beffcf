"""Groups and the mapping."""

from collections.abc import MutableMapping

import numpy as np
import pytest

import perdure


def test_a_store_is_a_mapping(store):
    assert isinstance(store, MutableMapping) and len(store) == 0
    store["b"] = 1
    store["a"] = 2
    assert list(store.keys()) == ["a", "b"] and "a" in store and "c" not in store and 5 not in store
    assert [int(one) for one in store.values()] == [2, 1]
    assert store.get("c") is None and store.get("c", 7) == 7
    del store["a"]
    with pytest.raises(KeyError) as raised:
        store["a"]
    assert isinstance(raised.value, perdure.Error) and "'a'" in str(raised.value)
    with pytest.raises(KeyError):
        del store["a"]
    store.setdefault("d", 3)
    assert store["d"] == 3
    store.clear()
    assert len(store) == 0


def test_groups_have_members(store):
    store["g/x"] = 1
    store["g/h/y"] = 2
    g = store["g"]
    assert isinstance(g, perdure.Group) and sorted(g) == ["h", "x"] and len(g) == 2 and list(store) == ["g"]
    assert g["h/y"] == 2 and g["h"]["y"] == 2 and g["/g/x"] == 1 and "h/y" in g and "h" in g
    assert g.name == "/g" and g["h"].name == "/g/h" and g["x"].name == "g/x"
    g["z"] = "text"
    assert store["g/z"] == "text"
    del g["h"]
    assert sorted(g) == ["x", "z"]
    del store["g"]
    assert "g" not in store and "g/x" not in store


def test_names_that_begin_alike_are_no_group(store):
    store["grid"] = 1
    store["gr/x"] = 2
    assert list(store["gr"]) == ["x"] and sorted(store) == ["gr", "grid"]
    del store["gr"]
    assert list(store) == ["grid"]


def test_groups_without_members_stay(store, path):
    store.create_group("g")
    assert len(store["g"]) == 0 and store.require_group("g/h").name == "/g/h"
    with pytest.raises(ValueError):
        store.create_group("g")
    store.close()
    with perdure.open(path) as s:
        assert list(s["g"]) == ["h"]


def test_arrays_and_groups_do_not_share_names(store):
    store["a"] = 1
    store["g/x"] = 1
    with pytest.raises(ValueError, match="array"):
        store["a/b"] = 1
    with pytest.raises(ValueError, match="group"):
        store["g"] = np.arange(3)
    with pytest.raises(ValueError):
        store.require_group("a")
    assert store["a"] == 1 and store["g/x"] == 1


@pytest.mark.parametrize("name", ["", "//", "a//b", ".attributes", "g/.attributes", "a\0b", "x" * 5000])
def test_names_that_are_none_are_value_errors(store, name):
    with pytest.raises(ValueError):
        store[name] = 1


def test_names_are_texts(store):
    for name in (1, b"a", None, ("a",)):
        with pytest.raises(TypeError):
            store[name] = 1
        with pytest.raises(TypeError):
            store[name]
    store["größe/α"] = 1
    assert list(store["größe"]) == ["α"]


def test_move(store):
    a = store.create_array("a", data=[1, 2], dims="x", attrs={"k": "v"})
    store["g/s"] = "text"
    store.move("a", "b/c")
    assert store["b/c"].tolist() == [1, 2] and store["b/c"].dims == ("x",) and store["b/c"].attrs["k"] == "v"
    store.move("g", "h")
    assert store["h/s"] == "text" and "g" not in store and "a" not in store
    with pytest.raises(KeyError):
        a[...]


def test_trees_and_tables(store):
    store["g/x"] = np.zeros((2, 3), "f4")
    store["t<b>"] = "text"
    assert store.tree().splitlines()[0] == "/" and "x (2, 3) float32" in store.tree()
    assert "x" not in store.tree(depth=1).replace("text", "")
    assert "t&lt;b&gt;" in store._repr_html_() and "2 members" in repr(store)
    assert "1 members" in repr(store["g"])


def test_groups_are_copied_moved_and_visited(store, tmp_path):
    store["g/a"] = np.arange(3)
    store["g/a"].attrs["units"] = "K"
    store["g/h/t"] = "text"
    store.copy("g", "k")
    assert store["k/a"].attrs["units"] == "K" and store["k/h/t"] == "text"
    for conflict in (lambda: store.move("g", "k"), lambda: store.copy("g/a", "k/a")):
        with pytest.raises(perdure.ExistsError):
            conflict()
    store.move("k", "k")
    names = []
    assert store.visit(names.append) is None and names == ["g", "g/a", "g/h", "g/h/t", "k", "k/a", "k/h", "k/h/t"]
    assert store["g"].visititems(lambda name, one: name if isinstance(one, perdure.Array) else None) == "a"
    with perdure.open(tmp_path / "other.store", "w-") as other:
        other.copy(store["g"], other, "taken")
        assert other["taken/a"].tolist() == [0, 1, 2] and perdure.exists(tmp_path / "other.store")


def test_elements_that_are_arrays_are_dimensions(store):
    made = store.create_array("a", 2, np.dtype(("f4", (3,))))
    assert (made.shape, made.dtype) == ((2, 3), np.float32)
    with pytest.raises(TypeError, match="title"):
        store["b"] = np.zeros(1, np.dtype([(("title", "x"), "i4")]))
