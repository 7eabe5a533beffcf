"""Arrays: indices, views, resizing, protocols."""

import random

import numpy as np
import pytest

import perdure

KEYS = [
    np.s_[...], np.s_[:], np.s_[0], np.s_[-1], np.s_[1:4], np.s_[::-1], np.s_[::2, ::-3], np.s_[5:1:-2], np.s_[3:3], np.s_[:, 4],
    np.s_[2, 3], np.s_[..., 1], np.s_[1, ...], np.s_[None], np.s_[:, None, 2:5], np.s_[[0, 3, 3]], np.s_[[-1, 0], 1:3], np.s_[:, [9, 0]],
    np.s_[[0, 1], [2, 3]], np.s_[[[0, 1], [2, 3]]], np.s_[np.arange(6) % 2 == 0], np.s_[:, np.arange(10) > 6], np.s_[[]],
    np.s_[np.array([5, 0]), ::-1], np.s_[10:, :], np.s_[()], np.s_[np.int8(2)], np.s_[1:5, np.array([1, 4])], np.s_[[1, 2], :, None],
]  # fmt: skip


@pytest.fixture(params=["contiguous", "chunked", "compressed", "parts"])
def array(request, store, grid):
    """The same elements in every layout."""
    if request.param == "contiguous":
        store["a"] = grid
    elif request.param == "chunked":
        store.create_array("a", data=grid, chunks=(4, 3))
    elif request.param == "compressed":
        store.create_array("a", data=grid, chunks=(2, 10), compression="zstd")
    else:
        store.create_array("a", (3, 10), chunks=(4, 3))
        store["a"][...] = grid[:3]
        store["a"].append(grid[3:])
    return store["a"]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_indices_read_as_numpys(array, grid, key):
    got, expected = array[key], grid[key]
    np.testing.assert_array_equal(got, expected)
    assert np.shape(got) == np.shape(expected) and type(got) is type(expected)


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_indices_write_as_numpys(array, grid, key):
    expected = grid.copy()
    value = -np.arange(expected[key].size, dtype="i4").reshape(expected[key].shape) - 1
    expected[key] = value
    array[key] = value
    np.testing.assert_array_equal(array, expected)
    expected[key] = 0.5
    array[key] = 0.5
    np.testing.assert_array_equal(array, expected)


def test_a_mask_reads_and_writes(array, grid):
    expected = grid.copy()
    np.testing.assert_array_equal(array[grid > 30], expected[grid > 30])
    array[grid > 30] = 1
    expected[grid > 30] = 1
    np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize("key", [6, (0, 10), -7, [6], (0, 0, 0), "x", 1.5, (..., ...), np.ones(5, bool), [0.5], slice("a")], ids=repr)
def test_wrong_indices_are_errors_as_numpys(array, key):
    with pytest.raises((IndexError, KeyError, TypeError)):
        array[key]
    with pytest.raises((IndexError, KeyError, TypeError, ValueError)):
        array[key] = 0


def test_wrong_shapes_are_value_errors(array):
    with pytest.raises(ValueError):
        array[0] = [1, 2]
    with pytest.raises(ValueError):
        array[2:2] = [[1, 2]]
    with pytest.raises(ValueError, match="first dimension"):
        array.append([[1, 2]])


def test_random_slices_are_numpys(store):
    rng = random.Random(7)
    a = np.arange(5 * 4 * 6).reshape(5, 4, 6)
    store["plain"] = a
    store.create_array("chunks", data=a, chunks=(2, 3, 4))

    def one(n):
        kind = rng.randrange(4)
        if kind == 0:
            return rng.randrange(-n, n)
        if kind == 1:
            return [rng.randrange(-n, n) for _ in range(rng.randrange(5))]
        bound = [None, *range(-n - 2, n + 3)]
        return slice(rng.choice(bound), rng.choice(bound), rng.choice([None, 1, 2, 3, -1, -2, -5]))

    for _ in range(300):
        key = tuple(one(n) for n in a.shape[: rng.randrange(4)])
        try:
            expected = a[key]
        except IndexError:
            continue
        np.testing.assert_array_equal(store["plain"][key], expected, err_msg=repr(key))
        np.testing.assert_array_equal(store["chunks"][key], expected, err_msg=repr(key))


