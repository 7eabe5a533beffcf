"""Functions for stores that need not be open: verify, copy, remove, logs, kept checkpoints."""

from __future__ import annotations

import os
from typing import Any

from perdure import _perdure


def _path_of(store: str | os.PathLike[str]) -> str:
    return os.fsdecode(os.fspath(store))


def exists(path: str | os.PathLike[str]) -> bool:
    """Returns whether there is a store.

    >>> import perdure
    >>> perdure.open("there.store", "w").close()
    >>> perdure.exists("there.store"), perdure.exists("elsewhere.store")
    (True, False)
    """
    return _perdure.exists(_path_of(path))


def remove(path: str | os.PathLike[str]) -> bool:
    """Deletes a store. Returns whether there was one.

    >>> import perdure
    >>> perdure.open("old.store", "w").close()
    >>> perdure.remove("old.store"), perdure.remove("old.store")
    (True, False)
    """
    return _perdure.remove(_path_of(path))


def copy(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Copies a store that nobody has open for writing. `Store.snapshot` copies one that is open.

    >>> import perdure
    >>> with perdure.open("first.store", "w") as s:
    ...     s["a"] = [1, 2]
    >>> perdure.copy("first.store", "second.store")
    >>> perdure.open("second.store")["a"].tolist()
    [1, 2]
    """
    _perdure.copy(_path_of(source), _path_of(target))


def verify(path: str | os.PathLike[str]) -> list[str]:
    """Checks every byte of a store's files. Returns a sentence for each damage: none if the store is whole.

    >>> import perdure
    >>> perdure.open("whole.store", "w").close()
    >>> perdure.verify("whole.store")
    []
    """
    return _perdure.verify(_path_of(path))


def log(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Returns the checkpoints that a store remembers, oldest first.

    A checkpoint is a dict of `epoch`, `time_ns` (since 1970), `label`, `bytes` (written) and `kept`.

    >>> import perdure
    >>> with perdure.open("logged.store", "w") as s:
    ...     s["a"] = 1
    ...     s.checkpoint("monday")
    >>> [one["label"] for one in perdure.log("logged.store") if one["label"]]
    ['monday']
    """
    return _perdure.log(_path_of(path))


def kept_checkpoints(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Returns the checkpoints that a store keeps, oldest first; `perdure.open("STORE@LABEL")` opens one.

    A checkpoint is a dict of `epoch`, `time_ns` (since 1970), `label` and `path`.

    >>> import perdure
    >>> with perdure.open("keeping.store", "w", keep=2, full_copies=True) as s:
    ...     s["a"] = 1
    ...     s.checkpoint("monday")
    ...     s["a"] = 2
    >>> [one["label"] for one in perdure.kept_checkpoints("keeping.store")]
    ['monday']
    >>> int(perdure.open("keeping.store@monday")["a"])
    1
    """
    return _perdure.kept_checkpoints(_path_of(path))
