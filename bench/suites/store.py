"""Checkpoints, opening, large blocks and named objects of a store."""

import statistics

from measuring import interleave, median, run


class StoreBench:
    """bench_store, and what all its measurements are given."""

    def __init__(self, options, report):
        self.program = options.bin / "bench_store"
        self.common = ["--directory", report.directory, "--json", *(["--quick"] if options.quick else [])]
        self.is_quick = options.quick
        self.rounds = options.rounds
        self.mebibytes = 8 if options.quick else options.mebibytes
        self.size = ["--mebibytes", self.mebibytes]
        self.report = report

    def sample(self, measurement, *arguments):
        return lambda: run(self.program, [measurement, *self.common, *arguments])


def add_options(parser):
    parser.add_argument("--mebibytes", type=int, default=1024, help="heap of the checkpoint figures (default 1024)")


def fresh_checkpoint(bench):
    report, sample = bench.report, bench.sample
    samples = interleave({"checkpoint": sample("fresh-checkpoint", *bench.size),
                          "pwrite + fdatasync": sample("fresh-pwrite", *bench.size)}, bench.rounds, report.progress)
    report.samples["store/fresh"] = samples
    written = median(samples["checkpoint"], "written") / median(samples["checkpoint"], "payload")
    ratio = median(samples["checkpoint"], "wall") / median(samples["pwrite + fdatasync"], "wall")
    report.table(f"Checkpoint of a freshly written heap of {bench.mebibytes} MiB",
                 ["", "wall, s", "until applied, s", "CPU, s", "bytes written / payload"],
                 [["checkpoint", f"{median(samples['checkpoint'], 'wall'):.3f}",
                   f"{median(samples['checkpoint'], 'applied_wall'):.3f}",
                   f"{median(samples['checkpoint'], 'cpu'):.3f}", f"{written:.3f}"],
                  ["pwrite + fdatasync", f"{median(samples['pwrite + fdatasync'], 'wall'):.3f}", "-",
                   f"{median(samples['pwrite + fdatasync'], 'cpu'):.3f}",
                   f"{median(samples['pwrite + fdatasync'], 'written') / (bench.mebibytes << 20):.3f}"],
                  ["ratio", f"{ratio:.2f}", "", "", ""]])
    report.figure("fresh checkpoint / pwrite + fdatasync of the same bytes", ratio, 1.2)
    report.figure("bytes written by a fresh checkpoint / payload", written, 1.1)


def dirty_checkpoints(bench):
    report, sample = bench.report, bench.sample
    lines = []
    for fraction, shape, goal in ((0.01, "scattered", 0.2), (0.1, "scattered", 0.1), (0.01, "clustered", 1.2)):
        arguments = [*bench.size, "--fraction", fraction, *(["--clustered"] if shape == "clustered" else [])]
        samples = interleave({"checkpoint": sample("dirty-checkpoint", *arguments),
                              "msync": sample("dirty-msync", *arguments)}, bench.rounds, report.progress)
        report.samples[f"store/dirty/{fraction}/{shape}"] = samples
        typical = {name: statistics.median(w for s in taken for w in s["walls"]) for name, taken in samples.items()}
        for name, row in (("checkpoint", "Perdure, checkpoint"), ("msync", "msync")) if bench.mebibytes == 2048 else ():
            report.chart("durable-changes", row, {f"{fraction * 100:.0f} % {'scattered' if shape == 'scattered' else 'in one piece'}, ms":
                                                  f"{typical[name] * 1e3:.3g}"})
        amplification = {name: sum(s["written"] for s in taken) / sum(s["dirtied"] for s in taken)
                         for name, taken in samples.items()}
        lines.append([f"{fraction:.0%} of the pages, {shape}", f"{typical['checkpoint'] * 1e3:.2f}",
                      f"{typical['msync'] * 1e3:.2f}", f"{typical['checkpoint'] / typical['msync']:.2f}",
                      f"{amplification['checkpoint']:.2f}", f"{amplification['msync']:.2f}"])
        report.figure(f"checkpoint / msync, {fraction:.0%} {shape}", typical["checkpoint"] / typical["msync"], goal)
    report.table(f"Checkpoint of dirty pages in {bench.mebibytes} MiB, beside msync of a shared mapping",
                 ["dirty", "checkpoint, ms", "msync, ms", "ratio", "written/dirty", "msync's"], lines)


def pauses(bench):
    report, sample = bench.report, bench.sample
    lines = []
    large = 2 * bench.mebibytes
    for fraction, goal in ((0.001, 5.0), (0.01, 25.0)):
        samples = [sample("dirty-checkpoint", "--mebibytes", large, "--fraction", fraction)() for _ in range(bench.rounds)]
        report.samples[f"store/pause/{fraction}"] = samples
        pause = statistics.median(p for s in samples for p in s["pauses"]) * 1e3
        durable = statistics.median(w for s in samples for w in s["walls"]) * 1e3
        dirtied = sum(s["dirtied"] for s in samples) / sum(len(s["walls"]) for s in samples) / 1e6
        lines.append([f"{dirtied:.1f} MB", f"{pause:.2f}", f"{durable:.2f}"])
        report.figure(f"pause of an asynchronous checkpoint, {fraction:.1%} scattered", pause, goal, "ms")
    report.table(f"Asynchronous checkpoint of scattered dirty pages in {large} MiB, ms",
                 ["dirty", "program stands still", "durable after"], lines)


