"""Types of columns: in Arrow's words, as the text that a store keeps, and as NumPy's types."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from perdure._perdure import ArrowField, ArrowInput, InvalidError, StoredTypeError, schema_of_capsule, stream_of_buffers

#: Version of the text that says what a table is.
_VERSION = 1
_NULLABLE = 2

#: Arrays of a column, in the order of a field's names; and those that columns of a kind have, if not only the first.
_PARTS = ("validity", "offsets", "values")
_PARTS_OF = {"nothing": (), "fixed": (0, 2), "bits": (0, 2), "text": (0, 1, 2), "binary": (0, 1, 2), "list": (0, 1)}

#: Formats of Arrow's for types of NumPy's.
_FORMATS = {
    "bool": "b",
    "int8": "c",
    "int16": "s",
    "int32": "i",
    "int64": "l",
    "uint8": "C",
    "uint16": "S",
    "uint32": "I",
    "uint64": "L",
    "float16": "e",
    "float32": "f",
    "float64": "g",
}
#: NumPy's types of columns whose values need no conversion.
DTYPES = {format: np.dtype(name) for name, format in _FORMATS.items() if format != "b"}
_UNITS = {"s": "s", "ms": "m", "us": "u", "ns": "n"}


def array_names(name: str, taken: set[str]) -> str:
    """Returns the name of a column's arrays within the table: the column's own where that can be."""
    wanted = name.replace("/", "_").replace("\0", "_").strip()[:200] or "_"
    if wanted.startswith("."):
        wanted = "_" + wanted
    made, number = wanted, 1
    while made in taken:
        number += 1
        made = f"{wanted}_{number}"
    return made


def with_arrays(field: Any, prefix: str) -> Any:
    """Returns a table's schema with the names of the arrays that its columns get."""
    taken: set[str] = set()
    return _with_arrays(field, prefix, "", taken, is_table=True)


def _with_arrays(field: Any, prefix: str, base: str, taken: set[str], is_table: bool = False) -> Any:
    arrays = ("", "", "")
    if not is_table:
        base = array_names(base, taken)
        ends = {"fixed": "", "bits": ".bits", "text": ".bytes", "binary": ".bytes"}
        names = (base + ".validity", base + ".offsets", base + ends.get(field.kind, ".values"))
        while taken & set(names):
            base = array_names(base + "_2", taken)
            names = (base + ".validity", base + ".offsets", base + ends.get(field.kind, ".values"))
        taken.update((base, *names))
        arrays = tuple(f"{prefix}/{one}" for one in names)
    start = "" if is_table else base + "."
    single = field.kind in ("list", "fixed_list")
    children = [_with_arrays(one, prefix, start + ("item" if single else one.name), taken) for one in field.children]
    dictionary = [_with_arrays(one, prefix, base + ".dictionary", taken) for one in field.dictionary]
    return ArrowField(field.name, field.format, field.flags, field.metadata, children, dictionary, arrays)


def to_text(field: Any, prefix: str) -> str:
    """Returns a table's schema as the text that its store keeps."""
    return json.dumps({"version": _VERSION, **_described(field, len(prefix) + 1)})


def _described(field: Any, skipped: int) -> dict[str, Any]:
    made: dict[str, Any] = {"name": field.name, "format": field.format, "type": field.type, "flags": field.flags}
    if field.arrays[0]:
        made["arrays"] = {part: field.arrays[i][skipped:] for i, part in enumerate(_PARTS) if i in _PARTS_OF.get(field.kind, (0,))}
    if field.metadata:
        made["metadata"] = [[one.decode("utf-8", "surrogateescape") for one in pair] for pair in field.metadata]
    if field.children:
        made["children"] = [_described(one, skipped) for one in field.children]
    if field.dictionary:
        made["dictionary"] = _described(field.dictionary[0], skipped)
    return made


def of_text(text: str, prefix: str) -> Any:
    """Returns the schema of a table in a store. Raises InvalidError if it is none, or a newer version's."""
    try:
        all = json.loads(text)
        version = all["version"]
        if version == _VERSION:
            return _of_described(all, prefix).as_stored()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidError(f"the table {prefix!r} has a schema that cannot be read ({error}); delete it, and store it again") from None
    raise InvalidError(f"the table {prefix!r} was stored by a newer version of perdure; open it with that version")


def _of_described(all: dict[str, Any], prefix: str) -> Any:
    names = all.get("arrays", {})
    arrays = tuple(f"{prefix}/{names[one]}" if one in names else "" for one in _PARTS)
    metadata = [tuple(one.encode("utf-8", "surrogateescape") for one in pair) for pair in all.get("metadata", ())]
    children = [_of_described(one, prefix) for one in all.get("children", ())]
    dictionary = [_of_described(all["dictionary"], prefix)] if "dictionary" in all else []
    return ArrowField(all["name"], all["format"], all["flags"], metadata, children, dictionary, arrays)


