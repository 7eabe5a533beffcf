"""An adjacency list in containers of several libraries, in memory and in stores."""

import statistics

from suites.mallocs import PRELOADS
from measuring import find_library, interleave, median, run

# Variant of bench_adjacency, malloc under it, what the table calls it.
VARIANTS = (
    ("perdure-store", "glibc", "perdure containers, relocatable store"),
    ("perdure-memory", "mimalloc", "perdure containers, memory, mimalloc"),
    ("std-pinned-store", "glibc", "std containers, pinned store"),
    ("std-memory", "mimalloc", "std containers, memory, mimalloc"),
    ("std-memory", "glibc", "std containers, memory, glibc"),
    ("boost-flat-memory", "mimalloc", "Boost flat map, raw pointers, mimalloc"),
    ("boost-node-memory", "mimalloc", "Boost node map, raw pointers, mimalloc"),
    ("boost-node-store", "glibc", "Boost node map, perdure::offset_ptr, store"),
    ("boost-offset-store", "glibc", "Boost node map, Boost offset_ptr, store"),
    ("boost-mapped-file", "glibc", "Boost node map, managed_mapped_file"),
)


# What the chart of the build calls them; the ratios are of CPU time, to the third row.
CHARTED = {
    "perdure containers, relocatable store": "Perdure's, in a store",
    "std containers, pinned store": "Perdure's pinned store, std::",
    "std containers, memory, mimalloc": "std::, mimalloc",
    "std containers, memory, glibc": "std::, glibc",
    "Boost flat map, raw pointers, mimalloc": "Boost flat map, mimalloc",
    "Boost node map, managed_mapped_file": "Boost.Interprocess mapped file",
}


def add_options(parser):
    parser.add_argument("--scale", type=int, default=20, help="R-MAT scale of the adjacency list (default 20)")


def measure(options, report):
    program = options.bin / "bench_adjacency"
    scale = 12 if options.quick else options.scale
    libraries = {name: find_library(pattern) if pattern else None for name, pattern in PRELOADS.items()}
    chosen = [row for row in VARIANTS if row[1] == "glibc" or libraries[row[1]]]
    for threads in options.threads or (1, 2):
        common = ["--scale", scale, "--threads", threads, "--directory", report.directory, "--json"]
        variants = {}
        for variant, malloc, title in chosen:
            def sample(variant=variant, malloc=malloc):
                result = run(program, [variant, *common], libraries[malloc])
                if "close_wall" in result:
                    attached = run(program, [variant, *common, "--attach"])
                    result["attach_seconds"] = attached.get("ready_seconds")
                return result
            variants[title] = sample
        samples = interleave(variants, options.rounds, report.progress)
        report.samples[f"adjacency/{scale}/{threads}"] = samples
        base = "std containers, memory, mimalloc"
        if base not in samples:
            base = "std containers, memory, glibc"

        def cost(title, path):
            return median(samples[title], path)

        lines = []
        for title, taken in samples.items():
            stored = "close_wall" in taken[0]
            attach = [s["attach_seconds"] for s in taken if s.get("attach_seconds") is not None]
            payload = (1 << scale) * 16 * 8
            lines.append([
                title,
                f"{cost(title, 'construction_wall'):.3f}",
                f"{cost(title, 'construction_cpu'):.3f}",
                f"{cost(title, 'construction_cpu') / cost(base, 'construction_cpu'):.2f}",
                f"{cost(title, 'scan_wall'):.3f}",
                f"{cost(title, 'resident_bytes') / payload:.2f}",
                f"{cost(title, 'close_wall'):.3f}" if stored else "-",
                f"{cost(title, 'written_bytes') / cost(title, 'disk_bytes'):.2f}" if stored else "-",
                f"{statistics.median(attach) * 1e3:.3f}" if attach else "-",
            ])
        report.table(
            f"Adjacency list, R-MAT scale {scale}, {threads} threads (times in s; CPU ratio to '{base}'; resident per "
            "byte of neighbours; close = durable; written per byte on disk; re-attach to first find in ms)",
            ["containers and memory", "wall", "CPU", "ratio", "scan", "resident", "close", "written", "re-attach"],
            lines)

        if base == "std containers, memory, mimalloc" and scale == 20:
            for title in samples.keys() & CHARTED.keys():
                ratio = cost(title, "construction_cpu") / cost(base, "construction_cpu")
                report.chart("graph-build", CHARTED[title], {f"{threads} thread{'' if threads == 1 else 's'}, ratio": f"{ratio:.2f}"})

        def compare(ours, theirs, goal, name):
            for measure in ("wall", "cpu"):
                path = f"construction_{measure}"
                if ours in samples and theirs in samples:
                    report.figure(f"adjacency, {threads} threads, {measure}, {name}",
                                  cost(ours, path) / cost(theirs, path), goal)

        store = "perdure containers, relocatable store"
        compare(store, "perdure containers, memory, mimalloc", 1.05, "relocatable store / same in memory, mimalloc")
        compare(store, "std containers, memory, mimalloc", 1.0, "relocatable store / std in memory, mimalloc")
        compare(store, "Boost node map, managed_mapped_file", 1 / 3, "relocatable store / Boost mapped file")
        compare(store, "Boost node map, Boost offset_ptr, store", 1 / 3, "relocatable store / Boost offset_ptr")
        compare(store, "Boost flat map, raw pointers, mimalloc", 0.75, "relocatable store / Boost flat map, raw")
        compare("std containers, pinned store", "std containers, memory, mimalloc", 1.1,
                "std in pinned store / std in memory, mimalloc")
        attach = [s["attach_seconds"] for s in samples[store]]
        report.figure(f"adjacency, {threads} threads, re-attach to first find",
                      statistics.median(attach) * 1e3, 1.0, "ms")
