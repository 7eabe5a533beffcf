"""NumPy's types as types of stores, and back."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from perdure._perdure import DataType, StoredTypeError

#: Kinds of numbers, by NumPy's name for them.
_NUMBERS = {
    "bool": "bool",
    "int8": "int8",
    "int16": "int16",
    "int32": "int32",
    "int64": "int64",
    "uint8": "uint8",
    "uint16": "uint16",
    "uint32": "uint32",
    "uint64": "uint64",
    "float16": "float16",
    "float32": "float32",
    "float64": "float64",
    "complex64": "complex64",
    "complex128": "complex128",
}

#: Types of C++ that NumPy has too, by their mangled names.
_OPAQUE = {"e": np.longdouble, "St7complexIeE": np.clongdouble}

TEXT = DataType.parse("string")
BYTES = DataType.parse("uint8")


class StoredAs(NamedTuple):
    """How elements of a NumPy type are stored."""

    type: DataType
    #: The type that the memory is seen as; None where it can be taken as it is.
    view: np.dtype | None
    #: What the attribute `.numpy` says of the array, as other languages have no such type; None for nothing.
    note: str | None
    #: Whether elements of the NumPy type are in the machine's byte order, in which stores have them.
    is_native: bool = True


_KINDS = {stored: np.dtype(name) for name, stored in _NUMBERS.items()}
_stored_as: dict[np.dtype, StoredAs] = {}


def bytes_dtype(length: int) -> np.dtype:
    """Returns the type of texts of a fixed length."""
    return np.dtype(f"S{length}")


def to_dtype(type: DataType) -> np.dtype:
    """Returns NumPy's type for elements of a store."""
    if type.dims:
        return np.dtype((to_dtype(type.base), tuple(type.dims)))
    kind = type.kind
    if kind in _KINDS:
        return _KINDS[kind]
    if kind == "character":
        return np.dtype("S1")
    if kind == "text":
        return np.dtypes.StringDType()
    if kind == "sequence":
        return np.dtype(object)
    if kind == "structure":
        names, formats, offsets = [], [], []
        for name, offset, field in type.fields:
            names.append(name)
            offsets.append(offset)
            if field.kind == "character" and field.dims:
                text = bytes_dtype(field.dims[-1])
                formats.append(np.dtype((text, tuple(field.dims[:-1]))) if len(field.dims) > 1 else text)
            else:
                formats.append(to_dtype(field))
        return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": type.size})
    if kind == "bfloat16":
        try:
            import ml_dtypes  # NumPy has no such type of its own
        except ImportError:
            return np.dtype("V2")
        return np.dtype(ml_dtypes.bfloat16)
    if kind == "opaque" and type.name in _OPAQUE and np.dtype(_OPAQUE[type.name]).itemsize == type.size:
        return np.dtype(_OPAQUE[type.name])
    return np.dtype(f"V{type.size}")


def _field_type(dtype: np.dtype, path: str) -> DataType:
    """Returns the type of a field, whose fixed dimensions are its own."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        inner = _field_type(base, path)
        if 0 in shape:
            raise StoredTypeError(f"the field {path} has a dimension of no elements, which no store keeps")
        return inner.array(list(shape) + list(inner.dims) if inner.dims and base.kind == "S" else list(shape))
    if dtype.kind == "S":
        return DataType.parse("char").array([max(dtype.itemsize, 1)])
    if dtype.names is not None:
        return _structure(dtype, path)
    stored = stored_as(dtype)
    if stored.view is not None:
        raise StoredTypeError(
            f"the field {path} is of type {dtype}, which stores have in arrays but not in structs; "
            f"give it as {stored.type.text}"
        )
    return stored.type


def _structure(dtype: np.dtype, path: str = "") -> DataType:
    if not dtype.names:
        raise StoredTypeError("a struct without fields cannot be stored")
    fields = []
    for name in dtype.names:
        field, offset, *title = dtype.fields[name]
        if title:
            raise StoredTypeError(f"the field {name!r} has the title {title[0]!r}, which no store keeps; give fields names alone")
        fields.append((name, offset, _field_type(field, f"{path}.{name}" if path else name)))
    fields.sort(key=lambda one: one[1])
    return DataType.structure(fields, dtype.itemsize, dtype.alignment)


def stored_as(dtype: np.dtype) -> StoredAs:
    """Returns how elements of this type are stored. Raises StoredTypeError for types that cannot be."""
    known = _stored_as.get(dtype)
    if known is None:
        known = _stored_as[dtype] = _find_stored_as(dtype)
    return known


def in_machine_order(dtype: np.dtype) -> np.dtype:
    """Returns the type in the machine's byte order. NumPy's `isnative` and `newbyteorder` pass over fields that are arrays."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return np.dtype((in_machine_order(base), shape))
    if dtype.names is None:
        return dtype.newbyteorder("=") if dtype.kind in "iufcmMU" else dtype
    fields = [dtype.fields[name] for name in dtype.names]
    formats = [in_machine_order(field[0]) for field in fields]
    if all(format == field[0] for format, field in zip(formats, fields)):
        return dtype
    native = {"names": dtype.names, "formats": formats, "offsets": [field[1] for field in fields], "itemsize": dtype.itemsize}
    if any(len(field) > 2 for field in fields):
        native["titles"] = [field[2] if len(field) > 2 else None for field in fields]
    return np.dtype(native, align=dtype.isalignedstruct)


