"""Containers of Python values that live in a store: changed in place, and there again when it is opened."""

from __future__ import annotations

import sys
from ast import literal_eval
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, MutableMapping, MutableSequence, MutableSet, ValuesView
from typing import TYPE_CHECKING, Any

import numpy as np

from perdure._perdure import DictBase, Error, ListBase, SetBase, StoredTypeError

if TYPE_CHECKING:
    from perdure._store import Group


def cell_of(value: Any, is_key: bool) -> bytes:
    """Returns the cell of an array or of NumPy's numbers. Raises StoredTypeError for other values."""
    if isinstance(value, np.generic) and value.dtype.kind in "biufSU":
        from perdure._perdure import encode_cell

        return encode_cell(value.item(), is_key)
    if isinstance(value, np.ndarray) and not is_key and not value.dtype.hasobject and value.dtype.kind != "T":
        head = repr((np.lib.format.dtype_to_descr(value.dtype), value.shape)).encode()
        return b"a" + len(head).to_bytes(8, "little") + head + value.tobytes()
    what = "a key" if is_key else "a value"
    raise StoredTypeError(
        f"{value.__class__.__name__} cannot be {what} of a container in a store; "
        + ("keys are" if is_key else "values are arrays,")
        + " None, numbers, str, bytes and tuples of these"
    )


def value_of(cell: bytes) -> np.ndarray:
    """Returns the array of a cell."""
    if cell[:1] != b"a":
        raise Error(f"a value of a container is of the kind {cell[:1]!r}, which this version does not know")
    end = 9 + int.from_bytes(cell[1:9], "little")
    descr, shape = literal_eval(cell[9:end].decode())
    return np.frombuffer(cell, np.lib.format.descr_to_dtype(descr), offset=end).reshape(shape).copy()


def _place(group: Group, name: str) -> tuple[Any, str]:
    return group.store._core, group._full(name)


class Dict(DictBase):
    """A dictionary in a store. Keys are None, numbers, str, bytes and tuples of these; values are arrays too.

    Keys have no order. What is changed is durable with the next checkpoint.

    >>> import perdure
    >>> with perdure.open("dict.store", "w") as s:
    ...     d = perdure.Dict(s, "ages", {"ada": 36})
    ...     d["alan"] = 41
    >>> s = perdure.open("dict.store")
    >>> sorted(s["ages"].items())
    [('ada', 36), ('alan', 41)]
    """

    def __init__(self, group: Group, name: str, values: Any = (), /) -> None:
        super().__init__(*_place(group, name))
        self._store = group.store
        if values:
            self.update(values)

    def __iter__(self) -> Iterator[Any]:
        return _steadily(self, self._keys())

    def keys(self) -> KeysView[Any]:
        """Returns a view of the keys."""
        return KeysView(self)

    def values(self) -> ValuesView[Any]:
        """Returns a view of the values."""
        return _Values(self)

    def items(self) -> ItemsView[Any, Any]:
        """Returns a view of keys and values."""
        return _Items(self)

    def update(self, other: Any = (), /, **more: Any) -> None:
        """Sets several keys, faster than one by one. Nothing is set if one of the values cannot be stored.

        A checkpoint of another thread has all of them or none.

        >>> import perdure
        >>> with perdure.open("update.store", "w") as s:
        ...     d = perdure.Dict(s, "squares")
        ...     d.update({i: i * i for i in range(10_000)})
        ...     d.update([("zero", 0)], one=1)
        ...     len(d), d[77], d["zero"], d["one"]
        (10002, 5929, 0, 1)
        """
        if not isinstance(other, dict):
            other = {key: other[key] for key in other.keys()} if hasattr(other, "keys") else dict(other)
        if other or more:
            self._update_dict({**other, **more} if more else other)

    def copy(self) -> dict[Any, Any]:
        """Returns an ordinary dictionary with the same keys and values."""
        return dict(self._items())

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({dict(self._items())!r})"

    def __reduce__(self) -> Any:
        return _reopened, (*self._store._identity(), self._name)

    __eq__ = Mapping.__eq__
    __hash__ = None  # type: ignore[assignment]

    def pop(self, key: Any, *default: Any) -> Any:
        """Removes a key and returns its value; `default` where it is not there."""
        if len(default) > 1:
            raise TypeError(f"pop expected at most 2 arguments, got {1 + len(default)}")
        if default and key not in self:
            return default[0]
        value = self[key]
        del self[key]
        return value

    popitem = MutableMapping.popitem
    setdefault = MutableMapping.setdefault

    def __or__(self, other: Any) -> dict[Any, Any]:
        return self.copy() | dict(other)

    def __ror__(self, other: Any) -> dict[Any, Any]:
        return dict(other) | self.copy()

    def __ior__(self, other: Any) -> Dict:
        self.update(other)
        return self


