"""zarr's own cases for stores, on perdure.zarr."""

import functools
import inspect

import pytest

pytest.importorskip("zarr")
from zarr.core.buffer import cpu
from zarr.core.sync import sync
from zarr.testing.store import StoreTests

import perdure
from perdure.zarr import PerdureStore


def waited_for(case):
    @functools.wraps(case)
    def run(*arguments, **options):
        return sync(case(*arguments, **options))

    return run


class TestPerdureStore(StoreTests[PerdureStore, cpu.Buffer]):
    """Cases that are coroutines run in zarr's own loop."""

    store_cls = PerdureStore
    buffer_cls = cpu.Buffer

    for _name, _case in vars(StoreTests).items():
        if inspect.iscoroutinefunction(_case) and _name.startswith("test_"):
            locals()[_name] = waited_for(_case)

    @pytest.fixture
    def store_kwargs(self, path):
        perdure.open(path, "x").close()
        return {"target": path, "group": "z"}

    @pytest.fixture
    def store(self, open_kwargs):
        made = sync(self.store_cls.open(**open_kwargs))
        yield made
        made.close()

    @pytest.fixture
    def store_not_open(self, store_kwargs):
        made = self.store_cls(**store_kwargs)
        yield made
        made.close()

    def bypassed(self, store):
        return store._take(writes=True).store

    async def set(self, store, key, value):
        self.bypassed(store)["z/" + key] = value.to_bytes()

    async def get(self, store, key):
        return self.buffer_cls.from_bytes(self.bypassed(store)["z/" + key])

    def test_store_repr(self, store, path):
        assert repr(store) == f"PerdureStore('perdure://{path}/z')"

    def test_store_supports_writes(self, store):
        assert store.supports_writes

    def test_store_supports_listing(self, store):
        assert store.supports_listing