def test_what_an_array_is(store, grid):
    a = store.create_array("t", data=grid, dims=("y", "x"), chunks=(4, 5), compression="lz4", attrs={"units": "K"})
    assert (a.shape, a.dtype, a.ndim, a.size, a.nbytes, len(a)) == ((6, 10), np.float64, 2, 60, 480, 6)
    assert (a.dims, a.chunks, a.compression, a.layout, a.name) == (("y", "x"), (4, 5), "lz4", "chunked", "t")
    assert a.attrs["units"] == "K" and "units" in a._repr_html_() and "(6, 10)" in repr(a)
    assert not a.is_viewable


def test_views_are_read_only_and_no_copy(store, grid):
    store["a"] = grid
    view = store["a"].view()
    assert not view.flags.writeable and not view.flags.owndata
    with pytest.raises(ValueError):
        view[0] = 1
    np.testing.assert_array_equal(view, grid)
    store["a"][0, 0] = 99
    assert view[0, 0] == 99


def test_a_view_shows_the_array_that_was_replaced(store, grid):
    store["a"] = grid
    view = store["a"].view()
    store["a"] = np.zeros(3)
    del store["a"]
    store.checkpoint()
    store["b"] = -grid
    np.testing.assert_array_equal(view, grid)


def test_a_compressed_array_has_no_view(store, grid):
    a = store.create_array("a", data=grid, chunks=(2, 10), compression="zstd")
    with pytest.raises(NotImplementedError):
        a.view()


def test_append_and_resize(store):
    store["a"] = np.arange(4).reshape(2, 2)
    a = store["a"]
    a.append([[4, 5]])
    a.append([6, 7])
    np.testing.assert_array_equal(a, np.arange(8).reshape(4, 2))
    a.resize(2, 3)
    np.testing.assert_array_equal(a, [[0, 1, 0], [2, 3, 0]])
    a.resize((1, 1))
    assert a[...] == 0
    with pytest.raises(ValueError):
        a.resize(3)
    store["names"] = ["a"]
    store["names"].append(["bb", "c"])
    assert store["names"].tolist() == ["a", "bb", "c"]
    store["s"] = np.array([b"ab", b"c"])
    store["s"].append([b"d"])
    assert store["s"].tolist() == [b"ab", b"c", b"d"]


def test_appending_keeps_attributes_and_dims(store):
    a = store.create_array("a", data=[1, 2], dims="x", attrs={"units": "m"})
    a.append([3])
    assert a.dims == ("x",) and a.attrs["units"] == "m" and a.tolist() == [1, 2, 3]


def test_protocols(store, grid):
    store["a"] = grid
    a = store["a"]
    assert memoryview(a).shape == (6, 10) and memoryview(a).readonly
    np.testing.assert_array_equal(np.from_dlpack(a), grid)
    assert np.shares_memory(np.asarray(memoryview(a)), a.view())
    np.testing.assert_array_equal(np.asarray(a, "f4"), grid.astype("f4"))
    assert np.shares_memory(np.array(a, copy=False), a.view())
    np.testing.assert_array_equal(np.sqrt(a) + a * 2 - 1, np.sqrt(grid) + grid * 2 - 1)
    assert (a == grid).all() and a.astype(int).dtype == int
    assert [row.tolist() for row in a] == grid.tolist()
    with pytest.raises(TypeError):
        hash(a)
    with pytest.raises(TypeError):
        np.add(grid, 1, out=a)


def test_texts_in_arrays(store):
    store["u"] = np.array([["a", "bb"], ["", "cçc"]])
    assert store["u"].dtype == "<U3" and store["u"][1, 1] == "cçc"
    store["u"][0, 0] = "longer text"
    assert store["u"][0].tolist() == ["longer text", "bb"]
    store["s"] = np.array([b"ab", b"c"])
    store["s"][1] = b"xy"
    assert store["s"][1:].tolist() == [b"xy"]
    with pytest.raises(ValueError, match="does not fit"):
        store["s"][0] = b"too long"


def test_create_array(store):
    a = store.create_array("a", (2, 3), "i4", fill_value=7)
    assert (a[...] == 7).all()
    assert not store.create_dataset("b", 4)[...].any()
    with pytest.raises(ValueError, match="already"):
        store.create_array("a", 3)
    assert store.create_array("a", 3, overwrite=True).shape == (3,)
    assert store.require_array("a", 3).name == "a" and store.require_array("r", (2, 2), "u1").shape == (2, 2)
    with pytest.raises(TypeError):
        store.require_array("a", 4)
    with pytest.raises(ValueError):
        store.create_array("c")
    with pytest.raises(ValueError):
        store.create_array("c", 3, compression="rar")
    with pytest.raises(ValueError):
        store.create_array("c", (3, 3), dims=("x",))
    assert "c" not in store
    assert store.create_array("s", 2, "S4")[...].tolist() == [b"", b""]
    assert store.create_array("u", 2, "U4")[...].tolist() == ["", ""]
    assert store.create_array("big", (1 << 20, 1 << 20), "f8", chunks=(1024, 1024))[5, 5] == 0


