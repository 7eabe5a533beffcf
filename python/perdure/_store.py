"""Open stores, and groups of arrays in them."""

from __future__ import annotations

import atexit
import itertools
import os
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from types import MappingProxyType, TracebackType
from typing import Any

import numpy as np

from perdure import _perdure
from perdure._array import NOTE, NOTED_KINDS, Array
from perdure._arrow import input_of, is_table_like
from perdure._attributes import Attributes
from perdure._containers import Dict, List, Set
from perdure._dtypes import BYTES, TEXT, StoredAs, _stored_as, in_machine_order, require_numbers, stored_as
from perdure._perdure import (
    Error,
    InvalidError,
    MissingError,
    PendingCheckpoint,
    StoreCore,
    StoredTypeError,
    StoreOSError,
    UnsupportedError,
)
from perdure._table import Table, is_table
from perdure._table import create as _create_table

#: Last part of the name of the array that has a group's attributes.
_MARKER = ".attributes"
_UINT8 = BYTES
_CONTAINERS = {"dict": Dict, "list": List, "set": Set}
_MODES = ("r", "r+", "a", "w", "x")

#: Stores that are open, for forks and for the end of the program.
_open_stores: weakref.WeakSet[Store] = weakref.WeakSet()
_opened = itertools.count()
#: Stores that were closed while views lived, which have their memory and their lock.
_viewed: list[tuple[str, StoreCore]] = []
_reopened: weakref.WeakValueDictionary[tuple[str, int], Store] = weakref.WeakValueDictionary()


def open(
    path: str | os.PathLike[str],
    mode: str = "r",
    *,
    backing: str | None = None,
    budget: int | str = 0,
    beside_writer: str = "share",
    comm: Any = None,
    parts_directory: str | os.PathLike[str] | None = None,
    wait: float | None = None,
    keep: int = 0,
    full_copies: bool = False,
    capacity: int | None = None,
    verify: bool = False,
) -> Store:
    """Opens a store, or creates one.

    >>> import perdure
    >>> with perdure.open("opened.store", "w") as s:  # the end of the block makes a checkpoint
    ...     s["a"] = 1
    >>> with perdure.open("opened.store") as s:
    ...     s.mode, int(s["a"])
    ('r', 1)

    mode: "r" reads a store; "r+" reads and writes one that exists; "a" creates it where there is none; "w" deletes the
    one that is there and creates another; "x" creates one and fails where something is.
    backing: where the bytes are: "private", "paged", "dax" or "shared"; as the environment says unless given.
    budget: bytes of memory for changed pages, and with "paged" for all pages: a number, or a text such as "4 GiB".
    beside_writer: how a reader opens a store that another process writes: "share" or "hold".
    comm: a communicator of mpi4py: the path is a set of stores, one for each rank, with one checkpoint. All ranks call
    this, and close, discard, checkpoint, update and snapshot of the result, in the same order.
    parts_directory: with comm=, where the store of this rank is created; in the set's directory unless given.
    wait: seconds to wait for a store that is in use, before it is an error.
    keep: the last so many labelled checkpoints are kept as read-only copies, which "STORE@LABEL" opens.
    full_copies: keep them also where the file system cannot share blocks.
    capacity: bytes that a new store reserves addresses for; it takes no disk. 1 TiB unless given.
    verify: whether every byte is compared with its checksum first; a damaged store is an error then.
    """
    if mode == "w-":  # as h5py and zarr call it too
        mode = "x"
    if mode not in _MODES:
        raise InvalidError(f'mode={mode!r} is none of: {", ".join(_MODES)}')
    place = os.path.abspath(os.fsdecode(os.fspath(path)))
    channel = None
    if comm is not None:
        from perdure._ranks import Channel, remove_on_rank_0

        channel = Channel(comm)
        if mode == "w":
            remove_on_rank_0(place, comm)
    elif parts_directory is not None:
        raise InvalidError("parts_directory= is of sets of stores: give comm= too")
    return Store(
        place,
        mode,
        {
            "backing": backing,
            "budget": _bytes_of(budget),
            "beside_writer": beside_writer,
            "wait": wait,
            "keep": keep,
            "full_copies": full_copies,
            "capacity": capacity,
            "verify": verify,
            "channel": channel,
            "parts_directory": os.path.abspath(os.fsdecode(parts_directory)) if parts_directory is not None else "",
        },
    )


