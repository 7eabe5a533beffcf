#!/usr/bin/env python3
"""Says what took how long in a run of CI, and what took longer than its budget.

usage: scripts/report-times.py RUN STAGES TESTS BUDGET [BUILD_DIRECTORY...]
  RUN              what ran, such as ".ci/run --all"
  STAGES, TESTS    lines 'SECONDS NAME' (scripts/run-tests.sh writes the second, where TEST_TABLE names it)
  BUDGET           see .ci/budget
  BUILD_DIRECTORY  of ninja, whose logs tell how long each translation unit took to compile

Times are wall times, with as many steps beside each other as there were jobs.
"""
import fnmatch
import pathlib
import re
import sys

slowest_shown = 10


def table(path):
    """(seconds, name) of each line of a file."""
    lines = (line.split(" ", 1) for line in path.read_text().splitlines())
    return [(float(seconds), name) for seconds, name in lines]


def translation_units(directory):
    """(seconds, name) of each object that ninja made, of repeated ones the last time."""
    seconds = {}
    log = directory / ".ninja_log"
    if not log.exists():
        return []
    for line in log.read_text().splitlines():
        if line.startswith("#"):
            continue
        start, end, _, output, _ = line.split("\t")
        if output.endswith((".o", ".gch")):
            seconds[output] = (int(end) - int(start)) / 1000
    return [(s, f"{directory.name}: {re.sub(r'CMakeFiles/(.*).dir/', '', output)}") for output, s in seconds.items()]


def read_budget(path):
    """(kind, seconds, pattern) of each line."""
    entries = []
    for line in path.read_text().splitlines():
        words = line.split(maxsplit=2)
        if words and not line.startswith("#"):
            entries.append((words[0], float(words[1]), words[2] if len(words) > 2 else "*"))
    return entries


def allowed(budget, kind, name):
    """What the last entry that matches allows, or None."""
    limits = [s for k, s, pattern in budget if k == kind and fnmatch.fnmatchcase(name, pattern)]
    return limits[-1] if limits else None


def show(title, rows):
    print(title)
    for seconds, name in rows:
        print(f"{seconds:8.1f} s  {name}")


def main():
    run = sys.argv[1]
    stages_file, tests_file, budget_file, *directories = map(pathlib.Path, sys.argv[2:])
    stages = table(stages_file)
    tests = sorted(table(tests_file), reverse=True)
    units = sorted((unit for directory in directories for unit in translation_units(directory)), reverse=True)
    total = sum(seconds for seconds, _ in stages)

    show("== times of the stages", [*stages, (total, "in all")])
    show(f"== slowest of {len(tests)} tests", tests[:slowest_shown])
    compiled = sum(seconds for seconds, _ in units)
    show(f"== slowest of {len(units)} translation units, {compiled:.0f} s in all", units[:slowest_shown])

    budget = read_budget(budget_file)
    timed = [("stage", stages), ("test", tests), ("unit", units), ("total", [(total, run)])]
    for kind, rows in timed:
        for seconds, name in rows:
            limit = allowed(budget, kind, name)
            if limit is not None and seconds > limit:
                print(f"over budget: {kind} {name}: {seconds:.1f} s of {limit:g} ({budget_file})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