def test_attributes(store):
    a = store.create_array("a", 3)
    values = {
        "text": "K", "int": 3, "float": 0.5, "bool": True, "none": None, "list": [1, 2], "names": ["x", "y"], "json": {"a": [1, None]},
        "nested": [1, "a"], "array": np.ones((2, 2), "f4"), "bytes": b"ab\0", "empty": "",
    }  # fmt: skip
    a.attrs.update(values)
    assert set(a.attrs) == set(values) and len(a.attrs) == len(values)
    for key, value in values.items():
        np.testing.assert_equal(a.attrs[key], value)
    a.attrs["json"] = "text"
    assert a.attrs["json"] == "text"
    del a.attrs["text"]
    assert "text" not in a.attrs
    with pytest.raises(KeyError):
        a.attrs["text"]
    with pytest.raises(KeyError):
        del a.attrs["text"]
    with pytest.raises(TypeError):
        a.attrs["x"] = object()
    store.attrs["title"] = "run"
    store.require_group("g").attrs["k"] = 1
    assert dict(store.attrs) == {"title": "run"} and dict(store["g"].attrs) == {"k": 1}
    assert list(store) == ["a", "g"] and dict(store.require_group("h").attrs) == {}


def test_texts_of_a_fixed_length_have_names_of_their_own_dimensions_only(store):
    a = store.create_array("a", data=np.array([b"ab", b"c", b""]), dims=("x",), chunks=(2,))
    assert a.shape == (3,) and a.dims == ("x",) and a.chunks == (2,) and a.has_characters
    assert a[...].tolist() == [b"ab", b"c", b""]
    a.resize(4)
    assert a.shape == (4,) and a.dims == ("x",)
    assert not store.create_array("n", data=np.ones(3), dims="x").has_characters


def test_members_of_a_group(store):
    store["g/a"] = 1
    store["b"] = 2
    perdure.Dict(store, "d")
    assert store.members() == [("b", False), ("d", False), ("g", True)]
    assert store.is_array("b") and not store.is_array("d") and not store.is_array("g")


@pytest.mark.parametrize(
    "dtype",
    [
        np.dtype([("x", ">f2", (1,)), ("y", "i1")]),
        np.dtype([("inner", [("x", ">f2", (2,))]), ("y", "i1")]),
        np.dtype([("x", "i1"), ("\0", "i1")]),
        np.dtype([("a:b", ">i4")]),
        np.dtype({"names": ["b", "a"], "formats": ["i2", "i1"], "offsets": [0, 2], "itemsize": 4}),
        np.dtype(">U3"),
        np.dtype(">M8[ns]"),
    ],
    ids=str,
)
def test_types_of_the_other_byte_order_and_odd_structs_come_back(store, dtype):
    given = np.ones(3, dtype)
    store["a"] = given
    made = store.create_array("b", data=given)
    made[0:2] = given[1:]
    # NumPy misreads texts of the other byte order beside a StringDType.
    expected = given.astype("<U3") if dtype.kind == "U" else given
    for array in (store["a"], made):
        assert np.array_equal(array[...], expected) and np.array_equal(np.asarray(array), expected)
    if dtype.kind not in "UM":
        store["a"].attrs["v"] = given
        assert np.array_equal(store["a"].attrs["v"], given)


def test_a_struct_that_buffers_cannot_describe_has_no_buffer(store):
    store["a"] = np.ones(3, [("x", "i1"), ("a:b", "i1")])
    with pytest.raises(BufferError, match="numpy.asarray"):
        memoryview(store["a"])


@pytest.mark.parametrize("chunks", [None, (2,)])
@pytest.mark.parametrize("values", [np.arange(3), np.array([b"", b"ab", b"c"]), np.arange(3).astype("M8[s]"), np.array([b"", b"ab", b"c"], "S4")], ids=str)
def test_an_index_with_an_ellipsis_gives_an_array(store, values, chunks):
    a = store.create_array("a", data=values, chunks=chunks)
    for key in [(0, ...), (..., 1)]:
        found = a[key]
        assert isinstance(found, np.ndarray) and found.shape == () and found.dtype == values.dtype and found == values[key]
    assert not isinstance(a[1], np.ndarray) and a[1] == values[1]
