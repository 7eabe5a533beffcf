"""NumPy's indices as parts of stored arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Selection(NamedTuple):
    """A part of an array along its stored dimensions, and what is then taken of it."""

    offset: tuple[int, ...]
    count: tuple[int, ...]
    stride: tuple[int, ...] | None
    #: An index of NumPy's that makes the result of the part: reversed steps, dropped and new dimensions, index arrays.
    rest: tuple[Any, ...]
    #: Shape of the part without what single numbers drop: that of the elements in `rest`.
    is_basic: bool


def _is_advanced(key: Any) -> bool:
    return isinstance(key, (list, np.ndarray)) or (
        hasattr(key, "__array__") and not isinstance(key, (int, np.integer, np.bool_))
    )


def expand(key: Any, rank: int) -> list[Any]:
    """Returns the index as a list with one entry for each dimension, None for a new one; without an ellipsis."""
    keys = list(key) if isinstance(key, tuple) else [key]
    taken = 0
    ellipsis = None
    for i, one in enumerate(keys):
        if one is Ellipsis:
            if ellipsis is not None:
                raise IndexError("an index can only have a single ellipsis ('...')")
            ellipsis = i
        elif one is None:
            pass
        elif _is_advanced(one):
            one = np.asarray(one)
            if one.size == 0 and one.dtype == np.float64:
                one = one.astype(np.intp)
            if one.dtype.kind not in "biu":
                raise IndexError("arrays used as indices must be of integer (or boolean) type")
            keys[i] = one
            taken += one.ndim if one.dtype.kind == "b" else 1
        elif isinstance(one, (bool, np.bool_)):
            keys[i] = np.asarray(one)
        elif isinstance(one, slice):
            taken += 1
        else:
            try:
                keys[i] = one.__index__()
            except AttributeError:
                raise IndexError(
                    "only integers, slices (':'), ellipsis ('...'), numpy.newaxis (None), and arrays of integers or "
                    f"booleans are indices, not {type(one).__name__}"
                ) from None
            taken += 1
    if taken > rank:
        raise IndexError(f"too many indices: the array has {rank} dimensions, but {taken} were indexed")
    missing = [slice(None)] * (rank - taken)
    if ellipsis is None:
        return keys + missing
    return keys[:ellipsis] + missing + keys[ellipsis + 1 :]


def select(key: Any, shape: tuple[int, ...]) -> Selection:
    """Returns the smallest box that has all elements of an index, and the index within that box."""
    offset: list[int] = []
    count: list[int] = []
    stride: list[int] = []
    rest: list[Any] = []
    is_basic = True
    for one in expand(key, len(shape)):
        axis = len(offset)
        if one is None:
            rest.append(None)
        elif isinstance(one, slice):
            start, stop, step = one.indices(shape[axis])
            n = len(range(start, stop, step))
            if step < 0:
                start, step, reversed_ = start + (n - 1) * step, -step, True
            else:
                reversed_ = False
            offset.append(start if n else 0)
            count.append(n)
            stride.append(step if n > 1 else 1)
            rest.append(slice(None, None, -1) if reversed_ else slice(None))
        elif isinstance(one, int):
            n = shape[axis]
            if not -n <= one < n:
                raise IndexError(f"index {one} is out of bounds for axis {axis} with size {n}")
            offset.append(one % n)
            count.append(1)
            stride.append(1)
            rest.append(0)
        elif one.dtype.kind == "b":
            is_basic = False
            if one.shape != shape[axis : axis + one.ndim]:
                raise IndexError(
                    f"a boolean index of shape {one.shape} does not fit dimensions of shape {shape[axis:axis + one.ndim]}"
                )
            if one.ndim == 0:
                rest.append(one)
                continue
            hits = one.nonzero()
            # Within its box the index is as far as the box goes.
            box = [(int(h.min()), int(h.max()) + 1) if len(h) else (0, 0) for h in hits]
            for low, high in box:
                offset.append(low)
                count.append(high - low)
                stride.append(1)
            rest.append(one[tuple(slice(low, high) for low, high in box)])
        else:
            is_basic = False
            n = shape[axis]
            if one.size and (int(one.max()) >= n or int(one.min()) < -n):
                bad = int(one.max()) if int(one.max()) >= n else int(one.min())
                raise IndexError(f"index {bad} is out of bounds for axis {axis} with size {n}")
            at = np.where(one < 0, one.astype(np.int64) + n, one.astype(np.int64)) if one.size else one.astype(np.intp)
            low = int(at.min()) if at.size else 0
            high = int(at.max()) + 1 if at.size else 0
            offset.append(low)
            count.append(high - low)
            stride.append(1)
            rest.append(at - low)
    strides = tuple(stride) if any(one != 1 for one in stride) else None
    return Selection(tuple(offset), tuple(count), strides, tuple(rest), is_basic)


def runs_of(rows: np.ndarray, gap: int) -> list[tuple[int, int]]:
    """Returns ranges that have all of the sorted rows, with a new one where more than `gap` rows are left out."""
    if len(rows) == 0:
        return []
    breaks = np.flatnonzero(np.diff(rows) > gap + 1)
    firsts = np.concatenate(([0], breaks + 1))
    lasts = np.concatenate((breaks, [len(rows) - 1]))
    return [(int(rows[a]), int(rows[b]) + 1) for a, b in zip(firsts, lasts)]
