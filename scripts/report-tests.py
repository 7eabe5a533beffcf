#!/usr/bin/env python3
"""Says of a ctest run how each mutant was caught, how tests failed, which took longest, and how many cases passed.

usage: scripts/report-tests.py REPORT.xml [--table FILE]
  REPORT.xml    what ctest wrote for --output-junit
  --table FILE  adds a line "SECONDS NAME" for each test to FILE

Ends with the line 'N passed, N failed[, N skipped]'. A program of GoogleTest that ran as one test counts with its cases.
"""
import argparse
import re
import sys
import xml.etree.ElementTree as xml

slowest_shown = 10
lines_of_failure_shown = 20


def cases_of(test):
    """How many cases of a test passed, failed and were skipped."""
    output = test.findtext("system-out") or ""
    status = test.get("status")
    if status in ("notrun", "disabled"):
        return 0, 0, 1
    passed = re.findall(r"^\[  PASSED  \] (\d+) tests?", output, re.M)
    if status == "run" and len(passed) == 1:
        skipped = re.findall(r"^\[  SKIPPED \] (\d+) tests?, listed below", output, re.M)
        return int(passed[0]), 0, int(skipped[0]) if skipped else 0
    return (1, 0, 0) if status == "run" else (0, 1, 0)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("report")
    options.add_argument("--table")
    wanted = options.parse_args()
    try:
        tests = xml.parse(wanted.report).getroot().findall("testcase")
    except (OSError, xml.ParseError) as failure:
        print(f"ctest left no report, so nothing is known to have passed: {failure}")
        print("0 passed, 1 failed")
        return 1

    timed = sorted(((float(test.get("time", 0)), test.get("name")) for test in tests), reverse=True)
    if wanted.table:
        with open(wanted.table, "a", encoding="utf-8") as table:
            table.writelines(f"{seconds:.1f} {name}\n" for seconds, name in timed)

    caught = []
    for test in tests:
        line = re.search(r"^caught after ([\d.]+) s by: (.*)", test.findtext("system-out") or "", re.M)
        if line:
            caught.append((float(line[1]), test.get("name"), line[2]))
    if caught:
        print("mutants, by the time to catch each:")
        for seconds, name, violation in sorted(caught):
            print(f"{seconds:8.1f} s  {name.replace('crash.', ''):44} {violation[:110]}")
    for test in tests:
        if test.get("status") == "fail":
            lines = (test.findtext("system-out") or "").rstrip().splitlines()
            print(f"failed: {test.get('name')}, which ended with:")
            print("".join(f"    {line}\n" for line in lines[-lines_of_failure_shown:]), end="")
    if len(timed) > slowest_shown:
        print("slowest tests:")
        for seconds, name in timed[:slowest_shown]:
            print(f"{seconds:8.1f} s  {name}")

    passed, failed, skipped = (sum(column) for column in zip(*map(cases_of, tests)))
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
