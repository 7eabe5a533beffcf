"""perdure.memmap: what numpy.memmap does, and the budget."""

import mmap as system_mmap
import pickle

import numpy as np
import pytest

import perdure


@pytest.fixture
def path(tmp_path):
    return tmp_path / "array.bin"


def test_an_array_is_in_the_file_after_a_flush(path):
    made = perdure.memmap(path, dtype="<i4", mode="w+", shape=(3, 5))
    made[:] = np.arange(15).reshape(3, 5)
    made.flush()
    assert np.array_equal(np.fromfile(path, "<i4"), np.arange(15))
    assert isinstance(made, np.memmap)
    assert made.filename == path.resolve() and made.mode == "w+" and made.offset == 0


def test_modes_say_what_becomes_of_changes(path):
    np.arange(1000, dtype="f8").tofile(path)
    private = perdure.memmap(path, dtype="f8", mode="c")
    private[3] = 99
    del private
    shown = perdure.memmap(path, dtype="f8", mode="r")
    assert shown[3] == 3
    with pytest.raises(ValueError, match="read-only"):
        shown[3] = 1
    with pytest.raises(ValueError, match="read-only"):
        shown[[3, 4]] = 1
    with pytest.raises(ValueError, match="mode must be one of"):
        perdure.memmap(path, mode="x")


@pytest.mark.parametrize("offset", [0, 8, 4096, 5000 * 8])
def test_a_part_of_a_file_may_begin_anywhere(path, offset):
    np.arange(10000, dtype="i8").tofile(path)
    part = perdure.memmap(path, dtype="i8", mode="r", offset=offset, shape=(50, 100))
    assert np.array_equal(part, np.arange(offset // 8, offset // 8 + 5000).reshape(50, 100))


def test_what_the_file_lacks_is_refused_or_added(path):
    path.write_bytes(b"abc")
    with pytest.raises(ValueError, match="the file has 3 bytes, and offset and shape need 80"):
        perdure.memmap(path, dtype="f8", mode="r", shape=10)
    with pytest.raises(ValueError, match="multiple"):
        perdure.memmap(path, dtype="f8", mode="r")
    grown = perdure.memmap(path, dtype="u1", mode="r+", shape=10)
    assert bytes(grown) == b"abc" + bytes(7)


@pytest.mark.parametrize(
    "index",
    [
        [3, 1, 2],
        np.array([-1, 0, -200]),
        np.array([[5, 5], [199, 0]]),
        ([1, 2, 3], [4, 5, 6]),
        (np.array([[1], [2]]), np.array([0, 9])),
        (7, [1, 2]),
        [],
        (slice(2, 9), [1, 2]),
        np.array([], dtype=np.int64),
        np.arange(200) % 3 == 0,
        (Ellipsis, [1]),
        (np.array([3, 4]), slice(None)),
        np.array([1, 2], dtype=np.uint8),
    ],
    ids=str,
)
@pytest.mark.parametrize("view", [lambda a: a, lambda a: a[::-1], lambda a: a[::2, ::3], lambda a: a.T], ids="abcd")
def test_indexing_is_that_of_numpy(path, index, view):
    plain = np.arange(200 * 30, dtype="f4").reshape(200, 30)
    plain.tofile(path)
    mapped = perdure.memmap(path, dtype="f4", mode="r+", shape=(200, 30), budget=16384)
    a, b = view(plain), view(mapped)
    try:
        expected = a[index]
    except IndexError as refused:
        with pytest.raises(IndexError):
            b[index]
        with pytest.raises(IndexError):
            b[index] = 1
        assert "out of bounds" in str(refused) or "boolean" in str(refused)
        return
    found = b[index]
    assert found.shape == expected.shape and found.dtype == expected.dtype and np.array_equal(found, expected)
    a[index] = 7
    b[index] = 7
    assert np.array_equal(plain, mapped)
    new = np.random.default_rng(1).random(expected.shape)
    a[index] = new
    b[index] = new
    assert np.array_equal(plain, mapped)


def test_the_last_of_several_values_for_an_element_stays(path):
    mapped = perdure.memmap(path, dtype="i8", mode="w+", shape=10000)
    index = np.tile(np.arange(0, 10000, 7), 3)
    mapped[index] = np.arange(len(index))
    assert np.array_equal(mapped[index[: len(index) // 3]], np.arange(len(index) // 3 * 2, len(index)))


def test_memory_keeps_to_the_budget(path):
    budget = 1 << 20
    elements = 16 * budget // 8
    np.arange(elements, dtype="i8").tofile(path)
    mapped = perdure.memmap(path, dtype="i8", mode="r", budget=budget)
    index = np.random.default_rng(2).integers(0, elements, 20000)
    assert np.array_equal(mapped[index], index)
    assert int(mapped.sum()) == elements * (elements - 1) // 2
    seen = mapped.statistics()
    if seen["tier"] != "plain":
        assert 0 < seen["most_resident_bytes"] <= 1.05 * budget


def test_slices_are_views_and_results_are_plain_arrays(path):
    mapped = perdure.memmap(path, dtype="f8", mode="w+", shape=(10, 10))
    part = mapped[2:4]
    part[:] = 3
    assert mapped[3, 3] == 3 and type(part) is perdure.memmap
    assert type(mapped + 1) is np.ndarray
    assert type(mapped[[1, 2]]) is np.ndarray
    assert isinstance(mapped.sum(), np.float64)
    del mapped
    part.flush()
    assert part[0, 0] == 3


def test_it_is_saved_and_pickled_like_an_array(path, tmp_path):
    mapped = perdure.memmap(path, dtype="i4", mode="w+", shape=(100, 70))
    mapped[:] = np.arange(7000).reshape(100, 70)
    np.save(tmp_path / "copy.npy", mapped)
    assert np.array_equal(np.load(tmp_path / "copy.npy"), mapped)
    mapped[::2].tofile(tmp_path / "half.bin")
    assert np.array_equal(np.fromfile(tmp_path / "half.bin", "i4").reshape(50, 70), mapped[::2])
    assert np.array_equal(pickle.loads(pickle.dumps(mapped)), mapped)


def test_open_files_are_taken(path):
    with open(path, "w+b") as file:
        mapped = perdure.memmap(file, dtype="u2", mode="w+", shape=300)
        mapped[:] = 5
    mapped.flush()
    assert path.stat().st_size == 600
    assert system_mmap.PAGESIZE > 600
