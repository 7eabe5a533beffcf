"""xarray's own cases for backends, on the engine "perdure"."""

import asyncio
import contextlib
import tempfile
import warnings

import pytest

pytest.importorskip("xarray")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # marks and optional packages are those of xarray's own configuration
    from xarray.tests import test_backends as theirs

import perdure.xarray


class TestEngine(theirs.CFEncodedBase):
    engine = "perdure"
    file_format = "NETCDF4"  # which has numbers without a sign

    # These need the packages cftime, iris or netCDF4.
    test_roundtrip_cftime_datetime_data = test_coordinate_variables_after_iris_roundtrip = test_roundtrip_example_1_netcdf = None
    test_string_object_warning = pytest.mark.long(theirs.CFEncodedBase.test_string_object_warning)  # of dask's blocks
    # All variables of a dimension may be replaced at once, so it may have another length then.
    test_append_with_invalid_dim_raises = None

    @pytest.fixture(autouse=True)
    def in_memory(self, tmp_path, monkeypatch):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    @pytest.fixture(params=["s", "ns"])
    def time_unit(self, request):
        return request.param

    @pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.long)])
    def use_dask(self, request):
        return request.param

    def save(self, dataset, path, mode="w", **options):
        perdure.xarray.to_perdure(dataset, path, mode=mode, **options)

    @contextlib.contextmanager
    def create_store(self):
        with perdure.open(tempfile.mkdtemp() + "/a.store", "w") as store:
            yield perdure.xarray.PerdureDataStore.of(store)

    def test_load_async(self):
        asyncio.run(super().test_load_async())
