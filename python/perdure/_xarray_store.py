"""A group of a store as xarray's machinery sees it: variables, dimensions and attributes, read and written."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from xarray import Variable
from xarray.backends import BackendArray, CachingFileManager
from xarray.backends.common import ArrayWriter, WritableCFDataStore
from xarray.coding import strings
from xarray.core import indexing
from xarray.core.utils import FrozenDict
from xarray.namedarray.pycompat import is_chunked_array

from perdure._array import Array
from perdure._dtypes import stored_as
from perdure._perdure import InvalidError, StoredTypeError
from perdure._store import Group, Store, open, open_at

#: The largest extent of each dimension, as files of HDF5 and NetCDF have it; this one is unlimited.
_MAX_DIMS = ".max_dims"
_UNLIMITED = 2**64 - 1
#: Facts that decide what stored numbers mean. Appended elements are encoded by those that are stored.
_MEANING = ("units", "calendar", "scale_factor", "add_offset", "_FillValue", "missing_value", "_Encoding", "dtype", "_Unsigned")
#: xarray writes this part of a date, and leaves it out where it reads the date.
_MIDNIGHT = re.compile(r"[ T]00:00:00(\.0*)?$")
#: How an array lies in the store: the words of `create_array`, and NetCDF's for the same.
_LAYOUT = {"chunks": "chunks", "chunksizes": "chunks", "compression": "compression", "level": "level", "shuffle": "shuffle"}
#: What xarray notes of the place that a variable came from.
_FROM_ELSEWHERE = ("source", "original_shape", "preferred_chunks", "contiguous", "char_dim_name", "dtype")
_CODECS = ("lz4", "zstd", "blosc")


class _Manager(Protocol):
    def acquire(self) -> Any: ...
    def close(self) -> None: ...


class _Reader:
    """A store that is open for reading, for the cache of xarray, which closes what it no longer needs."""

    __slots__ = ("group",)

    def __init__(self, store: Store) -> None:
        self.group: Group = store

    def close(self) -> None:
        """Closes the store. Views stay readable."""
        self.group.store.close(force=True)


class _Opener:
    """Opens a store for reading: the first time at its last checkpoint, and later, in other processes too, at that one."""

    def __init__(self, path: str, options: Mapping[str, Any]) -> None:
        self._path = path
        self._options = dict(options)
        self._epoch: int | None = None

    def __call__(self, mode: str) -> _Reader:
        if self._epoch is None:
            store = open(self._path, mode, **self._options)
            self._epoch = store.epoch
        else:
            store = open_at(self._path, self._epoch, self._options)
        return _Reader(store)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Opener) and self._path == other._path

    def __hash__(self) -> int:
        return hash(self._path)

    def __repr__(self) -> str:
        return f"<opener of {self._path}>"


class _Given:
    """A group of a store that the caller has open, and closes."""

    __slots__ = ("group",)

    def __init__(self, group: Group) -> None:
        self.group = group

    def acquire(self) -> _Given:
        """Returns what has the group."""
        return self

    def close(self) -> None:
        """Leaves the store open."""


def manager_of(target: Any, options: Mapping[str, Any] | None = None) -> _Manager:
    """Returns what opens a path for reading when it is needed, or holds an open group."""
    if isinstance(target, Group):
        if options:
            raise InvalidError("open_options are for a path, and this store is open already")
        return _Given(target)
    return CachingFileManager(_Opener(os.path.abspath(os.fsdecode(os.fspath(target))), options or {}), mode="r")


class PerdureArrayWrapper(BackendArray):
    """An array of a store that is read when it is indexed."""

    __slots__ = ("_copies", "_data_store", "_is_single_characters", "_name", "dtype", "shape")

    def __init__(self, data_store: PerdureDataStore, name: str, copies: bool) -> None:
        self._data_store = data_store
        self._name = name
        array = self._array()
        self._copies = copies or not array.is_viewable
        self.shape = array.shape
        self.dtype = array.dtype
        if self.dtype.kind == "T":
            self.dtype = strings.create_vlen_dtype(str)
        # xarray takes the last dimension of single characters for the length of texts.
        self._is_single_characters = self.dtype == "S1" and array.has_characters
        if self._is_single_characters:
            self.shape = (*self.shape, 1)

    def _array(self) -> Array:
        return self._data_store.group.array(self._name)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER_1VECTOR, self._read)

    async def async_getitem(self, key: indexing.ExplicitIndexer) -> Any:
        """Reads in another thread."""
        return await asyncio.to_thread(self.__getitem__, key)

    def __deepcopy__(self, memo: Any) -> PerdureArrayWrapper:
        return self

    def _read(self, key: tuple[Any, ...]) -> Any:
        last: Any = slice(None)
        if self._is_single_characters:
            key, last = key[:-1], key[-1]
        # Beside an array of indices NumPy takes numbers for more of them, which would move dimensions.
        drops = tuple(0 if isinstance(one, (int, np.integer)) else slice(None) for one in key)
        if any(isinstance(one, np.ndarray) for one in key) and 0 in drops:
            key = tuple(slice(one, one + 1) if drop == 0 else one for one, drop in zip(key, drops))
        else:
            drops = ()
        array = self._array()
        read = array[key] if self._copies else array.view()[key]
        if drops:
            read = read[drops]
        if self._is_single_characters:
            read = np.asarray(read)[..., np.newaxis][..., last]
        if self.dtype.kind == "O":
            read = np.asarray(read).astype(object)
        return read


class PerdureDataStore(WritableCFDataStore):
    """The arrays of one group as variables, with the conventions of CF as xarray applies them.

    `xarray.open_dataset` with `engine="perdure"` and `perdure.xarray.to_perdure` make it.
    """

    __slots__ = ("_append_dim", "_copies", "_group", "_manager")

    def __init__(self, manager: _Manager, group: str = "", *, copies: bool = True, append_dim: str | None = None) -> None:
        self._manager = manager
        self._group = group.strip("/")
        self._copies = copies
        self._append_dim = append_dim

    @classmethod
    def of(cls, group: Group) -> PerdureDataStore:
        """Returns what reads and writes the variables of a group of an open store."""
        return cls(manager_of(group))

    @property
    def group(self) -> Group:
        """The group, of a store that is open."""
        found: Group = self._manager.acquire().group
        if not self._group:
            return found
        inner = found[self._group]
        if not isinstance(inner, Group):
            raise InvalidError(f"{self._group!r} in {found.store.path} is no group; open its array with perdure.open")
        return inner

    def close(self) -> None:
        """Closes the store, if it was opened by its path."""
        self._manager.close()

    def sync(self) -> None:
        """Makes a checkpoint."""
        self.group.store.checkpoint()

    def groups_below(self, at: str = "/") -> Iterator[str]:
        """Walks the names of this group and of all below it, from "/"."""
        yield at
        inner = self.group if at == "/" else self.group[at.strip("/")]
        for name, is_group in inner.members():
            if is_group:
                yield from self.groups_below(f"{at.rstrip('/')}/{name}")

    # Reading.

    def get_attrs(self) -> Any:
        """Returns the attributes of the group."""
        return FrozenDict(_attributes_of(self.group))

    def get_variables(self) -> Any:
        """Returns a variable for each array of the group."""
        return FrozenDict((name, self.open_store_variable(name)) for name in self.array_names())

    def array_names(self) -> list[str]:
        """Returns the names of the group's arrays."""
        group = self.group
        return [name for name, is_group in group.members() if not is_group and group.is_array(name)]

    def open_store_variable(self, name: str) -> Variable:
        """Returns the variable of one array, which is read when it is indexed."""
        array = self.group.array(name)
        data = PerdureArrayWrapper(self, name, self._copies)
        dims = array.dims or tuple(f"{name}_dim_{i}" for i in range(array.ndim))
        encoding: dict[str, Any] = {"source": self.group.store.path, "original_shape": array.shape}
        # For texts xarray's words for any length, as it would cut longer ones to the length that was stored.
        encoding["dtype"] = {"O": str, "U": str, "S": np.dtype("S1")}.get(data.dtype.kind, data.dtype)
        attrs = _attributes_of(array)
        if array.chunks is not None:
            encoding["chunks"] = array.chunks
            encoding["preferred_chunks"] = dict(zip(dims, array.chunks))
        if array.compression is not None:
            encoding["compression"] = array.compression
        if len(data.shape) > len(dims):
            dims = (*dims, "string1")
        return Variable(dims, indexing.LazilyIndexedArray(data), attrs, encoding)

    def get_dimensions(self) -> Any:
        """Returns the lengths of the dimensions."""
        found: dict[str, int] = {}
        for name in self.array_names():
            array = self.group.array(name)
            found.update(zip(array.dims, array.shape))
        return FrozenDict(found)

    def get_encoding(self) -> dict[str, Any]:
        """Returns which dimensions are unlimited."""
        unlimited: set[str] = set()
        for name in self.array_names():
            array = self.group.array(name)
            limits = array.attrs.get(_MAX_DIMS)
            if limits is not None:
                unlimited.update(dim for dim, limit in zip(array.dims, np.atleast_1d(limits)) if int(limit) == _UNLIMITED)
        return {"unlimited_dims": unlimited}

    # Writing.

    def encode(self, variables: Mapping[str, Variable], attributes: Mapping[str, Any]) -> Any:
        """Encodes by the conventions of CF, but for booleans, which stores have."""
        native = {name for name, one in variables.items() if one.dtype == bool and not {"dtype", "_FillValue"} & {*one.encoding, *one.attrs}}
        encoded, attributes = super().encode(variables, attributes)
        for name in native:
            encoded[name].attrs.pop("dtype", None)
            encoded[name] = encoded[name].astype(bool)
        for attrs in (attributes, *(one.attrs for one in encoded.values())):
            hidden = [key for key in attrs if not isinstance(key, str) or key.startswith(".")]
            if hidden:
                raise InvalidError(f"the attribute {hidden[0]!r} cannot be stored: keys are texts that do not begin with a period; rename it")
        return encoded, attributes

    def encode_variable(self, variable: Variable, name: Any = None) -> Variable:
        """Encodes texts: of any length as UTF-8, bytes with a fixed length."""
        variable = strings.EncodedStringCoder(allows_unicode=True).encode(variable, name=name)
        if strings.check_vlen_dtype(variable.dtype) is bytes:
            for one in np.asarray(variable.data).ravel():
                if one.endswith(b"\0"):
                    raise StoredTypeError(f"{name or 'a variable'} has bytes that end in a zero, which texts of a fixed length lose; store them as uint8")
            variable = strings.ensure_fixed_length_bytes(variable)
        return variable

    def set_attribute(self, key: str, value: Any) -> None:
        """Sets an attribute of the group."""
        self.group.attrs[key] = value

    def set_dimensions(self, variables: Mapping[str, Variable], unlimited_dims: Any = None) -> None:
        """Raises where a dimension has another length in the store."""
        there: dict[str, int] = {}
        growing = set()
        for name in self.array_names():
            array = self.group.array(name)
            if name not in variables:
                there.update(zip(array.dims, array.shape))
            elif self._append_dim in array.dims:
                growing.add(name)
            if self._append_dim in array.dims and name not in variables:
                raise InvalidError(f"{name!r} in {self.group.store.path} has the dimension {self._append_dim!r} too, so append it with the others")
        for name, one in variables.items():
            for dim, length in zip(one.dims, one.shape):
                if dim == self._append_dim and growing and name not in growing:
                    raise InvalidError(f"{name!r} is not in {self.group.store.path}, so nothing can be appended to it along {dim!r}")
                if there.get(dim, length) != length:
                    raise InvalidError(
                        f"the dimension {dim!r} of {name!r} has the length {length}, and other arrays in {self.group.store.path} "
                        f'have {there[dim]}; write to another group, or replace it with mode="w"'
                    )

    def set_variables(
        self, variables: Mapping[Any, Variable], check_encoding_set: Any, writer: ArrayWriter, unlimited_dims: Any = None
    ) -> None:
        """Stores variables; those that are made of blocks of dask are written by `writer`."""
        for name, variable in variables.items():
            name = "__values__" if name is None else name
            _require_name(name)
            data = variable.data
            if not is_chunked_array(data) or stored_as(_storable(data.dtype)).type.is_variable:
                data = np.asarray(data)
            if data.dtype.kind == "O":
                data = data.astype(np.dtypes.StringDType())
            if self._append_dim in variable.dims and self.group.is_array(name):
                self._append(name, variable, data, writer)
            else:
                self._create(name, variable, data, writer, name in check_encoding_set, unlimited_dims or ())

    def _create(self, name: str, variable: Variable, data: Any, writer: ArrayWriter, checks: bool, unlimited: Any) -> None:
        options = _layout_of(name, variable, checks)
        if "chunks" not in options and any(dim in unlimited for dim in variable.dims):
            options["chunks"] = True
        if not data.ndim or data.dtype.kind in "UT":
            options = {}
        attrs = dict(variable.attrs)
        if "_FillValue" in attrs and data.dtype.kind in "iuf":  # which is of the array's type, as in NetCDF
            attrs["_FillValue"] = np.asarray(attrs["_FillValue"]).astype(data.dtype)[()]
        is_lazy = is_chunked_array(data)
        what: dict[str, Any] = {"shape": data.shape, "dtype": data.dtype} if is_lazy else {"data": data}
        array = self.group.create_array(name, **what, dims=variable.dims or None, overwrite=True, attrs=attrs, **options)
        for key in set(array.attrs) - set(attrs):
            del array.attrs[key]
        limits = [_UNLIMITED if dim in unlimited else length for dim, length in variable.sizes.items()]
        if _UNLIMITED in limits:
            array.attrs[_MAX_DIMS] = np.array(limits, np.uint64)
        elif _MAX_DIMS in array.attrs:
            del array.attrs[_MAX_DIMS]
        if is_lazy:
            writer.add(data, array)

    def _append(self, name: str, variable: Variable, data: Any, writer: ArrayWriter) -> None:
        array = self.group.array(name)
        where = f"{name!r} in {self.group.store.path}"
        if array.dims != variable.dims:
            raise InvalidError(f"{where} has the dimensions {array.dims}, and what is appended has {variable.dims}; transpose it")
        axis = variable.dims.index(self._append_dim)
        old = array.shape
        if old[:axis] + old[axis + 1 :] != data.shape[:axis] + data.shape[axis + 1 :]:
            raise InvalidError(f"{where} has the shape {old}, and what is appended has {data.shape}: they differ in more than {self._append_dim!r}")
        stored = array.attrs
        for key in _MEANING:
            if not _is_same(stored.get(key), variable.attrs.get(key)):
                raise InvalidError(f"{where} has {key}={stored.get(key)!r}, and what is appended has {variable.attrs.get(key)!r}; convert it first")
        if data.dtype.kind in "UT":
            self.group.create_array(
                name, data=np.concatenate([array[...], data], axis), dims=array.dims, overwrite=True, attrs=dict(stored)
            )
            return
        if array.dtype != data.dtype:
            raise StoredTypeError(f"{where} is of type {array.dtype}, and what is appended is of type {data.dtype}; convert it with .astype first")
        new = list(old)
        new[axis] += data.shape[axis]
        array.resize(tuple(new))
        region = (slice(None),) * axis + (slice(old[axis], new[axis]),) + (slice(None),) * (len(old) - axis - 1)
        writer.add(data, array, region)


