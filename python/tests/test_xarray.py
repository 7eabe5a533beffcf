"""Datasets of xarray: what xarray's own cases do not ask."""

import importlib.metadata
import pickle
import subprocess
import sys

import numpy as np
import pytest

import perdure

xr = pytest.importorskip("xarray")
from perdure.xarray import to_perdure


@pytest.fixture
def air():
    return xr.Dataset(
        {"t": (("time", "x"), np.arange(6.0).reshape(2, 3), {"units": "K"}), "ok": ("x", [True, False, True])},
        {"time": np.array(["2026-01-01", "2026-01-02"], "datetime64[ns]"), "x": [10, 20, 30]},
        {"title": "air"},
    )


def test_the_engine_is_registered():
    (found,) = importlib.metadata.entry_points(group="xarray.backends", name="perdure")
    assert found.load() is perdure.xarray.PerdureBackendEntrypoint


def test_a_store_is_recognised(air, path, tmp_path):
    to_perdure(air, path)
    with xr.open_dataset(path) as found:
        xr.testing.assert_identical(found, air)
    assert not perdure.xarray.PerdureBackendEntrypoint().guess_can_open(tmp_path)


def test_arrays_are_arrays_of_the_store(air, path):
    to_perdure(air, path, group="runs/first")
    with perdure.open(path) as s:
        t = s["runs/first/t"]
        assert t.dims == ("time", "x") and t.attrs["units"] == "K" and t.is_viewable
        assert s["runs/first/ok"].dtype == bool
        assert s["runs/first"].attrs["title"] == "air"


def test_arrays_without_names_of_dimensions_get_some(store, grid):
    store["grid"] = grid
    store["note"] = "text"
    found = xr.open_dataset(store, engine="perdure")
    assert found.grid.dims == ("grid_dim_0", "grid_dim_1")
    assert found.note.item() == "text"
    assert store.is_open
    found.close()
    assert store.is_open


def test_a_dataset_is_one_checkpoint(air, path):
    perdure.open(path, "x").close()
    before = perdure.log(str(path))[-1]["epoch"]
    to_perdure(air, path, label="monday")
    last = perdure.log(str(path))[-2:]
    assert [one["epoch"] for one in last if one["label"] == "monday"] == [before + 1]


def test_a_dataset_that_cannot_be_written_changes_nothing(air, path):
    to_perdure(air, path)
    worse = air.assign(z=((), np.array(0.0), {"key": object()}))
    with pytest.raises(perdure.StoredTypeError, match="key"):
        to_perdure(worse, path, mode="w")
    with xr.open_dataset(path, engine="perdure") as found:
        xr.testing.assert_identical(found, air)


def test_modes(air, path):
    to_perdure(air, path)
    with pytest.raises(perdure.ExistsError, match='mode="w"'):
        to_perdure(air, path)
    to_perdure(xr.Dataset({"more": ("y", [1, 2])}), path, mode="a")
    with xr.open_dataset(path, engine="perdure") as found:
        assert set(found.data_vars) == {"t", "ok", "more"}
    with pytest.raises(perdure.InvalidError, match="length 4"):
        to_perdure(xr.Dataset({"wrong": ("x", [1, 2, 3, 4])}), path, mode="a")
    to_perdure(air[["t"]], path, mode="w")
    with xr.open_dataset(path, engine="perdure") as found:
        xr.testing.assert_identical(found, air[["t"]])


def test_appending_encodes_as_what_is_there(air, path):
    to_perdure(air, path, encoding={"t": {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -1}})
    later = air.assign_coords(time=air.time + np.timedelta64(40, "D"))
    to_perdure(later, path, append_dim="time")
    with xr.open_dataset(path, engine="perdure") as found:
        xr.testing.assert_equal(found.t, xr.concat([air.t, later.t], "time"))
        assert found.t.encoding["dtype"] == np.int16
    with pytest.raises(perdure.Error, match="'t'"):
        to_perdure(later.drop_vars("t"), path, append_dim="time")
    with pytest.raises(perdure.Error):
        to_perdure(later.isel(x=[0]), path, append_dim="time")


