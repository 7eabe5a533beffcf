"""Tables with pandas, Polars and DuckDB, none of which the package needs."""

import datetime
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import perdure

pytestmark = pytest.mark.long

WHEN = datetime.datetime(2024, 5, 6, 7, 8, 9, tzinfo=datetime.timezone.utc)
COLUMNS = (
    "select x, word, x::decimal(10,2) d, [x] l, {'a': x} s, interval (x) day i, date '2024-01-02' as d2, null n, "
    "'x'::enum('x','y') e, uuid() u, 'raw'::blob b, x % 2 = 0 even from "
    "(select range x, case when range % 2 = 0 then 'a' else 'b' end word from range(10))"
)


def pandas_frame():
    """A frame with an index, categories, times with a zone, and missing values."""
    return pd.DataFrame(
        {
            "x": np.arange(5.0),
            "i": pd.array([1, None, 3, 4, 5], "Int64"),
            "word": ["a", None, "ü", "", "a longer text than twelve"],
            "kind": pd.Categorical(["x", "y", None, "x", "z"], categories=["z", "y", "x"], ordered=True),
            "when": pd.to_datetime([WHEN, None, WHEN, WHEN, WHEN]),
            "long": pd.to_timedelta([1, 2, 3, 4, 5], unit="s"),
            "flag": [True, False, True, True, False],
        },
        index=pd.Index([10, 20, 30, 40, 50], name="id"),
    )


def test_pandas_frames_come_back_with_their_index(store, path):
    given = pandas_frame()
    store["t"] = given
    pd.testing.assert_frame_equal(store["t"].to_pandas(), given)
    store["t"].append(given)
    store.close()
    with perdure.open(path) as s:
        both = s["t"].to_pandas()
        assert both["word"].fillna("-").tolist() == ["a", "-", "ü", "", "a longer text than twelve"] * 2
        assert both["kind"].astype(object).where(both["kind"].notna(), None).tolist() == ["x", "y", None, "x", "z"] * 2
        assert pd.DataFrame.from_arrow(s["t"])["x"].sum() == 20


def test_polars_frames_come_back(store, path):
    given = pl.DataFrame(
        {
            "x": np.arange(5.0),
            "i": [1, None, 3, 4, 5],
            "word": ["a", None, "ü", "", "a longer text than twelve"],
            "raw": [b"a", None, b"\xff", b"", b"more than twelve bytes"],
            "kind": pl.Series(["x", "y", None, "x", "z"], dtype=pl.Categorical),
            "enum": pl.Series(["x", "y", None, "x", "x"], dtype=pl.Enum(["y", "x"])),
            "when": pl.Series([WHEN, None, WHEN, WHEN, WHEN], dtype=pl.Datetime("us", "UTC")),
            "day": [WHEN.date(), None, WHEN.date(), None, WHEN.date()],
            "time": [datetime.time(1, 2, 3)] * 5,
            "long": [datetime.timedelta(seconds=1)] * 5,
            "list": [[1, 2], None, [], [3], [None]],
            "array": pl.Series([[1, 2]] * 5, dtype=pl.Array(pl.Int8, 2)),
            "struct": [{"a": 1, "b": "x"}, None, {"a": None, "b": None}, {"a": 2, "b": ""}, {"a": 3, "b": "y"}],
            "flag": [True, None, False, True, True],
            "price": pl.Series(["1.50", None, "2.25", "0", "3"]).cast(pl.Decimal(10, 2)),
        }
    )
    store["t"] = given
    assert store["t"].to_polars().equals(given) and store["t"].to_polars().schema == given.schema
    store["t"].append(given[3:])
    store["t"].append(given[:0])
    store["t"].append(given.filter(pl.col("flag")))
    both = pl.concat([given, given[3:], given.filter(pl.col("flag"))])
    store.close()
    with perdure.open(path) as s:
        assert s["t"].to_polars().equals(both)
        assert s["t"][2:7].to_polars().equals(both[2:7]) and s["t"][["i", "x"]].to_polars().equals(both[["i", "x"]])
        assert s["t"]["kind"].tolist() == both["kind"].to_list()
        assert pl.DataFrame(s["t"]).equals(both)


def test_numbers_are_not_copied_to_polars(store):
    store["t"] = pl.DataFrame({"x": np.arange(100_000), "y": np.arange(100_000.0)})
    frame = store["t"].to_polars()
    assert frame["x"].to_numpy(allow_copy=False).ctypes.data == store["t"]["x"].ctypes.data
    with pytest.raises(perdure.Error, match='"t"'):
        store.close()
    total = frame["x"].sum()
    store.close(force=True)
    assert frame["x"].sum() == total == 4_999_950_000
    changed = frame.with_columns(pl.col("x") + 1)  # Polars makes new columns
    assert changed["x"].sum() == total + 100_000


def test_duckdb_reads_tables_and_gives_rows(store):
    store["t"] = pl.DataFrame({"x": range(10), "word": ["a", "b"] * 5, "when": [WHEN] * 10})
    t = store["t"]
    assert duckdb.sql("select word, sum(x) s from t group by word order by word").fetchall() == [("a", 20), ("b", 25)]
    assert duckdb.sql("select x from t where word = 'b' order by x desc limit 2").fetchall() == [(9,), (7,)]
    store["out"] = duckdb.sql(COLUMNS)
    out = store["out"].to_arrow()
    assert out.num_rows == 10 and out["l"].to_pylist() == [[i] for i in range(10)] and out["even"].to_pylist() == [True, False] * 5
    out.validate(full=True)
    for i in range(3):
        store["out"].append(duckdb.sql(f"select * replace (x + {10 * (i + 1)} as x) from ({COLUMNS})"))
    assert store["out"]["x"].tolist()[-1] == 39 and store["out"].batches == [10] * 4


def test_a_query_is_stored_without_being_in_memory_at_once(store):
    store["t"] = duckdb.sql("select range x, 'word ' || range w from range(1000000)")
    assert len(store["t"]) == 1_000_000 and len(store["t"].batches) > 1
    assert store["t"]["x"].sum() == 499_999_500_000


def test_libraries_read_what_others_stored(store):
    store["t"] = pandas_frame()
    polars = store["t"].to_polars()
    assert polars["word"].to_list()[2:] == ["ü", "", "a longer text than twelve"] and polars["i"].null_count() == 1
    assert polars["kind"].to_list() == ["x", "y", None, "x", "z"]
    store["u"] = polars
    pandas = store["u"].to_pandas()
    assert pandas["i"].isna().tolist() == [False, True, False, False, False] and pandas["when"].dtype.tz is not None
    store["v"] = store["u"]  # a table of the store
    assert store["v"].to_polars().equals(store["u"].to_polars())


def test_a_column_alone_is_stored_as_an_array(store):
    store["a"] = pl.Series([1, 2, 3])
    store["b"] = pd.Series([1.5, 2.5])
    assert store["a"].tolist() == [1, 2, 3] and store["b"].tolist() == [1.5, 2.5]


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_columns_outlive_the_interpreter(path, library):
    program = (
        "import perdure, sys, numpy as np, polars as pl, pyarrow as pa\n"
        "s = perdure.open(sys.argv[1], 'x')\n"
        "s['t'] = pl.DataFrame({'x': np.arange(1000), 's': ['a'] * 1000})\n"
        f"kept = s['t'].to_{library.replace('pyarrow', 'arrow')}()\n"
        "cycle = [kept, s]; cycle.append(cycle)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    with perdure.open(path) as s:
        assert len(s["t"]) == 1000

