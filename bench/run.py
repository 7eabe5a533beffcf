#!/usr/bin/env python3
"""Runs the benchmarks beside their peers and says how they compare.

Every figure is a ratio of medians. The programs of one comparison run in turn (A B C, B C A, ...), each run
in a fresh process, so that a machine that slows down or warms up treats all alike. Results go to a table on
the terminal and, with every sample, to a JSON file.
"""

import argparse
import json
import shutil
import sys
import time
from pathlib import Path

from machine import describe_machine
from report import Report
from suites import SUITES

ROOT = Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=tuple(SUITES), action="append",
                        help="run only this group (may be repeated)")
    parser.add_argument("--quick", action="store_true", help="tiny inputs and one round: does everything work?")
    parser.add_argument("--rounds", type=int, help="samples of each program (default 5)")
    parser.add_argument("--threads", type=int, action="append", help="only this number of threads (may be repeated)")
    for suite in SUITES.values():
        if hasattr(suite, "add_options"):
            suite.add_options(parser)
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

    started = time.monotonic()
    for name, suite in SUITES.items():
        if not options.only or name in options.only:
            suite.measure(options, report)
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
        "charts": report.charts,
        "samples": report.samples,
    }, indent=1))
    report.say(f"\nEvery sample is in {options.output}")
    if report.charts and not options.quick:
        report.say(f"scripts/draw-charts.py --results {options.output} brings the figures into the tables and charts of docs/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
