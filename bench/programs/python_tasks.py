"""What the suite `python` measures, with Perdure's package. Prints JSON, times in seconds.

usage: python_tasks.py TASK FOLDER COUNT [ORDER]

The peers (bench/peers/python_peers.py) do the same tasks with the same data.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

LARGE, SMALL, TABLE, GRAPH = "large.store", "small.store", "table.store", "graph.store"


def large_array(count):
    return np.arange(count, dtype=np.float64)


def small_array():
    return np.arange(10.0)


def keys_of(count, order):
    """Keys in the order in which they are used: as they count up, or shuffled."""
    keys = [f"key{i:09d}" for i in range(count)]
    if order == "shuffled":
        keys = [keys[i] for i in np.random.default_rng(1).permutation(count).tolist()]
    return keys


def edges(count):
    """Ends of edges of a graph with a sixteenth as many vertices, of which some have many more neighbours than others (R-MAT)."""
    rng = np.random.default_rng(1)
    bits = max(1, (count // 16 - 1).bit_length())
    sources, targets = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for _ in range(bits):
        quarter = rng.random(count)
        sources += sources + (quarter >= 0.76)
        targets += targets + (((quarter >= 0.57) & (quarter < 0.76)) | (quarter >= 0.95))
    return sources, targets, 1 << bits


def random_places(count, size):
    return np.random.default_rng(2).integers(0, size, count)


class Timer:
    """Seconds of the tasks that were measured: elapsed, and of the process on all processors ("… cpu")."""

    def __init__(self):
        self.seconds = {}

    def measure(self, name, work):
        begin, used = time.perf_counter(), time.process_time()
        result = work()
        self.seconds[name] = time.perf_counter() - begin
        self.seconds[name + " cpu"] = time.process_time() - used
        return result

    def print(self):
        print(json.dumps(self.seconds))


def imported(timer, folder, count, order):
    def work():
        import perdure

        return perdure

    timer.measure("import", work)


def large(timer, folder, count, order):
    import perdure

    data = large_array(count)
    perdure.remove(folder / LARGE)

    def work():
        with perdure.open(folder / LARGE, "x") as s:
            s["a"] = data

    timer.measure("write", work)


def first_element(timer, folder, count, order):
    import perdure

    view = timer.measure("open", lambda: perdure.open(folder / LARGE)["a"].view()[count // 2])
    if view != count // 2:
        raise SystemExit("the array has other elements")


def small(timer, folder, count, order):
    import perdure

    data = small_array()
    perdure.remove(folder / SMALL)

    def write(s):
        for i in range(count):
            s[f"g/a{i}"] = data

    def read(s):
        for i in range(count):
            s[f"g/a{i}"].view()

    s = perdure.open(folder / SMALL, "x")
    timer.measure("write", lambda: write(s))
    timer.measure("close", s.close)
    s = perdure.open(folder / SMALL)
    timer.measure("read", lambda: read(s))


def table(timer, folder, count, order):
    import perdure

    keys = keys_of(count, order)
    items = dict(zip(keys, range(count)))
    perdure.remove(folder / TABLE)

    def put(d):
        for key, value in items.items():
            d[key] = value

    def get(d):
        for key in keys:
            d[key]

    with perdure.open(folder / TABLE, "x") as s:
        timer.measure("update", lambda: perdure.Dict(s, "update", items))
    perdure.remove(folder / TABLE)
    with perdure.open(folder / TABLE, "x") as s:
        d = perdure.Dict(s, "set")
        timer.measure("set", lambda: put(d))
        timer.measure("get", lambda: get(d))
        timer.measure("commit", s.checkpoint)
    opened = timer.measure("reopen", lambda: perdure.open(folder / TABLE)["set"])
    if opened[keys[-1]] != count - 1 or len(opened) != count:
        raise SystemExit("the dictionary has other values")


def make_graph(timer, folder, count, order):
    import perdure
    import perdure.graph as graph

    sources, targets, vertices = edges(count)
    perdure.remove(folder / GRAPH)
    graph.from_edges(folder / GRAPH, sources, targets, directed=False, vertices=vertices).close()


def search(timer, folder, count, order):
    import perdure.graph as graph

    opened = timer.measure("open", lambda: graph.open(folder / GRAPH))
    found = timer.measure("search", lambda: opened.bfs(0))
    timer.seconds["reached"] = int((found.levels >= 0).sum())


def make_memmap(timer, folder, count, order):
    """Makes a file of `count` doubles that count up, of which the page cache has nothing."""
    path = folder / "memmap.bin"
    large_array(count).tofile(path)
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def memmap(timer, folder, count, order):
    import perdure

    # The budget is a sixteenth of the file.
    size = (folder / "memmap.bin").stat().st_size
    table = perdure.memmap(folder / "memmap.bin", dtype="f8", mode="r", budget=size // 16)
    places = random_places(count, table.size)
    if order == "elements":
        found = timer.measure("elements", lambda: [table[i] for i in places.tolist()])
    else:
        found = timer.measure("index", lambda: table[places])
    if (np.asarray(found) != places).any():
        raise SystemExit("the array has other elements")
    timer.seconds["resident"] = table.statistics()["most_resident_bytes"] / (size // 16)
    timer.seconds["tier"] = table.statistics()["tier"]


TASKS = {
    "import": imported,
    "large": large,
    "first": first_element,
    "small": small,
    "table": table,
    "make-graph": make_graph,
    "search": search,
    "make-memmap": make_memmap,
    "memmap": memmap,
}


def main(tasks):
    timer = Timer()
    tasks[sys.argv[1]](timer, Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else "")
    timer.print()


if __name__ == "__main__":
    main(TASKS)
