#!/usr/bin/env python3
"""Runs the program on a pseudo-terminal and in pipes: colours and progress are on terminals only.

usage: check_terminal.py PROGRAM
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

# For what must come, however slow the machine is. What must not come is waited for as long as QUIET says.
PATIENCE = 300
QUIET = 2
COLOUR = b"\x1b["
ERASE = b"\r\x1b[K"


def environment(**changed):
    variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    return {**variables, **changed}


class Run:
    """A command whose standard error, and standard output unless `piped`, are a pseudo-terminal."""

    def __init__(self, command, columns=80, piped=False, **variables):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE if piped else slave, stderr=slave, env=environment(**variables))
        os.close(slave)
        self.text = b""
        self.command = command

    def read(self, seconds):
        """Reads what there is, for at most so long. Returns whether more may come."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            more = os.read(self.master, 65536)
        except OSError:  # its other end is closed
            return False
        self.text += more
        return more != b""

    def wait_for(self, pattern):
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, self.text):
            if time.monotonic() > end or not self.read(1):
                sys.exit(f"{self.command}: no {pattern} in {self.text!r}")

    def finish(self):
        """Returns all that it has written once it has ended."""
        self.process.stdin.close()
        while self.read(1):
            pass
        self.process.wait()
        os.close(self.master)
        return self.text

    def kill(self):
        self.process.kill()
        return self.finish()


def expect(holds, what, text):
    if not holds:
        sys.exit(f"{what}: {text!r}")


def check_colours(program):
    for arguments in (["graph", "bfs", "--help"], ["ls", "no-such.store"]):
        text = Run([program, *arguments]).finish()
        expect(COLOUR in text, f"{arguments} has no colours on a terminal", text)
        text = Run([program, *arguments], NO_COLOR="1").finish()
        expect(b"\x1b" not in text and text, f"{arguments} has colours in spite of NO_COLOR", text)
        piped = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment())
        expect(b"\x1b" not in piped.stdout and piped.stdout, f"{arguments} has colours in a pipe", piped.stdout)


def check_reading(program, directory):
    """Progress of a command that waits for its input, which shows how far it has read."""
    def ingest(name):
        return [program, "graph", "ingest", os.path.join(directory, name), "-"]

    def start(name, **variables):
        run = Run(ingest(name), **variables)
        # More than is read to see which format it has.
        run.process.stdin.write(b"1 2\n" * (1 << 18))
        run.process.stdin.flush()
        run.wait_for(rb"\ringest [^\r]*MiB[^\r]*/s[^\r]*\x1b\[K")
        return run.finish()

    text = start("shown")
    expect(text.count(ERASE) >= 1 and b"262,144 edges" in text.rsplit(ERASE, 1)[1], "progress is not erased before the answer", text)
    text = start("plain", NO_COLOR="1")
    expect(not re.search(rb"\x1b\[[0-9;]*m", text), "progress has colours in spite of NO_COLOR", text)

    run = Run(ingest("json") + ["--json"], piped=True)
    time.sleep(QUIET)
    run.process.stdin.close()
    run.process.stdout.read()
    expect(run.finish() == b"", "--json has progress", run.text)

    piped = subprocess.Popen(ingest("piped"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    time.sleep(QUIET)
    _, text = piped.communicate(b"1 2\n")
    expect(text == b"" and piped.returncode == 0, "there is progress in a pipe", text)


def check_analyses(program, directory):
    """Every analysis shows what it is at. Each repeats its work until it has shown it."""
    edges, store = (os.path.join(directory, name) for name in ("edges", "graph"))
    subprocess.run([program, "graph", "generate", "rmat", "--scale", "12", "-o", edges], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "graph", "ingest", store, edges, "--undirected"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "graph", "freeze", store], check=True, stdout=subprocess.DEVNULL)
    shown = {
        "louvain": "iteration", "lpa": "iteration", "pagerank": "iteration", "bfs": "level", "sssp": "step", "bc": "following paths",
        "tc": "closing triangles|ordering edges", "clustering": "closing triangles|ordering edges",
        "ktruss": "peeling|counting triangles|closing triangles|ordering edges", "kcore": "peeling round", "scc": "", "cc": "", "stats": "",
    }
    runs = {}
    for name, stage in shown.items():
        source = ["--source", "1"] if name in ("bfs", "sssp") else []
        command = [program, "graph", name, store, "--trials", "1000000", "--threads", "1", *source]
        # Of those that are quick here only that they run is shown.
        pattern = rf"\rgraph {name}: ({stage})" if stage else rf"\rgraph {name}"
        runs[name] = (Run(command), pattern.encode())
    for run, pattern in runs.values():
        run.wait_for(pattern)
    for run, _ in runs.values():
        run.kill()


def check_lists(program, directory):
    """A line for each object, however long its name is."""
    store, numbers = (os.path.join(directory, name) for name in ("list", "numbers.txt"))
    with open(numbers, "w") as file:
        file.write("1 2\n")
    for length in (5, 40, 300):
        subprocess.run([program, "graph", "build", store, numbers, "--graph", "n" * length], check=True, stdout=subprocess.DEVNULL)
    whole = subprocess.run([program, "ls", store], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    expect(len(whole) == 3 and all(line.count("n" * 5) for line in whole), "there is not a line for each object", whole)
    for columns in (30, 60, 200):
        shown = Run([program, "ls", store], columns=columns).finish().decode().replace("\r", "").splitlines()
        expect(len(shown) == 3 and max(map(len, shown)) <= columns, f"lines do not fit {columns} columns", shown)
        expect(all(re.search(r" (bytes|[KM]iB)", line) for line in shown), f"sizes are cut at {columns} columns", shown)


def main():
    program = sys.argv[1]
    signal.alarm(1200)
    with tempfile.TemporaryDirectory() as directory:
        check_colours(program)
        check_reading(program, directory)
        check_lists(program, directory)
        check_analyses(program, directory)


main()