class _Values(ValuesView[Any]):
    def __iter__(self) -> Iterator[Any]:
        return _steadily(self._mapping, [value for _, value in self._mapping._items()])


class _Items(ItemsView[Any, Any]):
    def __iter__(self) -> Iterator[Any]:
        return _steadily(self._mapping, self._mapping._items())


def _steadily(container: Any, values: list[Any]) -> Iterator[Any]:
    """Walks the values, and raises as Python's own containers do if the size changes meanwhile."""
    size = len(values)
    for one in values:
        if len(container) != size:
            raise RuntimeError(f"{container.__class__.__name__} changed size during iteration")
        yield one


class Set(SetBase):
    """A set in a store, of None, numbers, str, bytes and tuples of these.

    >>> import perdure
    >>> with perdure.open("set.store", "w") as s:
    ...     seen = perdure.Set(s, "seen", ["a", ("b", 1)])
    ...     seen.add("a")
    ...     len(seen), ("b", 1) in seen, seen & {"a", "z"}
    (2, True, {'a'})
    """

    def __init__(self, group: Group, name: str, values: Iterable[Any] = (), /) -> None:
        super().__init__(*_place(group, name))
        self._store = group.store
        for one in values:
            self.add(one)

    @classmethod
    def _from_iterable(cls, values: Iterable[Any]) -> set[Any]:
        return set(values)  # results of operators are ordinary sets

    def __iter__(self) -> Iterator[Any]:
        return _steadily(self, self._keys())

    def update(self, *others: Iterable[Any]) -> None:
        """Adds the values of others."""
        for other in others:
            for one in list(other):
                self.add(one)

    def intersection_update(self, *others: Iterable[Any]) -> None:
        """Removes the values that one of the others lacks."""
        self._keep(self.intersection(*others))

    def difference_update(self, *others: Iterable[Any]) -> None:
        """Removes the values that one of the others has."""
        for other in others:
            for one in list(other):
                self.discard(one)

    def symmetric_difference_update(self, other: Iterable[Any]) -> None:
        """Adds the values that only the other has, and removes those that both have."""
        for one in set(other):
            if one in self:
                self.discard(one)
            else:
                self.add(one)

    def _keep(self, kept: set[Any]) -> None:
        for one in self._keys():
            if one not in kept:
                self.discard(one)

    def copy(self) -> set[Any]:
        """Returns an ordinary set with the same values."""
        return set(self._keys())

    def union(self, *others: Iterable[Any]) -> set[Any]:
        """Returns an ordinary set with the values of this one and of others."""
        return self.copy().union(*others)

    def intersection(self, *others: Iterable[Any]) -> set[Any]:
        """Returns an ordinary set with the values that all others have too."""
        return self.copy().intersection(*others)

    def difference(self, *others: Iterable[Any]) -> set[Any]:
        """Returns an ordinary set with the values that none of the others has."""
        return self.copy().difference(*others)

    def symmetric_difference(self, other: Iterable[Any]) -> set[Any]:
        """Returns an ordinary set with the values that only one of the two has."""
        return self.copy().symmetric_difference(other)

    def issubset(self, other: Iterable[Any]) -> bool:
        """Returns whether the other has all values of this one."""
        return self.copy().issubset(other)

    def issuperset(self, other: Iterable[Any]) -> bool:
        """Returns whether this one has all values of the other."""
        return all(one in self for one in other)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({set(self._keys())!r})"

    def __reduce__(self) -> Any:
        return _reopened, (*self._store._identity(), self._name)

    __hash__ = None  # type: ignore[assignment]


