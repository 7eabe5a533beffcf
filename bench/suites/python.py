"""The Python package beside what Python programs keep data with: h5py, zarr, NumPy's files, LMDB, shelve, diskcache, pickle with SciPy."""

import json
import shutil
from pathlib import Path

from measuring import interleave, median, run_process
from memory_group import MemoryGroup

ROOT = Path(__file__).resolve().parent.parent
OWN = ROOT / "programs/python_tasks.py"
PEERS = ROOT / "peers/python_peers.py"
MIB = 2**20
# Slow peers get fewer of the same; figures are times of one.
FEWER = {"zarr": 20, "shelve": 10, "diskcache": 50}


def add_options(parser):
    parser.add_argument("--python", type=Path, default=ROOT.parent / "build/python-bench/bin/python",
                        help="a Python with the packages of python/requirements-bench.txt")
    parser.add_argument("--python-edges", type=int, default=16_000_000, help="edges of the graph in Python (default 16,000,000)")


class Tasks:
    """Runs a task in a process of its own, and returns its figures."""

    def __init__(self, options, folder):
        self.python = options.python
        self.environment = {"PYTHONPATH": str(options.bin.parent / "python")}
        self.folder = folder

    def command(self, who, task, count, order=""):
        script, name = (OWN, task) if who == "perdure" else (PEERS, f"{task}-{who}")
        return [self.python, script, name, self.folder, max(1, count // FEWER.get(who, 1)), *([order] if order else [])]

    def sample(self, who, task, count, order="", group=None):
        command = self.command(who, task, count, order)
        output, _ = run_process(group.command(*command) if group else command, environment=self.environment)
        return json.loads(output)

    def compare(self, report, options, task, peers, count, order="", group=None):
        """Who -> samples, of Perdure and peers in turns."""
        names = ("perdure", *peers)
        samples = interleave({who: lambda who=who: self.sample(who, task, count, order, group) for who in names},
                             options.rounds, report.progress)
        report.samples[f"python/{task}{order and ' ' + order}"] = samples
        return samples


def times(samples, what, scale=1, count=1):
    """Who -> median time of one, in units of 1 / scale seconds."""
    return {who: median(taken, what) * scale / max(1, count // FEWER.get(who, 1)) for who, taken in samples.items() if what in taken[0]}


def measure_arrays(options, report, tasks):
    count = (1 if options.quick else 1000) * 10**6 // 8
    # The first touch of the page cache costs whoever is first.
    (tasks.folder / "touched").write_bytes(bytes(count * 8))
    (tasks.folder / "touched").unlink()
    written = times(tasks.compare(report, options, "large", ("numpy", "h5py"), count), "write")
    opened = times(tasks.compare(report, options, "first", ("numpy", "h5py"), count), "open", 1e3)
    imported = times(tasks.compare(report, options, "import", (), 1), "import", 1e3)
    report.table(f"Python: an array of {count * 8 / 1e9:.3g} GB", ["", *written],
                 [["store it durably, s", *(f"{one:.3f}" for one in written.values())],
                  ["open and first element, ms", *(f"{opened[who]:.2f}" for who in written)]])
    report.figure("Python: store an array / numpy.save and fsync", written["perdure"] / written["numpy"], 1.1)
    report.figure("Python: open and first element", opened["perdure"], 2, "ms")
    report.figure("Python: import perdure after NumPy", imported["perdure"], 30, "ms")


def measure_small_arrays(options, report, tasks):
    count = 200 if options.quick else 10_000
    samples = tasks.compare(report, options, "small", ("h5py", "zarr"), count)
    per = {what: times(samples, what, 1e6, count) for what in ("write", "close", "read")}
    report.table("Python: small arrays, µs each", ["", *per["write"]],
                 [[what, *(f"{found[who]:.1f}" if who in found else "" for who in per["write"])] for what, found in per.items()])
    for what in ("write", "read"):
        found = per[what]
        report.figure(f"Python: {what} small arrays, Perdure / h5py", found["perdure"] / found["h5py"], 1 / 40)
        report.figure(f"Python: {what} small arrays, Perdure / zarr", found["perdure"] / found["zarr"], 1 / 500)


def measure_table(options, report, tasks):
    count = 10_000 if options.quick else 1_000_000
    for order in ("counted", "shuffled"):
        samples = tasks.compare(report, options, "table", ("lmdb", "shelve", "diskcache"), count, order)
        per = {what: times(samples, what, 1e6, count) for what in ("set", "update", "get")}
        commit = times(samples, "commit", 1e6, count)
        reopened = times(samples, "reopen", 1e3)
        report.table(f"Python: a table of {count:,} texts and numbers, keys {order}, µs each", ["", *per["set"]],
                     [*([what, *(f"{found[who]:.3f}" if who in found else "" for who in per["set"])] for what, found in per.items()),
                      ["make it durable", *(f"{commit[who]:.3f}" if who in commit else "" for who in per["set"])],
                      ["reopen, ms", *(f"{reopened[who]:.2f}" if who in reopened else "" for who in per["set"])]])
        for what, goal in (("set", 1 / 0.8), ("update", 1 / 2), ("get", 1)):
            report.figure(f"Python: {what} {order} keys, Perdure / LMDB", per[what]["perdure"] / per[what]["lmdb"], goal)
        report.figure(f"Python: set {order} keys, Perdure / shelve", per["set"]["perdure"] / per["set"]["shelve"], 1 / 50)
        report.figure(f"Python: reopen a table, {order} keys", reopened["perdure"], 5, "ms")


def measure_graph(options, report, tasks):
    count = 20_000 if options.quick else options.python_edges
    for who in ("perdure", "scipy"):
        report.progress(f"Python: making the graph, {who}")
        run_process(tasks.command(who, "make-graph", count), environment=tasks.environment)
    samples = tasks.compare(report, options, "search", ("scipy",), count)
    opened, searched = times(samples, "open", 1e3), times(samples, "search", 1e3)
    report.table(f"Python: a graph of {count:,} edges, ms", ["", *opened],
                 [["open, or load the pickle", *(f"{one:.2f}" for one in opened.values())],
                  ["breadth-first search", *(f"{one:.2f}" for one in searched.values())]])
    report.figure("Python: open and search a graph, Perdure / pickle and SciPy",
                  (opened["perdure"] + searched["perdure"]) / (opened["scipy"] + searched["scipy"]), 1 / 100)


def measure_memmap(options, report, tasks):
    budget = 4 if options.quick else 64
    # The interpreter with NumPy has its part of the limit.
    with MemoryGroup((budget + 64) * MIB) as group:
        if not group:
            report.say("Python: memmap is measured without a memory limit, as no control group can be made")
        rows = []
        for order, count, goal in (("elements", 20_000, 1), ("index", 200_000, 1 / 4)):
            count = 100 if options.quick else count
            run_process(tasks.command("perdure", "make-memmap", 16 * budget * MIB // 8), environment=tasks.environment)
            samples = tasks.compare(report, options, "memmap", ("numpy",), count, order, group)
            found = times(samples, order, 1e6, count)
            resident = median(samples["perdure"], "resident")
            rows.append([order, *(f"{one:.2f}" for one in found.values()), f"{resident:.3f}"])
            report.figure(f"Python: memmap, {order}, Perdure / numpy.memmap", found["perdure"] / found["numpy"], goal)
            report.figure(f"Python: memmap, {order}, most resident / budget", resident, 1.05)
        report.table(f"Python: a file of {16 * budget} MiB with {budget} MiB of memory, µs an element", ["", *found, "resident / budget"], rows)


def measure(options, report):
    package = options.bin.parent / "python/perdure"
    if not options.python.exists() or not package.exists():
        report.say("The Python package is left out: it was not built (make bench says why)")
        return
    folder = report.directory / "python"
    folder.mkdir(exist_ok=True)
    tasks = Tasks(options, folder)
    for one in (measure_arrays, measure_small_arrays, measure_table, measure_graph, measure_memmap):
        one(options, report, tasks)
        shutil.rmtree(folder)
        folder.mkdir()
