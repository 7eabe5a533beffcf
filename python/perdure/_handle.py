"""Base of graphs and indexes: a handle of the extension, and the place that it was opened at."""

from __future__ import annotations

import os
from typing import Any, Self


def threads_of(threads: int | None) -> int:
    """Returns the number of threads that an argument asks for."""
    if threads is None:
        return max(1, len(os.sched_getaffinity(0)))
    if threads < 1:
        raise ValueError(f"threads is {threads}: give a number from 1 on, or None for all processors")
    return threads


def files_of(files: Any) -> list[str]:
    """Returns the paths of an argument that is one path or several."""
    if isinstance(files, (str, bytes, os.PathLike)):
        files = [files]
    return [os.fsdecode(one) for one in files]


class Closed:
    """Stands for a handle that was closed."""

    def __init__(self, kind: str):
        self._kind = kind

    def __getattr__(self, name: str):
        raise ValueError(f"the {self._kind} is closed: open it again")


class Handle:
    """An object in a store, which stays open as long as it and the arrays that it gave."""

    __slots__ = ("_handle", "_place")
    _kind: str
    """Word for the object in messages."""

    def __init__(self, place: Any, handle: Any):
        self._place = place
        self._handle = handle

    def close(self) -> None:
        """Closes it. Its store, if it was opened by a path, closes once no array is left that it gave."""
        self._handle = Closed(self._kind)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _path_and_name(self) -> tuple[str, str]:
        """Returns by what another process opens it again."""
        if not isinstance(self._place, (str, bytes, os.PathLike)):
            raise TypeError(f"this {self._kind} is in an open store: pickle the path and open the {self._kind} there")
        return os.path.abspath(os.fsdecode(self._place)), self.name

    @property
    def name(self) -> str:
        """Name in the store."""
        return self._handle.name
