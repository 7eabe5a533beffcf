"""Tables by column, from and to pyarrow and NumPy."""

import datetime
import decimal
import gc
import pickle
import subprocess
import threading
from os import _exit as end_process
from os import environ, fork, waitpid, waitstatus_to_exitcode
from os import path as paths

import numpy as np
import pyarrow as pa
import pytest

import perdure

WORDS = ["", "a", None, "Zürich", "a text that is longer than twelve bytes", "日本"]


def every_type():
    """A table with a column of each type that stores have."""
    n = len(WORDS)
    some = [None if i == 1 else i for i in range(n)]
    # Without pandas, pyarrow only makes Python's objects of whole microseconds.
    thousands = [None if i is None else 1000 * i for i in some]
    at = datetime.datetime(2024, 5, 6, 7, 8, 9, 123456)
    columns = {
        "bool": pa.array([None if i is None else i % 2 == 0 for i in some]),
        **{str(one): pa.array(some, one) for one in (pa.int8(), pa.int16(), pa.int32(), pa.int64())},
        **{str(one): pa.array(some, one) for one in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())},
        "half": pa.array(np.arange(n, dtype=np.float16)),
        "float": pa.array(some, pa.float32()),
        "double": pa.array([1.5, -0.0, None, 1e300, 5.0, 6.0], pa.float64()),
        "utf8": pa.array(WORDS),
        "large_utf8": pa.array(WORDS, pa.large_string()),
        "binary": pa.array([None if one is None else one.encode() + b"\0\xff" for one in WORDS], pa.binary()),
        "large_binary": pa.array([b"", None, b"x", b"y" * 100, b"", b""], pa.large_binary()),
        "fixed": pa.array([b"abc", None, b"ghi", b"jkl", b"mno", b"pqr"], pa.binary(3)),
        "date32": pa.array([None if i is None else at.date() for i in some], pa.date32()),
        "date64": pa.array([None if i is None else at.date() for i in some], pa.date64()),
        **{f"time_{unit}": pa.array(some, pa.time32(unit)) for unit in ("s", "ms")},
        **{f"time_{unit}": pa.array(thousands, pa.time64(unit)) for unit in ("us", "ns")},
        **{f"at_{unit}": pa.array(thousands, pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")},
        "zoned": pa.array([None if i is None else at for i in some], pa.timestamp("us", "Europe/Zurich")),
        **{f"long_{unit}": pa.array(thousands, pa.duration(unit)) for unit in ("s", "ms", "us", "ns")},
        "interval": pa.array([None if i is None else pa.MonthDayNano([i, 2, 3]) for i in some]),
        "decimal": pa.array([None if i is None else decimal.Decimal(i) / 100 for i in some], pa.decimal128(20, 2)),
        "decimal256": pa.array([None if i is None else decimal.Decimal(i) for i in some], pa.decimal256(60, 0)),
        "decimal32": pa.array([None if i is None else decimal.Decimal(i) for i in some], pa.decimal32(5, 0)),
        "decimal64": pa.array([None if i is None else decimal.Decimal(i) for i in some], pa.decimal64(15, 0)),
        "category": pa.array(["x", "y", None, "x", "x", "z"]).dictionary_encode(),
        "list": pa.array([[1, 2], None, [], [3], [None, 4], [5]], pa.list_(pa.int32())),
        "large_list": pa.array([["a"], None, [], ["b", None], [], ["c"]], pa.large_list(pa.string())),
        "pairs": pa.array([[1, 2], None, [3, 4], [5, 6], [7, None], [9, 10]], pa.list_(pa.int16(), 2)),
        "struct": pa.array([{"x": 1, "y": "a"}, None, {"x": None, "y": "c"}, {"x": 4, "y": None}, {"x": 5, "y": ""}, {"x": 6, "y": "f"}]),
        "map": pa.array([[("a", 1)], None, [], [("b", None), ("c", 3)], [], []], pa.map_(pa.string(), pa.int8())),
        "nothing": pa.nulls(n),
    }
    return pa.table(columns)


def same(stored, given):
    """Compares a stored table with one of pyarrow's, types, values and nulls."""
    got = pa.table(stored)
    got.validate(full=True)
    assert got.schema.equals(given.schema, check_metadata=True)
    assert got.to_pylist() == given.to_pylist()


def test_every_type_comes_back(store, path):
    given = every_type()
    store["g/t"] = given
    same(store["g/t"], given)
    store.close()
    with perdure.open(path) as s:
        same(s["g/t"], given)
        assert s["g/t"].column_names == given.column_names and s["g/t"].shape == given.shape


@pytest.mark.parametrize("begin,end", [(0, 6), (1, 5), (3, 3), (5, 6), (2, 6)])
def test_slices_of_a_table_are_read_from_their_offsets(store, begin, end):
    given = every_type()
    store["t"] = given.slice(begin, end - begin)
    same(store["t"], given.slice(begin, end - begin))
    store["whole"] = given
    same(store["whole"][begin:end], given.slice(begin, end - begin))
    assert len(store["whole"][begin:end]) == end - begin


def test_many_offsets_of_bits(store):
    rng = np.random.default_rng(3)
    given = pa.table({"b": pa.array(rng.random(300) < 0.5, mask=rng.random(300) < 0.3), "x": pa.array(np.arange(300), mask=rng.random(300) < 0.2)})
    for begin, rows in [(0, 300), (1, 1), (7, 9), (8, 64), (9, 250), (63, 129), (299, 1)]:
        store["t"] = given.slice(begin, rows)
        same(store["t"], given.slice(begin, rows))
        same(store["t"][3:-3], given.slice(begin, rows)[3:-3] if rows > 6 else given.slice(0, 0))


def test_appended_batches_stay_where_they_are(store, path):
    given = every_type()
    t = store.create_table("t", schema=given.schema)
    assert len(t) == 0 and pa.table(t).num_rows == 0
    for _ in range(3):
        before = store["t"].__arrow_c_stream__()
        t.append(given)
        assert store._core.live_views == 1
        del before
    assert len(t) == 18 and t.batches == [6, 6, 6]
    same(t, pa.concat_tables([given] * 3))
    same(t[4:14], pa.concat_tables([given] * 3)[4:14])
    assert [batch.num_rows for batch in pa.table(t[4:14]).to_batches()] == [2, 6, 2]
    store.close()
    with perdure.open(path, "r+") as s:
        s["t"].append(given)
        same(s["t"], pa.concat_tables([given] * 4))


def test_nothing_is_copied(store):
    numbers = np.arange(100_000.0)
    store["t"] = pa.table({"x": numbers, "s": pa.array(["word"] * 100_000, pa.large_string())})
    one, other = pa.table(store["t"]), pa.table(store["t"])
    for name in ("x", "s"):
        for a, b in zip(one[name].chunk(0).buffers(), other[name].chunk(0).buffers()):
            assert a is b is None or a.address == b.address
    assert one["x"].chunk(0).buffers()[1].address == store["t"]["x"].ctypes.data
    assert not store["t"]["x"].flags.writeable


def test_a_column_alone_is_an_array_of_numpy(store):
    given = every_type()
    store["t"] = pa.concat_tables([given, given.slice(2)])
    t = store["t"]
    assert t["half"].dtype == np.float16 and t["half"].tolist() == [*range(6), *range(2, 6)]
    assert t["int32"].tolist() == [0, None, 2, 3, 4, 5, 2, 3, 4, 5] and isinstance(t["int32"], np.ma.MaskedArray)
    assert t["bool"].tolist() == [True, None, True, False, True, False, True, False, True, False]
    assert t["utf8"].tolist() == [*WORDS, *WORDS[2:]] and t[3:8]["large_utf8"].tolist() == [*WORDS[3:], *WORDS[2:4]]
    assert t["binary"][3] == "Zürich".encode() + b"\0\xff" and t["binary"][2] is None
    assert np.isnat(t["at_us"][1]) and t["at_us"].dtype == "M8[us]" and t["long_ns"].dtype == "m8[ns]"
    assert t["date32"].dtype == "M8[D]" and str(t["date32"][0]) == "2024-05-06"
    assert t["category"].tolist() == ["x", "y", None, "x", "x", "z", None, "x", "x", "z"]
    assert t["fixed"][3].tobytes() == b"jkl"
    with pytest.raises(TypeError, match=r"column 'list' is of type list<int32>"):
        t["list"]
    with pytest.raises(KeyError, match="no column 'other'; it has 'bool'"):
        t["other"]


def test_tables_of_numpy_arrays_and_lists(store):
    when = np.array(["2024-01-02", "NaT"], "M8[s]")
    t = store.create_table("t", {"x": [1, None], "s": ["a", None], "b": np.array([True, False]), "when": when, "n": np.ma.array([1.5, 2], mask=[0, 1])})
    assert t.schema == {"x": "int64", "s": "large_utf8", "b": "bool", "when": "timestamp[s]", "n": "float64"}
    assert pa.table(t).to_pylist() == [
        {"x": 1, "s": "a", "b": True, "when": datetime.datetime(2024, 1, 2), "n": 1.5},
        {"x": None, "s": None, "b": False, "when": None, "n": None},
    ]
    t.append({"n": [3.0], "when": when[:1], "b": [True], "s": ["ü"], "x": [7]})
    assert t["x"].tolist() == [1, None, 7] and t["s"].tolist() == ["a", None, "ü"]
    u = store.create_table("u", np.array([(1, 2.5)], [("i", "i2"), ("f", "f4")]))
    assert u.schema == {"i": "int16", "f": "float32"}
    v = store.create_table("v", schema={"a": "f8", "name": str, "raw": bytes, "day": "M8[D]"})
    assert v.schema == {"a": "float64", "name": "large_utf8", "raw": "large_binary", "day": "date32"} and len(v["a"]) == 0
    for wrong in ({"x": [1, "a"]}, {"x": [object()]}, {"x": [1, 2], "y": [1]}, {"x": np.zeros((2, 2))}, 5):
        with pytest.raises((TypeError, ValueError)):
            store.create_table("w", wrong)
    assert "w" not in store


def test_what_tables_do_not_have_is_refused_by_name(store):
    dense = pa.UnionArray.from_dense(pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([1]), pa.array(["a"])])
    cases = [
        (dense, "column \"u\" is of type dense_union"),
        (pa.RunEndEncodedArray.from_arrays([2], [1]), "column \"u\" is of type run_end_encoded"),
        (pa.array([[1], [2]], pa.list_view(pa.int8())), "column \"u\" is of type list_view<int8>"),
        (pa.StructArray.from_arrays([dense], ["inner"]), "column \"u.inner\" is of type dense_union"),
    ]
    for column, words in cases:
        with pytest.raises(TypeError, match=words):
            store["t"] = pa.table({"u": column})
    with pytest.raises(ValueError, match='two columns are called "a"'):
        store["t"] = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert len(store) == 0


