#!/usr/bin/env python3
"""Reports documentation comments that begin with Of, As, Those, With, That, Who or What, in lines that a change touches.

usage: check-comments.py [--base COMMIT | --self-check]

A documentation comment is one of ///, ///<, //!, /** or /*!, or the comment that opens a file. The change, and what it is compared with
without --base, is that of scripts/change.py.
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile

from change import base_of_change, git, touched_lines

FILES = ("*.hpp", "*.cpp", "*.h", "*.c")
UNWANTED = re.compile(r"(?:of|as|those|with|that|who|what)\b", re.IGNORECASE)
DOCUMENTATION = re.compile(r"(//[/!]<?|/\*[*!]<?)(?!/)\s*(.*)")
OPENING = re.compile(r"(/[/*]+)\s*(.*)")


def beginnings(lines):
    """(number, first words) of each documentation comment."""
    before = None
    for number, line in enumerate(lines, 1):
        found = DOCUMENTATION.search(line) or (OPENING.match(line) if number == 1 else None)
        mark = found[1] if found else None
        # A comment behind code begins there; a whole line goes on with a comment of its kind.
        if found and not (mark == before and line.lstrip().startswith(mark)):
            yield number, found[2]
        before = mark


def faults(base):
    for path, numbers in sorted(touched_lines(base, FILES).items()):
        lines = pathlib.Path(path).read_text(errors="replace").splitlines()
        for number, text in beginnings(lines):
            if number in numbers and UNWANTED.match(text):
                yield f"{path}:{number}: a comment begins with '{text.split()[0]}': name its subject with a noun, or begin with a verb"


def self_check():
    """Plants comments in a repository of its own, and looks which are found."""
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        file = pathlib.Path("a.hpp")

        def commit(text):
            file.write_text(text)
            git("add", ".")
            git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x")

        def found():
            return [int(fault.split(":")[1]) for fault in faults(base_of_change(None))]

        def expect(what, expected):
            if found() != expected:
                sys.exit(f"check-comments.py: {what}: lines {found()} are reported instead of {expected}")

        git("init", "-q", "-b", "main")
        commit("// A file.\n\n/// Of old.\nint a;\n")
        expect("a commit without a parent", [])
        more = "/// Returns it,\n/// as before.\nint b;  ///< what it is\n/// Those of it.\nint c;  // Of no interest.\n"
        file.write_text("// A file.\n\n/// Of old.\nint a;\n" + more)
        expect("a change that is not committed", [7, 8])
        commit("// A file.\n\n/// Of old.\nint a;\n" + more)
        expect("the last commit", [7, 8])
        commit("// A file.\n\n" + more + "/// Of old.\nint a;\n")
        expect("comments that have moved", [])
        git("checkout", "-qb", "topic")
        commit("// As a file.\n" + more)
        commit("// As a file.\n" + more + "int d;\n")
        expect("all commits of a branch", [1])


def main():
    arguments = argparse.ArgumentParser(usage=__doc__.split("\n")[2].removeprefix("usage: "))
    arguments.add_argument("--base", default=os.environ.get("PERDURE_LINT_BASE"))
    arguments.add_argument("--self-check", action="store_true")
    given = arguments.parse_args()
    if given.self_check:
        return self_check()
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    found = list(faults(base_of_change(given.base)))
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
