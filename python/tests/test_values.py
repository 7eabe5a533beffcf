"""Values that a store takes, and what it gives back."""

import numpy as np
import pytest

import perdure

NUMBERS = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "g", "G", ">i4", ">f8"]


@pytest.mark.parametrize("dtype", NUMBERS + ["S3", "U3", "M8[ns]", "m8[s]", "V4", "M8[D]"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3)])
def test_every_type_and_shape_comes_back(store, dtype, shape):
    size = int(np.prod(shape))
    if np.dtype(dtype).kind in "SU":
        a = np.array([f"{i}é"[: 2 if np.dtype(dtype).kind == "U" else 1] for i in range(size)], dtype).reshape(shape)
    elif np.dtype(dtype).kind == "V":
        a = np.frombuffer(bytes(range(4 * size)), dtype).reshape(shape)
    else:
        a = np.arange(size).astype("i8").astype(dtype).reshape(shape)
    store["a"] = a
    back = store.array("a")[...]
    assert back.shape == shape
    assert back.dtype == a.dtype.newbyteorder("=")
    np.testing.assert_array_equal(back, a)


def test_python_values_come_back(store):
    store.update(
        n=3, x=1.5, c=1j, t=True, text="grüße", nothing="", raw=b"\0\1", none=b"", l=[1, 2], names=["a", "", "ccc"], g={"a": 1, "b": {"c": "d"}}
    )
    assert store["n"] == 3 and int(store["n"]) == 3 and list(range(10))[store["n"]] == 3
    assert store["x"] == 1.5 and float(store["x"]) == 1.5
    assert store["c"][()] == 1j
    assert store["t"][()] is np.True_
    assert store["text"] == "grüße" and store["nothing"] == ""
    assert store["raw"] == b"\0\1" and store["none"] == b""
    assert store["l"].tolist() == [1, 2]
    assert store["names"].tolist() == ["a", "", "ccc"]
    assert store["g"]["a"] == 1 and store["g"]["b"]["c"] == "d" and store["g/b/c"] == "d"


def test_a_name_can_be_given_another_value_of_any_kind(store):
    for value in (np.arange(3), "text", b"bytes", np.zeros((2, 2), "i1"), 1.5, [1, 2], b"\1", np.array([1], "u1"), "x"):
        store["a"] = value
        got = store["a"]
        assert type(got) is (type(value) if isinstance(value, (str, bytes)) else perdure.Array)
        np.testing.assert_array_equal(got, value)
    store["d"] = {"a": 1, "b": 2}
    store["d"] = {"c": 3}
    assert list(store["d"]) == ["c"]


def test_dates_do_not_stay_dates_when_numbers_follow(store):
    store["a"] = np.array(["2020-01-01"], "M8[D]")
    store["a"] = np.array([5])
    assert store["a"].dtype == np.int64 and store["a"][0] == 5


def test_structs_are_structured_dtypes(store):
    dtype = np.dtype([("id", "i4"), ("at", "f8", (3,)), ("name", "S5"), ("in", [("x", "f4"), ("y", "u1")])], align=True)
    a = np.zeros(4, dtype)
    a["id"] = range(4)
    a["at"][:, 1] = 0.5
    a["name"] = b"hello"
    a["in"]["y"] = 7
    store["a"] = a
    assert store["a"].dtype == dtype
    np.testing.assert_array_equal(store["a"][...], a)
    np.testing.assert_array_equal(store["a"]["id"], a["id"])
    store["a"][1:3] = a[0]
    assert store["a"][2]["id"] == 0
    assert store["a"].view().dtype == dtype


@pytest.mark.parametrize(
    "value",
    [
        np.array([object()]), object(), None, [1, "a"], [[1, 2], [3]], {1: 2}, {"a/b": 1}, {"a": None}, 2**70, [2**70, 1],
        np.zeros(1, "M8"), np.ma.masked_array([1, 2], [0, 1]), {1, 2}, np.zeros(2, [("a", "O")]), np.zeros(2, [("d", "M8[s]")]),
    ],
)  # fmt: skip
def test_what_cannot_be_stored_is_a_type_error_with_a_sentence(store, value):
    store["a"] = 1
    with pytest.raises(TypeError) as raised:
        store["a"] = value
    assert isinstance(raised.value, perdure.Error)
    assert len(str(raised.value)) > 20
    assert store["a"] == 1


def test_non_contiguous_memory_is_stored(store, grid):
    for a in (grid.T, grid[::2, ::-3], np.broadcast_to(np.arange(3), (4, 3)), np.asfortranarray(grid)):
        store["a"] = a
        np.testing.assert_array_equal(store["a"], a)
        store.create_array("b", data=a, chunks=(2, 2), overwrite=True)
        np.testing.assert_array_equal(store["b"], a)


def test_large_arrays_are_stored_piece_by_piece(store):
    a = np.arange(9 << 20, dtype=np.float64).reshape(9, 1 << 20)
    store["a"] = a
    store.create_array("b", data=a, chunks=(2, 1 << 19))
    store.create_array("c", data=a.reshape(9, 1 << 10, 1 << 10), chunks=(4, 100, 1 << 10))
    for name in "abc":
        assert (store[name].view() if store[name].is_viewable else store[name][...]).tobytes() == a.tobytes()


def test_other_libraries_arrays_are_taken(store):
    class Given:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3)

    store["a"] = Given()
    store["b"] = store["a"]
    assert store["b"].tolist() == [0, 1, 2]


def test_surrogates_are_refused(store):
    with pytest.raises(ValueError):
        store["a"] = "\ud800"