def _bytes_of(amount: int | str) -> int:
    if not isinstance(amount, str):
        return int(amount)
    units = {"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
    digits = amount.strip().rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
    unit = amount.strip()[len(digits) :].strip().lower()
    try:
        return int(float(digits) * units[unit])
    except (ValueError, KeyError):
        raise InvalidError(f'{amount!r} is no number of bytes; write for example 1000000, "64 MiB" or "4 GiB"') from None


class Group(MutableMapping[str, Any]):
    """Arrays whose names begin alike: the array "grid/x" is the array "x" of the group "grid".

    A group is a mapping of the names in it. Values are `Array`, `Group`, and what was stored as a text or as bytes.

    >>> import perdure
    >>> with perdure.open("groups.store", "w") as s:
    ...     grid = s.require_group("grid")
    ...     grid["x"] = [0.0, 0.5, 1.0]
    ...     list(grid), s["grid/x"].shape, "y" in grid
    (['x'], (3,), False)
    """

    __slots__ = ("_store", "_prefix", "__weakref__")

    _store: Store
    _prefix: str

    def __init__(self, store: Store, prefix: str) -> None:
        self._store = store
        self._prefix = prefix  # empty, or ends with "/"

    # Names.

    def _full(self, name: str) -> str:
        if not isinstance(name, str):
            raise StoredTypeError(f"names in a store are of type str, not {name.__class__.__name__}")
        if "/" not in name:
            full = self._prefix + name
        elif name[0] == "/":  # from the store's root, as in h5py
            full = name.strip("/")
        else:
            full = self._prefix + name.strip("/")
        if not name or "//" in name:
            raise InvalidError(f'{name!r} is no name: parts of a name have one or more characters, with single "/" between them')
        return full

    def _full_to_set(self, name: str) -> str:
        full = self._full(name)
        if full == _MARKER or full.endswith("/" + _MARKER) or not full:
            raise InvalidError(f"{name!r} cannot be a name: it is where a group's attributes are")
        return full

    @property
    def name(self) -> str:
        """The group's name, as "/grid"; "/" is the store's root."""
        return "/" + self._prefix[:-1]

    @property
    def store(self) -> Store:
        """The store that has the group."""
        return self._store

    @property
    def attrs(self) -> Attributes:
        """The attributes of the group, or of the store."""
        return Attributes(self._store, self._prefix + _MARKER, makes=True)

    # The mapping.

    def __getitem__(self, name: str) -> Any:
        core = self._store._core
        full = self._full(name) if "/" in name or self._prefix or not isinstance(name, str) else name
        found = core.find(full)
        if found is not None:
            shape, dtype, type, _ = found
            if type.kind in NOTED_KINDS and type.kind != "int64":
                if type.kind == "text" and not shape:
                    return core.read_variable(full, type)[0].decode()
                if type.kind == "uint8" and len(shape) == 1 and core.attribute(full, NOTE) is not None:
                    return core.load(full).tobytes()
            return Array(self._store, full)
        if self._is_group(full):
            return Table(self._store, full) if is_table(self._store, full) else self._group(full)
        kind = core.container_kind(full)
        if kind:
            return _CONTAINERS[kind](self._store, full)
        found = core.object_value(full)
        if found is not None:
            return _object_value(*found)
        raise MissingError(f"{self._store.path} has no array, group or object {full!r}")

    def _is_group(self, full: str) -> bool:
        core = self._store._core
        return not full or core.is_group(full) or any(one.startswith(full + "/") for one in core.object_names())

    def _group(self, full: str) -> Group:
        return Group(self._store, full + "/" if full else "")

    def __setitem__(self, name: str, value: Any) -> None:
        full = self._full_to_set(name) if not isinstance(value, Mapping) else self._full(name)
        if value.__class__ is np.ndarray:
            stored = _stored_as.get(value.dtype)
            if stored is not None and stored.view is None and stored.type.kind not in NOTED_KINDS and stored.is_native:
                try:
                    self._store._core.store(full, stored.type, value)
                except InvalidError:
                    if not self._store._drop_table(full):
                        raise
                    self._store._core.store(full, stored.type, value)
                return
        self._store._assign(full, _prepare(name, value))

    def __delitem__(self, name: str) -> None:
        full = self._full(name)
        core = self._store._core
        if not core.erase(full):
            members = core.names(full) if full else []
            if not members:
                kind = core.container_kind(full)
                if kind:
                    core.destroy_container(full, kind)
                    return
                if full in core.object_names():
                    raise UnsupportedError(f"{full!r} is an object that a C++ program has made, and Python cannot destroy it")
                raise MissingError(f"{self._store.path} has no array, group or object {full!r}")
            for one in members:
                core.erase(one)

    def _members(self) -> dict[str, bool]:
        """Returns the names in this group, sorted, and whether each is a group."""
        start = len(self._prefix)
        found: dict[str, bool] = {}
        for one in self._store._core.names(self._prefix[:-1]):
            if len(one) < start or one[:start] != self._prefix:
                continue
            head, slash, _ = one[start:].partition("/")
            if head == _MARKER:
                continue
            found[head] = found.get(head, True) and bool(slash)
        for one in self._store._core.object_names():
            if one.startswith(self._prefix):
                head, slash, _ = one[start:].partition("/")
                found.setdefault(head, bool(slash))
        return found

    def members(self) -> list[tuple[str, bool]]:
        """Returns the names in this group, sorted, each with whether it is a group."""
        return sorted(self._members().items())

    def is_array(self, name: str) -> bool:
        """Returns whether an array has the name: not a group, and not an object of C++ or a container."""
        return self._store._core.find(self._full(name)) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._members()))

    def __len__(self) -> int:
        return len(self._members())

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or not name or "//" in name:
            return False
        full = self._full(name)
        core = self._store._core
        return core.find(full) is not None or self._is_group(full) or full in core.object_names()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Group):
            return self._store is other._store and self._prefix == other._prefix
        return NotImplemented

    def __hash__(self) -> int:
        return hash((id(self._store), self._prefix))

    def array(self, name: str) -> Array:
        """Returns the array of a name, also one that indexing returns as a text or as bytes."""
        full = self._full(name)
        if self._store._core.find(full) is None:
            raise MissingError(f"{self._store.path} has no array {full!r}")
        return Array(self._store, full)

    def update(self, other: Any = (), /, **more: Any) -> None:
        """Stores several values and makes one checkpoint of them all. Nothing is stored if one of them cannot be.

        >>> import perdure
        >>> with perdure.open("updated.store", "w") as s:
        ...     s.update({"a": 1, "b": [2, 3]}, note="both")
        ...     sorted(s)
        ['a', 'b', 'note']
        """
        pairs = list(other.items() if isinstance(other, Mapping) else other) + list(more.items())
        ready = []
        for name, value in pairs:
            full = self._full(name) if isinstance(value, Mapping) else self._full_to_set(name)
            is_group = not self._store._core.find(full) and self._store._core.is_group(full) and not is_table(self._store, full)
            if is_group and not isinstance(value, Mapping):
                raise InvalidError(f"{full!r} is a group: delete it before you store an array under its name")
            ready.append((full, _prepare(name, value)))
        ready.sort(key=lambda one: one[1].rows is None)  # rows of tables come from elsewhere, which may fail
        for full, value in ready:
            self._store._assign(full, value)
        self._store.checkpoint()

    def clear(self) -> None:
        """Deletes all arrays of the group."""
        for name in [one for one in self._store._core.names(self._prefix[:-1]) if one.startswith(self._prefix)]:
            self._store._core.erase(name)

    # Making arrays and groups.

    def create_array(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        *,
        data: Any = None,
        dims: Any = None,
        chunks: Any = None,
        compression: str | None = None,
        level: int = 0,
        shuffle: bool = True,
        fill_value: Any = None,
        attrs: Mapping[str, Any] | None = None,
        overwrite: bool = False,
    ) -> Array:
        """Creates an array of zeros, of `fill_value`, or with the elements of `data`.

        >>> import perdure
        >>> with perdure.open("created.store", "w") as s:
        ...     a = s.create_array("a", (1000, 4), "f4", dims=("time", "x"), chunks=(100, 4), compression="zstd")
        ...     a.shape, a.dims, a.compression
        ((1000, 4), ('time', 'x'), 'zstd')

        chunks: elements of a chunk along each dimension, or True for chunks that are chosen. Unless given, all elements
        lie beside each other.
        compression: "lz4", "zstd" or "blosc", of chunks.
        """
        full = self._full_to_set(name)
        core = self._store._core
        if not overwrite and (core.find(full) is not None or is_table(self._store, full)):
            raise ExistsError(f"{full!r} is there already; assign it, or give overwrite=True")
        prepared = None
        if data is not None:
            array = np.asarray(data, None if dtype is None else np.dtype(dtype))
            if isinstance(data, (list, tuple)) and dtype is None:
                require_numbers(data, array)
            prepared = _prepare(name, array)
            if shape is not None and tuple(np.atleast_1d(shape).tolist()) != array.shape:
                array = array.reshape(shape)
                prepared = _prepare(name, array)
            shape, dtype = array.shape, array.dtype
        if shape is None:
            raise InvalidError(f"create_array({name!r}) needs a shape, or data")
        shape = (int(shape),) if hasattr(shape, "__index__") else tuple(int(one) for one in shape)
        dtype = np.dtype(np.float64 if dtype is None else dtype)
        if dtype.subdtype is not None:  # arrays in each element are dimensions more
            dtype, within = dtype.subdtype
            shape = (*shape, *within)
        options: dict[str, Any] = {"replaces": True}
        if dims is not None:
            options["dims"] = [dims] if isinstance(dims, str) else list(dims)
            if len(options["dims"]) != len(shape):
                raise InvalidError(f"{len(options['dims'])} dims are given for {name!r}, which has {len(shape)} dimensions")
        stored = stored_as(dtype)
        if dims is not None and stored.type.kind == "character":
            options["dims"].append(f"string{max(dtype.itemsize, 1)}")
        if chunks or compression is not None:
            options["layout"] = "chunked"
            if chunks and chunks is not True:
                chunk = [int(chunks)] * len(shape) if hasattr(chunks, "__index__") else [int(one) for one in chunks]
                if len(chunk) != len(shape):
                    raise InvalidError(f"chunks={tuple(chunk)} does not fit the shape {shape} of {name!r}")
                if stored.type.kind == "character":
                    chunk.append(max(dtype.itemsize, 1))
                options["chunk"] = chunk
            if compression is not None:
                options.update(codec=compression, level=level, shuffle=shuffle)
        if prepared is None and fill_value is not None and np.any(np.asarray(fill_value) != np.zeros((), dtype)):
            if core.has_ranks:
                raise UnsupportedError(f"fill_value= of {name!r}: the ranks of a set create arrays of zeros, and each writes its part")
            prepared = _prepare(name, np.full(shape, fill_value, dtype))
        if prepared is None and stored.type.is_variable:
            prepared = _prepare(name, np.full(shape, "", dtype))
        if prepared is not None:
            self._store._assign(full, prepared, options)
        else:
            extents = (*shape, max(dtype.itemsize, 1)) if stored.type.kind == "character" else shape
            if core.find(full) is not None:
                core.erase(full)
            options["replaces"] = False
            core.create(full, stored.type, extents, options)
            self._store._set_note(full, stored)
        made = Array(self._store, full)
        for key, value in (attrs or {}).items():
            made.attrs[key] = value
        return made

    create_dataset = create_array

    def create_table(
        self,
        name: str,
        data: Any = None,
        *,
        schema: Any = None,
        attrs: Mapping[str, Any] | None = None,
        overwrite: bool = False,
    ) -> Table:
        """Creates a table of the rows of `data`, or one without rows.

        data: a frame of pandas or Polars, or whatever else gives its rows by Arrow's interface; a mapping of names to
        arrays or lists; or a structured array.
        schema: the types of the columns, where rows come later or have types that are converted: an object with
        `__arrow_c_schema__`, or a mapping of names to NumPy types.
        """
        full = self._full_to_set(name)
        core = self._store._core
        if not overwrite and (core.find(full) is not None or self._is_group(full)):
            raise ExistsError(f"{full!r} is there already; assign it, or give overwrite=True")
        made = _create_table(self._store, full, data, schema)
        for key, value in (attrs or {}).items():
            made.attrs[key] = value
        return made

    def require_array(self, name: str, shape: Any, dtype: Any = None, **options: Any) -> Array:
        """Returns the array of that name, shape and type, or creates it. Raises where another one has the name."""
        full = self._full(name)
        if self._store._core.find(full) is None:
            return self.create_array(name, shape, dtype, **options)
        found = Array(self._store, full)
        wanted = (int(shape),) if hasattr(shape, "__index__") else tuple(shape)
        if found.shape != wanted or (dtype is not None and found.dtype != np.dtype(dtype)):
            raise StoredTypeError(f"{full!r} has the shape {found.shape} and the type {found.dtype}, not {wanted} and {np.dtype(dtype)}")
        return found

    require_dataset = require_array

    def create_group(self, name: str) -> Group:
        """Creates a group without members. Raises where the name is taken."""
        full = self._full(name)
        core = self._store._core
        if core.find(full) is not None or core.is_group(full):
            raise ExistsError(f"{full!r} is there already; require_group returns it")
        self._store._make_marker(full + "/" + _MARKER)
        return self._group(full)

    def require_group(self, name: str) -> Group:
        """Returns the group of that name, and creates it where there is none."""
        full = self._full(name)
        core = self._store._core
        if core.find(full) is not None:
            raise InvalidError(f"{full!r} is an array, so it cannot be a group")
        if is_table(self._store, full):
            raise InvalidError(f"{full!r} is a table, so it cannot be a group")
        if full and not core.is_group(full):
            self._store._make_marker(full + "/" + _MARKER)
        return self._group(full)

    def move(self, source: str, target: str) -> None:
        """Gives an array or a group another name.

        >>> import perdure
        >>> with perdure.open("moved.store", "w") as s:
        ...     s["old/a"] = 1
        ...     s.move("old", "new")
        ...     "old" in s, int(s["new/a"])
        (False, 1)
        """
        old, new = self._full(source), self._full_to_set(target)
        core = self._store._core
        names = [one for one in core.names(old)]
        if not names:
            raise MissingError(f"{self._store.path} has no array or group {old!r}")
        if old == new:
            return
        self._require_free(new)
        for one in names:
            self._store._copy_array(one, new + one[len(old) :])
        for one in names:
            core.erase(one)

    def copy(self, source: str | Array | Group, target: str | Group, name: str | None = None) -> None:
        """Copies an array or a group with its attributes, also of another store.

        target: the new name, or a group, in which the copy is called `name`, or else like the source.
        """
        of = self._store if isinstance(source, str) else source.store
        old = self._full(source) if isinstance(source, str) else source.name.strip("/")
        into = self if isinstance(target, str) else target
        new = into._full_to_set(target if isinstance(target, str) else name or old.rpartition("/")[2])
        names = of._core.names(old)
        if not names:
            raise MissingError(f"{of.path} has no array or group {old!r}")
        into._require_free(new)
        for one in names:
            into._store._copy_array(one, new + one[len(old) :], of)

    def _require_free(self, full: str) -> None:
        core = self._store._core
        if core.find(full) is not None or core.is_group(full) or full in core.object_names():
            raise ExistsError(f"{full!r} is there already; delete it first")

    def visititems(self, visit: Callable[[str, Array | Group], Any]) -> Any:
        """Calls `visit(name, member)` for all arrays and groups below, until a result is not None, and returns that."""
        start = len(self._prefix)
        for name, is_group in self._members().items():
            full = self._prefix + name
            is_array = self._store._core.find(full) is not None
            if is_group or is_array:
                member = self._group(full) if is_group else Array(self._store, full)
                result = visit(full[start:], member)
                if result is None and is_group:
                    result = member.visititems(lambda below, one, above=name: visit(f"{above}/{below}", one))
                if result is not None:
                    return result
        return None

    def visit(self, visit: Callable[[str], Any]) -> Any:
        """Calls `visit(name)` for all arrays and groups below, until a result is not None, and returns that."""
        return self.visititems(lambda name, _: visit(name))

    # How it looks.

    def _rows(self, most: int) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        for name in self:
            if len(rows) == most:
                rows.append(("…", f"{len(self) - most} more", "", ""))
                break
            found = self._store._core.find(self._prefix + name)
            if found is not None:
                rows.append((name, "array", found[0], self.array(name).dtype))
            elif is_table(self._store, self._prefix + name):
                rows.append((name, "table", Table(self._store, self._prefix + name).shape, ""))
            else:
                rows.append((name, "group" if self._members()[name] else "object", "", ""))
        return rows

    def _title(self) -> str:
        return f"perdure.Group {self.name} of {self._store.path}"

    def tree(self, depth: int | None = None) -> str:
        """Returns the groups and arrays below this one, a line each.

        >>> import perdure
        >>> with perdure.open("tree.store", "w") as s:
        ...     s["grid/x"] = [0.0, 0.5]
        ...     print(s.tree())
        /
        └── grid
            └── x (2,) float64
        """
        return "\n".join([self.name, *self._tree("", depth)])

    def _tree(self, indent: str, depth: int | None) -> list[str]:
        lines: list[str] = []
        members = self._members()
        for i, name in enumerate(sorted(members)):
            last = i + 1 == len(members)
            is_group = members[name] and not is_table(self._store, self._prefix + name)
            lines.append(indent + ("└── " if last else "├── ") + name + self._what(name, is_group))
            if is_group and (depth is None or depth > 1):
                below = self._group(self._prefix + name)
                lines += below._tree(indent + ("    " if last else "│   "), None if depth is None else depth - 1)
        return lines

    def _what(self, name: str, is_group: bool) -> str:
        if is_group:
            return ""
        found = self._store._core.find(self._prefix + name)
        if found is None and is_table(self._store, self._prefix + name):
            return f" {Table(self._store, self._prefix + name).shape} table"
        return f" ({self._store._core.container_kind(self._prefix + name) or 'object'})" if found is None else f" {found[0]} {self.array(name).dtype}"

    def __repr__(self) -> str:
        try:
            return f"<{self._title()}: {len(self)} members>"
        except Exception as error:
            return f"<{self._title()}: {error}>"

    def _repr_html_(self) -> str:
        from perdure._html import group_table

        return group_table(self)

    def __reduce__(self) -> Any:
        return _reopen_member, (*self._store._identity(), self._prefix)


