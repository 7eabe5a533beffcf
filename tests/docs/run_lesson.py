#!/usr/bin/env python3
"""Follows a lesson, or the commands of a how-to page, in an empty folder, as a reader would, and compares what its commands print.

- A block after <!-- file NAME --> is the text of that file.
- Of a console block, lines that begin with "$ " are commands, lines that begin with "> " continue them, and the others are what the
  command prints. There … stands for any text in a line, and a line … for any lines.
- A command must succeed, unless what it prints begins with an error message ("perdure: ").
- <!-- check COMMAND --> is a command that readers do not see; it must succeed.

usage: run_lesson.py DOCUMENT --source FOLDER --build FOLDER --scratch FOLDER
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

from document_blocks import blocks_of

CHECK = re.compile(r"<!-- check (?P<command>.+) -->")
MARK = "\x01"
SECONDS = 120


class command:
    def __init__(self, line, text):
        self.line, self.text, self.prints = line, text, []

    def pattern(self):
        """The regular expression of what it prints."""
        parts = []
        for line in self.prints:
            parts.append(r"(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n")
        return "".join(parts)

    def fails(self):
        return bool(self.prints) and self.prints[0].startswith("perdure: ")


def commands_of(block):
    found = []
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if line.startswith("$ "):
            found.append(command(number, line[2:]))
        elif line.startswith("> ") and found and not found[-1].prints:
            found[-1].text += "\n" + line[2:]
        elif found:
            found[-1].prints.append(line)
        else:
            sys.exit(f"line {number}: a console block begins with a command")
    return found


def steps_of(document):
    """Files and commands, in the order of the page."""
    lines = document.read_text().splitlines()
    steps = [(number, command(number, found["command"])) for number, line in enumerate(lines, 1) if (found := CHECK.fullmatch(line))]
    for one in blocks_of(lines):
        if one.file:
            steps.append((one.line, one))
        elif one.tag == "console":
            steps += [(step.line, step) for step in commands_of(one)]
    return [step for _, step in sorted(steps, key=lambda step: step[0])]


def script_of(steps, folder):
    """A script of bash that takes all steps, and writes a mark with the status after each command."""
    script = ["set -u", "exec 2>&1 </dev/null"]
    files = folder / "files"
    for number, step in enumerate(steps):
        if isinstance(step, command):
            # A job that is not disowned would be reported when it is killed.
            script.append(step.text + ("\ndisown $!" if step.text.rstrip().endswith("&") else ""))
            script.append(f"printf '{MARK}%d {number}{MARK}' $?")
        else:
            (files / str(number)).write_text(step.text)
            script.append(f"cp {files / str(number)} {step.file}")
    return "\n".join(script) + "\n"


def write_package_files(source, build, folder):
    """Package files of pkg-config that lead into the build, with the flags that the installed ones have."""
    includes = f"{source}/include -I{build}/include"
    for file in build.glob("*.pc"):
        text = re.sub(r"^includedir=.*", f"includedir={includes}", file.read_text(), flags=re.M)
        (folder / file.name).write_text(re.sub(r"^libdir=.*", f"libdir={build}", text, flags=re.M))


def environment(source, build, folder):
    write_package_files(source, build, folder)
    return {
        **os.environ,
        "PATH": f"{build}/bin:{os.environ['PATH']}",
        "PKG_CONFIG_PATH": str(folder),
        "LD_LIBRARY_PATH": f"{build}:{os.environ.get('LD_LIBRARY_PATH', '')}",
        # A killed process may still be ending when the next command begins; a reader types more slowly.
        "PERDURE_WAIT": "20",
        # A test may run as root, and on fewer processors than a lesson has ranks.
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }


def run(script, folder, variables):
    """Returns what the script printed. Ends everything that it has started."""
    output = folder / "output"
    with output.open("wb") as file:
        shell = subprocess.Popen(["bash", "-c", script], stdout=file, cwd=folder / "work", env=variables, start_new_session=True)
        try:
            shell.wait(SECONDS)
        except subprocess.TimeoutExpired:
            print(f"the lesson takes more than {SECONDS} s", file=sys.stderr)
        try:
            os.killpg(shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        shell.wait()
    return output.read_text(errors="replace")


def follow(document, scratch, variables):
    """Follows the lesson in folders below `scratch`, and returns the number of its commands. Exits with a message where one prints something else."""
    for name in ("work", "files"):
        (scratch / name).mkdir(parents=True)
    steps = steps_of(document)
    printed = run(script_of(steps, scratch), scratch, variables)
    parts = printed.split(MARK)
    results = {int(parts[i + 1].split()[1]): (parts[i], int(parts[i + 1].split()[0])) for i in range(0, len(parts) - 1, 2)}
    for number, step in enumerate(steps):
        if not isinstance(step, command):
            continue
        where = f"{document}:{step.line}"
        if number not in results:
            sys.exit(f"{where}: did not end: {step.text}\n{parts[-1]}")
        text, status = results[number]
        if (status != 0) != step.fails():
            sys.exit(f"{where}: exit status {status}: {step.text}\n{text}")
        if not re.fullmatch(step.pattern(), text):
            sys.exit(f"{where}: {step.text}\nprints\n{text}instead of\n" + "\n".join(step.prints))
    return sum(isinstance(step, command) for step in steps)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("document", type=pathlib.Path)
    for name in ("--source", "--build", "--scratch"):
        arguments.add_argument(name, type=pathlib.Path, required=True)
    given = arguments.parse_args()
    shutil.rmtree(given.scratch, ignore_errors=True)
    (given.scratch / "packages").mkdir(parents=True)
    variables = environment(given.source.resolve(), given.build.resolve(), (given.scratch / "packages").resolve())
    print(f"{given.document.name}: {follow(given.document, given.scratch.resolve(), variables)} commands")
    shutil.rmtree(given.scratch)


if __name__ == "__main__":
    main()