def is_table_like(value: Any) -> bool:
    """Returns whether a value gives columns by Arrow's interface. Columns alone, such as a Series, do not."""
    kind = type(value)
    if not (hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")):
        return False
    return not hasattr(kind, "__array__") or any(hasattr(value, one) for one in ("columns", "column_names", "schema"))


def input_of(name: str, value: Any) -> Any:
    """Returns the record batches of a frame, a table, a mapping of columns, or a structured array."""
    if isinstance(value, ArrowInput):
        return value
    if hasattr(value, "__arrow_c_stream__"):
        return ArrowInput.of_stream(value.__arrow_c_stream__())
    if hasattr(value, "__arrow_c_array__"):
        return ArrowInput.of_array(*value.__arrow_c_array__())
    if isinstance(value, Mapping):
        return ArrowInput.of_stream(_stream_of_columns(dict(value)))
    if isinstance(value, np.ndarray) and value.dtype.names is not None and value.ndim == 1:
        return ArrowInput.of_stream(_stream_of_columns({one: value[one] for one in value.dtype.names}))
    raise StoredTypeError(
        f"{value.__class__.__name__} cannot be the rows of the table {name!r}; "
        "give a frame with __arrow_c_stream__, a mapping of columns, or a structured array"
    )


def schema_of(name: str, schema: Any) -> Any:
    """Returns the schema that an argument gives: Arrow's, or a mapping of names to types."""
    if hasattr(schema, "__arrow_c_schema__"):
        return schema_of_capsule(schema.__arrow_c_schema__()).as_stored()
    if isinstance(schema, Mapping):
        return ArrowField("", "+s", 0, [], [_field_of_dtype(key, one) for key, one in schema.items()]).as_stored()
    raise StoredTypeError(
        f"{schema.__class__.__name__} cannot be the schema of the table {name!r}; "
        "give an object with __arrow_c_schema__, or a dict of names and NumPy types"
    )


def _field_of_dtype(name: str, dtype: Any) -> Any:
    if dtype is str:
        return ArrowField(name, "U")
    if dtype is bytes:
        return ArrowField(name, "Z")
    dtype = np.dtype(dtype)
    return ArrowField(name, _format_of(name, dtype))


def _format_of(name: str, dtype: np.dtype) -> str:
    if dtype.kind in "UT":
        return "U"
    if dtype.kind in "mM":
        unit, count = np.datetime_data(dtype)
        if dtype.kind == "M" and unit == "D" and count == 1:
            return "tdD"
        if unit in _UNITS and count == 1:
            return ("ts" if dtype.kind == "M" else "tD") + _UNITS[unit] + (":" if dtype.kind == "M" else "")
    elif dtype.kind == "S":
        return f"w:{max(dtype.itemsize, 1)}"
    elif dtype.name in _FORMATS:
        return _FORMATS[dtype.name]
    raise StoredTypeError(f"the column {name!r} is of type {dtype}, which tables in stores do not have")


def _stream_of_columns(columns: dict[Any, Any]) -> Any:
    """Returns a stream of columns that are arrays of NumPy's, or lists."""
    fields, lengths, buffers = [], [], []
    rows = None
    for name, values in columns.items():
        if not isinstance(name, str):
            raise StoredTypeError(f"names of columns are of type str, not {name.__class__.__name__}")
        array, mask = _column_of(name, values)
        if array.ndim != 1:
            raise InvalidError(f"the column {name!r} has {array.ndim} dimensions; columns have one")
        if rows is not None and len(array) != rows:
            raise InvalidError(f"the column {name!r} has {len(array)} values, and the columns before it {rows}")
        rows = len(array)
        validity = None if mask is None else np.packbits(~mask, bitorder="little")
        field = ArrowField(name, _format_of(name, array.dtype))
        fields.append(field)
        lengths.append(rows)
        if field.kind == "text":
            texts = [b"" if one is None else one.encode() for one in _texts(array, mask)]
            ends = np.zeros(rows + 1, np.int64)
            np.cumsum([len(one) for one in texts], out=ends[1:])
            buffers.append([validity, ends, np.frombuffer(b"".join(texts), np.uint8)])
        else:
            buffers.append([validity, None, _raw(array, field.format)])
    root = ArrowField("", "+s", 0, [], fields)
    return stream_of_buffers(root, [rows or 0, *lengths], [[], *buffers])


def _column_of(name: str, values: Any) -> tuple[np.ndarray, np.ndarray | None]:
    """Returns a column's values, and which are null; None if none are."""
    if isinstance(values, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(values)
        return values.data, mask if mask.any() else None
    if not isinstance(values, (list, tuple)):
        array = np.asarray(values)
    else:
        present = [one for one in values if one is not None]
        array = np.asarray(present) if present else np.empty(0)
        if array.dtype.kind == "U" and not all(isinstance(one, str) for one in present):
            raise StoredTypeError(f"the column {name!r} mixes texts with other values")
        if len(present) != len(values) and array.ndim == 1 and array.dtype.kind != "O":
            mask = np.array([one is None for one in values])
            if array.dtype.kind == "U":
                array = array.astype(np.dtypes.StringDType())
            spread = np.zeros(len(values), array.dtype)
            spread[~mask] = array
            return spread, mask
    if array.dtype.kind == "O":
        mask = np.array([one is None for one in array.ravel()], bool).reshape(array.shape)
        if array.ndim == 1 and all(isinstance(one, str) for one in array[~mask]):
            texts = np.array(["" if one is None else one for one in array], np.dtypes.StringDType())
            return texts, mask if mask.any() else None
        raise StoredTypeError(f"the column {name!r} has Python objects, which tables do not have; convert it to numbers or texts")
    if array.dtype.kind in "mM":
        mask = np.isnat(array)
        return array, mask if mask.any() else None
    return array, None


def _texts(array: np.ndarray, mask: np.ndarray | None) -> list[str | None]:
    return [str(one) if mask is None or not gone else None for one, gone in zip(array.tolist(), mask if mask is not None else array)]


def _raw(array: np.ndarray, format: str) -> np.ndarray:
    """Returns a column's elements as Arrow has them."""
    array = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("="), copy=False))
    if format == "b":
        return np.packbits(array, bitorder="little")
    if format == "tdD":
        return array.view(np.int64).astype(np.int32)
    return array.view(np.int64) if array.dtype.kind in "mM" else array.view(np.uint8) if array.dtype.kind == "S" else array