class Store(Group):
    """An open store; `perdure.open` returns it.

    As a context manager it is closed with a checkpoint at the end of the block. An exception in the block discards what
    was not checkpointed.

    >>> import perdure
    >>> with perdure.open("kept.store", "w") as s:
    ...     s["a"] = 1
    >>> try:
    ...     with perdure.open("kept.store", "r+") as s:
    ...         s["a"] = 2
    ...         raise RuntimeError
    ... except RuntimeError:
    ...     pass
    >>> int(perdure.open("kept.store")["a"])
    1
    """

    __slots__ = ("_core", "_mode", "_opened", "_path")

    @property
    def _store(self) -> Store:  # type: ignore[override]
        return self

    def __init__(self, path: str, mode: str, options: dict[str, Any]) -> None:
        self._path = path
        self._mode = mode
        _viewed[:] = [one for one in _viewed if one[1].live_views]
        try:
            self._core = StoreCore(mode, path, **options)
        except StoreOSError as error:
            held = [core for other, core in _viewed if other == path]
            if error.code != "in_use" or not held:
                raise
            names = ", ".join(core.live_views_sentence for core in held)
            more = StoreOSError(error.errno, f"{error.strerror}; this process still has views of {names}, which keep it open")
            more.code = error.code
            raise more from None
        self._prefix = ""
        self._opened = next(_opened)
        _open_stores.add(self)

    # Its life.

    @property
    def path(self) -> str:
        """The store's directory."""
        return self._path

    @property
    def mode(self) -> str:
        """"r" for a store that is open for reading only, else "r+"."""
        return "r+" if self._core.is_writable else "r"

    @property
    def is_open(self) -> bool:
        """Whether the store is open."""
        return self._core.is_open

    @property
    def epoch(self) -> int:
        """The number of the last checkpoint; for a reader, of the one that it reads."""
        return self._core.epoch

    def close(self, force: bool = False) -> None:
        """Makes a checkpoint of a store that is open for writing, and closes it.

        Raises `Error`, which names them, while views of arrays live; the store then stays open. With `force` they stay
        readable, and have the store's memory and lock until the last of them goes.
        """
        if not self._core.is_open:
            return
        self._core.close(force)
        self._left()

    def discard(self) -> None:
        """Closes the store without a checkpoint: what changed since the last one is lost. Views stay readable."""
        if not self._core.is_open:
            return
        self._core.discard()
        self._left()

    def _left(self) -> None:
        _open_stores.discard(self)
        if self._core.live_views:
            _viewed.append((self._path, self._core))

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close(force=True)
        elif self._core.is_open and self._core.has_ranks:
            self._core.give_up()  # the other ranks may not come to a collective call
            self._left()
        else:
            self.discard()

    def __del__(self) -> None:
        core = getattr(self, "_core", None)
        if core is not None and core.is_open:
            self.close(force=True)

    def __bool__(self) -> bool:
        return self._core.is_open

    # As Python objects, stores are equal only to themselves.
    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Group) and Group.__eq__(self, other) is True)

    def __hash__(self) -> int:
        return Group.__hash__(self)

    # Checkpoints.

    def checkpoint(self, label: str = "") -> None:
        """Makes everything that was stored so far durable, all or nothing. `label` is kept in the log.

        >>> import perdure
        >>> with perdure.open("checkpoint.store", "w") as s:
        ...     s["a"] = 1
        ...     s.checkpoint("first")
        ...     s.log()[-1]["label"]
        'first'
        """
        self._core.checkpoint(label)

    def checkpoint_async(self, label: str = "") -> PendingCheckpoint:
        """Like `checkpoint`, but returns as soon as changed pages are copied. The program may change the store at once.

        `wait()` of the result waits until the checkpoint is durable, and raises what kept it from being made. `ready` says
        whether `wait()` returns at once, and `epoch` is the number of the checkpoint.

        >>> import perdure
        >>> with perdure.open("async.store", "w") as s:
        ...     s["a"] = 1
        ...     pending = s.checkpoint_async()
        ...     s["a"] = 2
        ...     pending.wait()
        ...     pending.ready
        True
        """
        return self._core.checkpoint_async(label)

    def refresh(self) -> bool:
        """Opens the newest checkpoint in the place of the one that a reader has. Returns whether it is another one.

        >>> import perdure
        >>> perdure.open("shared.store", "w").close()
        >>> reader = perdure.open("shared.store")
        >>> reader.refresh()
        False
        """
        return self._core.refresh()

    def snapshot(self, target: str | os.PathLike[str]) -> None:
        """Copies the store as of its last checkpoint.

        >>> import perdure
        >>> with perdure.open("source.store", "w") as s:
        ...     s["a"] = 1
        ...     s.checkpoint()
        ...     s["a"] = 2
        ...     s.snapshot("copy.store")
        >>> int(perdure.open("copy.store")["a"])
        1
        """
        self._core.snapshot(os.fsdecode(os.fspath(target)))

    def verify(self) -> list[str]:
        """Checks every byte of the store's files. Returns a sentence for each damage: none if the store is whole."""
        return _perdure.verify(self._path)

    @property
    def info(self) -> dict[str, Any]:
        """What the store records of itself: sizes, numbers of checkpoints, versions."""
        return {"path": self._path, "mode": self.mode, **self._core.info(), "arrays": self._core.count()}

    def log(self) -> list[dict[str, Any]]:
        """Returns the checkpoints that the store remembers, oldest first."""
        return _perdure.log(self._path)

    def kept_checkpoints(self) -> list[dict[str, Any]]:
        """Returns the checkpoints that the store keeps, oldest first; "STORE@LABEL" opens one."""
        return _perdure.kept_checkpoints(self._path)

    def _title(self) -> str:
        return f"perdure.Store {self._path}"

    def __repr__(self) -> str:
        if not self._core.is_open:
            return f"<{self._title()}: closed>"
        return f"<{self._title()}: mode {self.mode!r}, {len(self)} members>"

    # What arrays and groups share.

    def _require_writable(self) -> None:
        if not self._core.is_writable:
            self._core.erase("")  # raises what says why

    def _make_marker(self, name: str) -> None:
        if self._core.find(name) is None:
            self._core.create(name, _UINT8, (0,), {"layout": "blocks", "replaces": False})

    def _set_note(self, full: str, stored: StoredAs, note: str | None = None) -> None:
        note = note or stored.note
        if stored.type.kind not in NOTED_KINDS:
            return
        if note is not None:
            self._core.set_attribute(full, NOTE, TEXT, (), note.encode())
        else:
            self._core.remove_attribute(full, NOTE)

    def _assign(self, full: str, value: _Prepared, options: dict[str, Any] | None = None) -> None:
        core = self._core
        if value.members is not None:
            self._require_writable()
            for one in core.names(full):
                core.erase(one)
            if not value.members:
                self._make_marker(full + "/" + _MARKER)
            for name, member in value.members.items():
                self._assign(f"{full}/{name}", member)
            return
        if value.rows is not None:
            _create_table(self, full, value.rows, None)
            return
        try:
            self._assign_array(full, value, options)
        except InvalidError:
            if not self._drop_table(full):
                raise
            self._assign_array(full, value, options)

    def _drop_table(self, full: str) -> bool:
        """Erases a table. Returns whether there was one."""
        if self._core.find(full) is not None or not is_table(self, full):
            return False
        for one in self._core.names(full):
            self._core.erase(one)
        return True

    def _assign_array(self, full: str, value: _Prepared, options: dict[str, Any] | None) -> None:
        core = self._core
        stored = value.stored
        if stored.type.is_variable:
            core.store_variable(full, stored.type, value.shape, value.texts, {**(options or {}), "layout": "blocks"})
        else:
            core.store(full, stored.type, value.array, options)
        self._set_note(full, stored, value.note)

    def _copy_array(self, old: str, new: str, of: Store | None = None) -> None:
        self._write_array(new, (self if of is None else of)._read_array(old))

    def _read_array(self, name: str) -> tuple[Any, ...]:
        """Returns an array with all that belongs to it, for `_write_array`; its elements where they lie, if they can be viewed."""
        core = self._core
        _, _, type, is_viewable = core.find(name)
        what = core.describe(name)
        options = {"layout": what["layout"], "dims": what["dims"]}
        if what["layout"] == "chunked":
            options["chunk"] = list(what["chunk"])
        if what["codec"] != "none":
            options["codec"] = what["codec"]
        if type.is_variable:
            elements = core.read_variable(name, type)
        else:
            elements = core.view(name) if is_viewable else core.load(name)
        attributes = [(key, core.attribute(name, key)) for key in core.attributes(name)]
        return type, what["extents"], options, elements, attributes

    def _write_array(self, name: str, array: tuple[Any, ...]) -> None:
        type, extents, options, elements, attributes = array
        if type.is_variable:
            self._core.store_variable(name, type, extents, elements, options)
        else:
            self._core.store(name, type, elements, options)
        for key, value in attributes:
            self._core.set_attribute(name, key, *value)

    def _identity(self) -> tuple[str, int]:
        return self._path, self._core.epoch

    def __reduce__(self) -> Any:
        return _reopen, self._identity()


