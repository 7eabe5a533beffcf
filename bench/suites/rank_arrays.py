"""Ten three-dimensional arrays of doubles that 1, 2 and 4 ranks of an MPI program write, each its block, and read again: by
the same blocks, by another number of ranks, and in another decomposition; beside plain files, HDF5, NetCDF-4, PnetCDF and
ADIOS. In memory (tmpfs, which stands for persistent memory) and on the file system of the stores. Every time is from
opening to closing, from the first rank's beginning to the last one's end, and what is written is on the device then."""

import shutil
import tempfile
from pathlib import Path

from measuring import interleave, median, run

# OMPIO, which is Open MPI's own MPI-IO, takes the component "individual" for collective calls on a single machine: one
# system call for each run of neighbouring elements. "vulcan" collects them.
MPI_IO = {"OMPI_MCA_io": "ompio", "OMPI_MCA_fcoll": "vulcan"}

# The others would only take longer there: collective calls, PnetCDF, whose calls are collective too, and the slower one of
# ADIOS' methods.
ON_THE_DEVICE = ("perdure", "pwrite", "mmap", "hdf5", "netcdf-4", "adios1")

CHARTED = {"perdure": "Perdure", "pwrite": "pwrite", "mmap": "mmap", "hdf5": "HDF5", "netcdf-4": "NetCDF-4", "adios1": "ADIOS 1.13"}

READS = {"read_seconds": "read", "read_other_ranks_seconds": "by other ranks", "read_other_parts_seconds": "other parts"}


def add_options(parser):
    parser.add_argument("--rank-arrays-mebibytes", type=int, default=2048, help="of the ten arrays together (default 2048)")
    parser.add_argument("--ranks", type=int, action="append", help="only this number of ranks (may be repeated)")


def best(samples, key):
    """The peer whose median is the smallest, or None."""
    return min((name for name in samples if name != "perdure"), key=lambda name: median(samples[name], key), default=None)


def say_figures(report, samples, label, is_in_memory):
    def figure(what, key, peer, goal):
        if peer in samples:
            report.figure(f"{label}: {what} / {peer}'s", median(samples["perdure"], key) / median(samples[peer], key), goal)

    if is_in_memory:
        figure("write", "write_seconds", best(samples, "write_seconds"), 1)
    else:
        figure("write", "write_seconds", "pwrite", 1 / 0.95)
    # What mmap's rows read they copy with memcpy from where the files are mapped.
    figure("read", "read_seconds", "mmap", 1 / 0.95)
    for library in ("adios1", "hdf5"):
        for key, what in (("write_seconds", "write"), ("read_seconds", "read"), ("read_other_parts_seconds", "read other parts")):
            # The faster one of its ways.
            peer = best({name: taken for name, taken in samples.items() if name.startswith(library)}, key)
            if key != "read_other_parts_seconds" or library == "hdf5":
                figure(what, key, peer, 0.5)


def measure_on(options, report, kinds, directory, where, is_in_memory):
    mebibytes = 16 if options.quick else options.rank_arrays_mebibytes
    program = options.bin / "run_rank_arrays"
    for ranks in options.ranks or ([2] if options.quick else [1, 2, 4]):
        # Some read by twice as many.
        started = ranks if ranks >= 4 else 2 * ranks
        variants = {kind: lambda kind=kind: run(program, [started, "--kind", kind, "--directory", directory, "--ranks", ranks,
                                                          "--mebibytes", mebibytes], environment=MPI_IO)
                    for kind in kinds}
        samples = interleave(variants, options.rounds, report.progress)
        label = f"rank arrays, {where}, {ranks} rank{'' if ranks == 1 else 's'}"
        report.samples[label] = samples
        taken = samples["perdure"][0]
        size = taken["bytes"] / 2**30

        def speed(kind, key):
            return f"{size / median(samples[kind], key):.2f}"

        rows = [[kind, *(speed(kind, key) for key in ("write_seconds", *READS))] for kind in kinds]
        # What the ranks can copy from memory to memory that all is there already, for comparison; all runs do it alike.
        copies = [sample for kind in kinds for sample in samples[kind]]
        rows.append(["memory to memory", "", f"{size / median(copies, 'copy_seconds'):.2f}", "", ""])
        report.table(f"Ten arrays, {size:.2f} GiB, {where}, written by {ranks}, read by as many and by "
                     f"{taken['other_ranks']}: GiB/s", ["", "write", *READS.values()], rows)
        if ranks == 1 and not is_in_memory and mebibytes == 640:
            for kind in samples.keys() & CHARTED.keys():
                report.chart("arrays", CHARTED[kind], {"write, GiB/s": speed(kind, "write_seconds"), "read, GiB/s": speed(kind, "read_seconds")})
        say_figures(report, samples, label, is_in_memory)


def measure(options, report):
    if not (options.bin / "run_rank_arrays").exists():
        report.say("\nArrays across ranks are not measured: this build found no MPI (libopenmpi-dev, openmpi-bin).")
        return
    known = run(options.bin / "bench_rank_arrays", ["--kinds"])
    for kind, package in known["absent"].items():
        report.say(f"\nArrays across ranks are not compared with {kind}: this build found no {package}.")
    memory = Path(tempfile.mkdtemp(prefix="perdure-bench-", dir="/dev/shm"))
    try:
        measure_on(options, report, known["kinds"], memory, "tmpfs", True)
    finally:
        shutil.rmtree(memory)
    on_device = [kind for kind in known["kinds"] if kind in ON_THE_DEVICE]
    measure_on(options, report, on_device, report.directory, "on the device", False)
