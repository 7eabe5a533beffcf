"""The tasks of the suite `python` with h5py, zarr, NumPy, LMDB, shelve, diskcache, and pickle with SciPy.

usage: python_peers.py TASK-PEER FOLDER COUNT [ORDER]
"""

import mmap
import os
import pickle
import shelve
import shutil
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "programs"))
from python_tasks import edges, keys_of, large_array, main, random_places, small_array  # noqa: E402


def sync(path):
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


def large_numpy(timer, folder, count, order):
    data = large_array(count)
    path = folder / "large.npy"
    remove(path)

    def work():
        with open(path, "wb") as file:
            np.save(file, data)
            file.flush()
            os.fsync(file.fileno())

    timer.measure("write", work)


def large_h5py(timer, folder, count, order):
    import h5py

    data = large_array(count)
    path = folder / "large.h5"
    remove(path)

    def work():
        with h5py.File(path, "w") as file:
            file["a"] = data
        sync(path)

    timer.measure("write", work)


def first_h5py(timer, folder, count, order):
    import h5py

    timer.measure("open", lambda: h5py.File(folder / "large.h5")["a"][count // 2])


def first_numpy(timer, folder, count, order):
    timer.measure("open", lambda: np.load(folder / "large.npy", mmap_mode="r")[count // 2])


def small_h5py(timer, folder, count, order):
    import h5py

    data = small_array()

    def write(file):
        for i in range(count):
            file[f"g/a{i}"] = data

    def read(file):
        for i in range(count):
            file[f"g/a{i}"][:]

    file = h5py.File(folder / "small.h5", "w")
    timer.measure("write", lambda: write(file))
    timer.measure("close", file.close)
    file = h5py.File(folder / "small.h5")
    timer.measure("read", lambda: read(file))


def small_zarr(timer, folder, count, order):
    import zarr

    data = small_array()
    remove(folder / "small.zarr")

    def write():
        group = zarr.open_group(folder / "small.zarr", mode="w")
        for i in range(count):
            group[f"a{i}"] = data

    def read():
        group = zarr.open_group(folder / "small.zarr", mode="r")
        for i in range(count):
            group[f"a{i}"][:]

    timer.measure("write", write)
    timer.measure("read", read)


def table_lmdb(timer, folder, count, order):
    import lmdb

    keys = keys_of(count, order)
    items = dict(zip(keys, range(count)))
    path = folder / "table.lmdb"

    def create():
        remove(path)
        return lmdb.open(str(path), map_size=1 << 32)

    def put(transaction):
        for key, value in items.items():
            transaction.put(key.encode(), value.to_bytes(8, "little"))

    def put_many(transaction):
        transaction.cursor().putmulti([(key.encode(), value.to_bytes(8, "little")) for key, value in items.items()])

    def get(transaction):
        for key in keys:
            int.from_bytes(transaction.get(key.encode()), "little")

    with create() as environment, environment.begin(write=True) as transaction:
        timer.measure("update", lambda: put_many(transaction))
    with create() as environment:
        transaction = environment.begin(write=True)
        timer.measure("set", lambda: put(transaction))
        timer.measure("get", lambda: get(transaction))
        timer.measure("commit", transaction.commit)
    timer.measure("reopen", lambda: lmdb.open(str(path), map_size=1 << 32).begin().get(keys[-1].encode()))


def measure_keys(timer, mapping, keys):
    def put():
        for i, key in enumerate(keys):
            mapping[key] = i

    def get():
        for key in keys:
            mapping[key]

    timer.measure("set", put)
    timer.measure("get", get)


def table_shelve(timer, folder, count, order):
    keys = keys_of(count, order)
    for path in folder.glob("table.shelf*"):
        remove(path)

    with shelve.open(str(folder / "table.shelf"), "n") as s:
        measure_keys(timer, s, keys)


def table_diskcache(timer, folder, count, order):
    import diskcache

    keys = keys_of(count, order)
    remove(folder / "table.cache")

    with diskcache.Cache(folder / "table.cache") as s:
        measure_keys(timer, s, keys)


def make_graph_scipy(timer, folder, count, order):
    import scipy.sparse

    sources, targets, vertices = edges(count)
    both = np.concatenate((sources, targets)), np.concatenate((targets, sources))
    matrix = scipy.sparse.coo_array((np.ones(2 * count, np.float64), both), shape=(vertices, vertices)).tocsr()
    with open(folder / "graph.pickle", "wb") as file:
        pickle.dump(matrix, file, protocol=pickle.HIGHEST_PROTOCOL)


def search_scipy(timer, folder, count, order):
    from scipy.sparse.csgraph import breadth_first_order

    def load():
        with open(folder / "graph.pickle", "rb") as file:
            return pickle.load(file)

    matrix = timer.measure("open", load)
    found, _ = timer.measure("search", lambda: breadth_first_order(matrix, 0))
    timer.seconds["reached"] = len(found)


def memmap_numpy(timer, folder, count, order):
    table = np.memmap(folder / "memmap.bin", dtype="f8", mode="r")
    table._mmap.madvise(mmap.MADV_RANDOM)
    places = random_places(count, table.size)
    if order == "elements":
        timer.measure("elements", lambda: [table[i] for i in places.tolist()])
    else:
        timer.measure("index", lambda: table[places])


TASKS = {
    "large-numpy": large_numpy,
    "large-h5py": large_h5py,
    "first-h5py": first_h5py,
    "first-numpy": first_numpy,
    "small-h5py": small_h5py,
    "small-zarr": small_zarr,
    "table-lmdb": table_lmdb,
    "table-shelve": table_shelve,
    "table-diskcache": table_diskcache,
    "make-graph-scipy": make_graph_scipy,
    "search-scipy": search_scipy,
    "memmap-numpy": memmap_numpy,
}

if __name__ == "__main__":
    main(TASKS)