def test_rows_of_other_types_are_not_appended(store):
    t = store.create_table("t", {"x": [1, 2], "s": ["a", "b"]})
    for rows, words in [
        ({"x": [1.5], "s": ["c"]}, 'column "x" is of type float64, and of type int64 in the table'),
        ({"x": [1]}, 'lack the column "s"'),
        ({"x": [1], "s": ["c"], "y": [2]}, 'no column "y"'),
    ]:
        with pytest.raises(TypeError, match=words):
            t.append(rows)
    t.append(pa.table({"s": pa.array(["c"], pa.string()), "x": [3]}))
    t.append(pa.table({"s": pa.array(["a long text of a view", None], pa.string_view()), "x": [4, 5]}))
    assert t["s"].tolist() == ["a", "b", "c", "a long text of a view", None] and t["x"].tolist() == [1, 2, 3, 4, 5]
    strict = store.create_table("strict", schema=pa.schema([pa.field("x", pa.int64(), nullable=False)]))
    strict.append(pa.table({"x": [1]}))
    with pytest.raises(ValueError, match='"x" has 1 nulls'):
        strict.append(pa.table({"x": pa.array([None], pa.int64())}))
    with pytest.raises(ValueError, match="part of the table"):
        t[1:].append({"x": [1], "s": ["c"]})


