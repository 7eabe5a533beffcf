"""Samples: programs run in turn, each in a fresh process, and what is made of their figures."""

import glob
import json
import os
import statistics
import subprocess
import time
from pathlib import Path


def find_library(pattern):
    """The newest shared library of that name in the places distributions use, or None."""
    found = []
    for directory in ("/usr/lib/*-linux-gnu", "/usr/lib", "/usr/lib64", "/usr/local/lib"):
        found += glob.glob(f"{directory}/{pattern}")
    return sorted(found)[-1] if found else None


def run_process(command, preload=None, folder=None, environment=None):
    """Runs one command to its end; returns what it printed and what it cost, with its children."""
    environment = {**{k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}, **(environment or {})}
    if preload:
        environment["LD_PRELOAD"] = str(preload)
    command = [str(part) for part in command]
    started = time.monotonic()
    with subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"bench: '{' '.join([Path(command[0]).name, *command[1:]])}' failed with {process.returncode}")
    return output, {
        "wall": time.monotonic() - started,
        "cpu": usage.ru_utime + usage.ru_stime,
        # Of the largest process, where there are several; at least this interpreter's, whose memory a child has until
        # it runs the program.
        "peak_resident_bytes": usage.ru_maxrss * 1024,
    }


def run(program, arguments, preload=None, environment=None):
    """Runs one program to its end; returns its JSON, with the process's own cost added."""
    output, cost = run_process([program, *arguments], preload, environment=environment)
    return {**json.loads(output), "process": cost}


def interleave(variants, rounds, progress):
    """variants: name -> function that takes one sample. Returns name -> list of samples."""
    samples = {name: [] for name in variants}
    names = list(variants)
    for number in range(rounds):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            progress(f"{name}, round {number + 1} of {rounds}")
            samples[name].append(variants[name]())
    return samples


def value(sample, path):
    for key in path.split("."):
        sample = sample[key]
    return sample


def median(samples, path):
    return statistics.median(value(sample, path) for sample in samples)
