"""Ten three-dimensional arrays of doubles written and read in parts, and ten thousand small ones, beside plain files,
HDF5 and NetCDF-4; on the file system of the stores, and in memory. Every time is from opening to closing, and what is
written is on the device then."""

import shutil
import tempfile
from pathlib import Path

from measuring import interleave, median, run, run_process


def add_options(parser):
    parser.add_argument("--array-dims", type=int, nargs=3, default=[64, 256, 512],
                        help="elements of each of the ten arrays (default 64 256 512, 64 MiB)")


def kinds_of(program):
    """Name -> the most threads that it is for."""
    output, _ = run_process([program, "--kinds"])
    return {name: int(threads) for name, threads in (line.split() for line in output.decode().splitlines())}


def measure_large(options, report, program, directory, where):
    dims = [8, 32, 64] if options.quick else options.array_dims
    most = kinds_of(program)
    rows = []
    for threads in options.threads or [1, 2]:
        variants = {name: lambda name=name: run(program, ["--kind", name, "--directory", directory, "--threads", threads,
                                                          "--dims", *dims])
                    for name in most if threads <= most[name]}
        samples = interleave(variants, options.rounds, report.progress)
        report.samples[f"arrays/{where}/{threads}"] = samples
        for name, taken in samples.items():
            size = taken[0]["bytes"] / 2**30
            rows.append([f"{name}, {threads} thread{'' if threads == 1 else 's'}",
                         *(f"{size / median(taken, key):.2f}"
                           for key in ("write_seconds", "read_seconds", "read_other_seconds"))])
        for key, goal in (("write_seconds", 1.1), ("read_seconds", 1.1), ("read_other_seconds", 1.1)):
            report.figure(f"arrays, {where}, {threads} threads: {key.removesuffix('_seconds')} / pwrite's",
                          median(samples["perdure"], key) / median(samples["pwrite"], key), goal)
    report.table(f"Ten arrays of {' x '.join(map(str, dims))} doubles, {where}: GiB/s, written durably, read by the same "
                 "parts, and by halves of rows", ["", "write", "read", "read other parts"], rows)


def measure_small(options, report, program, directory):
    count = 200 if options.quick else 10000
    names = [name for name in ("perdure", "hdf5") if name in kinds_of(program)]
    samples = interleave({name: lambda name=name: run(program, ["--kind", name, "--directory", directory,
                                                                "--small", count]) for name in names},
                         options.rounds, report.progress)
    report.samples["arrays/small"] = samples
    rows = []
    for name, taken in samples.items():
        store, opened, load = (median(taken, f"{key}_seconds") for key in ("store", "open", "load"))
        rows.append([name, f"{store / count * 1e6:.2f} µs", f"{opened * 1e3:.2f} ms", f"{load / count * 1e6:.2f} µs",
                     f"{(store + opened + load) / count * 1e6:.2f} µs"])
    report.table(f"{count:,} arrays of ten doubles: stored until durable, opened again, loaded",
                 ["", "store / array", "open", "load / array", "all / array"], rows)
    own = samples["perdure"]
    whole = sum(median(own, f"{key}_seconds") for key in ("store", "open", "load")) / count * 1e6
    report.figure(f"{count:,} small arrays stored, opened, loaded: an array", whole, 3, "µs")
    report.figure("opening a store of small arrays", median(own, "open_seconds") * 1e3, 2, "ms")


def measure(options, report):
    program = options.bin / "bench_arrays"
    measure_large(options, report, program, report.directory, "on the device")
    memory = Path(tempfile.mkdtemp(prefix="perdure-bench-", dir="/dev/shm"))
    try:
        measure_large(options, report, program, memory, "in memory (tmpfs)")
    finally:
        shutil.rmtree(memory)
    measure_small(options, report, program, report.directory)