def test_a_stream_that_fails_leaves_what_was_there(store):
    given = pa.table({"x": [1, 2, 3], "s": ["a", "b", None]})

    def batches():
        yield given.to_batches()[0]
        raise RuntimeError("the source is gone")

    def failing():
        return pa.RecordBatchReader.from_batches(given.schema, batches())

    store["t"] = given
    store["t"].attrs["units"] = "m"
    store["a"] = np.arange(3)
    store["a"].attrs["units"] = "K"
    for name in ("t", "a", "new"):
        with pytest.raises(ValueError, match="the source is gone"):
            store[name] = failing()
    with pytest.raises(ValueError, match="the source is gone"):
        store["t"].append(failing())
    same(store["t"], given)
    assert store["t"].attrs["units"] == "m" and store["a"].tolist() == [0, 1, 2] and store["a"].attrs["units"] == "K"
    assert sorted(store) == ["a", "t"] and store["t/x"].shape == (3,)


def test_streams_of_many_batches(store):
    schema = pa.schema([("x", pa.int64()), ("c", pa.dictionary(pa.int8(), pa.string()))])
    words = pa.array(["x", "y"])
    batches = [
        pa.record_batch([pa.array([i, i + 1]), pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), words if i < 5 else words.slice(0, 2).take([1, 0]))], schema=schema)
        for i in range(8)
    ]
    store["t"] = pa.RecordBatchReader.from_batches(schema, batches)
    same(store["t"], pa.Table.from_batches(batches))
    assert store["t/c.dictionary.offsets"].shape == (6,)  # of two dictionaries, not of eight
    store["b"] = batches[0]
    same(store["b"], pa.Table.from_batches(batches[:1]))


