"""Datasets of xarray in stores: the engine that opens them, and `to_perdure`, which writes them.

>>> import xarray as xr, perdure.xarray
>>> air = xr.Dataset({"t": (("time", "x"), np.ones((2, 3)))}, {"time": [10, 20]}, {"title": "example"})
>>> perdure.xarray.to_perdure(air, "air.store")
>>> with xr.open_dataset("air.store", engine="perdure") as found:
...     print(found.t.sum("x").values)
[3. 3.]
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

try:
    import xarray
except ModuleNotFoundError as missing:
    if missing.name != "xarray":
        raise
    raise ImportError("perdure.xarray needs the package xarray, which is not installed: pip install xarray") from None

from xarray.backends import BackendEntrypoint, StoreBackendEntrypoint
from xarray.backends.common import ArrayWriter

from perdure import _perdure
from perdure._perdure import InvalidError, MissingError, StoredTypeError
from perdure._store import ExistsError, Group, open
from perdure._xarray_store import PerdureDataStore, manager_of

__all__ = ["PerdureBackendEntrypoint", "PerdureDataStore", "to_perdure"]

_MODES = ("w-", "w", "a")


class PerdureBackendEntrypoint(BackendEntrypoint):
    """The engine "perdure" of xarray: a group of a store is a dataset, and the groups of a store are a tree.

    Arrays are read when they are needed. A pickled dataset opens the store at the same checkpoint.
    """

    description = "Open groups of Perdure stores"
    supports_groups = True

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Returns whether a path is that of a store, or the object an open one."""
        if isinstance(filename_or_obj, (str, os.PathLike)):
            return os.path.isdir(filename_or_obj) and bool(_perdure.exists(os.fsdecode(os.fspath(filename_or_obj))))
        return isinstance(filename_or_obj, Group)

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        mask_and_scale: Any = True,
        decode_times: Any = True,
        concat_characters: Any = True,
        decode_coords: Any = True,
        drop_variables: str | Iterable[str] | None = None,
        use_cftime: Any = None,
        decode_timedelta: Any = None,
        group: str | None = None,
        copy: bool = True,
        open_options: Mapping[str, Any] | None = None,
    ) -> xarray.Dataset:
        """Opens a group of a store as a dataset.

        filename_or_obj: the path of a store, or a `perdure.Store` or `perdure.Group` that is open.
        group: the name of a group; the store's root unless given.
        copy: whether loaded arrays are copies. Without, arrays that lie in one piece are read-only views of the store.
        open_options: options of `perdure.open`, such as {"beside_writer": "hold"}.
        """
        store = PerdureDataStore(manager_of(filename_or_obj, open_options), group or "", copies=copy)
        return _dataset(
            store,
            mask_and_scale=mask_and_scale,
            decode_times=decode_times,
            concat_characters=concat_characters,
            decode_coords=decode_coords,
            drop_variables=drop_variables,
            use_cftime=use_cftime,
            decode_timedelta=decode_timedelta,
        )

    def open_groups_as_dict(
        self,
        filename_or_obj: Any,
        *,
        group: str | None = None,
        copy: bool = True,
        open_options: Mapping[str, Any] | None = None,
        **decoding: Any,
    ) -> dict[str, xarray.Dataset]:
        """Opens a group and all below it, each as a dataset. Options are those of `open_dataset`."""
        manager = manager_of(filename_or_obj, open_options)
        top = PerdureDataStore(manager, group or "")
        try:
            return {
                path: _dataset(PerdureDataStore(manager, f"{group or ''}/{path}", copies=copy), **decoding)
                for path in top.groups_below()
            }
        except Exception:
            top.close()
            raise

    def open_datatree(self, filename_or_obj: Any, **options: Any) -> xarray.DataTree:
        """Opens a group and all below it as a tree. Options are those of `open_dataset`."""
        groups = self.open_groups_as_dict(filename_or_obj, **options)
        try:
            tree = xarray.DataTree.from_dict(groups)
        except Exception:
            for dataset in groups.values():
                dataset.close()
            raise
        for path, dataset in groups.items():
            tree[path].set_close(dataset.close)
        return tree


def _dataset(store: PerdureDataStore, **decoding: Any) -> xarray.Dataset:
    try:
        return StoreBackendEntrypoint().open_dataset(store, **decoding)
    except Exception:
        store.close()
        raise


