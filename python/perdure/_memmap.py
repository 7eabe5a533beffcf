"""A file as an array that keeps to a budget of memory."""

from __future__ import annotations

import builtins as _builtins
import contextlib as _contextlib
import operator as _operator
import os as _os
from typing import Any

import numpy as _np

from perdure._perdure import _memmap

__all__ = ["memmap"]

_ndarray = _np.ndarray
_MODES = {"readonly": "r", "copyonwrite": "c", "readwrite": "r+", "write": "w+"}
_PAGE = 4096


def _default_budget() -> int:
    """Returns half of the machine's memory."""
    return _os.sysconf("SC_PHYS_PAGES") * _os.sysconf("SC_PAGE_SIZE") // 2


class memmap(_np.memmap):
    """An array in a file on disk, of which no more than `budget` bytes are in memory at a time.

    A drop-in for `numpy.memmap`, with the same arguments and modes. Indexing with arrays of integers, both ways, brings
    the pages into memory together, in the order of the file.

        >>> import numpy as np, perdure
        >>> table = perdure.memmap("table.bin", dtype="f8", mode="w+", shape=(1000, 4), budget=2**20)
        >>> table[[7, 3, 999]] = 1.5
        >>> table[[3, 4]].sum()
        np.float64(6.0)
        >>> table.flush()

    Memory of the array cannot be given to system calls, such as ``file.write(table)``, which fail with `EFAULT`: copy a
    part first. `tofile` and `numpy.save` do that. A child that was made by `os.fork` must open the file itself.
    """

    def __new__(
        subtype,
        filename: Any,
        dtype: Any = _np.uint8,
        mode: str = "r+",
        offset: int = 0,
        shape: Any = None,
        order: str = "C",
        *,
        budget: int | None = None,
    ):
        mode = _MODES.get(mode, mode)
        if mode not in _MODES.values():
            raise ValueError(f"mode must be one of {[*_MODES.values(), *_MODES]!r} (got {mode!r})")
        if mode == "w+" and shape is None:
            raise ValueError("shape must be given if mode == 'w+'")
        if budget is None:
            budget = _default_budget()
        if hasattr(filename, "read"):
            opened = _contextlib.nullcontext(filename)
        else:
            opened = _builtins.open(_os.fspath(filename), ("r" if mode == "c" else mode) + "b")
        with opened as file:
            file.seek(0, 2)
            length = file.tell()
            element = _np.dtype(dtype)
            if element.hasobject:
                raise ValueError("objects of Python cannot be in a file: give a dtype without them")
            shape, elements = _shape_of(shape, length - offset, element.itemsize)
            size = offset + elements * element.itemsize
            if mode in ("w+", "r+") and length < max(size, 1):
                length = max(size, 1)
                file.seek(length - 1)
                file.write(b"\0")
                file.flush()
            elif mode == "r+" or mode == "w+":
                file.flush()
            if length == 0:
                raise ValueError("cannot mmap an empty file")
            if size > length:
                raise ValueError(f"the file has {length} bytes, and offset and shape need {size}")
            begin = offset - offset % _PAGE
            if begin == length:
                begin -= _PAGE
            mapping = _memmap.map(
                file.fileno(), mode, begin, max(size - begin, 1), max(budget, _memmap.least_budget)
            )
            self = _ndarray.__new__(
                subtype, shape, dtype=element, buffer=mapping, offset=offset - begin, order=order
            )
            self._mmap = mapping
            self.offset = offset
            self.mode = mode
            if isinstance(filename, _os.PathLike):
                self.filename = filename.resolve() if hasattr(filename, "resolve") else _os.path.abspath(filename)
            elif isinstance(getattr(file, "name", None), str):
                self.filename = _os.path.abspath(file.name)
            else:
                self.filename = None
        return self

    def flush(self) -> None:
        """Makes all changes of the file durable."""
        if self._mmap is not None:
            self._mmap.flush()

    def statistics(self) -> dict[str, Any]:
        """Returns counts of the mapping: page faults, bytes read and written, and the most bytes that were in memory."""
        if self._mmap is None:
            raise ValueError("this array is not in a file")
        return self._mmap.statistics()

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Writes the array to a file, as `numpy.ndarray.tofile`."""
        if sep:
            _np.array(self).tofile(fid, sep, format)
            return
        at_a_time = max(1, 2**20 // max(1, self.itemsize))
        with _contextlib.nullcontext(fid) if hasattr(fid, "write") else _builtins.open(fid, "wb") as file:
            for begin in range(0, self.size, at_a_time):
                # A copy: system calls cannot read from the mapping.
                _np.array(self.flat[begin : begin + at_a_time], subok=False).tofile(file)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        array = _ndarray.__array_wrap__(self, array, context)
        if self is array or type(self) is not memmap:
            return array
        return array[()] if return_scalar else array.view(_ndarray)

    def __getitem__(self, index):
        kind = type(index)
        if (kind is _ndarray or kind is list or kind is tuple) and self._mmap is not None:
            offsets = self._offsets(index)
            if offsets is not None:
                found = _np.empty(offsets.shape + self.shape[self.ndim - self._inner(index) :], self.dtype)
                row = found.nbytes // max(1, offsets.size)
                self._mmap.gather(offsets.ravel(), row, found.reshape(-1).view(_np.uint8))
                return found if type(self) is memmap else found.view(type(self))
        found = _ndarray.__getitem__(self, index)
        if type(found) is memmap and found._mmap is None:
            return found.view(_ndarray)
        return found

    def __setitem__(self, index, value):
        kind = type(index)
        if (kind is _ndarray or kind is list or kind is tuple) and self._mmap is not None and self.flags.writeable:
            offsets = self._offsets(index)
            if offsets is not None:
                shape = offsets.shape + self.shape[self.ndim - self._inner(index) :]
                values = _np.ascontiguousarray(_np.broadcast_to(_np.asarray(value).astype(self.dtype), shape))
                row = values.nbytes // max(1, offsets.size)
                self._mmap.scatter(offsets.ravel(), row, values.reshape(-1).view(_np.uint8))
                return
        _ndarray.__setitem__(self, index, value)

    def _inner(self, index: Any) -> int:
        """Returns the number of dimensions that an index leaves alone."""
        return self.ndim - (len(index) if type(index) is tuple else 1)

    def _offsets(self, index: Any) -> _np.ndarray | None:
        """Returns the places in the mapping of what arrays of integers select, or `None` for another index."""
        given = index if type(index) is tuple else (index,)
        if not 0 < len(given) <= self.ndim or self.size == 0:
            return None
        columns = []
        has_array = False
        for one in given:
            if type(one) is list:
                one = _np.asarray(one) if one else _np.empty(0, _np.int64)
            elif type(one) is int:
                one = _np.asarray(one)
            elif type(one) is not _ndarray:
                return None
            if one.dtype.kind not in "iu":
                return None
            has_array = has_array or one.ndim > 0
            columns.append(one)
        if not has_array:
            return None
        inner = self.shape[len(given) :]
        row = self.itemsize
        for size, stride in zip(reversed(inner), reversed(self.strides[len(given) :]), strict=True):
            if stride != row:
                return None  # rows are not in one piece
            row *= size
        place = self.ctypes.data - self._mmap.address
        for axis, (column, size, stride) in enumerate(zip(columns, self.shape, self.strides)):
            if column.size and not (-size <= column.min() and column.max() < size):
                wrong = column[(column < -size) | (column >= size)].flat[0]
                raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {size}")
            column = column.astype(_np.int64)
            place = place + _np.where(column < 0, column + size, column) * stride
        return place


def _shape_of(shape: Any, bytes_left: int, itemsize: int) -> tuple[tuple[int, ...], int]:
    """Returns the shape and the number of elements."""
    if shape is None:
        if bytes_left % itemsize:
            raise ValueError("Size of available data is not a multiple of the data-type size.")
        return (bytes_left // itemsize,), bytes_left // itemsize
    if not isinstance(shape, (tuple, list)):
        with _contextlib.suppress(TypeError):
            shape = [_operator.index(shape)]
    elements = 1
    for one in shape:
        elements *= int(one)
    return tuple(shape), elements
