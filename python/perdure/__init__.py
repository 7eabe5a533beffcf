"""Arrays, tables and graphs that stay in a store between runs, and are there without a copy.

>>> import numpy as np, perdure
>>> with perdure.open("run.store", "w") as s:
...     s["temperature"] = np.linspace(0, 1, 5)
>>> with perdure.open("run.store") as s:
...     s["temperature"][1:3]
array([0.25, 0.5 ])
"""

from perdure._array import Array
from perdure._attributes import Attributes
from perdure._containers import Dict, List, Set
from perdure._maintenance import copy, exists, kept_checkpoints, log, remove, verify
from perdure._memmap import memmap
from perdure._perdure import (
    Error,
    InvalidError,
    MissingError,
    OutOfMemoryError,
    PendingCheckpoint,
    StoredTypeError,
    StoreOSError,
    UnsupportedError,
    __version__,
)
from perdure._store import ExistsError, Group, Store, open
from perdure._table import Table

__all__ = [
    "Array",
    "Attributes",
    "Dict",
    "Error",
    "ExistsError",
    "Group",
    "InvalidError",
    "List",
    "MissingError",
    "OutOfMemoryError",
    "PendingCheckpoint",
    "Set",
    "Store",
    "StoreOSError",
    "StoredTypeError",
    "Table",
    "UnsupportedError",
    "__version__",
    "copy",
    "exists",
    "kept_checkpoints",
    "log",
    "memmap",
    "open",
    "remove",
    "verify",
]
