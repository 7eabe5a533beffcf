"""A stored table by its name: columns of one length, given to other libraries without a copy."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from perdure._arrow import DTYPES, input_of, is_table_like, of_text, schema_of, to_text, with_arrays
from perdure._attributes import Attributes
from perdure._dtypes import TEXT
from perdure._perdure import ArrowInput, InvalidError, MissingError, StoredTypeError, UnsupportedError, report_leaks

if TYPE_CHECKING:
    from perdure._store import Store

#: Last part of the name of the array that has a table's attributes, as that of a group.
_MARKER = "/.attributes"
#: The attribute of it that says that the group is a table, and what its columns are.
_SCHEMA = ".table"
_VALIDITY, _OFFSETS, _VALUES = 0, 1, 2


class Table:
    """A stored table. Libraries that know Arrow's interface take it as it is, without a copy.

    Slices and lists of columns are tables too, of the same rows in the store.

    >>> import perdure, numpy as np
    >>> with perdure.open("table.store", "w") as s:
    ...     t = s.create_table("t", {"x": np.arange(3.0), "name": ["a", None, "c"]})
    ...     t.append({"x": [7.0], "name": ["d"]})
    ...     len(t), t.schema, t["x"]
    (4, {'x': 'float64', 'name': 'large_utf8'}, array([0., 1., 2., 7.]))
    """

    __slots__ = ("_begin", "_columns", "_end", "_known", "_name", "_store", "__weakref__")

    def __init__(
        self,
        store: Store,
        name: str,
        columns: list[str] | None = None,
        begin: int = 0,
        end: int | None = None,
    ) -> None:
        self._store = store
        self._name = name
        self._columns = columns
        self._begin = begin
        self._end = end
        self._known: tuple[bytes, Any] | None = None

    # What it is.

    @property
    def name(self) -> str:
        """The name within the store, with groups."""
        return self._name

    @property
    def store(self) -> Store:
        """The store that has the table."""
        return self._store

    @property
    def attrs(self) -> Attributes:
        """The attributes."""
        return Attributes(self._store, self._name + _MARKER, makes=True)

    def _whole(self) -> Any:
        """Returns the schema of all columns."""
        found = _schema_text(self._store, self._name)
        if found is None:
            raise MissingError(f"{self._store.path} has no table {self._name!r} any more")
        if self._known is None or self._known[0] != found:
            self._known = (found, of_text(found.decode(), self._name))
        return self._known[1]

    def _fields(self) -> Any:
        """Returns the schema of the columns of this table."""
        whole = self._whole()
        if self._columns is None:
            return whole
        at = {field.name: i for i, field in enumerate(whole.children)}
        for one in self._columns:
            if one not in at:
                raise MissingError(f"the table {self._name!r} has no column {one!r} any more")
        return whole.select([at[one] for one in self._columns])

    def _pieces(self) -> np.ndarray:
        """Returns what each batch and field has: its length, its nulls, and where its elements begin and how many they are."""
        slots = self._whole().slots
        all = self._store._core.load(self._name + "/.batches")
        if all is None or all.ndim != 3 or all.shape[1:] != (slots, 8):
            raise InvalidError(f"the table {self._name!r} lacks its array {self._name + '/.batches'!r}; delete it, and store it again")
        if (all[:, 0, 0] < 0).any():
            raise InvalidError(f"the table {self._name!r} has a batch of a negative number of rows; delete it, and store it again")
        return all

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return [one.name for one in self._fields().children]

    columns = column_names

    @property
    def schema(self) -> dict[str, str]:
        """The type of each column, in Arrow's words."""
        return {one.name: one.type for one in self._fields().children}

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and of columns."""
        return len(self), len(self._fields().children)

    @property
    def batches(self) -> list[int]:
        """The number of rows of each record batch: one for each append."""
        ends = np.cumsum(self._pieces()[:, 0, 0])
        begin, end = self._range(int(ends[-1]) if len(ends) else 0)
        rows = np.diff(np.clip(ends, begin, end), prepend=begin)
        return [int(one) for one in rows if one]

    def _range(self, rows: int) -> tuple[int, int]:
        return min(self._begin, rows), rows if self._end is None else min(self._end, rows)

    def _bounds(self) -> tuple[int, int]:
        return self._range(int(self._pieces()[:, 0, 0].sum()))

    def __len__(self) -> int:
        begin, end = self._bounds()
        return end - begin

    # Reading.

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Returns the rows for other libraries, where they lie in the store. Other types are not converted to."""
        # Caches of other libraries, such as Polars', keep this class until the interpreter ends.
        report_leaks(sys.flags.dev_mode)
        begin, end = self._bounds()
        fields = self._fields()
        return self._store._core.table_stream(self._name, fields, self._whole().slots, begin, end)

    def __arrow_c_schema__(self) -> Any:
        """Returns the types of the columns for other libraries."""
        return self._fields().capsule()

    def to_arrow(self) -> Any:
        """Returns a `pyarrow.Table` of the rows, without a copy."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self, **options: Any) -> Any:
        """Returns a `pandas.DataFrame`, by pyarrow; `options` are those of `pyarrow.Table.to_pandas`."""
        return self.to_arrow().to_pandas(**options)

    def to_polars(self) -> Any:
        """Returns a `polars.DataFrame`; columns of numbers are not copied."""
        import polars

        return polars.DataFrame(self)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self._column(key)
        if isinstance(key, list):
            names = self.column_names
            for one in key:
                if one not in names:
                    raise MissingError(f"the table {self._name!r} has no column {one!r}; it has {', '.join(map(repr, names))}")
            return Table(self._store, self._name, list(key), self._begin, self._end)
        if isinstance(key, slice):
            begin, end = self._bounds()
            first, last, step = key.indices(end - begin)
            if step != 1:
                raise UnsupportedError("slices of a table have no step; take the rows that you need with another library")
            return Table(self._store, self._name, self._columns, begin + first, begin + max(first, last))
        raise StoredTypeError(
            f"indices of a table are names, lists of names and slices, not {key.__class__.__name__}; t[5:6] is one row"
        )

    def head(self, rows: int = 5) -> Table:
        """Returns the first rows."""
        return self[:rows]

    def tail(self, rows: int = 5) -> Table:
        """Returns the last rows."""
        return self[max(0, len(self) - rows) :]

    def __iter__(self) -> Iterator[str]:
        return iter(self.column_names)

    def __contains__(self, name: object) -> bool:
        return name in self.column_names

    def _column(self, name: str) -> np.ndarray:
        field = next((one for one in self._fields().children if one.name == name), None)
        if field is None:
            raise MissingError(f"the table {self._name!r} has no column {name!r}; it has {', '.join(map(repr, self.column_names))}")
        pieces = self._pieces()
        begin, end = self._bounds()
        parts, nulls = [], []
        before = 0
        for piece in pieces:
            first, last = max(begin - before, 0), min(end - before, int(piece[0, 0]))
            before += int(piece[0, 0])
            if first < last:
                values, gone = self._values(field, piece, first, last)
                parts.append(values)
                nulls.append(gone)
        if not parts:
            parts, nulls = [_empty(field)], [None]
        if all(one is None for one in nulls):
            return parts[0] if len(parts) == 1 else np.concatenate(parts)
        masks = [np.zeros(len(part), bool) if gone is None else gone for part, gone in zip(parts, nulls)]
        mask = np.concatenate(masks)
        values = np.concatenate(parts)
        return _with_nulls(values, mask)

    def _values(self, field: Any, piece: np.ndarray, first: int, last: int) -> tuple[np.ndarray, np.ndarray | None]:
        """Returns some values of a batch, and which of them are null; None if none are."""
        core = self._store._core
        numbers = piece[field.slot].tolist()

        def elements(part: int, begin: int, end: int) -> np.ndarray:
            at, count = numbers[2 + 2 * part : 4 + 2 * part]
            if not 0 <= begin <= end <= count:
                raise InvalidError(f"the table {self._name!r} has a batch that does not fit its column {field.name!r}")
            try:
                return core.view_elements(field.arrays[part], at + begin, end - begin)
            except UnsupportedError:  # somebody has compressed the array, or written parts of it
                return core.load(field.arrays[part])[at + begin : at + end]

        def bits(part: int) -> np.ndarray:
            all = np.unpackbits(elements(part, first // 8, (last + 7) // 8), bitorder="little")
            return all[first % 8 : first % 8 + last - first].astype(bool)

        gone = ~bits(_VALIDITY) if numbers[1] and field.kind != "nothing" else None
        if field.dictionary:
            return self._decoded(field, piece, elements(_VALUES, first, last), gone), gone
        if field.kind == "bits":
            return bits(_VALUES), gone
        if field.kind in ("text", "binary"):
            ends = elements(_OFFSETS, first, last + 1)
            begin, end = int(ends[0]), int(ends[-1])
            if (np.diff(ends) < 0).any():
                raise InvalidError(f"the column {field.name!r} of the table {self._name!r} has offsets out of order")
            bytes = elements(_VALUES, begin, end).tobytes()
            return _split(bytes, (ends - begin).tolist(), field.kind == "text"), gone
        dtype = _dtype_of(field)
        if dtype is None:
            raise StoredTypeError(
                f"the column {field.name!r} is of type {field.type}, which NumPy does not have; take t[[{field.name!r}]] to another library"
            )
        if field.format[:2] == "w:":
            width = dtype.itemsize
            all = core.load(field.arrays[_VALUES])[numbers[6] + first : numbers[6] + last]
            return np.ascontiguousarray(all).reshape(-1).view(f"V{width}"), gone
        found = elements(_VALUES, first, last)
        return found if found.dtype == dtype else found.view(dtype) if found.itemsize == dtype.itemsize else found.astype(dtype), gone

    def _decoded(self, field: Any, piece: np.ndarray, indices: np.ndarray, gone: np.ndarray | None) -> np.ndarray:
        """Returns the values of a dictionary that the indices mean."""
        inner = field.dictionary[0]
        words, _ = self._values(inner, piece, 0, int(piece[inner.slot, 0]))
        if gone is not None:
            indices = np.where(gone, 0, indices)
        if not len(words):
            return np.zeros(len(indices), words.dtype)
        return words[indices]

    # Writing.

    def append(self, rows: Any) -> None:
        """Adds rows behind the last ones: a frame, a mapping of columns, or whatever gives its rows by Arrow's interface.

        Columns are found by name, and have the types of the table. Nothing that is there is copied: each batch of rows
        lies by itself. If it raises, the table has the rows that it had.
        """
        if self._columns is not None or self._begin or self._end is not None:
            raise InvalidError(f"rows cannot be appended to a part of the table {self._name!r}; append to the table")
        self._store._require_writable()
        schema = self._whole()
        _append(self._store, self._name, schema, input_of(self._name, rows))

    def __reduce__(self) -> Any:
        part = (self._columns, self._begin, self._end)
        return _reopened, (*self._store._identity(), self._name, *part)

    # How it looks.

    def __repr__(self) -> str:
        try:
            rows, columns = self.shape
            return f"<perdure.Table {self._name!r}: {rows} rows, {columns} columns>"
        except Exception as error:
            return f"<perdure.Table {self._name!r}: {error}>"

    def _repr_html_(self) -> str:
        from perdure._html import rows_table

        return rows_table(self)


def _dtype_of(field: Any) -> np.dtype | None:
    """Returns NumPy's type of a column of elements of one size; None where NumPy has none."""
    format = field.format
    if format in DTYPES:
        return DTYPES[format]
    if format == "tdD":
        return np.dtype("M8[D]")
    if format == "tdm":
        return np.dtype("M8[ms]")
    if format[:2] in ("ts", "tD"):
        unit = format[2] if format[2] == "s" else format[2] + "s"
        return np.dtype(f"{'M' if format[1] == 's' else 'm'}8[{unit}]")
    return np.dtype(f"V{format[2:]}") if format[:2] == "w:" else None


