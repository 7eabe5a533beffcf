"""Graph kernels on a stored CSR beside the same in ordinary memory, plain OpenMP ones, GraphBLAS, igraph and NetworKit;
and having the graph at all: opening the store beside reading an edge list."""

import statistics
import subprocess
import sys
from pathlib import Path

from measuring import interleave, median, run

KERNELS = ("bfs", "pagerank", "sssp", "components", "triangles")
SLOW = 5  # seconds; what of other libraries takes longer is run once


# What the chart of the kernels calls them and the ways.
CHARTED = {"bfs": "BFS", "pagerank": "PageRank", "sssp": "shortest paths", "components": "components"}
WAYS = {"stored": "Perdure, in a store", "memory": "Perdure, in memory", "plain": "plain"}


def add_options(parser):
    parser.add_argument("--graph-scale", type=int, default=20, help="R-MAT scale of the graph kernels (default 20)")
    parser.add_argument("--graph-file", type=Path, action="append", default=[],
                        help="an edge list for the graph kernels too (may be repeated)")
    parser.add_argument("--networkit-python", default=sys.executable, help="a Python that has networkit")


def has_networkit(python):
    return subprocess.run([python, "-c", "import networkit"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def time_kernels(options, program, store, exported, threads):
    """way -> kernel -> median seconds, and all samples."""
    rounds = 1 if options.quick else max(options.rounds, 9)
    common = ["--threads", threads, "--rounds", rounds, "--slow", SLOW]
    result = run(program, ["--task", "kernels", "--store", store, *common])
    samples = {kernel: dict(result["kernels"][kernel]) for kernel in KERNELS}
    if has_networkit(options.networkit_python):
        run(program, ["--task", "export", "--store", store, "--edges", exported])
        script = Path(__file__).resolve().parent.parent / "peers/networkit_kernels.py"
        found = run(options.networkit_python, [script, exported, threads, rounds, SLOW])
        for kernel in KERNELS:
            samples[kernel]["networkit"] = found["kernels"][kernel]
        exported.unlink()
    return result, samples


def wall(samples, kernel, way):
    return statistics.median(samples[kernel][way]["wall"]) if way in samples[kernel] else None


def milliseconds(seconds):
    return "" if seconds is None else f"{seconds * 1e3:.4g}"


def measure_graph(options, report, program, name, edges, threads, least_gain):
    store = report.directory / "graph.store"
    report.progress(f"{name}: making the store")
    run(program, ["--task", "make", "--edges", edges, "--store", store, "--threads", threads])
    report.progress(f"{name}: kernels")
    result, samples = time_kernels(options, program, store, report.directory / "graph.edges", threads)
    report.samples[f"graph/{name}/kernels"] = samples
    ways = [way for way in ("stored", "memory", "plain", "graphblas", "networkit", "igraph")
            if any(way in samples[kernel] for kernel in KERNELS)]
    report.table(f"Graph kernels: {name}, {result['vertices']:,} vertices, {result['edges']:,} edges, {threads} threads, ms",
                 ["", *ways], [[kernel, *(milliseconds(wall(samples, kernel, way)) for way in ways)] for kernel in KERNELS])
    if name == "R-MAT 20" and threads == 2:
        for way, row in WAYS.items():
            report.chart("graph-kernels", row, {f"{title}, ms": f"{wall(samples, kernel, way) * 1e3:.3g}" for kernel, title in CHARTED.items()})
    for kernel in KERNELS:
        stored = wall(samples, kernel, "stored")
        # Of smaller graphs that is noise, as no kernel takes long.
        if result["edges"] > 1_000_000:
            report.figure(f"{name}, {kernel}: stored / plain", stored / wall(samples, kernel, "plain"),
                          1 / 0.95 if kernel == "bfs" else 1.1)
            report.figure(f"{name}, {kernel}: stored / in memory", stored / wall(samples, kernel, "memory"), 1.02)
        for peer, goal in (("networkit", 1), ("igraph", 1 / 3)):
            if wall(samples, kernel, peer) is not None:
                report.figure(f"{name}, {kernel}: stored / {peer}", stored / wall(samples, kernel, peer), goal)

    common = ["--store", store, "--edges", edges, "--threads", threads]
    tasks = ["open", "parse", *(["graphblas-open", "graphblas-parse"] if "graphblas" in ways else [])]
    first = interleave({task: lambda task=task: run(program, ["--task", task, *common]) for task in tasks},
                       options.rounds, report.progress)
    report.samples[f"graph/{name}/first answer"] = first
    seconds = {task: median(taken, "seconds") for task, taken in first.items()}
    titles = {"open": "open the store, search", "parse": "read the edge list, build, search",
              "graphblas-open": "open the store, hand it to GraphBLAS, search",
              "graphblas-parse": "read the edge list, GrB_Matrix_build, search"}
    report.table(f"The first answer: {name}, {threads} threads", ["", "ms"],
                 [[titles[task], milliseconds(seconds[task])] for task in tasks])
    report.figure(f"{name}: open and search / read, build and search", seconds["open"] / seconds["parse"], 1 / least_gain)
    if "graphblas-open" in seconds:
        report.figure(f"{name}: GraphBLAS given the store / rebuilding its matrix",
                      seconds["graphblas-open"] / seconds["graphblas-parse"], 1 / least_gain)


def measure(options, report):
    program = options.bin / "bench_graph_kernels"
    if not program.exists():
        report.say("Graph kernels are left out: the compiler has no OpenMP")
        return
    peers = run(program, ["--task", "peers"])["peers"]
    for peer in ("graphblas", "igraph"):
        if peer not in peers:
            report.say(f"{peer} is left out: it was not there when the benchmarks were built")
    if not has_networkit(options.networkit_python):
        report.say("NetworKit is left out: its Python module is not there (no package of Debian's has it; --networkit-python)")
    scale = 12 if options.quick else options.graph_scale
    threads = (options.threads or [2])[0]
    edges = report.directory / "graph.txt"
    run(program, ["--task", "edges", "--scale", scale, "--edges", edges])
    measure_graph(options, report, program, f"R-MAT {scale}", edges, threads, 100)
    edges.unlink()
    for path in options.graph_file:
        measure_graph(options, report, program, path.name, path, threads, 20)