def test_appending_that_would_change_units_is_refused(air, path):
    to_perdure(air, path, encoding={"time": {"units": "days since 2026-01-01", "dtype": "i8"}})
    hours = air.assign_coords(time=air.time + np.timedelta64(1, "h"))
    with pytest.warns(UserWarning), pytest.raises(perdure.InvalidError, match="units"):
        to_perdure(hours, path, append_dim="time")


def test_texts_are_appended(path):
    def named(*names):
        return xr.Dataset({"name": ("i", list(names))})

    to_perdure(named("a", "bc"), path)
    to_perdure(named("longer"), path, append_dim="i")
    with xr.open_dataset(path, engine="perdure") as found:
        assert found.name.values.tolist() == ["a", "bc", "longer"]


def test_layout_by_encoding(air, path):
    to_perdure(air, path, encoding={"t": {"chunks": (1, 2), "compression": "zstd"}}, unlimited_dims=["time"])
    with perdure.open(path) as s:
        assert s["t"].chunks == (1, 2) and s["t"].compression == "zstd"
        assert s["t"].attrs[".max_dims"].tolist() == [2**64 - 1, 3]
    with xr.open_dataset(path, engine="perdure") as found:
        assert found.t.encoding["preferred_chunks"] == {"time": 1, "x": 2}
        assert found.encoding["unlimited_dims"] == {"time"}
        part = found.isel(x=[0]).load()
    to_perdure(part, path, group="part")  # the chunk does not fit any more


def test_views_instead_of_copies(air, path):
    to_perdure(air, path)
    with xr.open_dataset(path, engine="perdure", copy=False, mask_and_scale=False) as found:
        assert not found.t.values.flags.writeable and not found.t.values.flags.owndata
    with xr.open_dataset(path, engine="perdure") as found:
        found.t.load().values[0] = 1


def test_trees(air, path):
    tree = xr.DataTree.from_dict({"/": air, "/fine": air.isel(x=[0, 1]).drop_indexes("x").drop_vars("x").rename(x="y"), "/fine/inner": xr.Dataset({"n": 1})})
    to_perdure(tree, path, encoding={"/fine": {"t": {"dtype": "f4"}}})
    with xr.open_datatree(path, engine="perdure") as found:
        xr.testing.assert_equal(found, tree)
        assert found["fine/t"].dtype == np.float32
    with xr.open_dataset(path, engine="perdure", group="fine/inner") as found:
        assert found.n.item() == 1
    with pytest.raises(perdure.MissingError):
        xr.open_dataset(path, engine="perdure", group="coarse")


def test_a_pickled_dataset_is_read_in_another_process(air, path):
    to_perdure(air, path)
    with xr.open_dataset(path, engine="perdure") as found:
        pickled = pickle.dumps(found)
    program = "import pickle, sys; print(float(pickle.load(sys.stdin.buffer).t.sum()))"
    assert float(subprocess.run([sys.executable, "-c", program], input=pickled, capture_output=True, check=True).stdout) == 15
    to_perdure(air * 2, path, mode="w")
    with pytest.raises(perdure.Error, match="checkpoint"):
        pickle.loads(pickled).t.load()


def test_bytes_that_a_fixed_length_would_cut_are_refused(path):
    with pytest.raises(perdure.StoredTypeError, match="end in a zero"):
        to_perdure(xr.Dataset({"b": ("i", np.array([b"a\0", b"b"], object))}), path)


def test_names_and_attributes_that_stores_keep_for_themselves_are_refused(path):
    with pytest.raises(perdure.InvalidError, match="a/b"):
        to_perdure(xr.Dataset({"a/b": ("i", [1])}), path)
    with pytest.raises(perdure.InvalidError, match="period"):
        to_perdure(xr.Dataset(attrs={".json": "1"}), path)


@pytest.mark.long
def test_blocks_of_dask(air, path, tmp_path):
    pytest.importorskip("dask.array")
    to_perdure(air, path, encoding={"t": {"chunks": (1, 3)}})
    with xr.open_dataset(path, engine="perdure", chunks={}) as found:
        assert found.t.chunks == ((1, 1), (3,))
        to_perdure(found * 2, tmp_path / "twice.store")
    with xr.open_dataset(tmp_path / "twice.store", engine="perdure") as twice:
        xr.testing.assert_equal(twice.t, air.t * 2)