def _empty(field: Any) -> np.ndarray:
    """Returns a column of no rows."""
    if field.dictionary:
        return _empty(field.dictionary[0])
    if field.kind == "bits":
        return np.empty(0, bool)
    if field.kind == "text":
        return np.empty(0, np.dtypes.StringDType())
    dtype = _dtype_of(field)
    return np.empty(0, object if dtype is None else dtype)


def _split(bytes: bytes, ends: list[int], is_text: bool) -> np.ndarray:
    """Returns texts or binary values as an array."""
    if is_text:
        return np.array([bytes[a:b].decode() for a, b in zip(ends, ends[1:])], np.dtypes.StringDType())
    made = np.empty(len(ends) - 1, object)
    made[:] = [bytes[a:b] for a, b in zip(ends, ends[1:])]
    return made


def _with_nulls(values: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Returns values of which some are null: None in texts and objects, NaT in dates, else masked."""
    if values.dtype.kind == "T":
        made = values.astype(np.dtypes.StringDType(na_object=None))
        made[mask] = None
        return made
    if values.dtype.kind == "O":
        values[mask] = None
        return values
    if values.dtype.kind in "mM":
        values[mask] = np.array("NaT", values.dtype)
        return values
    return np.ma.masked_array(values, mask)


def _schema_text(store: Store, full: str) -> bytes | None:
    """Returns what says that a group is a table; None for other groups."""
    core = store._core
    if core.find(full + _MARKER) is None:
        return None
    found = core.attribute(full + _MARKER, _SCHEMA)
    return None if found is None else found[2]


def is_table(store: Store, full: str) -> bool:
    """Returns whether a name is a table's."""
    return bool(full) and _schema_text(store, full) is not None


def _append(store: Store, full: str, schema: Any, given: Any) -> None:
    columns = schema.match(given.schema)
    core = store._core
    before = len(Table(store, full)._pieces())
    try:
        while (batch := given.next()) is not None:
            if not batch.is_empty:
                core.append_batch(full, schema, given.schema, columns, batch)
    except BaseException:
        core.keep_batches(full, schema, before)
        raise


def create(store: Store, full: str, rows: Any, schema: Any) -> Table:
    """Stores a table in the place of whatever has the name. What was there stays if the rows cannot be stored."""
    store._require_writable()
    core = store._core
    given = None if rows is None else input_of(full, rows)
    if schema is None:
        if given is None:
            raise InvalidError(f"create_table({full!r}) needs data, or a schema")
        wanted = given.schema.as_stored()
    else:
        wanted = schema_of(full, schema)
    fields = with_arrays(wanted, full)
    if given is not None:
        fields.match(given.schema)
    before = _Saved(store, full)
    try:
        before.erase()
        core.create_columns(full, fields)
        store._make_marker(full + _MARKER)
        core.set_attribute(full + _MARKER, _SCHEMA, TEXT, (), to_text(fields, full).encode())
        if given is not None:
            _append(store, full, fields, given)
    except BaseException:
        before.restore()
        raise
    return Table(store, full)


class _Saved:
    """What has a name before a table takes it. Its elements stay where they lie until the table is whole."""

    def __init__(self, store: Store, full: str) -> None:
        self._store = store
        self._full = full
        core = store._core
        self._rows: Any = None
        self._array: Any = None
        if is_table(store, full):
            table = Table(store, full)
            self._schema = table._whole()
            self._rows = table.__arrow_c_stream__()
            self._attributes = [(key, core.attribute(full + _MARKER, key)) for key in core.attributes(full + _MARKER)]
        elif core.find(full) is not None:
            self._array = store._read_array(full)
        elif core.is_group(full):
            raise InvalidError(f"{full!r} is a group: delete it before you store a table under its name")

    def erase(self) -> None:
        """Makes the name free."""
        for one in self._store._core.names(self._full):
            self._store._core.erase(one)

    def restore(self) -> None:
        """Puts back what was there."""
        self.erase()
        if self._array is not None:
            self._store._write_array(self._full, self._array)
        if self._rows is None:
            return
        core = self._store._core
        core.create_columns(self._full, self._schema)
        self._store._make_marker(self._full + _MARKER)
        for key, value in self._attributes:
            core.set_attribute(self._full + _MARKER, key, *value)
        _append(self._store, self._full, self._schema, ArrowInput.of_stream(self._rows))


def _reopened(path: str, epoch: int, name: str, columns: list[str] | None, begin: int, end: int | None) -> Table:
    from perdure._store import _reopen

    return Table(_reopen(path, epoch), name, columns, begin, end)


__all__ = ["Table", "create", "is_table", "is_table_like"]
