#!/usr/bin/env python3
"""Runs the benchmarks beside their peers and says how they compare.

Every figure is a ratio of medians. The programs of one comparison run in turn (A B C, B C A, ...), each run
in a fresh process, so that a machine that slows down or warms up treats all alike. Results go to a table on
the terminal and, with every sample, to a JSON file.
"""

import argparse
import glob
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

import malloc_programs
from memory_group import MemoryGroup

ROOT = Path(__file__).resolve().parent.parent

PRELOADS = {
    "glibc": None,
    "jemalloc": "libjemalloc.so.2",
    "mimalloc": "libmimalloc.so.2*",
    "tcmalloc": "libtcmalloc_minimal.so.4",
}


def find_library(pattern):
    """The newest shared library of that name in the places distributions use, or None."""
    found = []
    for directory in ("/usr/lib/*-linux-gnu", "/usr/lib", "/usr/lib64", "/usr/local/lib"):
        found += glob.glob(f"{directory}/{pattern}")
    return sorted(found)[-1] if found else None


def run_process(command, preload=None, folder=None, environment=None):
    """Runs one command to its end; returns what it printed and what it cost, with its children."""
    environment = {**{k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}, **(environment or {})}
    if preload:
        environment["LD_PRELOAD"] = str(preload)
    command = [str(part) for part in command]
    started = time.monotonic()
    with subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"bench: '{' '.join([Path(command[0]).name, *command[1:]])}' failed with {process.returncode}")
    return output, {
        "wall": time.monotonic() - started,
        "cpu": usage.ru_utime + usage.ru_stime,
        # Of the largest process, where there are several; at least this interpreter's, whose memory a child has until
        # it runs the program.
        "peak_resident_bytes": usage.ru_maxrss * 1024,
    }


def run(program, arguments, preload=None):
    """Runs one program to its end; returns its JSON, with the process's own cost added."""
    output, cost = run_process([program, *arguments], preload)
    return {**json.loads(output), "process": cost}


def interleave(variants, rounds, progress):
    """variants: name -> function that takes one sample. Returns name -> list of samples."""
    samples = {name: [] for name in variants}
    names = list(variants)
    for number in range(rounds):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            progress(f"{name}, round {number + 1} of {rounds}")
            samples[name].append(variants[name]())
    return samples


def value(sample, path):
    for key in path.split("."):
        sample = sample[key]
    return sample


def median(samples, path):
    return statistics.median(value(sample, path) for sample in samples)


def spread(samples, path):
    """Half the interquartile range over the median: how much the samples disagree."""
    values = sorted(value(sample, path) for sample in samples)
    if len(values) < 4 or statistics.median(values) == 0:
        return None
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / 2 / statistics.median(values)