def _attributes_of(of: Array | Group) -> dict[str, Any]:
    found = dict(of.attrs)
    for key, value in found.items():
        if isinstance(value, bytes) and key not in ("_FillValue", "missing_value"):
            found[key] = value.decode("utf-8", "surrogateescape")
    return found


def _require_name(name: Any) -> None:
    if not isinstance(name, str):
        raise StoredTypeError(f"the variable {name!r} cannot be stored: its name must be a string or None; rename it")
    if not name or "/" in name:
        raise InvalidError(f'the variable {name!r} cannot be stored: a name that is a string must be length 1 or more, without "/"; rename it')


def _storable(dtype: np.dtype) -> np.dtype:
    return np.dtypes.StringDType() if dtype.kind == "O" else dtype


def _is_same(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, str) and isinstance(other, str) and " since " in one:
        one, other = (_MIDNIGHT.sub("", text) for text in (one, other))
    return bool(np.array_equal(one, other) or (one != one and other != other))


def _layout_of(name: str, variable: Variable, checks: bool) -> dict[str, Any]:
    """Returns the options of `create_array` that an encoding asks for. One that was given raises for others."""
    given = variable.encoding
    unknown = [key for key in given if key not in _LAYOUT and key not in _FROM_ELSEWHERE and key not in _MEANING]
    if checks and unknown:
        raise InvalidError(f"unexpected encoding {unknown[0]!r} of {name!r}: stores know {', '.join(_LAYOUT)}, and what CF's conventions know")
    options = {_LAYOUT[key]: given[key] for key in given if key in _LAYOUT and given[key] is not None}
    if checks:
        return options
    # The variable came with its encoding from elsewhere, where it may have had another shape.
    if given.get("original_shape", variable.shape) != variable.shape or len(options.get("chunks", variable.shape)) != variable.ndim:
        options.pop("chunks", None)
    if options.get("compression") not in _CODECS:
        for key in ("compression", "level", "shuffle"):
            options.pop(key, None)
    return options
