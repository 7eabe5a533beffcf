"""A store of zarr in a store of Perdure: its keys are arrays of bytes in a group.

>>> import zarr
>>> from perdure.zarr import PerdureStore
>>> with PerdureStore("zarr.store") as store:
...     air = zarr.create_group(store).create_array("air", shape=(4, 6), chunks=(2, 6), dtype="f4")
...     air[:] = 280.0
>>> with PerdureStore("zarr.store", read_only=True) as store:
...     print(float(zarr.open_group(store, mode="r")["air"][1, 1]))
280.0
"""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator, Iterable, Mapping
from types import TracebackType
from typing import Any

try:
    import zarr
except ModuleNotFoundError as missing:
    if missing.name != "zarr":
        raise
    raise ImportError("perdure.zarr needs the package zarr from version 3 on, which is not installed: pip install zarr") from None
if int(zarr.__version__.partition(".")[0]) < 3:
    raise ImportError(f"perdure.zarr needs the package zarr from version 3 on, and {zarr.__version__} is installed: pip install --upgrade zarr")

import numpy as np
from zarr.abc.store import ByteRequest, OffsetByteRequest, RangeByteRequest, Store, SuffixByteRequest
from zarr.core.buffer import Buffer, BufferPrototype, cpu, default_buffer_prototype

from perdure import _store
from perdure._dtypes import BYTES
from perdure._perdure import InvalidError, StoredTypeError
from perdure._store import Group

__all__ = ["PerdureStore"]

#: Options of `perdure.open`, by name, in an order.
_Options = tuple[tuple[str, Any], ...]


class _Held:
    """An open store that all zarr stores of this process with its path share."""

    def __init__(self, path: str, options: _Options, writes: bool) -> None:
        self.path = path
        self.options = options
        self.users = 0
        self.lock = threading.RLock()
        here = [one for one in _store._open_stores if one.path == path and one.is_open]
        here.sort(key=lambda one: one.mode)  # a writer last
        #: Whether it is closed with the last of its users, as nobody else opened it.
        self.is_own = not here
        self.store = here[-1] if here else _store.open(path, "a" if writes else "r", **dict(options))

    def require_writable(self) -> None:
        """Opens the store for writing where it was opened for reading. Readers of this process see what is written."""
        with self.lock:
            if self.is_own and self.store.mode == "r":
                self.store.close(force=True)
                self.store = _store.open(self.path, "a", **dict(self.options))


_held: dict[str, _Held] = {}
_held_lock = threading.Lock()


