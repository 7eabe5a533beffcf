"""Attributes of arrays and groups: units, descriptions, tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

import numpy as np

from perdure._dtypes import TEXT, in_machine_order, require_numbers, stored_as, to_dtype
from perdure._perdure import MissingError, StoredTypeError

if TYPE_CHECKING:
    from perdure._store import Store

#: Lists the keys of attributes that are the text of JSON.
_JSON = ".json"
_PLAIN = (np.dtype(bool), np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.complex128))


class Attributes(MutableMapping[str, Any]):
    """The attributes of an array or a group. Values are numbers, texts, arrays, None, and what JSON can say.

    >>> import perdure
    >>> with perdure.open("attributes.store", "w") as s:
    ...     s["t"] = [270.0, 280.0]
    ...     s["t"].attrs["units"] = "K"
    ...     s["t"].attrs["range"] = {"low": 0, "high": 400}
    ...     s["t"].attrs["units"], s["t"].attrs["range"]["high"]
    ('K', 400)

    Keys that begin with a period are facts that file formats keep apart, and are not shown.
    """

    __slots__ = ("_store", "_name", "_makes")

    def __init__(self, store: Store, name: str, makes: bool = False) -> None:
        self._store = store
        self._name = name
        #: Whether the array that has them is there for them alone, and made with the first.
        self._makes = makes

    def _keys(self) -> list[str]:
        core = self._store._core
        if self._makes and core.find(self._name) is None:
            return []
        return core.attributes(self._name)

    def __getitem__(self, key: str) -> Any:
        found = None
        if isinstance(key, str) and not (self._makes and self._store._core.find(self._name) is None):
            found = self._store._core.attribute(self._name, key)
        if found is None:
            raise MissingError(f"{self._where()} has no attribute {key!r}")
        type, dims, value = found
        if type is None:
            return None
        if type.kind == "text":
            if isinstance(value, list):
                texts = [one.decode() for one in value]
                return texts if len(dims) == 1 else np.array(texts, object).reshape(dims)
            text = value.decode()
            return json.loads(text) if key in self._json_keys() else text
        if type.kind == "character":
            return bytes(value)
        if type.is_variable:
            raise StoredTypeError(f"the attribute {key!r} of {self._where()} is a {type.text}, which Python does not read")
        array = np.frombuffer(value, to_dtype(type)) if value else np.empty(0, to_dtype(type))
        array = array.reshape(dims)
        if dims:
            return array
        return array.item() if array.dtype in _PLAIN else array[()]

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise StoredTypeError(f"keys of attributes are of type str, not {key.__class__.__name__}")
        as_json = False
        if value is None:
            stored = (None, (), b"")
        elif isinstance(value, str):
            stored = (TEXT, (), value.encode())
        elif isinstance(value, bytes) and not isinstance(value, np.generic):
            stored = (np_char(), (len(value),), value)
        elif isinstance(value, dict):
            stored, as_json = self._json(key, value), True
        else:
            array = None
            try:
                array = np.asarray(value)
                if isinstance(value, (list, tuple)):
                    require_numbers(value, array)
                stored = _stored(array)
            except (ValueError, TypeError) as error:
                if not isinstance(value, (list, tuple)):
                    raise StoredTypeError(f"the attribute {key!r} of {self._where()} cannot be stored: {error}") from None
                stored, as_json = self._json(key, value), True
        if self._makes:
            self._store._make_marker(self._name)
        core = self._store._core
        core.set_attribute(self._name, key, *stored)
        self._note_json(key, as_json)

    def create(self, key: str, data: Any, shape: Any = None, dtype: Any = None) -> None:
        """Sets an attribute to an array of this shape and type."""
        array = np.asarray(data, dtype)
        self[key] = data if shape is None and dtype is None else array if shape is None else array.reshape(shape)

    def modify(self, key: str, value: Any) -> None:
        """Gives an attribute another value, and keeps its type and shape if it is an array; or sets it."""
        old = self[key] if key in self else None
        self[key] = value if not isinstance(old, (np.ndarray, np.generic)) else np.broadcast_to(np.asarray(value, old.dtype), np.shape(old))

    def __delitem__(self, key: str) -> None:
        if not isinstance(key, str) or key not in self._keys():
            raise MissingError(f"{self._where()} has no attribute {key!r}")
        self._store._core.remove_attribute(self._name, key)
        self._note_json(key, False)

    def __iter__(self) -> Iterator[str]:
        return iter([key for key in self._keys() if not key.startswith(".")])

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, key: object) -> bool:
        return key in self._keys()

    def __repr__(self) -> str:
        return f"<attributes of {self._where()}: {dict(self)!r}>"

    def _where(self) -> str:
        name = self._name
        if not self._makes:
            return f"the array {name!r}"
        return f"the group {name.rpartition('/')[0]!r}" if "/" in name else "the store"

    def _json(self, key: str, value: Any) -> tuple[Any, tuple[int, ...], bytes]:
        try:
            return (TEXT, (), json.dumps(value).encode())
        except (TypeError, ValueError):
            raise StoredTypeError(
                f"the attribute {key!r} of {self._where()} cannot be a {value.__class__.__name__} of such values; "
                "attributes are numbers, texts, arrays, None, and what JSON can say"
            ) from None

    def _json_keys(self) -> list[str]:
        found = self._store._core.attribute(self._name, _JSON)
        return [one.decode() for one in found[2]] if found else []

    def _note_json(self, key: str, is_json: bool) -> None:
        keys = self._json_keys()
        if (key in keys) == is_json:
            return
        keys = keys + [key] if is_json else [one for one in keys if one != key]
        if keys:
            self._store._core.set_attribute(self._name, _JSON, TEXT, (len(keys),), [one.encode() for one in keys])
        else:
            self._store._core.remove_attribute(self._name, _JSON)


def np_char() -> Any:
    """Returns the type of characters of texts of a fixed length."""
    return stored_as(np.dtype("S1")).type


def _stored(array: np.ndarray) -> tuple[Any, tuple[int, ...], Any]:
    if array.dtype.kind in "UT":
        texts = [str(one).encode() for one in array.ravel()]
        return (TEXT, array.shape, texts if array.ndim else texts[0])
    if array.dtype.kind == "S":
        length = max(array.dtype.itemsize, 1)
        return (np_char(), (*array.shape, length), array.astype(f"S{length}").tobytes())
    stored = stored_as(array.dtype)
    if not stored.is_native:
        array = array.astype(in_machine_order(array.dtype))
    if stored.note is not None:
        raise StoredTypeError(f"an attribute cannot be of type {array.dtype}; give it as a text or as numbers")
    return (stored.type, array.shape, array.tobytes())


__all__ = ["Attributes"]