class List(ListBase):
    """A list in a store, of None, numbers, str, bytes, tuples of these, and arrays.

    >>> import perdure
    >>> with perdure.open("list.store", "w") as s:
    ...     jobs = perdure.List(s, "jobs", ["build", "test"])
    ...     jobs.append("install")
    ...     jobs.insert(0, "clone")
    ...     jobs[-2:], jobs.pop(), len(jobs)
    (['test', 'install'], 'install', 3)
    """

    def __init__(self, group: Group, name: str, values: Iterable[Any] = (), /) -> None:
        super().__init__(*_place(group, name))
        self._store = group.store
        for one in values:
            self.append(one)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._get(i) for i in range(*index.indices(len(self)))]
        return self._get(_index(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(index, slice):
            self._set(_index(index), value)
            return
        all = self._values()
        all[index] = value
        start, stop, step = index.indices(len(self))
        if len(all) == len(self):
            for i in range(start, stop, step):
                self._set(i, all[i])
            return
        for one in all:
            cell_check(one)
        self.clear()
        for one in all:
            self.append(one)

    def __delitem__(self, index: Any) -> None:
        if not isinstance(index, slice):
            self._erase(_index(index))
            return
        for i in sorted(range(*index.indices(len(self))), reverse=True):
            self._erase(i)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, List):
            return self._values() == other._values()
        return self._values() == other if isinstance(other, list) else NotImplemented

    def __iter__(self) -> Iterator[Any]:
        i = 0
        while i < len(self):
            yield self._get(i)
            i += 1

    def __contains__(self, value: Any) -> bool:
        return value in self._values()

    def index(self, value: Any, start: int = 0, stop: int = sys.maxsize, /) -> int:
        """Returns the place of the first value that is equal. Raises ValueError if there is none."""
        return self._values().index(value, start, stop)

    def count(self, value: Any, /) -> int:
        """Returns how many values are equal to this one."""
        return self._values().count(value)

    def remove(self, value: Any, /) -> None:
        """Removes the first value that is equal. Raises ValueError if there is none."""
        self._erase(self.index(value))

    def extend(self, values: Iterable[Any], /) -> None:
        """Adds values behind the last one; none of them if one cannot be stored."""
        given = [one for one in values]  # without room for as many as an iterator may promise
        for one in given:
            cell_check(one)
        for one in given:
            self.append(one)

    def __add__(self, other: Any) -> list[Any]:
        return self._values() + (other._values() if isinstance(other, List) else other)

    def __radd__(self, other: Any) -> list[Any]:
        return other + self._values()

    def __iadd__(self, other: Iterable[Any]) -> List:
        self.extend(other)
        return self

    def __mul__(self, times: Any) -> list[Any]:
        return self._values() * times

    __rmul__ = __mul__

    def __imul__(self, times: Any) -> List:
        self[:] = self._values() * times
        return self

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        """Sorts the values in place."""
        self[:] = sorted(self._values(), key=key, reverse=reverse)

    def copy(self) -> list[Any]:
        """Returns an ordinary list with the same values."""
        return self._values()

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self._values()!r})"

    def __reduce__(self) -> Any:
        return _reopened, (*self._store._identity(), self._name)

    __hash__ = None  # type: ignore[assignment]


def _index(index: Any) -> int:
    try:
        return index.__index__()
    except AttributeError:
        raise StoredTypeError(f"list indices must be integers or slices, not {index.__class__.__name__}") from None


def cell_check(value: Any) -> None:
    """Raises StoredTypeError for a value that containers do not take."""
    from perdure._perdure import encode_cell

    encode_cell(value, False)


def _reopened(path: str, epoch: int, name: str) -> Any:
    from perdure._store import _reopen

    return _reopen(path, epoch)[name]


for _kind, _abstract in ((Dict, MutableMapping), (Set, MutableSet), (List, MutableSequence)):
    _abstract.register(_kind)
    for _base in _abstract.__mro__[:-1]:
        for _name, _function in vars(_base).items():
            own = _name in vars(_kind) or any(_name in vars(one) for one in _kind.__mro__[1:-1])
            is_operator = _name.startswith("__") and _name in (
                "__and__", "__rand__", "__or__", "__ror__", "__sub__", "__rsub__", "__xor__", "__rxor__", "__ior__", "__iand__", "__isub__",
                "__ixor__", "__le__", "__lt__", "__ge__", "__gt__", "__iadd__", "__reversed__",
            )  # fmt: skip
            is_method = callable(_function) and not _name.startswith("_")
            if not own and (is_operator or is_method):
                setattr(_kind, _name, _function)
Set.__eq__ = MutableSet.__eq__  # type: ignore[method-assign]
Set.__hash__ = None  # type: ignore[assignment]
