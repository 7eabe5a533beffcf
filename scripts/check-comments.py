#!/usr/bin/env python3
"""Reports documentation comments that begin with Of, As, Those, With, That, Who or What, in lines that a change touches.

usage: check-comments.py [--base COMMIT | --self-check]

A documentation comment is one of ///, ///<, //!, /** or /*!, or the comment that opens a file. The change is what the
working tree has over its base. The base is the first of these that there is:
  - COMMIT, or the variable PERDURE_LINT_BASE; it must be there
  - where HEAD has left main (or origin/main): the commit at which it did
  - the first parent of HEAD
  - HEAD: in a clone of depth 1 only what is not committed can be seen
A line that the change removes elsewhere has been moved, and counts as untouched.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FILES = ("*.hpp", "*.cpp", "*.h", "*.c")
UNWANTED = re.compile(r"(?:of|as|those|with|that|who|what)\b", re.IGNORECASE)
DOCUMENTATION = re.compile(r"(//[/!]<?|/\*[*!]<?)(?!/)\s*(.*)")
OPENING = re.compile(r"(/[/*]+)\s*(.*)")


def git(*arguments, check=True):
    done = subprocess.run(("git",) + arguments, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        if check:
            sys.exit("check-comments.py: git " + " ".join(arguments) + ": " + done.stderr.strip())
        return None
    return done.stdout


def commit_of(name):
    found = git("rev-parse", "--verify", "--quiet", name + "^{commit}", check=False)
    return found.strip() if found else None


def base_of_change(asked):
    if asked:
        found = commit_of(asked)
        if not found:
            sys.exit(f"check-comments.py: there is no commit {asked}; name one that this clone has")
        return found
    head = commit_of("HEAD")
    for main in ("main", "origin/main"):
        if commit_of(main):
            fork = git("merge-base", "HEAD", main, check=False)
            if fork and fork.strip() != head:
                return fork.strip()
    return commit_of("HEAD^1") or head


def touched_lines(base):
    """The lines that the change adds, as {file: set of line numbers}, without those that it has moved."""
    added, removed = [], collections.Counter()
    path, number = None, 0
    for line in git("diff", "--no-color", "--no-ext-diff", "-U0", "-M", base, "--", *FILES).splitlines():
        if line.startswith("+++ "):
            path = line[6:]
        elif line.startswith("@@"):
            number = int(re.search(r"\+(\d+)", line)[1])
        elif line.startswith("+"):
            added.append((path, number, line[1:].strip()))
            number += 1
        elif line.startswith("-") and not line.startswith("--- "):
            removed[line[1:].strip()] += 1
    touched = collections.defaultdict(set)
    for path, number, text in added:
        if removed[text] > 0:
            removed[text] -= 1
        else:
            touched[path].add(number)
    return touched


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
    for path, numbers in sorted(touched_lines(base).items()):
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
