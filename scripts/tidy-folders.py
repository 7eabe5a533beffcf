#!/usr/bin/env python3
"""Runs clang-tidy over sources: most checks over all of a folder at once, for they spend their time on shared headers.

usage: scripts/tidy-folders.py < names of sources, one a line    (JOBS: how many at once)

Each source is also looked at alone, for what clang does with the main file only: its warnings, the analyser, and the
check of using-declarations. This is also what finds that a source does not include what it needs.
The flags are those of build/clang/compile_commands.json; a source that is compiled several times is checked once, or
once for each set of macros.
"""
import collections
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

DATABASE = "build/clang/compile_commands.json"
GATHERED = "build/lint"
# Both take away from what .clang-tidy has, so that a check that is added there is run.
FOR_FOLDERS = "--checks=-clang-analyzer-*,-misc-unused-using-decls"
FOR_SOURCES = "--checks=-bugprone-*,-performance-*,-readability-*,-misc-*,misc-unused-using-decls"


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
    wanted = set(sys.stdin.read().split())
    with open(DATABASE, encoding="utf-8") as file:
        entries = json.load(file)

    folders = collections.defaultdict(list)
    seen = set()
    for entry in entries:
        source = os.path.relpath(os.path.join(entry["directory"], entry["file"]))
        flags = flags_of(entry)
        # CMake tells each shared library by a macro that it is being built; no source asks.
        macros = [flag for flag in flags if flag.startswith("-D") and not flag.endswith("_EXPORTS")]
        if source in wanted and (source, *macros) not in seen:
            seen.add((source, *macros))
            folders[os.path.dirname(source), *flags].append(source)

    os.makedirs(GATHERED, exist_ok=True)
    failed = False
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        results = []
        # The longest first, so that no processor is left with it in the end.
        for number, ((folder, *flags), sources) in enumerate(
                sorted(folders.items(), key=lambda item: sum(map(os.path.getsize, item[1])), reverse=True)):
            name = f"{folder.replace('/', '-')}-{number}"
            results.append(pool.submit(tidy_folder, name, sources, flags))
        for (folder, *flags), sources in folders.items():
            results += [pool.submit(tidy, FOR_SOURCES, source, flags) for source in sources]
        for result in concurrent.futures.as_completed(results):
            if output := result.result():
                failed = True
                print(output, end="", flush=True)
    sys.exit(failed)


main()