class Report:
    """Collects samples, tables and figures with goals."""

    def __init__(self, directory):
        self.samples = {}
        self.figures = []
        self.tables = []
        self.directory = directory
        self.on_terminal = sys.stderr.isatty()

    def progress(self, text):
        if self.on_terminal:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def say(self, text=""):
        self.progress("")
        print(text, flush=True)

    def table(self, title, columns, rows):
        self.tables.append({"title": title, "columns": columns, "rows": rows})
        cells = [columns] + [[str(cell) for cell in row] for row in rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
        self.say(f"\n{title}")
        for row in cells:
            self.say("  " + "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths))))

    def figure(self, name, measured, goal, unit="×"):
        self.figures.append({"name": name, "value": measured, "goal": goal, "unit": unit,
                             "met": measured <= goal})


# Allocation ---------------------------------------------------------------------------------------------

ALLOC_SIZES = ("128", "32-512", "8-4k", "8k", "2m", "1k-2m")
# Of the micro-benchmark in memkind's paper.
KIND_SIZES = ("128", "32-512", "8k", "2m", "1k-2m")


def process_mallocs(report):
    """name -> (library to preload, arguments of bench_alloc) for glibc and the peers that are installed."""
    allocators = {}
    for name, pattern in PRELOADS.items():
        library = find_library(pattern) if pattern else None
        if pattern and library is None:
            report.say(f"{name} is not installed and is left out")
            continue
        allocators[name] = (library, ["--allocator", "malloc"])
    return allocators


def time_allocators(options, report, group, allocators, ours, sizes_tried, threads, goals):
    """Tables of all phases for one number of threads. `goals`: sizes -> goal of the mixed phase over the best peer."""
    program = options.bin / "bench_alloc"
    extra = ["--quick"] if options.quick else []
    peers = [name for name in ("jemalloc", "mimalloc", "tcmalloc") if name in allocators]
    taken = {name: {} for name in allocators}
    for sizes in sizes_tried:
        variants = {
            name: lambda library=library, arguments=arguments: run(
                program, [*arguments, "--sizes", sizes, "--threads", threads, "--json", *extra], library)
            for name, (library, arguments) in allocators.items()
        }
        samples = interleave(variants, options.rounds, lambda text: report.progress(f"{sizes}, {text}"))
        report.samples[f"{group}/{sizes}/{threads}"] = samples
        for name in allocators:
            taken[name][sizes] = samples[name]
    for clock in ("wall", "cpu"):
        worst = dict.fromkeys(ours, 0.0)
        for phase in ("malloc", "mixed", "free"):
            cost = {name: {sizes: median(taken[name][sizes], f"phases.{phase}.{clock}_ns") for sizes in sizes_tried}
                    for name in allocators}
            lines = [["glibc, ns"] + [f"{cost['glibc'][sizes]:.1f}" for sizes in sizes_tried]]
            for name in allocators:
                lines.append([name] + [f"{cost[name][s] / cost['glibc'][s]:.2f}" for s in sizes_tried])
            for name in ours:
                worst[name] = max([worst[name], *(cost[name][s] / cost["glibc"][s] for s in sizes_tried)])
                if not peers:
                    continue
                ratios = {s: cost[name][s] / min(cost[peer][s] for peer in peers) for s in sizes_tried}
                lines.append([f"{name} / best peer"] + [f"{ratios[s]:.2f}" for s in sizes_tried])
                if phase == "mixed" and clock == "wall":
                    for sizes, goal in goals.items():
                        report.figure(f"{group}, mixed, {sizes} bytes, {threads} threads, {name} / best peer",
                                      ratios[sizes], goal)
            report.table(f"{group}, {phase} phase, {threads} threads, {clock}, in units of glibc",
                         ["bytes a block", *sizes_tried], lines)
        if clock == "cpu":
            for name in ours:
                report.figure(f"{group}, CPU time, {threads} threads, {name} / glibc, worst phase and size",
                              worst[name], 1.0)


def bench_alloc(options, report):
    program = options.bin / "bench_alloc"
    extra = ["--quick"] if options.quick else []
    allocators = process_mallocs(report)
    ours = ("perdure heap", "perdure store")
    allocators["perdure heap"] = (None, ["--allocator", "heap"])
    allocators["perdure store"] = (None, ["--allocator", "store", "--store", report.directory / "alloc"])
    for threads in options.threads or (1, 2, 4):
        time_allocators(options, report, "allocation", allocators, ours, ALLOC_SIZES, threads,
                        {"128": 1.3, "8-4k": 1.3})

    space_sizes = ("32-512", "8-4k", "8k", "1k-2m")
    lines = {name: [name] for name in allocators}
    overhead = {}
    for sizes in space_sizes:
        variants = {
            name: lambda library=library, arguments=arguments: run(
                program, [*arguments, "--sizes", sizes, "--touch", "all", "--json", *extra], library)
            for name, (library, arguments) in allocators.items()
        }
        samples = interleave(variants, min(options.rounds, 3), report.progress)
        report.samples[f"space/{sizes}"] = samples
        for name in allocators:
            overhead[name, sizes] = (median(samples[name], "resident_growth_mixed")
                                     / median(samples[name], "requested_bytes_mixed"))
            lines[name].append(f"{overhead[name, sizes]:.3f}")
    report.table("Resident memory over bytes asked for, after the mixed phase, every byte written",
                 ["bytes a block", *space_sizes], list(lines.values()))
    if "mimalloc" in allocators:
        for sizes in space_sizes:
            report.figure(f"space, {sizes} bytes, perdure heap / mimalloc",
                          overhead["perdure heap", sizes] / overhead["mimalloc", sizes], 1.1)


# Kinds of memory ----------------------------------------------------------------------------------------

def bench_kinds(options, report):
    """The micro-benchmark of memkind's paper, for kinds and their peers."""
    allocators = process_mallocs(report)
    files = report.directory / "kind-files"
    memkind = find_library("libmemkind.so.0")
    if memkind is None:
        report.say("memkind is not installed and is left out")
    else:
        allocators["memkind"] = (None, ["--allocator", "memkind", "--library", memkind])
        allocators["memkind PMEM"] = (None, ["--allocator", "memkind-pmem", "--library", memkind, "--store", files])
    pmemobj = find_library("libpmemobj.so.1")
    if pmemobj is None:
        report.say("libpmemobj is not installed and is left out")
    else:
        allocators["libpmemobj"] = (None, ["--allocator", "pmemobj", "--library", pmemobj, "--store", files])
    ours = {
        "perdure default kind": ["--allocator", "kind"],
        "perdure node 0": ["--allocator", "node-kind"],
        "perdure file kind": ["--allocator", "file-kind", "--store", files],
    }
    same_interface = options.bin.parent / "bench/libbench_memkind.so"
    if same_interface.exists():
        ours["perdure by memkind's interface"] = ["--allocator", "memkind", "--library", same_interface]
    for name, arguments in ours.items():
        allocators[name] = (None, arguments)
    for threads in options.threads or (1, 2, 4, 8):
        time_allocators(options, report, "kinds", allocators, ours, KIND_SIZES, threads,
                        dict.fromkeys(KIND_SIZES, 1.15))


# Programs under another malloc -------------------------------------------------------------------------

def bench_malloc(options, report):
    mallocs = {}
    for name, pattern in PRELOADS.items():
        library = find_library(pattern) if pattern else None
        if pattern and library is None:
            report.say(f"{name} is not installed and is left out")
            continue
        mallocs[name] = library
    ours = options.bin.parent / "addons/malloc/libperdure-malloc.so"
    if not ours.exists():
        report.say("libperdure-malloc.so is not built here, so programs are not run with it")
        return
    mallocs["perdure"] = ours
    programs = malloc_programs.prepare(report.directory, options.quick, report.say)
    measures = (("wall", "Wall time"), ("cpu", "CPU time"), ("peak_resident_bytes", "Peak memory"))
    lines = {measure: [] for measure, _ in measures}
    ratios = {measure: [] for measure, _ in measures}
    for program in programs:
        variants = {
            name: lambda library=library: run_process(program.command, library, program.folder, program.environment)[1]
            for name, library in mallocs.items()
        }
        samples = interleave(variants, options.rounds, lambda text: report.progress(f"{program.name}, {text}"))
        report.samples[f"malloc/{program.name}"] = samples
        for measure, _ in measures:
            typical = {name: median(taken, measure) for name, taken in samples.items()}
            base = typical["glibc"]
            shown = f"{base / (1 << 20):.0f} MiB" if measure == "peak_resident_bytes" else f"{base:.2f} s"
            lines[measure].append([program.name, shown, *(f"{typical[name] / base:.2f}" for name in mallocs
                                                          if name != "glibc")])
            ratios[measure].append(typical["perdure"] / base)
    for measure, title in measures:
        report.table(f"{title} of installed programs under each malloc, in units of glibc",
                     ["program", "glibc", *(name for name in mallocs if name != "glibc")], lines[measure])
        if ratios[measure]:
            report.say(f"  perdure over all programs, geometric mean: {statistics.geometric_mean(ratios[measure]):.2f}")


# Moving a program --------------------------------------------------------------------------------------

def bench_migration(options, report):
    """One source, compiled for Boost.Interprocess and for Perdure by the same interface."""
    words = 20000 if options.quick else 3000000
    programs = {"Boost.Interprocess": "bench_migration_boost", "Perdure": "bench_migration_perdure"}

    def sample(program):
        def take():
            store = report.directory / "migration.store"
            built = run(options.bin / program, ["build", store, words])
            scanned = run(options.bin / program, ["scan", store, words])
            run(options.bin / program, ["remove", store, words])
            return {**built, **scanned}
        return take

    samples = interleave({name: sample(program) for name, program in programs.items()}, options.rounds,
                         report.progress)
    report.samples["migration"] = samples
    lines = []
    for phase, title in (("build", "build"), ("flush", "flush, durable"), ("close", "close"), ("open", "open and find"),
                         ("scan", "scan")):
        for measure in ("wall", "cpu"):
            cost = {name: median(taken, f"{phase}.{measure}") for name, taken in samples.items()}
            ratio = cost["Perdure"] / cost["Boost.Interprocess"]
            lines.append([f"{title}, {measure}", *(f"{cost[name] * 1e3:.2f}" for name in programs), f"{ratio:.2f}"])
    report.table(f"An index of {words} words, one source by either library, ms (flush: until it is on the "
                 "device; Perdure's is an atomic checkpoint)",
                 ["", *programs, "Perdure / Boost"], lines)


# Adjacency list -----------------------------------------------------------------------------------------

# Variant of bench_adjacency, malloc under it, what the table calls it.
ADJACENCY = (
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


def bench_adjacency(options, report):
    program = options.bin / "bench_adjacency"
    scale = 12 if options.quick else options.scale
    libraries = {name: find_library(pattern) if pattern else None for name, pattern in PRELOADS.items()}
    chosen = [row for row in ADJACENCY if row[1] == "glibc" or libraries[row[1]]]
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


# Store --------------------------------------------------------------------------------------------------

def bench_store(options, report):
    program = options.bin / "bench_store"
    quick = ["--quick"] if options.quick else []
    common = ["--directory", report.directory, "--json", *quick]
    mebibytes = 8 if options.quick else options.mebibytes

    def sample(measurement, *arguments):
        return lambda: run(program, [measurement, *common, *arguments])

    size = ["--mebibytes", mebibytes]
    samples = interleave({"checkpoint": sample("fresh-checkpoint", *size),
                          "pwrite + fdatasync": sample("fresh-pwrite", *size)}, options.rounds, report.progress)
    report.samples["store/fresh"] = samples
    written = median(samples["checkpoint"], "written") / median(samples["checkpoint"], "payload")
    ratio = median(samples["checkpoint"], "wall") / median(samples["pwrite + fdatasync"], "wall")
    report.table(f"Checkpoint of a freshly written heap of {mebibytes} MiB",
                 ["", "wall, s", "until applied, s", "CPU, s", "bytes written / payload"],
                 [["checkpoint", f"{median(samples['checkpoint'], 'wall'):.3f}",
                   f"{median(samples['checkpoint'], 'applied_wall'):.3f}",
                   f"{median(samples['checkpoint'], 'cpu'):.3f}", f"{written:.3f}"],
                  ["pwrite + fdatasync", f"{median(samples['pwrite + fdatasync'], 'wall'):.3f}", "-",
                   f"{median(samples['pwrite + fdatasync'], 'cpu'):.3f}",
                   f"{median(samples['pwrite + fdatasync'], 'written') / (mebibytes << 20):.3f}"],
                  ["ratio", f"{ratio:.2f}", "", "", ""]])
    report.figure("fresh checkpoint / pwrite + fdatasync of the same bytes", ratio, 1.2)
    report.figure("bytes written by a fresh checkpoint / payload", written, 1.1)

    lines = []
    for fraction, shape, goal in ((0.01, "scattered", 0.2), (0.1, "scattered", 0.1), (0.01, "clustered", 1.2)):
        arguments = [*size, "--fraction", fraction, *(["--clustered"] if shape == "clustered" else [])]
        samples = interleave({"checkpoint": sample("dirty-checkpoint", *arguments),
                              "msync": sample("dirty-msync", *arguments)}, options.rounds, report.progress)
        report.samples[f"store/dirty/{fraction}/{shape}"] = samples
        typical = {name: statistics.median(w for s in taken for w in s["walls"]) for name, taken in samples.items()}
        amplification = {name: sum(s["written"] for s in taken) / sum(s["dirtied"] for s in taken)
                         for name, taken in samples.items()}
        lines.append([f"{fraction:.0%} of the pages, {shape}", f"{typical['checkpoint'] * 1e3:.2f}",
                      f"{typical['msync'] * 1e3:.2f}", f"{typical['checkpoint'] / typical['msync']:.2f}",
                      f"{amplification['checkpoint']:.2f}", f"{amplification['msync']:.2f}"])
        report.figure(f"checkpoint / msync, {fraction:.0%} {shape}", typical["checkpoint"] / typical["msync"], goal)
    report.table(f"Checkpoint of dirty pages in {mebibytes} MiB, beside msync of a shared mapping",
                 ["dirty", "checkpoint, ms", "msync, ms", "ratio", "written/dirty", "msync's"], lines)

    lines = []
    large = 2 * mebibytes
    for fraction, goal in ((0.001, 5.0), (0.01, 25.0)):
        samples = [sample("dirty-checkpoint", "--mebibytes", large, "--fraction", fraction)() for _ in range(options.rounds)]
        report.samples[f"store/pause/{fraction}"] = samples
        pause = statistics.median(p for s in samples for p in s["pauses"]) * 1e3
        durable = statistics.median(w for s in samples for w in s["walls"]) * 1e3
        dirtied = sum(s["dirtied"] for s in samples) / sum(len(s["walls"]) for s in samples) / 1e6
        lines.append([f"{dirtied:.1f} MB", f"{pause:.2f}", f"{durable:.2f}"])
        report.figure(f"pause of an asynchronous checkpoint, {fraction:.1%} scattered", pause, goal, "ms")
    samples = [sample("open-after-crash", *size, "--fraction", 0.1)() for _ in range(options.rounds)]
    report.samples["store/open-after-crash"] = samples
    crashed = [s["open_seconds"] * 1e3 / (s["journal_bytes"] / 1e6) for s in samples if s["unapplied"]]
    if crashed:
        report.figure("open after a crash, per MB of unapplied journal", statistics.median(crashed), 2.0, "ms")
    samples = [sample("snapshot", *size, "--fraction", 0.01)() for _ in range(options.rounds)]
    report.samples["store/snapshot"] = samples
    extra = statistics.median(s["extra"] / s["dirtied"] for s in samples)
    report.table(f"Snapshots of {mebibytes} MiB", ["", "wall, ms", "extra disk / dirty"],
                 [["1 % of the pages changed since the last", f"{median(samples, 'wall') * 1e3:.1f}", f"{extra:.2f}"],
                  ["nothing changed since the last", f"{median(samples, 'unchanged_wall') * 1e3:.1f}", "-"]])
    # Where files do not share blocks, a snapshot is a copy.
    if extra * 0.01 < 0.5:
        report.figure("extra disk of a snapshot / bytes changed", extra, 1.2)
        report.figure("snapshot with nothing changed", median(samples, "unchanged_wall") * 1e3, 30, "ms")
    samples = [sample("verify", *size)() for _ in range(options.rounds)]
    report.samples["store/verify"] = samples
    # The wrong way round for a goal of "at most", so its inverse: nanoseconds a kilobyte at 5 GB/s.
    report.figure("verify from the page cache, one thread, per kB",
                  statistics.median(s["wall"] * 1e9 / (s["bytes"] / 1e3) for s in samples), 200, "ns")
    report.table(f"Asynchronous checkpoint of scattered dirty pages in {large} MiB, ms",
                 ["dirty", "program stands still", "durable after"], lines)

    lines = []
    for store_mebibytes in ((8,) if options.quick else (64, 512, 2048)):
        sample("prepare-attach", "--mebibytes", store_mebibytes)()
        samples = [sample("attach")() for _ in range(options.rounds)]
        report.samples[f"store/attach/{store_mebibytes}"] = samples
        lines.append([f"{store_mebibytes} MiB", f"{median(samples, 'open_seconds') * 1e3:.3f}",
                      f"{median(samples, 'ready_seconds') * 1e3:.3f}", f"{median(samples, 'close_seconds') * 1e3:.3f}"])
        report.figure(f"re-attach to first find, {store_mebibytes} MiB", median(samples, "ready_seconds") * 1e3, 1.0,
                      "ms")
    report.table("Re-attach in a fresh process, ms", ["store", "open", "open and find", "close, unchanged"], lines)

    sizes = (8,) if options.quick else (1 << 10, 200 << 10)
    variants = {f"{s >> 10} GiB" if s >= 1024 else f"{s} MiB": sample("large-blocks", "--mebibytes", s) for s in sizes}
    samples = interleave(variants, min(options.rounds, 3), report.progress)
    report.samples["store/large-blocks"] = samples
    report.table("Cost of a 2 MiB block, ns", ["store", "allocate, median", "allocate, mean", "free + allocate"],
                 [[name, f"{median(taken, 'median_ns'):.0f}", f"{median(taken, 'mean_ns'):.0f}",
                   f"{median(taken, 'pair_median_ns'):.0f}"] for name, taken in samples.items()])
    if not options.quick:
        report.figure("2 MiB block, 200 GiB store / 1 GiB store",
                      median(samples["200 GiB"], "mean_ns") / median(samples["1 GiB"], "mean_ns"), 1.2)

    sample("prepare-objects")()
    sample("prepare-objects-boost")()
    samples = interleave({"perdure": sample("find-objects"), "Boost.Interprocess": sample("find-objects-boost")},
                         options.rounds, report.progress)
    report.samples["store/objects"] = samples
    report.table(f"{samples['perdure'][0]['objects']} named objects",
                 ["", "open, ms", "first find, µs", "find, ns"],
                 [[name, f"{median(taken, 'open_seconds') * 1e3:.3f}",
                   f"{median(taken, 'first_find_seconds') * 1e6:.1f}", f"{median(taken, 'find_ns'):.0f}"]
                  for name, taken in samples.items()])
    report.figure("open a store of 300,000 named objects", median(samples["perdure"], "open_seconds") * 1e3, 2.0, "ms")
    report.figure("find one of 300,000 named objects", median(samples["perdure"], "find_ns"), 500, "ns")


# The pager -----------------------------------------------------------------------------------------------

# workload -> (peers, {peer: goal}); a goal is how many times the pager's rate must be the peer's.
PAGER_PEERS = ("mmap", "mmap_random", "pread", "translation")
READ_PEERS = (*PAGER_PEERS, "messages")
PAGER_WORKLOADS = {
    "uniform": (READ_PEERS, {"mmap": 5, "mmap_random": 0.95, "pread": 0.88, "messages": 2}),
    "zipf": (READ_PEERS, {"mmap": 5, "mmap_random": 1.15, "messages": 2}),
    "binary_search": (PAGER_PEERS, {"mmap": 5, "mmap_random": 1.15}),
    "kmers": (PAGER_PEERS, {"mmap": 5, "mmap_random": 1.0}),
    "bfs": (PAGER_PEERS, {"mmap_random": 1.0}),
    "clusters": (PAGER_PEERS, {"mmap": 5, "mmap_random": 1.0}),
    "update": (PAGER_PEERS, {"mmap_random": 1.0}),
    "replace": (PAGER_PEERS, {"mmap_random": 1.0}),
    "batches": (PAGER_PEERS, {"pread": 4}),
    "sequential": (("mmap", "pread"), {"mmap": 0.9}),
    "resident": (("mmap",), {"mmap": 0.99}),
}
ONE_THREAD = ("batches", "sequential", "resident")
STORES = ("update", "replace")


def bench_pager(options, report):
    """All peers share a memory limit of a sixteenth of the data; the pager's budget is what the process leaves."""
    program = options.bin / "bench_pager"
    data = (256 if options.quick else options.pager_mebibytes) << 20
    limit = data // 16
    seconds = ["--seconds", "0.2", "--warm-up", "0.2"] if options.quick else ["--seconds", "4", "--warm-up", "6"]
    chosen = {workload: PAGER_WORKLOADS[workload] for workload in options.pager_workload or PAGER_WORKLOADS}
    # Random updates spoil the content that the others check. What is to be in memory as a whole must fit.
    sizes = {workload: min(data, 64 << 20) if workload == "resident" else data for workload in chosen}
    files = {workload: report.directory / ("updated.data" if workload in STORES else
                                           f"pager-{sizes[workload] >> 20}.data") for workload in chosen}
    for workload, file in files.items():
        report.progress(f"making {file.name}")
        run(program, ["--peer", "pread", "--workload", workload if workload in STORES else "uniform", "--file", file,
                      "--bytes", sizes[workload], "--seconds", 0.01, "--warm-up", 0])
    with MemoryGroup(limit) as group:
        if not group:
            report.say("pager: left out, as no control group with a memory limit can be made here")
            return
        for workload, (peers, goals) in chosen.items():
            is_resident = workload == "resident"
            all_threads = (1,) if workload in ONE_THREAD else options.threads or ((2,) if options.quick else (1, 8, 32))
            lines = []
            for threads in all_threads:
                # Code and libraries, the tables and those of the kernel, and for each thread its stack and buffers.
                overhead = (8 << 20) + data // 256 + threads * ((3328 if workload == "sequential" else 256) << 10)
                arguments = ["--workload", "uniform" if is_resident else workload, "--file", files[workload],
                             "--bytes", sizes[workload], "--threads", threads,
                             "--budget", sizes[workload] if is_resident else limit - overhead, *seconds]
                command = (lambda *words: words) if is_resident else group.command
                samples = interleave(
                    {peer: lambda peer=peer: json.loads(
                        run_process(command(program, "--peer", peer, *arguments))[0])
                     for peer in ("pager", *peers)}, options.rounds, report.progress)
                report.samples[f"pager/{workload}/{threads}"] = samples
                rate = {peer: max(median(taken, "rate"), 1) for peer, taken in samples.items()}
                lines.append([f"{threads} threads" if threads > 1 else "1 thread", f"{rate['pager']:.0f}",
                              *(f"{rate['pager'] / rate[peer]:.2f}" for peer in peers)])
                for peer, goal in goals.items():
                    report.figure(f"pager, {workload}, {threads} threads: time / {peer}'s",
                                  rate[peer] / rate["pager"], 1 / goal)
            memory = "all of it" if is_resident else f"{limit >> 20} MiB"
            report.table(f"Pager: {workload} in {sizes[workload] >> 20} MiB, memory {memory}; operations a second, and "
                         "how many times the peer's", ["", "pager", *(f"/ {peer}" for peer in peers)], lines)


def bench_bfs(options, report):
    """Searches of a graph of which all, half, or a quarter fits in memory, with the arrays of the search."""
    program = options.bin / "bench_external_bfs"
    scale = 14 if options.quick else options.bfs_scale
    threads = (options.threads or [2])[0]
    arguments = ["--file", report.directory / "graph.csr", "--scale", scale, "--threads", threads]
    report.progress("making the graph")
    run(program, arguments)
    shares = {"ordinary memory": 0, "all": 1, "1/2": 2, "1/4": 4}
    samples = interleave({name: lambda share=share: run(program, [*arguments, "--share", share])
                          for name, share in shares.items()}, options.rounds, report.progress)
    report.samples[f"bfs/{scale}"] = samples
    first = {name: median(taken, "first_seconds") for name, taken in samples.items()}
    later = {name: median(taken, "later_seconds") for name, taken in samples.items()}
    mebibytes = {name: 0 if name == "ordinary memory" else median(taken, "pager.bytes_read") / 2**20
                 for name, taken in samples.items()}
    size = samples["all"][0]["bytes"] / 2**20
    report.table(f"External BFS: R-MAT of scale {scale}, {size:.0f} MiB with the arrays of the search, {threads} threads; "
                 "the first search reads the graph, later ones what does not stay in memory",
                 ["in memory", "first", "/ all", "later", "MiB read"],
                 [[name, f"{first[name]:.3f} s", "" if name == "ordinary memory" else f"{first[name] / first['all']:.2f}",
                   f"{later[name]:.3f} s", f"{mebibytes[name]:.0f}"] for name in shares])
    for name, goal in (("1/2", 1.25), ("1/4", 1.5)):
        report.figure(f"external BFS, {name} in memory: time / all's, graph on the device",
                      first[name] / first["all"], goal)


def bench_paged(options, report):
    """A graph in a store of which a half or a quarter fits in memory: the pager, and the kernel's shared mapping of files."""
    program = options.bin / "bench_paged_store"
    scale = 12 if options.quick else options.paged_scale
    store = report.directory / "paged.store"
    threads = (options.threads or [1])[0]
    common = ["--store", store, "--scale", scale, "--threads", threads]

    size = run(program, ["build", *common, "--backing", "paged", "--budget", 1 << 40])["paging"]["most_resident_bytes"]
    # What a group must hold beside the store: buffers, of the search its index, and what the kernel keeps for it.
    own = {}
    for backing in ("shared", "private", "paged"):
        for phase in ("build", "use"):
            report.progress(f"measuring what the process itself takes, {backing}, {phase}")
            budget = size // 2 if backing == "paged" else 1 << 40
            own[backing, phase] = run(program, [phase, *common, "--backing", backing, "--budget", budget])["own_bytes"]
            own[backing, phase] += 4 << 20

    def table_of(title, variants, columns, base):
        samples = interleave(variants, options.rounds, report.progress)
        report.samples[title] = samples
        lines = []
        for name, taken in samples.items():
            done = min(s.get("done", 1) for s in taken)
            over = ">" if done < 1 else ""
            cells = [f"{over}{median(taken, path):.3f}" for _, path in columns]
            cells += [f"{over}{median(taken, path) / median(samples[base], path):.1f}" for _, path in columns[:2]]
            lines.append([f"{name}, given up at {done:.0%}" if over else name, *cells])
        names = [name for name, _ in columns]
        report.table(title, ["", *names, *(f"{name.split(',')[0]} / unlimited" for name in names[:2])], lines)
        return samples

    unlimited = "private, no limit"
    for share in (2, 4):
        budget = size // share
        for phase, checkpoints, columns in (
                ("build", [1], (("wall, s", "all.wall"), ("CPU, s", "all.cpu"))),
                ("build", [8], (("wall, s", "all.wall"), ("CPU, s", "all.cpu"),
                                                 ("checkpoints, s", "checkpoints.wall"))),
                ("use", [], (("look-ups, s", "lookups.wall"), ("BFS, s", "bfs.wall"), ("attach, s", "attach.wall")))):
            # For reading either is the kernel's mapping of the home files.
            kernel = "shared" if phase == "build" else "private"
            arguments = ["--checkpoints", *checkpoints, "--at-most", 5 if options.quick else options.paged_seconds] if checkpoints else []
            with MemoryGroup(budget + own["paged", phase]) as ours, MemoryGroup(budget + own[kernel, phase]) as theirs:
                if not ours or not theirs:
                    report.say("paged: left out, as no control group with a memory limit can be made here")
                    return

                def sample(command, backing, *more, phase=phase, arguments=arguments):
                    return lambda: json.loads(run_process(command(
                        program, phase, *common, *arguments, "--backing", backing, *more))[0])

                variants = {"paged": sample(ours.command, "paged", "--budget", budget),
                            "the kernel's mapping": sample(theirs.command, kernel),
                            unlimited: sample(lambda *words: words, "private")}
                what = f"{checkpoints[0]} checkpoints" if checkpoints else "found again and used, from a cold page cache"
                samples = table_of(f"Graph of scale {scale} in a store of {size >> 20} MiB, 1/{share} of it in memory: "
                                   f"{phase}, {what}; beside it {own['paged', phase] >> 20} MiB for the process, "
                                   f"{own[kernel, phase] >> 20} MiB with the kernel's mapping",
                                   variants, columns, unlimited)
                answers = {(s.get("sum"), s.get("reached")) for taken in samples.values() for s in taken}
                if len(answers) != 1:
                    raise SystemExit(f"bench: the stores do not hold the same graph: {answers}")
                for name, path in columns[:2]:
                    report.figure(f"paged store, 1/{share}, {what}, {name.split(',')[0]}: time / the kernel's mapping",
                                  median(samples["paged"], path) / median(samples["the kernel's mapping"], path), 1.0)


# ---------------------------------------------------------------------------------------------------------

def first_line(path, prefix=""):
    try:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith(prefix):
                    return line.strip()
    except OSError:
        pass
    return ""


def describe_machine(directory):
    kind = subprocess.run(["stat", "-f", "-c", "%T", directory], capture_output=True, text=True, check=False)
    return {
        "processor": first_line("/proc/cpuinfo", "model name").partition(":")[2].strip() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": first_line("/proc/meminfo", "MemTotal").partition(":")[2].strip(),
        "kernel": platform.release(),
        "system": first_line("/etc/os-release", "PRETTY_NAME=").partition("=")[2].strip('"'),
        "file_system": kind.stdout.strip(),
        "transparent_huge_pages": first_line("/sys/kernel/mm/transparent_hugepage/enabled"),
        "load": os.getloadavg()[0],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=("alloc", "kinds", "malloc", "migration", "adjacency", "store", "pager",
                                           "bfs", "paged"),
                        action="append",
                        help="run only this group (may be repeated)")
    parser.add_argument("--quick", action="store_true", help="tiny inputs and one round: does everything work?")
    parser.add_argument("--rounds", type=int, help="samples of each program (default 5)")
    parser.add_argument("--threads", type=int, action="append", help="only this number of threads (may be repeated)")
    parser.add_argument("--scale", type=int, default=20, help="R-MAT scale of the adjacency list (default 20)")
    parser.add_argument("--mebibytes", type=int, default=1024, help="heap of the checkpoint figures (default 1024)")
    parser.add_argument("--pager-mebibytes", type=int, default=4096,
                        help="file of the pager's figures, 16 times the memory it has (default 4096, least 256)")
    parser.add_argument("--pager-workload", choices=tuple(PAGER_WORKLOADS), action="append",
                        help="only this one of the pager's (may be repeated)")
    parser.add_argument("--bfs-scale", type=int, default=22, help="R-MAT scale of the external search (default 22)")
    parser.add_argument("--paged-scale", type=int, default=18, help="R-MAT scale of the paged store (default 18)")
    parser.add_argument("--paged-seconds", type=int, default=600,
                        help="after which building in little memory is given up (default 600)")
    parser.add_argument("--bin", type=Path, default=ROOT / "build/bench/bin", help="folder of the programs")
    parser.add_argument("--directory", type=Path, help="where stores are made; decides the file system measured")
    parser.add_argument("--output", type=Path, default=ROOT / "build/bench/results.json")
    options = parser.parse_args()
    if options.rounds is None:
        options.rounds = 1 if options.quick else 5

    directory = options.directory or options.output.parent / "scratch"
    directory.mkdir(parents=True, exist_ok=True)
    directory = directory.resolve()
    report = Report(directory)
    machine = describe_machine(directory)
    report.say(f"{machine['processor']}, {machine['cores']} cores, {machine['memory']}, Linux {machine['kernel']}, "
               f"{machine['file_system']}")
    if machine["load"] > 0.5:
        report.say(f"The machine is not idle (load {machine['load']:.1f}): times will be off.")

    groups = {"alloc": bench_alloc, "kinds": bench_kinds, "malloc": bench_malloc, "migration": bench_migration,
              "adjacency": bench_adjacency, "store": bench_store, "pager": bench_pager, "bfs": bench_bfs,
              "paged": bench_paged}
    started = time.monotonic()
    for name, group in groups.items():
        if not options.only or name in options.only:
            group(options, report)
    if options.directory is None:
        shutil.rmtree(directory)

    if report.figures and not options.quick:
        report.table("Figures and goals (a ratio or time is met when it is at most the goal)",
                     ["figure", "measured", "goal", ""],
                     [[f["name"], f"{f['value']:.3f} {f['unit']}", f"{f['goal']:.3g} {f['unit']}",
                       "met" if f["met"] else "MISSED"] for f in report.figures])
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps({
        "machine": machine,
        "options": {"quick": options.quick, "rounds": options.rounds, "scale": options.scale,
                    "mebibytes": options.mebibytes},
        "seconds": time.monotonic() - started,
        "figures": report.figures,
        "tables": report.tables,
        "samples": report.samples,
    }, indent=1))
    report.say(f"\nEvery sample is in {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
