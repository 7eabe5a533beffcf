"""A table from keys to values that is kept between runs, beside LMDB, SQLite and a pickled dictionary."""

import json
import shutil
import sys
from pathlib import Path

from measuring import interleave, median, run_process

PEERS = Path(__file__).parent.parent / "peers"


def add_options(parser):
    parser.add_argument("--table-keys", type=int, default=1_000_000, help="keys of the table (default 1,000,000)")


def remove(path):
    for one in path.parent.glob(path.name + "*"):
        shutil.rmtree(one) if one.is_dir() else one.unlink()


def measure(options, report):
    program = options.bin / "bench_key_table"
    keys = 10_000 if options.quick else options.table_keys

    def command(kind, what, path):
        if kind == "pickle":
            return [sys.executable, PEERS / "key_table_pickle.py", what, path, keys]
        return [program, "--kind", kind, "--path", path, "--keys", keys, what]

    def sample(kind, what):
        path = report.directory / f"table.{kind}"
        if what == "make":
            remove(path)
        output, cost = run_process(command(kind, what, path))
        return {**json.loads(output), "process": cost}

    kinds = ["perdure"]
    for kind in ("lmdb", "sqlite"):
        path = report.directory / f"table.{kind}"
        remove(path)
        try:
            sample(kind, "make")
            kinds.append(kind)
        except SystemExit:
            report.say(f"key_table: {kind} is left out, as its library was not there when the benchmarks were built")
    kinds.append("pickle")
    seconds = {}
    for what in ("make", "first", "all"):
        samples = interleave({kind: lambda k=kind, w=what: sample(k, w) for kind in kinds}, options.rounds,
                             report.progress)
        report.samples[f"key table, {what}"] = samples
        seconds[what] = {kind: median(taken, "process.wall" if what == "first" else "seconds")
                         for kind, taken in samples.items()}
    report.table(f"A table of {keys} keys and values of 8 bytes, s",
                 ["", "make it durable", "process with one look-up", "open and look up all"],
                 [[kind, *(f"{seconds[what][kind]:.4f}" for what in ("make", "first", "all"))] for kind in kinds])
    headings = {"make": "make it durable, s", "first": "process with one look-up, s", "all": "open and look up all, s"}
    titles = {"perdure": "Perdure", "lmdb": "LMDB", "sqlite": "SQLite"}
    for kind in kinds if keys == 1_000_000 else ():
        report.chart("key-table", titles.get(kind, kind), {heading: f"{seconds[what][kind]:.3g}" for what, heading in headings.items()})
    for kind in kinds[1:]:
        for what in ("make", "first", "all"):
            report.figure(f"key table, {what}: Perdure / {kind}", seconds[what]["perdure"] / seconds[what][kind], 1)
    for kind in kinds:
        remove(report.directory / f"table.{kind}")
