"""A stored array by its name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from perdure._attributes import Attributes
from perdure._dtypes import TEXT, has_buffer_format, in_machine_order, noted, stored_as
from perdure._perdure import BufferOf, InvalidError, MissingError, StoredTypeError, UnsupportedError
from perdure._selection import runs_of, select

if TYPE_CHECKING:
    from perdure._store import Store

#: The attribute that says which type of NumPy's an array has, where other languages have none like it.
NOTE = ".numpy"
#: Types of NumPy's that are stored as one of these may have such a note.
NOTED_KINDS = ("int64", "uint8", "text")
#: Index arrays read up to so many bytes that they do not ask for, rather than begin anew.
_GAP_BYTES = 4096


def _has_ellipsis(key: Any) -> bool:
    """Returns whether NumPy gives an array, if need be without dimensions, rather than an element."""
    return key is Ellipsis or (isinstance(key, tuple) and any(one is Ellipsis for one in key))


class Array(BufferOf):
    """A stored array. Indices read and write it as NumPy's do; `view` returns it without a copy.

    >>> import perdure, numpy as np
    >>> with perdure.open("doc.store", "w") as s:
    ...     s["a"] = np.arange(6.0).reshape(2, 3)
    ...     s["a"][0, ::-1]
    array([2., 1., 0.])
    """

    def __init__(self, store: Store, name: str) -> None:
        super().__init__()
        self._store = store
        self._name = name

    # What it is.

    @property
    def name(self) -> str:
        """The name within the store, with groups: "grid/x"."""
        return self._name

    @property
    def store(self) -> Store:
        """The store that has the array."""
        return self._store

    def _find(self) -> tuple[tuple[int, ...], np.dtype, Any, bool]:
        found = self._store._core.find(self._name)
        if found is None:
            raise MissingError(f"{self._store.path} has no array {self._name!r} any more")
        return found

    def _note(self, type: Any) -> str | None:
        if type.kind not in NOTED_KINDS:
            return None
        found = self._store._core.attribute(self._name, NOTE)
        return None if found is None else found[2].decode()

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of elements along each dimension."""
        return self._find()[0]

    @property
    def dtype(self) -> np.dtype:
        """NumPy's type of the elements."""
        _, dtype, type, _ = self._find()
        note = self._note(type)
        return dtype if note is None or note == "bytes" else np.dtype(note)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements; of texts, as they are stored."""
        return self._store._core.describe(self._name)["nbytes"]

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the dimensions; empty where they have none."""
        return tuple(self._store._core.describe(self._name)["dims"])[: self.ndim]

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """Elements of a chunk along each dimension; None unless the array is chunked."""
        chunk = self._store._core.describe(self._name)["chunk"]
        return None if chunk is None else chunk[: self.ndim]

    @property
    def layout(self) -> str:
        """Where the elements lie: "contiguous", "chunked" or "blocks"."""
        return self._store._core.describe(self._name)["layout"]

    @property
    def compression(self) -> str | None:
        """The codec of its blocks, or None."""
        codec = self._store._core.describe(self._name)["codec"]
        return None if codec == "none" else codec

    @property
    def stored_nbytes(self) -> int:
        """Bytes of all blocks."""
        return self._store._core.describe(self._name)["stored_bytes"]

    @property
    def has_characters(self) -> bool:
        """Whether the elements are texts of a fixed length, whose characters lie along one dimension more."""
        return len(self._store._core.describe(self._name)["extents"]) > self.ndim

    @property
    def is_viewable(self) -> bool:
        """Whether `view` needs no copy: all elements lie in one block, as they are."""
        return self._find()[3]

    @property
    def attrs(self) -> Attributes:
        """The attributes."""
        return Attributes(self._store, self._name)

    def __len__(self) -> int:
        shape = self.shape
        if not shape:
            raise TypeError("len() of an array without dimensions")
        return shape[0]

    def __repr__(self) -> str:
        try:
            dims = f", dims {self.dims}" if self.dims else ""
            return f"<perdure.Array {self._name!r}: shape {self.shape}, {self.dtype}{dims}>"
        except Exception as error:
            return f"<perdure.Array {self._name!r}: {error}>"

    def _repr_html_(self) -> str:
        from perdure._html import array_table

        return array_table(self)

    # Reading.

    def view(self) -> np.ndarray:
        """Returns the elements where they lie, read-only and without a copy.

        The view keeps the store's memory and lock. It shows the array as it was when the view was taken: a later
        assignment of the name makes new elements. Parts that are written in place are seen.
        """
        found = self._store._core.view(self._name)
        if found is None:
            self._find()
        if found.dtype.kind in "iu":
            note = self._note(stored_as(found.dtype).type)
            if note is not None and note != "bytes":
                found = noted(found, note)
        return found

    def _buffer(self) -> np.ndarray:
        found = self.view() if self._find()[3] else self[...]
        if found.dtype.names is not None and not has_buffer_format(found.dtype):
            raise BufferError(f"the buffer protocol has no words for {found.dtype}, the type of {self._name!r}; use numpy.asarray")
        return found

    def __getitem__(self, key: Any) -> Any:
        core = self._store._core
        found = core.find(self._name)
        if found is None:
            self._find()
        shape, dtype, type, viewable = found
        if type.is_variable:
            return self._variable(type, shape)[key]
        if isinstance(key, str):
            return self._field(key, dtype)
        if isinstance(key, list) and key and isinstance(key[0], str):
            return self[...][key]
        is_whole = key is Ellipsis or (isinstance(key, slice) and key == slice(None) and shape)
        if is_whole:
            all = core.load(self._name)
        elif viewable:
            all = core.view(self._name)[key]
            if isinstance(all, np.ndarray):
                all = all.copy()
        else:
            all = self._read(key, shape, dtype, type)
        if type.kind in NOTED_KINDS:
            note = self._note(type)
            if note is not None and note != "bytes":
                all = noted(np.asarray(all), note)
                all = all[()] if all.ndim == 0 and not is_whole and not _has_ellipsis(key) else all
        return all

    def _field(self, name: str, dtype: np.dtype) -> np.ndarray:
        if dtype.names is None or name not in dtype.names:
            raise MissingError(f"the array {self._name!r} has no field {name!r}; its elements are of type {dtype}")
        return self[...][name].copy()

    def _variable(self, type: Any, shape: tuple[int, ...]) -> np.ndarray:
        elements = self._store._core.read_variable(self._name, type)
        if type.kind == "text":
            note = self._note(type)
            texts = [one.decode() for one in elements]
            array = np.array(texts, dtype=np.dtypes.StringDType() if note is None else note)
            return array.reshape(shape)
        from perdure._dtypes import to_dtype

        element = to_dtype(type.element)
        array = np.empty(len(elements), object)
        for i, one in enumerate(elements):
            array[i] = np.frombuffer(one, element).copy() if one else np.empty(0, element)
        return array.reshape(shape)

    def _read(self, key: Any, shape: tuple[int, ...], dtype: np.dtype, type: Any) -> Any:
        selection = select(key, shape)
        rows = self._scattered_rows(selection, shape, dtype)
        if rows is not None:
            axis, wanted = rows
            ordered, back = np.unique(wanted, return_inverse=True)
            row_bytes = max(1, int(np.prod(selection.count, dtype=np.int64)) // max(1, selection.count[axis]) * dtype.itemsize)
            counts = list(selection.count)
            counts[axis] = len(ordered)
            box = np.empty(counts, dtype)
            for low, high in runs_of(ordered, max(0, _GAP_BYTES // row_bytes)):
                offset, count = list(selection.offset), list(selection.count)
                offset[axis] += low
                count[axis] = high - low
                part = self._box(tuple(offset), tuple(count), selection.stride, dtype, type)
                first, last = np.searchsorted(ordered, (low, high))
                within = ordered[first:last] - low
                box[(slice(None),) * axis + (slice(first, last),)] = part[(slice(None),) * axis + (within,)]
            rest = list(selection.rest)
            at = next(i for i, one in enumerate(rest) if isinstance(one, np.ndarray) and one.dtype.kind != "b")
            rest[at] = back.reshape(wanted.shape)
            return box[tuple(rest)]
        box = self._box(selection.offset, selection.count, selection.stride, dtype, type)
        return box[(*selection.rest, Ellipsis) if _has_ellipsis(key) else selection.rest]

    def _scattered_rows(
        self, selection: Any, shape: tuple[int, ...], dtype: np.dtype
    ) -> tuple[int, np.ndarray] | None:
        """Returns the dimension and the indices of an index that leaves out much of its box."""
        if selection.is_basic:
            return None
        arrays = [one for one in selection.rest if isinstance(one, np.ndarray)]
        if len(arrays) != 1 or arrays[0].dtype.kind == "b" or arrays[0].size == 0:
            return None
        axis = 0
        for one in selection.rest:
            if isinstance(one, np.ndarray):
                break
            axis += one is not None
        if selection.count[axis] <= 2 * arrays[0].size:
            return None
        return axis, arrays[0]

    def _box(self, offset: Any, count: Any, stride: Any, dtype: np.dtype, type: Any) -> np.ndarray:
        box = np.empty(count, dtype)
        if box.size:
            offset, count, stride = self._with_characters(offset, count, stride, type)
            self._store._core.read_into(self._name, type, offset, count, stride, box)
        return box

    def _with_characters(self, offset: Any, count: Any, stride: Any, type: Any) -> tuple[Any, Any, Any]:
        """Returns the part with the characters of fixed texts along one dimension more."""
        if type.kind != "character" or type.dims:
            return offset, count, stride
        extents = self._store._core.describe(self._name)["extents"]
        if not extents:
            return offset, count, stride
        return (*offset, 0), (*count, extents[-1]), None if stride is None else (*stride, 1)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            view = self.view()
            if dtype is not None and np.dtype(dtype) != view.dtype:
                raise InvalidError(f"the array {self._name!r} is of type {view.dtype}: as {np.dtype(dtype)} it needs a copy")
            return view
        all = self[...]
        return all if dtype is None else all.astype(dtype, copy=False)

    def __dlpack__(self, **options: Any) -> Any:
        return self._buffer().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __iter__(self) -> Iterator[Any]:
        for i in range(len(self)):
            yield self[i]

    def __bool__(self) -> bool:
        return bool(self[...])

    def __int__(self) -> int:
        return int(self[...])

    def __float__(self) -> float:
        return float(self[...])

    def __complex__(self) -> complex:
        return complex(self[...])

    def __index__(self) -> int:
        return self[...].__index__()

    def item(self, *at: int) -> Any:
        """Returns one element as Python's own number."""
        return self[...].item(*at)

    def tolist(self) -> Any:
        """Returns all elements as a list."""
        return self[...].tolist()

    def astype(self, dtype: Any) -> np.ndarray:
        """Returns all elements as another type."""
        return self[...].astype(dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(one, Array) for one in options.get("out", ())):
            raise StoredTypeError("results cannot go into a stored array; assign them to its name or to a part of it")
        return getattr(ufunc, method)(*(one[...] if isinstance(one, Array) else one for one in inputs), **options)

    def prefetch(self) -> None:
        """Brings the array into memory, with many reads at a time."""
        self._store._core.prefetch(self._name)

    def check(self) -> list[str]:
        """Returns a sentence for each block that contradicts its checksum. Contiguous arrays have none: see `Store.verify`."""
        return self._store._core.check(self._name)

    # Writing.

    def __setitem__(self, key: Any, value: Any) -> None:
        core = self._store._core
        shape, dtype, type, _ = self._find()
        self._store._require_writable()
        note = self._note(type)
        if type.is_variable:
            if type.kind != "text":
                raise UnsupportedError(f"parts of the array {self._name!r} cannot be written, as its elements are lists; assign it as a whole")
            all = self._variable(type, shape)
            if note is not None:
                all = all.astype(np.dtypes.StringDType())
            given = value[...] if isinstance(value, Array) else value
            if isinstance(given, np.ndarray):  # NumPy misreads texts of the other byte order here
                given = given.astype(in_machine_order(given.dtype), copy=False)
            all[key] = given
            core.store_variable(self._name, TEXT, shape, [str(one).encode() for one in all.ravel()], {"layout": "blocks"})
            if note is not None:
                core.remove_attribute(self._name, NOTE)
            return
        if isinstance(key, str) or (isinstance(key, list) and key and isinstance(key[0], str)):
            all = self[...]
            all[key] = value
            key, value = Ellipsis, all
        own = dtype if note is None or note == "bytes" else np.dtype(note)
        given = value[...] if isinstance(value, Array) else value
        given = np.asarray(given)
        if given.dtype != own:
            if own.kind == "S" and given.dtype.kind in "SU" and given.dtype.itemsize // (4 if given.dtype.kind == "U" else 1) > own.itemsize:
                longest = max((len(one if isinstance(one, bytes) else one.encode()) for one in given.ravel().tolist()), default=0)
                if longest > own.itemsize:
                    raise InvalidError(f"a text of {longest} bytes does not fit the elements of {self._name!r}, which have {own.itemsize}")
            given = given.astype(own)
        if own != dtype:
            given = given.view(dtype)
        selection = select(key, shape)
        if selection.is_basic:
            self._write_basic(selection, given, dtype, type)
        else:
            self._write_scattered(selection, given, shape, dtype, type)

    def _write_basic(self, selection: Any, given: np.ndarray, dtype: np.dtype, type: Any) -> None:
        if 0 in selection.count:
            np.broadcast_to(given, np.empty(selection.count, np.uint8)[selection.rest].shape)
            return
        if all(isinstance(one, slice) and one.step is None for one in selection.rest) and given.shape == selection.count:
            box = given
        else:
            box = np.empty(selection.count, dtype)
            box[selection.rest] = given
        self._put(selection.offset, selection.count, selection.stride, box, type)

    def _put(self, offset: Any, count: Any, stride: Any, box: np.ndarray, type: Any) -> None:
        offset, count, stride = self._with_characters(offset, count, stride, type)
        self._store._core.write(self._name, type, offset, count, stride, box)

    def _write_scattered(
        self, selection: Any, given: np.ndarray, shape: tuple[int, ...], dtype: np.dtype, type: Any
    ) -> None:
        if 0 in selection.count:
            return
        # Only elements of the index are written: for each run of them along the first dimension that it chooses.
        box = self._box(selection.offset, selection.count, selection.stride, dtype, type)
        is_meant = np.zeros(selection.count, bool)
        box[selection.rest] = given
        is_meant[selection.rest] = True
        if is_meant.all():
            self._put(selection.offset, selection.count, selection.stride, box, type)
            return
        last = len(selection.count) - 1
        stride = selection.stride or (1,) * (last + 1)
        for outer in np.ndindex(*selection.count[:last]):
            hits = np.flatnonzero(is_meant[outer])
            for low, high in runs_of(hits, 0):
                offset = tuple(o + i * s for o, i, s in zip(selection.offset, (*outer, low), stride))
                count = (1,) * last + (high - low,)
                self._put(offset, count, selection.stride, box[outer][low:high].reshape(count), type)

    def append(self, elements: Any) -> None:
        """Adds elements behind the last ones of the first dimension. A contiguous array becomes a chunked one.

        >>> with perdure.open("append.store", "w") as s:
        ...     a = s.create_array("a", (0, 2), "i8")
        ...     a.append([[1, 2], [3, 4]])
        ...     a[...]
        array([[1, 2],
               [3, 4]])
        """
        shape, dtype, type, _ = self._find()
        self._store._require_writable()
        if not shape:
            raise InvalidError(f"nothing can be appended to {self._name!r}, as it has no dimensions")
        if type.is_variable:
            self._append_texts(type, shape, elements)
            return
        note = self._note(type)
        own = dtype if note is None or note == "bytes" else np.dtype(note)
        given = np.asarray(elements, own)
        if given.ndim == len(shape) - 1:
            given = given[np.newaxis]
        if given.ndim != len(shape) or given.shape[1:] != shape[1:]:
            raise InvalidError(
                f"elements of shape {given.shape} cannot be appended to {self._name!r}, whose shape is {shape}: "
                "they differ in more than the first dimension"
            )
        if not len(given):
            return
        self._make_resizable()
        self._store._core.append(self._name, type, given if own == dtype else given.view(dtype))

    def _append_texts(self, type: Any, shape: tuple[int, ...], elements: Any) -> None:
        if type.kind != "text" or len(shape) != 1:
            raise UnsupportedError(f"nothing can be appended to {self._name!r}, whose elements are of any length; assign it as a whole")
        all = [*self._variable(type, shape).tolist(), *np.atleast_1d(np.asarray(elements, np.dtypes.StringDType())).tolist()]
        self._store._core.store_variable(self._name, TEXT, (len(all),), [one.encode() for one in all], {"layout": "blocks"})
        self._store._core.remove_attribute(self._name, NOTE)

    def resize(self, *shape: Any) -> None:
        """Changes the shape: elements outside are dropped, new ones are zero. A contiguous array becomes a chunked one.

        >>> with perdure.open("resize.store", "w") as s:
        ...     s["a"] = np.arange(4)
        ...     s["a"].resize(6)
        ...     s["a"][...]
        array([0, 1, 2, 3, 0, 0])
        """
        new = shape[0] if len(shape) == 1 and not hasattr(shape[0], "__index__") else shape
        new = tuple(int(one.__index__()) for one in new)
        old, _, type, _ = self._find()
        self._store._require_writable()
        if len(new) != len(old) or any(one < 0 for one in new):
            raise InvalidError(f"{self._name!r} has {len(old)} dimensions, so it cannot be resized to {new}")
        if new == old:
            return
        self._make_resizable()
        if type.kind == "character" and not type.dims:
            new = (*new, self._store._core.describe(self._name)["extents"][-1])
        self._store._core.resize(self._name, new)

    def _make_resizable(self) -> None:
        core = self._store._core
        what = core.describe(self._name)
        if what["layout"] != "contiguous":
            return
        _, _, type, _ = self._find()
        core.store(self._name, type, core.load(self._name), {"layout": "chunked", "dims": what["dims"]})

    def __reduce__(self) -> Any:
        from perdure._store import _reopen_member

        return _reopen_member, (*self._store._identity(), self._name)


for _name, _operator in vars(NDArrayOperatorsMixin).items():
    if _name.startswith("__") and _name[2] != "i" or _name in ("__invert__",):
        if callable(_operator) and _name not in ("__init_subclass__", "__class__"):
            setattr(Array, _name, _operator)
# Arrays are equal element by element, so they have no hash.
Array.__hash__ = None  # type: ignore[assignment]
