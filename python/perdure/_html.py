"""How stores and arrays look in notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perdure._array import Array
    from perdure._store import Group
    from perdure._table import Table


def _table(title: str, rows: list[tuple[Any, ...]], head: tuple[str, ...] = ()) -> str:
    cells = "".join("<tr>" + "".join(f"<td>{escape(str(one))}</td>" for one in row) + "</tr>" for row in rows)
    top = "<tr>" + "".join(f"<th>{escape(one)}</th>" for one in head) + "</tr>" if head else ""
    return f"<div><b>{escape(title)}</b><table>{top}{cells}</table></div>"


def array_table(array: Array) -> str:
    """Returns what an array is, as a table."""
    rows = [("shape", array.shape), ("dtype", array.dtype), ("bytes", array.nbytes), ("layout", array.layout)]
    if array.dims:
        rows.append(("dims", ", ".join(array.dims)))
    rows += [(key, value) for key, value in array.attrs.items()]
    return _table(array.name, rows)


def group_table(group: Group, most: int = 200) -> str:
    """Returns the members of a group, as a table."""
    rows = group._rows(most)
    return _table(group._title(), rows, ("name", "what", "shape", "dtype"))


def rows_table(table: Table, most: int = 10) -> str:
    """Returns the first rows of a table, as a table."""
    names = table.column_names
    columns = []
    for name in names:
        try:
            columns.append(table.head(most)[name].tolist())
        except TypeError:  # a type that NumPy does not have
            columns.append(["…"] * min(most, len(table)))
    rows = [tuple("null" if one is None else one for one in row) for row in zip(*columns)]
    if len(table) > most:
        rows.append((f"… {len(table) - most} more rows", *[""] * (len(names) - 1)))
    return _table(f"{table.name}: {len(table)} rows", rows, tuple(f"{one} ({type})" for one, type in table.schema.items()))
