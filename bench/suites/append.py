"""A graph that grows by a bucket of edges an iteration, each in a fresh process, in a store behind a slow network."""

import os
import shutil
import subprocess
import time
from pathlib import Path

from measuring import interleave, median, run, run_process

ROUND_TRIP_US = 500
MEGABYTES_PER_SECOND = 112


def add_options(parser):
    parser.add_argument("--append-scale", type=int, default=17, help="R-MAT scale of the appended graph (default 17)")


class SlowMount:
    """The directory `home` as a network file system would show it, mounted at `place`; `problem` says why not."""

    def __init__(self, program, home, place):
        self.place = place
        self.process = None
        self.problem = self._why_not(program)
        if self.problem:
            return
        for directory in (home, place):
            directory.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen([program, "--round-trip", str(ROUND_TRIP_US), "--bandwidth",
                                         str(MEGABYTES_PER_SECOND), home, place])
        for _ in range(500):
            if os.path.ismount(place):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        self.close()
        self.problem = "FUSE file systems cannot be mounted here"

    @staticmethod
    def _why_not(program):
        if not program.exists():
            return "libfuse3 was not there when the benchmarks were built"
        if os.geteuid() != 0 or not os.access("/dev/fuse", os.R_OK | os.W_OK):
            return "a slow mount needs root and /dev/fuse"
        return None

    def close(self):
        if self.process is None:
            return
        if os.path.ismount(self.place):
            subprocess.run(["umount", self.place], check=False)
        self.process.terminate()
        self.process.wait()
        self.process = None


def make_buckets(options, directory, scale, count):
    """A file of edges with times for each bucket; the last ones are as large as the first."""
    edges = directory / "append.edges"
    run_process([options.bin / "perdure", "graph", "generate", "rmat", "--scale", scale, "--edge-factor", 16,
                 "-o", edges])
    lines = edges.read_text().splitlines()
    edges.unlink()
    files = []
    for bucket in range(count):
        part = lines[bucket * len(lines) // count:(bucket + 1) * len(lines) // count]
        files.append(directory / f"append.{bucket}.txt")
        files[-1].write_text("".join(f"{line}\t{bucket}\n" for line in part))
    return files, len(lines)


def append(options, store, file, backing):
    # Earlier buckets are not kept: no mode can on a file system that shares no blocks.
    arguments = ["graph", "append", store, file, "--time-column", 3, "--bucket", 1, "--keep", 0, "--threads", 2]
    run_process([options.bin / "perdure", *arguments], environment={"PERDURE_BACKING": backing})


def growing(options, directory, files, backing, fast=None):
    """Appends all buckets to a store; with `fast`, each to a copy there that is brought in and written back."""
    store = directory / "append.store"
    program = options.bin / "perdure"
    append(options, store, files[0], "private")  # the store that all modes begin with
    seconds = []
    for file in files[1:]:
        started = time.monotonic()
        if fast is None:
            append(options, store, file, backing)
        else:
            run_process([program, "stage", "in", store, fast])
            append(options, fast, file, backing)
            run_process([program, "stage", "out", fast, store])
            shutil.rmtree(fast)
        seconds.append(time.monotonic() - started)
    edges = run(program, ["graph", "info", store, "--json"])["edges"]
    shutil.rmtree(store)
    return {"seconds": sum(seconds), "iterations": seconds, "edges": edges}


def measure(options, report):
    scale, count = (10, 3) if options.quick else (options.append_scale, 8)
    files, edges = make_buckets(options, report.directory, scale, count)
    in_memory = Path("/dev/shm")
    fast = (in_memory if os.access(in_memory, os.W_OK) else report.directory) / f"perdure-bench-{os.getpid()}.store"
    home = report.directory / "append.home"
    mount = SlowMount(options.bin / "bench_slow_mount", home, report.directory / "append.mount")
    places = {"here": report.directory}
    if mount.problem:
        report.say(f"Appending behind a slow network is left out: {mount.problem}.")
    else:
        places[f"network: {ROUND_TRIP_US / 1000} ms, {MEGABYTES_PER_SECOND} MB/s"] = mount.place
    modes = {"shared_file": ("shared", None), "staged": ("private", fast), "private_memory": ("private", None)}
    rows = []
    try:
        for place, directory in places.items():
            samples = interleave(
                {mode: lambda d=directory, b=backing, f=copy: growing(options, d, files, b, f)
                 for mode, (backing, copy) in modes.items()}, options.rounds, report.progress)
            report.samples[f"append/{place.split(':')[0]}"] = samples
            assert all(sample["edges"] == edges for taken in samples.values() for sample in taken)
            seconds = {mode: median(taken, "seconds") for mode, taken in samples.items()}
            rows.append([place, *(f"{seconds[mode]:.2f}" for mode in modes),
                         *(f"{seconds[mode] / seconds['private_memory']:.2f}" for mode in modes
                           if mode != "private_memory")])
            if directory == mount.place:
                report.figure("append behind a slow network: private_memory / shared_file",
                              seconds["private_memory"] / seconds["shared_file"], 1 / 1.5)
    finally:
        mount.close()
        for file in files:
            file.unlink()
        shutil.rmtree(fast, ignore_errors=True)
    report.table(f"Appending {count - 1} buckets of {edges // count} edges each to a graph (R-MAT of scale {scale}), each by a process "
                 "of its own, s",
                 ["store", *modes, "shared_file / private_memory", "staged / private_memory"], rows)