def test_any_value_takes_the_place_of_a_table(store):
    store["t"] = pa.table({"x": [1]})
    store["t"] = np.arange(3)
    assert store["t"].tolist() == [0, 1, 2]
    store["t"] = pa.table({"y": [1], "z": ["a"]})
    assert store["t"].column_names == ["y", "z"] and sorted(store._core.names("t")) == ["t/.attributes", "t/.batches", "t/y", "t/z.bytes", "t/z.offsets"]
    store["t"] = pa.table({"x": [2]})
    assert store["t"]["x"].tolist() == [2] and sorted(store._core.names("t")) == ["t/.attributes", "t/.batches", "t/x"]
    store["t"] = "a text"
    assert store["t"] == "a text"
    store.create_table("t", {"x": [3]}, overwrite=True, attrs={"units": "m"})
    assert store["t"].attrs["units"] == "m"
    with pytest.raises(ValueError, match="is there already"):
        store.create_table("t", {"x": [3]})
    with pytest.raises(ValueError, match="is there already"):
        store.create_array("t", data=[1, 2])
    with pytest.raises(ValueError, match="is a table"):
        store.require_group("t")
    del store["t"]
    assert len(store) == 0 and store._core.count() == 0
    store["g/a"] = 1
    with pytest.raises(ValueError, match="is a group"):
        store["g"] = pa.table({"x": [1]})
    store.update(t=pa.table({"x": [1]}), a=np.arange(2))
    store["d"] = {"t": pa.table({"x": [5]})}
    assert store["d/t"]["x"].tolist() == [5] and store["t"]["x"].tolist() == [1]
    store.move("d/t", "moved")
    assert store["moved"]["x"].tolist() == [5] and pa.table(store["moved"]).to_pylist() == [{"x": 5}]