class _Prepared:
    """A value that can be stored."""

    __slots__ = ("array", "members", "note", "rows", "shape", "stored", "texts")

    def __init__(self, stored: Any = None, array: Any = None, *, note: str | None = None, members: Any = None) -> None:
        self.stored = stored
        self.array = array
        self.note = note
        self.members = members
        self.rows: Any = None
        self.shape: tuple[int, ...] = ()
        self.texts: list[bytes] = []


def _texts(array: np.ndarray) -> _Prepared:
    made = _Prepared(stored_as(array.dtype))
    made.shape = array.shape
    try:
        made.texts = [str(one).encode() for one in array.ravel()]
    except UnicodeEncodeError as error:
        raise InvalidError(f"a text cannot be stored as UTF-8: {error}") from None
    return made


def _prepare(name: str, value: Any) -> _Prepared:
    """Returns a value as it is stored. Raises StoredTypeError for one that cannot be."""
    if isinstance(value, str) and not isinstance(value, np.generic):
        return _texts(np.array(value, np.dtypes.StringDType()))
    if isinstance(value, (bytes, bytearray)) and not isinstance(value, np.generic):
        return _Prepared(stored_as(np.dtype(np.uint8)), np.frombuffer(value, np.uint8) if value else np.empty(0, np.uint8), note="bytes")
    if isinstance(value, Mapping):
        members = {}
        for key, one in value.items():
            if not isinstance(key, str) or not key or "/" in key or key == _MARKER:
                raise StoredTypeError(f"the dict for {name!r} has the key {key!r}; names of a group are texts without \"/\"")
            members[key] = _prepare(f"{name}/{key}", one)
        return _Prepared(members=members)
    if is_table_like(value):
        prepared = _Prepared()
        prepared.rows = input_of(name, value)
        prepared.rows.schema.as_stored()  # raises for what cannot be stored
        return prepared
    if isinstance(value, Array):
        value = value[...]
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.is_masked(value):
            raise StoredTypeError(f"{name!r} is a masked array, and its mask would be lost; store .filled(…), or data and mask")
        value = value.data
    if value is None:
        raise StoredTypeError(f"None cannot be stored as {name!r}; an attribute can be None, and `del` removes a name")
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError):
        if not isinstance(value, (list, tuple)):
            raise
        array = np.empty((), object)
    if isinstance(value, (list, tuple)):
        require_numbers(value, array)
    if array.dtype.kind in "UT":
        return _texts(array)
    try:
        stored = stored_as(array.dtype)
    except StoredTypeError as error:
        what = "" if isinstance(value, np.ndarray) else f" ({value.__class__.__name__})"
        raise StoredTypeError(f"{name!r}{what} cannot be stored: {error}") from None
    if not stored.is_native:
        array = array.astype(in_machine_order(array.dtype))
    if array.dtype.kind == "S" and array.dtype.itemsize == 0:
        array = array.astype("S1")
    if stored.view is not None:
        array = array.view(stored.view) if array.ndim else array.reshape(1).view(stored.view).reshape(())
    return _Prepared(stored, array)


