#!/usr/bin/env python3
"""Runs clang-tidy over sources: most checks over all of a folder at once, for they spend their time on shared headers.

usage: scripts/tidy-folders.py [--all] [--deep] < names of sources, one a line    (JOBS: how many at once)

Sources of which .ci/evidence/clang-tidy says that they were clean are passed over, unless --all is given: it holds a digest of each
source with all that it includes of this repository, and of .clang-tidy. Those that are found clean are entered there.

Each source is also looked at alone, for what clang does with the main file only: its warnings, the analyser, and the
check of using-declarations. This is also what finds that a source does not include what it needs. The analyser takes
most of that time, and most of its own time for the few functions with more paths than it can follow: it gives them up
at 50,000 states, a quarter of its own limit (12.0 s become 5.1 s for inspect/src/object_reader.cpp). With --deep it does not.
The flags are those of build/clang/compile_commands.json; a source that is compiled several times is checked once, or
once for each set of macros.
"""
import argparse
import collections
import concurrent.futures
import functools
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

KNOWN = ".ci/evidence/clang-tidy"
DATABASE = "build/clang/compile_commands.json"
GATHERED = "build/lint"
# Both take away from what .clang-tidy has, so that a check that is added there is run.
FOR_FOLDERS = "--checks=-clang-analyzer-*,-misc-unused-using-decls"
FOR_SOURCES = "--checks=-bugprone-*,-performance-*,-readability-*,-misc-*,misc-unused-using-decls"
FEWER_STATES = ["-Xclang", "-analyzer-config", "-Xclang", "max-nodes=50000"]


@functools.lru_cache(maxsize=None)
def included_by(path):
    """The names of what a file includes."""
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]', file.read(), re.MULTILINE)


def digest_of(source, directories):
    """Of the source, everything of this repository that it includes, and what is asked of it."""
    files = {source}
    waiting = [source]
    while waiting:
        path = waiting.pop()
        for name in included_by(path):
            for directory in (os.path.dirname(path), *directories):
                found = os.path.relpath(os.path.join(directory, name))
                if os.path.isfile(found):
                    if found not in files and not found.startswith(("..", "build/")):
                        files.add(found)
                        waiting.append(found)
                    break
    digest = hashlib.sha256()
    for path in (".clang-tidy", *sorted(files)):
        with open(path, "rb") as file:
            digest.update(path.encode() + b"\0" + hashlib.sha256(file.read()).digest())
    return digest.hexdigest()[:16]


def read_known():
    try:
        with open(KNOWN, encoding="utf-8") as file:
            return {source: digest for digest, source in (line.split() for line in file if line[0] != "#")}
    except FileNotFoundError:
        return {}


def write_known(digests):
    with open(KNOWN, "w", encoding="utf-8") as file:
        file.write("# Sources that clang-tidy found clean as they were then (scripts/tidy-folders.py writes it).\n")
        file.writelines(f"{digest} {source}\n" for source, digest in sorted(digests.items()))


def flags_of(entry):
    words = iter(entry["arguments"] if "arguments" in entry else shlex.split(entry["command"]))
    next(words)
    flags = []
    for word in words:
        if word == "-o":
            next(words)
        elif word != "-c" and word != entry["file"]:
            flags.append(word)
    return flags


def tidy(checks, path, flags):
    """What clang-tidy has found, empty when it is content."""
    done = subprocess.run(["clang-tidy-16", "--quiet", checks, path, "--", *flags],
                          capture_output=True, text=True, check=False)
    return done.stdout or (done.stderr if done.returncode != 0 else "")


def tidy_folder(name, sources, flags):
    path = f"{GATHERED}/{name}.cpp"
    with open(path, "w", encoding="utf-8") as file:
        # The check of includes is switched off for these lines alone: to include sources is what they are for.
        for number, source in enumerate(sources):
            file.write(f"#undef main\n#define main main_{number}\n"
                       f'#include "{os.path.abspath(source)}"  // NOLINT(bugprone-suspicious-include)\n')
    output = tidy(FOR_FOLDERS, path, [*flags, "-w", "-ferror-limit=0"])
    if len(sources) == 1 or "[clang-diagnostic-error" not in output:
        return output

    # A name that two sources have for themselves, as a rule; any other error comes again.
    failing = set(re.findall(r"^(\S+?):\d+:\d+: error: .*\[clang-diagnostic-error", output, re.MULTILINE))
    failing = [source for source in sources if os.path.abspath(source) in failing]
    rest = [source for source in sources if source not in failing]
    parts = [rest, failing] if failing and rest else [[source] for source in sources]
    print(f"clang-tidy: clash with others of their folder: {' '.join(failing)}", file=sys.stderr, flush=True)
    return "".join(tidy_folder(f"{name}-{number}", part, flags) for number, part in enumerate(parts))


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--all", action="store_true")
    options.add_argument("--deep", action="store_true")
    options = options.parse_args()
    limits = [] if options.deep else FEWER_STATES
    wanted = set(sys.stdin.read().split())
    known = read_known()
    with open(DATABASE, encoding="utf-8") as file:
        entries = json.load(file)

    folders = collections.defaultdict(list)
    seen = set()
    directories = collections.defaultdict(list)
    compiled = []
    for entry in entries:
        source = os.path.relpath(os.path.join(entry["directory"], entry["file"]))
        if source not in wanted:
            continue
        flags = flags_of(entry)
        directories[source] += [flag[2:] for flag in flags if flag.startswith("-I")]
        directories[source] += [path for flag, path in zip(flags, flags[1:]) if flag == "-isystem"]
        compiled.append((source, flags))
    digests = {source: digest_of(source, paths) for source, paths in directories.items()}
    for source, flags in compiled:
        # CMake tells each shared library by a macro that it is being built; no source asks.
        macros = [flag for flag in flags if flag.startswith("-D") and not flag.endswith("_EXPORTS")]
        if (source, *macros) in seen:
            continue
        seen.add((source, *macros))
        if options.all or known.get(source) != digests[source]:
            folders[os.path.dirname(source), *flags].append(source)

    os.makedirs(GATHERED, exist_ok=True)
    unclean = set()
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        results = {}
        # The longest first, so that no processor is left with it in the end.
        for number, ((folder, *flags), sources) in enumerate(
                sorted(folders.items(), key=lambda item: sum(map(os.path.getsize, item[1])), reverse=True)):
            name = f"{folder.replace('/', '-')}-{number}"
            results[pool.submit(tidy_folder, name, sources, flags)] = sources
        for (folder, *flags), sources in folders.items():
            results |= {pool.submit(tidy, FOR_SOURCES, source, [*flags, *limits]): [source] for source in sources}
        for result in concurrent.futures.as_completed(results):
            if output := result.result():
                unclean.update(results[result])
                print(output, end="", flush=True)
    print(f"clang-tidy: looked at {sum(map(len, folders.values()))} of {len(seen)} sources", flush=True)
    clean = {source: digest for source, digest in digests.items() if source not in unclean}
    if clean != known:
        write_known(clean)
    if unclean:
        sys.exit(1)


main()