def test_names_of_columns_may_be_anything(store):
    names = ["", "/", "a/b", "a_b", ".attributes", ".batches", "x", "x.validity", "x.validity_2", "s", "s.bytes", "s.offsets", "日本", "a" * 300, "\0"]
    given = pa.table({name: pa.array(["text", None] if name in ("s", "x") else [1, None]) for name in names if name != "\0"})
    store["t"] = given
    same(store["t"], given)
    assert "t/日本" in store and "t/a_b" in store


def test_a_series_is_an_array_still(store):
    store["a"] = pa.chunked_array([[1, 2], [3]])
    assert store["a"].tolist() == [1, 2, 3]


def test_close_names_the_table(store, path):
    store["t"] = pa.table({"x": [1, 2, 3], "s": ["a", "b", None]})
    kept = pa.table(store["t"])
    with pytest.raises(perdure.Error, match='"t"'):
        store.close()
    x = kept["x"].chunk(0).slice(1)
    store.close(force=True)
    del kept
    gc.collect()
    with pytest.raises(OSError, match='views of "t"'):
        perdure.open(path, "r+")
    assert x.to_pylist() == [2, 3]
    del x
    gc.collect()
    with perdure.open(path, "r+") as s:
        assert s["t"]["s"].tolist() == ["a", "b", None]


def test_rows_that_were_given_away_stay_as_they_were(store):
    given = pa.table({"x": np.arange(50_000), "s": ["a"] * 50_000})
    store["t"] = given
    kept = pa.table(store["t"])
    stream = pa.RecordBatchReader.from_stream(store["t"])
    store["t"] = pa.table({"x": [5]})
    store.checkpoint()
    store["u"] = pa.table({"x": np.zeros(50_000, int), "s": ["b"] * 50_000})
    del store["t"]
    store.checkpoint()
    assert kept.equals(given) and stream.read_all().equals(given)


def test_tables_are_attributes_trees_and_reprs(store):
    store["g/t"] = pa.table({"x": [1, None], "s": ["<b>", "c"], "l": [[1], [2]]})
    t = store["g/t"]
    t.attrs["units"] = "m"
    assert list(t.attrs) == ["units"] and repr(t) == "<perdure.Table 'g/t': 2 rows, 3 columns>"
    assert "└── t (2, 3) table" in store.tree() and "validity" not in store.tree()
    html = t._repr_html_()
    assert "&lt;b&gt;" in html and "s (utf8)" in html and "null" in html
    assert "table" in store["g"]._repr_html_()
    assert list(t) == t.columns == ["x", "s", "l"] and "x" in t and "y" not in t
    assert t[["s", "x"]].column_names == ["s", "x"] and pa.table(t[["s"]]).to_pylist() == [{"s": "<b>"}, {"s": "c"}]
    assert t.head(1)["s"].tolist() == ["<b>"] and t.tail(1)["s"].tolist() == ["c"] and len(t[5:]) == 0
    for wrong in (1, slice(0, 2, 2), 1.5):
        with pytest.raises((TypeError, NotImplementedError)):
            t[wrong]
    del store["g"]
    assert repr(t).startswith("<perdure.Table 'g/t': ")


def test_handles_of_tables_are_pickled(store, path):
    store["t"] = pa.table({"x": [1, 2, 3], "y": [4, 5, 6]})
    store.close()
    with perdure.open(path) as s:
        for part in (s["t"], s["t"][1:][["y"]]):
            other = pickle.loads(pickle.dumps(part))
            assert pa.table(other).equals(pa.table(part))
        other.store.close(force=True)


@pytest.mark.skipif("PERDURE_PROGRAMS" not in environ, reason="the program perdure is not beside an installed package")
def test_other_languages_see_the_columns(store, path):
    program = paths.join(environ["PERDURE_PROGRAMS"], "perdure")
    store["t"] = pa.table({"price": [1.5, 2.5], "name": ["a", "bc"]})
    store["t"].append(pa.table({"price": [3.5], "name": ["d"]}))
    store.close()
    listed = subprocess.run([program, "array", "ls", path], capture_output=True, text=True, check=True).stdout
    assert "t/price" in listed and "t/name.bytes" in listed
    dumped = subprocess.run([program, "array", "dump", f"{path}:t/price"], capture_output=True, text=True, check=True).stdout
    assert "1.5" in dumped and "3.5" in dumped
    stat = subprocess.run([program, "array", "stat", f"{path}:t/.attributes"], capture_output=True, text=True, check=True).stdout
    assert ".table" in stat
    assert subprocess.run([program, "verify", path], capture_output=True).returncode == 0