def _object_value(type_name: str, value: Any) -> Any:
    """Returns an object of C++ as Python shows it: mappings, arrays and texts that cannot be changed."""
    outer = type_name.partition("<")[0]
    if outer.endswith("string") and isinstance(value, list) and len(value) == 1:
        return value[0]
    if outer.endswith("map") and not value:
        return MappingProxyType({})
    return _value_of(value)


def _value_of(value: Any) -> Any:
    """Returns a value without its C++ type."""
    if isinstance(value, list):
        if value and all(isinstance(one, dict) and set(one) == {"first", "second"} for one in value):
            return MappingProxyType({_key_of(one["first"]): _value_of(one["second"]) for one in value})
        if value and all(isinstance(one, (bool, int, float)) for one in value):
            array = np.array(value)
            array.flags.writeable = False
            return array
        return tuple(_value_of(one) for one in value)
    if isinstance(value, dict):
        return MappingProxyType({key: _value_of(one) for key, one in value.items()})
    return value


def _key_of(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple(_key_of(one) for one in value.values())
    return tuple(_key_of(one) for one in value) if isinstance(value, list) else value


class ExistsError(InvalidError):
    """A name that is taken. Also a ValueError."""

    code = "already_exists"


def _reopen(path: str, epoch: int) -> Store:
    """Opens what a handle was pickled from: the store at that checkpoint, for reading."""
    known = _reopened.get((path, epoch))
    if known is not None and known.is_open:
        return known
    store = _reopened[(path, epoch)] = open_at(path, epoch)
    return store


def open_at(path: str, epoch: int, options: Mapping[str, Any] = MappingProxyType({})) -> Store:
    """Opens a store at a checkpoint, for reading: its last one, or one that it keeps."""
    store = open(path, **options)
    if store.epoch != epoch:
        found = store.epoch
        store.close()
        kept = [one for one in _perdure.kept_checkpoints(path) if one["epoch"] == epoch]
        if not kept:
            raise Error(
                f"{path} is at checkpoint {found}, and the handle was pickled at checkpoint {epoch}, which is not kept; "
                "open the store anew, or have its writer keep labelled checkpoints (keep=)"
            )
        store = open(kept[-1]["path"], **options)
    return store


def _reopen_member(path: str, epoch: int, name: str) -> Any:
    store = _reopen(path, epoch)
    return Group(store, name) if name.endswith("/") or not name else store.array(name)


def _close_all() -> None:
    # An exception that ends the program leaves what it was changing half done, as at the end of a `with` block.
    failed = getattr(sys, "last_type", None) is not None and not (sys.flags.interactive or hasattr(sys, "ps1"))
    for store in sorted(_open_stores, key=lambda one: one._opened):  # sets in the same order on all ranks
        try:
            if failed:
                store.__exit__(Exception, None, None)
            else:
                store.close(force=True)
        except Exception as error:
            print(f"perdure: {store.path}: changes since the last checkpoint are lost: {error}", file=sys.stderr)


def _after_fork_in_child() -> None:
    _perdure.after_fork_in_child()
    for store in list(_open_stores):
        store._core.after_fork()


atexit.register(_close_all)
os.register_at_fork(
    before=_perdure.before_fork,
    after_in_parent=_perdure.after_fork_in_parent,
    after_in_child=_after_fork_in_child,
)