def to_perdure(
    dataset: xarray.Dataset | xarray.DataTree,
    target: str | os.PathLike[str] | Group,
    *,
    group: str | None = None,
    mode: str = "w-",
    encoding: Mapping[str, Mapping[str, Any]] | None = None,
    unlimited_dims: Iterable[str] | None = None,
    append_dim: str | None = None,
    label: str = "",
) -> None:
    """Writes a dataset, or a tree of them, to a group of a store, and makes one checkpoint of it all.

    If writing fails, a store that was given by its path stays as it was.

    target: the path of a store, which is created where there is none, or an open `perdure.Store` or `perdure.Group`.
    group: the name of a group in `target`; unless given, that is `target` itself.
    mode: "w-" raises where the group has something; "w" replaces the group with all below it; "a" replaces variables of
    the same names and adds the others.
    encoding: for each variable its types and scales by the conventions of CF, and `chunks`, `compression`, `level` and
    `shuffle` as of `create_array`. For a tree, for each path a dictionary of these.
    unlimited_dims: dimensions that may grow, whose arrays are chunked.
    append_dim: variables with this dimension are appended to those in the store, and encoded like them.
    label: name of the checkpoint in the log.
    """
    if not isinstance(dataset, (xarray.Dataset, xarray.DataTree)):
        raise StoredTypeError(f"to_perdure writes datasets and trees, not {type(dataset).__name__}; an array has .to_dataset(name=…)")
    if mode not in _MODES:
        raise InvalidError(f'mode={mode!r} is none of: {", ".join(_MODES)}')
    parts = _parts(dataset, encoding or {}, unlimited_dims, append_dim)
    if isinstance(target, Group):
        _write(parts, target, group, mode, append_dim)
        target.store.checkpoint(label)
        return
    with open(target, "a") as store:
        _write(parts, store, group, mode, append_dim)
        store.checkpoint(label)


_Part = tuple[str, xarray.Dataset, Mapping[str, Any], set[str]]


def _parts(dataset: Any, encoding: Mapping[str, Any], unlimited_dims: Iterable[str] | None, append_dim: str | None) -> list[_Part]:
    """Returns for each group its path below the first, its dataset, encoding and unlimited dimensions."""
    if isinstance(dataset, xarray.DataTree):
        nodes = [(node.relative_to(dataset), node.to_dataset(inherit=node is dataset)) for node in dataset.subtree]
        unknown = set(encoding) - {"/" if path == "." else f"/{path}" for path, _ in nodes}
        if unknown:
            raise InvalidError(f"the tree has no group {min(unknown)!r}, for which an encoding is given")
        parts = [("" if path == "." else path, one, encoding.get("/" if path == "." else f"/{path}", {})) for path, one in nodes]
    else:
        parts = [("", dataset, encoding)]
    made = []
    for path, one, encodings in parts:
        wrong = set(encodings) - set(one.variables)
        if wrong:
            raise MissingError(f"the dataset has no variable {min(map(str, wrong))!r}, for which an encoding is given")
        for name, wanted in encodings.items():
            if not isinstance(wanted, Mapping):
                raise InvalidError(f"the encoding of {name!r} is {wanted!r}; it must be castable to a dictionary")
        unlimited = _unlimited(one, unlimited_dims, isinstance(dataset, xarray.DataTree))
        if append_dim is not None:
            if append_dim not in one.dims:
                raise InvalidError(f"the dataset has no dimension {append_dim!r}, along which it could be appended")
            unlimited.add(append_dim)
        made.append((path, one, encodings, unlimited))
    return made


def _unlimited(dataset: xarray.Dataset, given: Iterable[str] | None, is_of_tree: bool) -> set[str]:
    """Returns the dimensions that may grow: those that are given, or else those that the dataset was opened with."""
    named = dataset.encoding.get("unlimited_dims", ()) if given is None else given
    unlimited = {named} if isinstance(named, str) else set(named)
    missing = sorted(unlimited - set(dataset.dims))
    if missing and not is_of_tree:
        where = "dataset.encoding" if given is None else "unlimited_dims-kwarg"
        sentence = f"Unlimited dimension(s) {', '.join(missing)} declared in '{where}' are not dimensions of the dataset"
        if given is not None:
            raise InvalidError(sentence)
        warnings.warn(sentence, UserWarning, stacklevel=4)
    return unlimited & set(dataset.dims)


def _write(parts: list[_Part], target: Group, group: str | None, mode: str, append_dim: str | None) -> None:
    inner = target.require_group(group) if group and group.strip("/") else target
    if append_dim is None and mode == "w-" and len(inner):
        raise ExistsError(f'{inner.name} of {inner.store.path} has {len(inner)} members already; mode="w" replaces it, mode="a" adds to it')
    if append_dim is None and mode == "w":
        inner.clear()
    for path, dataset, encoding, unlimited in parts:
        place = inner.require_group(path) if path else inner
        store = PerdureDataStore(manager_of(place), append_dim=append_dim)
        if append_dim is not None:
            dataset = _encoded_as_stored(dataset, store, append_dim)
        writer = ArrayWriter()
        dataset.dump_to_store(store, writer=writer, encoding={name: dict(one) for name, one in encoding.items()}, unlimited_dims=unlimited)
        writer.sync()


def _encoded_as_stored(dataset: xarray.Dataset, store: PerdureDataStore, append_dim: str) -> xarray.Dataset:
    there = StoreBackendEntrypoint().open_dataset(store)
    dataset = dataset.copy()
    for name, variable in dataset.variables.items():
        if append_dim in variable.dims and name in there.variables:
            variable.encoding = dict(there.variables[name].encoding)
    return dataset
