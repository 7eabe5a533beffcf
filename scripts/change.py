"""The lines that a change touches, for checks of what is written anew.

The change is what the working tree has over its base. The base is the first of these that there is:
  - the commit that is asked for, or the variable PERDURE_LINT_BASE; it must be there
  - where HEAD has left main (or origin/main): the commit at which it did
  - the first parent of HEAD
  - HEAD: in a clone of depth 1 only what is not committed can be seen
A line that the change removes elsewhere has been moved, and counts as untouched.
"""
import collections
import pathlib
import re
import subprocess
import sys


def git(*arguments, check=True):
    done = subprocess.run(("git",) + arguments, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        if check:
            sys.exit(f"{pathlib.Path(sys.argv[0]).name}: git " + " ".join(arguments) + ": " + done.stderr.strip())
        return None
    return done.stdout


def commit_of(name):
    found = git("rev-parse", "--verify", "--quiet", name + "^{commit}", check=False)
    return found.strip() if found else None


def base_of_change(asked):
    if asked:
        found = commit_of(asked)
        if not found:
            sys.exit(f"{pathlib.Path(sys.argv[0]).name}: there is no commit {asked}; name one that this clone has")
        return found
    head = commit_of("HEAD")
    for main in ("main", "origin/main"):
        if commit_of(main):
            fork = git("merge-base", "HEAD", main, check=False)
            if fork and fork.strip() != head:
                return fork.strip()
    return commit_of("HEAD^1") or head


def touched_lines(base, files):
    """The lines that the change adds, as {file: set of line numbers}, without those that it has moved."""
    added, removed = [], collections.Counter()
    path, number = None, 0
    for line in git("diff", "--no-color", "--no-ext-diff", "-U0", "-M", base, "--", *files).splitlines():
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