@functools.cache
def has_buffer_format(dtype: np.dtype) -> bool:
    """Returns whether NumPy finds a struct again in the format of its buffers: not all names and paddings can be said there."""
    try:
        return np.asarray(memoryview(np.empty(1, dtype))).dtype == dtype
    except (BufferError, RuntimeError, ValueError):
        return False


def _find_stored_as(dtype: np.dtype) -> StoredAs:
    native = in_machine_order(dtype)
    if native != dtype:
        return stored_as(native)._replace(is_native=False)
    if dtype.names is not None:
        return StoredAs(_structure(dtype), None, None)
    if dtype.name in _NUMBERS:
        return StoredAs(DataType.parse(_NUMBERS[dtype.name]), None, None)
    if dtype.kind == "S":
        return StoredAs(DataType.parse("char"), None, None)
    if dtype.kind in "mM":
        if np.datetime_data(dtype)[0] == "generic":
            raise StoredTypeError(
                f"{dtype} has no unit, so its numbers mean nothing to others; give one, as in .astype('{dtype.name}[ns]')"
            )
        return StoredAs(DataType.parse("int64"), np.dtype(np.int64), dtype.str)
    if dtype.kind == "V" and dtype.itemsize:
        return StoredAs(DataType.opaque("void", dtype.itemsize, 1), None, None)
    for name, type in _OPAQUE.items():
        if dtype == np.dtype(type):
            return StoredAs(DataType.opaque(name, dtype.itemsize, dtype.alignment), None, None)
    if dtype.name == "bfloat16":
        return StoredAs(DataType.parse("bfloat16"), np.dtype(np.uint16), None)
    if dtype.kind in "UT":
        return StoredAs(TEXT, None, dtype.str if dtype.kind == "U" else None)
    if dtype.kind == "O":
        raise StoredTypeError(
            "an array of Python objects cannot be stored; convert it to numbers, texts or a structured type with .astype(…)"
        )
    raise StoredTypeError(f"elements of type {dtype} cannot be stored")


def noted(array: np.ndarray, note: str) -> np.ndarray:
    """Returns the array as the type that the attribute `.numpy` says."""
    dtype = np.dtype(note)
    return array.view(dtype) if dtype.kind in "mM" else array.astype(dtype)


def require_numbers(value: Any, array: np.ndarray) -> None:
    """Raises where NumPy has made texts of numbers, or objects of lists of several lengths."""
    if array.dtype.kind == "O":
        raise StoredTypeError(
            "this list has elements of several types or lengths, or numbers beyond 64 bits, which no array has; "
            "store its parts by names of their own"
        )
    if array.dtype.kind in "US" and not _all_texts(value, bytes if array.dtype.kind == "S" else str):
        raise StoredTypeError("this list mixes texts with other values; store them as two arrays")


def _all_texts(value: Any, kind: type) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_all_texts(one, kind) for one in value)
    return isinstance(value, kind) or getattr(getattr(value, "dtype", None), "kind", "O") in ("UT" if kind is str else "S")