class PerdureStore(Store):
    """A store of zarr whose keys are arrays of bytes in a group of a Perdure store.

    Values are read where they lie, without a copy. What was written is durable with the next checkpoint: `checkpoint`
    makes one, and so does `close` where the store was opened by its path.

    target: the path of a store, which is created where there is none, or an open `perdure.Store` or `perdure.Group`.
    group: the name of a group in it, for keys; unless given, that is `target` itself.
    read_only: whether writing raises. An open store that was opened for reading is always so.
    open_options: options of `perdure.open`, such as {"backing": "paged"}.
    """

    supports_writes: bool = True
    supports_deletes: bool = True
    supports_listing: bool = True

    def __init__(
        self,
        target: str | os.PathLike[str] | Group,
        group: str = "",
        *,
        read_only: bool = False,
        open_options: Mapping[str, Any] | None = None,
    ) -> None:
        self._taken: _Held | None = None
        group = group.strip("/")
        if isinstance(target, Group):
            if open_options:
                raise InvalidError("open_options are for a path, and this store is open already")
            self._path = target.store.path
            group = f"{target.name.strip('/')}/{group}".strip("/")
            read_only = read_only or target.store.mode == "r"
        else:
            self._path = os.path.abspath(os.fsdecode(os.fspath(target)))
        self._group = group
        self._prefix = group + "/" if group else ""
        self._options: _Options = tuple(sorted((open_options or {}).items()))
        super().__init__(read_only=read_only)

    # Its life.

    def _take(self, writes: bool = False) -> _Held:
        held = self._taken
        if held is None or not held.store.is_open:
            with _held_lock:
                held = _held.get(self._path)
                if held is None or not held.store.is_open:
                    held = _held[self._path] = _Held(self._path, self._options, not self._read_only)
                held.users += 1
            self._taken = held
            self._is_open = True
        if writes and held.store.mode == "r":
            held.require_writable()
        return held

    async def _open(self) -> None:
        await super()._open()
        self._take()

    def close(self) -> None:
        """Makes a checkpoint of what was written, and closes a store that was opened by its path. Buffers stay readable."""
        self._leave(commits=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the store. After an exception, what was not checkpointed is discarded."""
        self._leave(commits=kind is None)

    def _leave(self, commits: bool) -> None:
        super().close()
        held, self._taken = self._taken, None
        if held is None:
            return
        with _held_lock:
            held.users -= 1
            is_last = held.users == 0
            if is_last and _held.get(self._path) is held:
                del _held[self._path]
        if not held.is_own or not held.store.is_open:
            return
        if is_last and commits:
            held.store.close(force=True)
        elif is_last:
            held.store.discard()
        elif commits and not self._read_only and held.store.mode != "r":
            held.store.checkpoint()

    def __del__(self) -> None:
        if getattr(self, "_taken", None) is not None:
            self.close()

    def checkpoint(self, label: str = "") -> None:
        """Makes everything that was written so far durable, all or nothing."""
        self._check_writable()
        self._take(writes=True).store.checkpoint(label)

    def with_read_only(self, read_only: bool = False) -> PerdureStore:
        """Returns another zarr store at the same place, which is read-only or not."""
        return type(self)(self._path, self._group, read_only=read_only, open_options=dict(self._options))

    def __reduce__(self) -> Any:
        return _reopened, (type(self), self._path, self._group, self._read_only, self._options)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PerdureStore)
            and (self._path, self._group, self._read_only) == (other._path, other._group, other._read_only)
        )

    def __str__(self) -> str:
        return f"perdure://{self._path}" + (f"/{self._group}" if self._group else "")

    def __repr__(self) -> str:
        return f"PerdureStore({str(self)!r})"

    # Without asyncio.

    def get_sync(
        self, key: str, *, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """Returns the value of a key, or a range of it, where it lies; None where the key is not there."""
        core = self._take().store._core
        name = self._prefix + key
        found = core.find(name)
        if found is None:
            return None
        shape, dtype, _, is_viewable = found
        self._require_bytes(key, shape, dtype)
        begin, end = _range_of(byte_range, shape[0])
        if is_viewable:
            part = core.view(name)[begin:end]
        else:
            part = self._take().store.array(name)[begin:end]
        buffer = cpu.Buffer.from_array_like(part)
        return buffer if prototype is None else prototype.buffer.from_buffer(buffer)

    def set_sync(self, key: str, value: Buffer) -> None:
        """Stores the value of a key."""
        self._check_writable()
        held = self._take(writes=True)
        with held.lock:
            self._store(held, key, value)

    def delete_sync(self, key: str) -> None:
        """Removes a key, if it is there."""
        self._check_writable()
        self._take(writes=True).store._core.erase(self._prefix + key)

    def _store(self, held: _Held, key: str, value: Buffer) -> None:
        if not isinstance(value, Buffer):
            raise StoredTypeError(f"the value of {key!r} is a {type(value).__name__}, and zarr stores take a Buffer")
        if key.rpartition("/")[2] == _store._MARKER:
            raise InvalidError(f"{key!r} cannot be a key: it is where a group's attributes are")
        name = self._prefix + key
        held.store._core.store(name, BYTES, np.ascontiguousarray(value.as_numpy_array()).view(np.uint8))
        held.store._core.set_attribute(name, _store.NOTE, _store.TEXT, (), b"bytes")

    def _require_bytes(self, key: str, shape: tuple[int, ...], dtype: np.dtype) -> None:
        if len(shape) != 1 or dtype != np.uint8:
            raise StoredTypeError(f"{key!r} in {self} is an array of shape {shape} and type {dtype}, not bytes that zarr has stored")

    def _keys(self, prefix: str = "") -> list[str]:
        start = len(self._prefix)
        folder = (self._prefix + prefix).rpartition("/")[0]
        whole = self._prefix + prefix
        names = self._take().store._core.names(folder)
        return [one[start:] for one in names if one.startswith(whole) and one.rpartition("/")[2] != _store._MARKER]

    # With asyncio.

    async def get(
        self, key: str, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """Returns the value of a key, or a range of it, where it lies; None where the key is not there."""
        return self.get_sync(key, prototype=prototype or default_buffer_prototype(), byte_range=byte_range)

    async def get_partial_values(
        self, prototype: BufferPrototype, key_ranges: Iterable[tuple[str, ByteRequest | None]]
    ) -> list[Buffer | None]:
        """Returns ranges of values, in the order of `key_ranges`."""
        return [self.get_sync(key, prototype=prototype, byte_range=one) for key, one in key_ranges]

    async def exists(self, key: str) -> bool:
        """Returns whether a key is there."""
        return self._take().store._core.find(self._prefix + key) is not None

    async def set(self, key: str, value: Buffer) -> None:
        """Stores the value of a key."""
        self.set_sync(key, value)

    async def set_if_not_exists(self, key: str, value: Buffer) -> None:
        """Stores the value of a key that is not there. Of several threads that do so one succeeds."""
        self._check_writable()
        held = self._take(writes=True)
        with held.lock:
            if held.store._core.find(self._prefix + key) is None:
                self._store(held, key, value)

    async def delete(self, key: str) -> None:
        """Removes a key, if it is there."""
        self.delete_sync(key)

    async def delete_dir(self, prefix: str) -> None:
        """Removes all keys below a prefix."""
        self._check_writable()
        core = self._take(writes=True).store._core
        for key in self._keys(prefix if not prefix or prefix.endswith("/") else prefix + "/"):
            core.erase(self._prefix + key)

    async def is_empty(self, prefix: str) -> bool:
        """Returns whether no key is below a prefix."""
        return not self._keys(prefix if not prefix or prefix.endswith("/") else prefix + "/")

    async def list(self) -> AsyncIterator[str]:
        """Yields all keys."""
        for key in self._keys():
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Yields the keys that begin with a prefix."""
        for key in self._keys(prefix):
            yield key

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """Yields what lies directly below a prefix: keys, and the beginnings of longer ones."""
        folder = prefix.rstrip("/") + "/" if prefix.rstrip("/") else ""
        for name in sorted({key[len(folder) :].partition("/")[0] for key in self._keys(folder)}):
            yield name

    async def getsize(self, key: str) -> int:
        """Returns the number of bytes of a value, without a look at them."""
        found = self._take().store._core.find(self._prefix + key)
        if found is None:
            raise FileNotFoundError(key)
        self._require_bytes(key, *found[:2])
        return int(found[0][0])

    async def getsize_prefix(self, prefix: str) -> int:
        """Returns the number of bytes of all values below a prefix."""
        folder = prefix.rstrip("/") + "/" if prefix.rstrip("/") else ""
        return sum([await self.getsize(key) for key in self._keys(folder)])


def _range_of(asked: ByteRequest | None, length: int) -> tuple[int, int]:
    """Returns the first byte of a range and the one behind it."""
    if asked is None:
        return 0, length
    if isinstance(asked, RangeByteRequest):
        return asked.start, asked.end
    if isinstance(asked, OffsetByteRequest):
        return asked.offset, length
    if isinstance(asked, SuffixByteRequest):
        return max(0, length - asked.suffix), length
    raise InvalidError(f"Unexpected byte_range, got {asked}: give a RangeByteRequest, OffsetByteRequest or SuffixByteRequest")


def _reopened(kind: type[PerdureStore], path: str, group: str, read_only: bool, options: _Options) -> PerdureStore:
    return kind(path, group, read_only=read_only, open_options=dict(options))