def test_columns_that_were_written_as_arrays_are_copied(store):
    store["t"] = pa.table({"x": np.arange(10), "s": ["a"] * 10})
    store["t/x"][3] = 99
    assert pa.table(store["t"])["x"].to_pylist()[3] == 99 and store["t"]["x"].tolist()[3] == 99
    store["t/x"].resize(5)
    with pytest.raises(OSError, match='table "t" lacks rows'):
        pa.table(store["t"])
    store["t/.batches"][0, 0, 0] = -1
    with pytest.raises((OSError, ValueError)):
        pa.table(store["t"])
    del store["t/.batches"]
    for use in (lambda: pa.table(store["t"]), lambda: store["t"]["x"], lambda: store["t"].append({"x": [1], "s": ["b"]})):
        with pytest.raises((OSError, ValueError)):
            use()


def test_numbers_that_are_none_are_not_nulls(store):
    store["t"] = pa.table({"x": [1.0, float("nan"), None]})
    got = pa.table(store["t"])["x"]
    assert got.null_count == 1 and np.isnan(got[1].as_py()) and got[2].as_py() is None


def test_rows_that_an_append_has_left_do_not_count(store):
    store["t"] = pa.table({"x": [1, 2], "s": ["a", None]})
    store["t/x"].append([8, 9])
    store["t/s.offsets"].append(np.array([5], np.int32))
    assert len(store["t"]) == 2 and pa.table(store["t"])["x"].to_pylist() == [1, 2]
    store["t"].append(pa.table({"x": [3], "s": ["c"]}))
    assert store["t/x"].tolist() == [1, 2, 3] and pa.table(store["t"])["s"].to_pylist() == ["a", None, "c"]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_rows_of_a_writer_are_read_in_a_forked_child(store):
    store["t"] = pa.table({"x": [1, 2], "s": ["a", "a text"]})
    kept = pa.table(store["t"])
    pid = fork()
    if pid == 0:
        is_same = kept["x"][1].as_py() == 2 and kept["s"][1].as_py() == "a text"
        end_process(0 if is_same else 1)
    assert waitstatus_to_exitcode(waitpid(pid, 0)[1]) == 0


def test_threads_append_and_read(store):
    t = store.create_table("t", schema={"x": "i8", "s": str})
    wrong = []

    def add(of):
        for i in range(20):
            t.append({"x": [of] * 5, "s": [f"{of} of a thread"] * 5})

    def look():
        for _ in range(30):
            got = pa.table(store["t"])
            got.validate(full=True)
            if any(f"{x} of a thread" != s for x, s in zip(got["x"].to_pylist(), got["s"].to_pylist())):
                wrong.append(got)
            store.checkpoint()

    threads = [threading.Thread(target=add, args=(i,)) for i in range(3)] + [threading.Thread(target=look)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong and len(t) == 300 and t.batches == [5] * 60


def test_readers_do_not_write(store, path):
    store["t"] = pa.table({"x": [1]})
    store.close()
    with perdure.open(path) as s:
        with pytest.raises(OSError, match="reading only"):
            s["t"].append({"x": [1]})
        with pytest.raises(OSError, match="reading only"):
            s["u"] = pa.table({"x": [1]})


def test_metadata_of_schemas_is_kept(store):
    schema = pa.schema([pa.field("x", pa.int64(), metadata={"unit": "m", b"\xff": b"\xfe\0"})], metadata={"pandas": "{}"})
    given = pa.table({"x": [1]}, schema=schema)
    store["t"] = given
    same(store["t"], given)
    assert pa.schema(store["t"]).equals(schema, check_metadata=True)