def opening_after_a_crash(bench):
    report, sample = bench.report, bench.sample
    samples = [sample("open-after-crash", *bench.size, "--fraction", 0.1)() for _ in range(bench.rounds)]
    report.samples["store/open-after-crash"] = samples
    crashed = [s["open_seconds"] * 1e3 / (s["journal_bytes"] / 1e6) for s in samples if s["unapplied"]]
    if crashed:
        report.figure("open after a crash, per MB of unapplied journal", statistics.median(crashed), 2.0, "ms")


def snapshots(bench):
    report, sample = bench.report, bench.sample
    samples = [sample("snapshot", *bench.size, "--fraction", 0.01)() for _ in range(bench.rounds)]
    report.samples["store/snapshot"] = samples
    extra = statistics.median(s["extra"] / s["dirtied"] for s in samples)
    report.table(f"Snapshots of {bench.mebibytes} MiB", ["", "wall, ms", "extra disk / dirty"],
                 [["1 % of the pages changed since the last", f"{median(samples, 'wall') * 1e3:.1f}", f"{extra:.2f}"],
                  ["nothing changed since the last", f"{median(samples, 'unchanged_wall') * 1e3:.1f}", "-"]])
    # Where files do not share blocks, a snapshot is a copy.
    if extra * 0.01 < 0.5:
        report.figure("extra disk of a snapshot / bytes changed", extra, 1.2)
        report.figure("snapshot with nothing changed", median(samples, "unchanged_wall") * 1e3, 30, "ms")


def verification(bench):
    report, sample = bench.report, bench.sample
    samples = [sample("verify", *bench.size)() for _ in range(bench.rounds)]
    report.samples["store/verify"] = samples
    # The wrong way round for a goal of "at most", so its inverse: nanoseconds a kilobyte at 5 GB/s.
    report.figure("verify from the page cache, one thread, per kB",
                  statistics.median(s["wall"] * 1e9 / (s["bytes"] / 1e3) for s in samples), 200, "ns")


def attaching(bench):
    report, sample = bench.report, bench.sample
    lines = []
    for store_mebibytes in ((8,) if bench.is_quick else (64, 512, 2048)):
        sample("prepare-attach", "--mebibytes", store_mebibytes)()
        samples = [sample("attach")() for _ in range(bench.rounds)]
        report.samples[f"store/attach/{store_mebibytes}"] = samples
        lines.append([f"{store_mebibytes} MiB", f"{median(samples, 'open_seconds') * 1e3:.3f}",
                      f"{median(samples, 'ready_seconds') * 1e3:.3f}", f"{median(samples, 'close_seconds') * 1e3:.3f}"])
        report.figure(f"re-attach to first find, {store_mebibytes} MiB", median(samples, "ready_seconds") * 1e3, 1.0,
                      "ms")
    report.table("Re-attach in a fresh process, ms", ["store", "open", "open and find", "close, unchanged"], lines)


def large_blocks(bench):
    report, sample = bench.report, bench.sample
    sizes = (8,) if bench.is_quick else (1 << 10, 200 << 10)
    variants = {f"{s >> 10} GiB" if s >= 1024 else f"{s} MiB": sample("large-blocks", "--mebibytes", s) for s in sizes}
    samples = interleave(variants, min(bench.rounds, 3), report.progress)
    report.samples["store/large-blocks"] = samples
    report.table("Cost of a 2 MiB block, ns", ["store", "allocate, median", "allocate, mean", "free + allocate"],
                 [[name, f"{median(taken, 'median_ns'):.0f}", f"{median(taken, 'mean_ns'):.0f}",
                   f"{median(taken, 'pair_median_ns'):.0f}"] for name, taken in samples.items()])
    if not bench.is_quick:
        report.figure("2 MiB block, 200 GiB store / 1 GiB store",
                      median(samples["200 GiB"], "mean_ns") / median(samples["1 GiB"], "mean_ns"), 1.2)


def named_objects(bench):
    report, sample = bench.report, bench.sample
    sample("prepare-objects")()
    sample("prepare-objects-boost")()
    samples = interleave({"perdure": sample("find-objects"), "Boost.Interprocess": sample("find-objects-boost")},
                         bench.rounds, report.progress)
    report.samples["store/objects"] = samples
    report.table(f"{samples['perdure'][0]['objects']} named objects",
                 ["", "open, ms", "first find, µs", "find, ns"],
                 [[name, f"{median(taken, 'open_seconds') * 1e3:.3f}",
                   f"{median(taken, 'first_find_seconds') * 1e6:.1f}", f"{median(taken, 'find_ns'):.0f}"]
                  for name, taken in samples.items()])
    report.figure("open a store of 300,000 named objects", median(samples["perdure"], "open_seconds") * 1e3, 2.0, "ms")
    report.figure("find one of 300,000 named objects", median(samples["perdure"], "find_ns"), 500, "ns")


def measure(options, report):
    bench = StoreBench(options, report)
    for part in (fresh_checkpoint, dirty_checkpoints, pauses, opening_after_a_crash, snapshots, verification, attaching,
                 large_blocks, named_objects):
        part(bench)
