#!/usr/bin/env python3
"""Decides which tests and stages of CI need not run again, because they passed with exactly the same inputs.

A record is a file .ci/evidence/STAGE with a line "DIGEST NAME" for each test that passed. The digest covers what the
test depends on: its command and environment, the sources of its programs with all they include (system headers too),
the compile and link commands, the versions of compiler, C library and kernel, and the processor's features.

usage: scripts/evidence.py select PRESET STAGE [--only REGEX] [--exclude REGEX] [--again N SEED]
         Selects the tests of a build that must run: writes their numbers for `ctest -I`, prints one line about the others.
         --only REGEX    only tests whose names match can be left out
         --exclude REGEX tests whose names match are not part of the stage
         --again N SEED  every N-th of the tests that could be left out runs all the same; the seed says which
       scripts/evidence.py record PRESET STAGE REPORT.xml
         Records the tests that passed, after `select` and ctest; keeps the records of those that were left out.
       scripts/evidence.py holds STAGE PATH...
         Exits with 0 if the stage passed with the present content of the tracked files below PATH..., else with 1.
       scripts/evidence.py keep STAGE PATH...
         Records that it does.

EVIDENCE=renew in the environment: records are written, and nothing is left out.
"""
import argparse
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDS = ROOT / ".ci/evidence"
RENEW = os.environ.get("EVIDENCE") == "renew"


def output_of(*command, directory=None):
    """Returns what a command prints, or an empty string if it fails or does not exist."""
    try:
        return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def placeless(text, build=None):
    """Returns a text in which the folders of this checkout and this build have fixed names."""
    if build:
        text = text.replace(str(build), "@BUILD@")
    return text.replace(str(ROOT), "@ROOT@")


@functools.lru_cache(maxsize=None)
def digest_of_file(path, build=None):
    """Returns a digest of a file's content, of a folder's files, or of its absence."""
    path = pathlib.Path(path)
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file())
        return digest_of_texts(f"{file.relative_to(path)} {digest_of_file(file)}" for file in files)
    try:
        content = path.read_bytes()
    except OSError:
        return "absent"
    if build and len(content) < 1 << 20:  # Generated files name the folders that they were generated in.
        content = content.replace(str(build).encode(), b"@BUILD@").replace(str(ROOT).encode(), b"@ROOT@")
    return hashlib.sha256(content).hexdigest()


def digest_of_texts(texts):
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode() + b"\0")
    return digest.hexdigest()


@functools.lru_cache(maxsize=None)
def environment():
    """Returns the versions that every test depends on."""
    flags = re.search(r"^(?:flags|Features)\s*:.*", output_of("cat", "/proc/cpuinfo"), re.MULTILINE)
    return digest_of_texts([os.uname().release, os.uname().machine, flags[0] if flags else "",
                            output_of("c++", "--version"), output_of("ldd", "--version"), output_of("cmake", "--version")])


class Build:
    """The build graph of one preset, from ninja."""

    def __init__(self, preset):
        self.directory = ROOT / "build" / preset
        self.includes = {}
        target = None
        for line in output_of("ninja", "-C", str(self.directory), "-t", "deps").splitlines():
            if line.startswith(" "):
                self.includes[target].append(line.strip())
            elif ": #deps" in line:
                target = line.split(":")[0]
                self.includes[target] = []
        lines = output_of("ninja", "-C", str(self.directory), "-t", "targets", "all").splitlines()
        self.targets = {line.split(": ")[0] for line in lines}

    def ninja(self, tool, target):
        return output_of("ninja", "-C", str(self.directory), "-t", tool, target).splitlines()

    def target_of(self, word):
        """Returns the target that a path names, or None."""
        path = os.path.join(self.directory, word)
        name = os.path.relpath(path, self.directory)
        return name if name in self.targets and os.path.isfile(path) else None

    @functools.lru_cache(maxsize=None)
    def digest_of_target(self, target):
        """Returns a digest of all that goes into a target."""
        commands = [line for line in self.ninja("commands", target) if not line.startswith("ninja:")]
        inputs = {os.path.join(self.directory, line) for line in self.ninja("inputs", target)}
        for command in commands:
            output = re.search(r" -o (\S+)", command)
            for included in self.includes.get(output[1], ()) if output else ():
                inputs.add(os.path.normpath(os.path.join(self.directory, included)))
        made = {os.path.join(self.directory, name) for name in self.targets}
        texts = [placeless(command, self.directory) for command in commands]
        for path in sorted(inputs - made, key=lambda path: placeless(path, self.directory)):
            generated = self.directory if path.startswith(str(self.directory)) else None
            texts.append(f"{placeless(path, self.directory)} {digest_of_file(path, generated)}")
        # Files that a test program reads lie beside its sources.
        folders = {os.path.relpath(path, ROOT).split("/")[1] for path in inputs if path.startswith(f"{ROOT}/tests/")}
        read = [name for name in tracked_files() if name.startswith("tests/") and name.split("/")[1] in folders and
                not name.endswith((".cpp", ".hpp", ".c", ".h"))]
        return digest_of_texts([*texts, digest_of_tracked(tuple(read)) if read else ""])

    def digest_of_words(self, words):
        """Returns a digest of the targets, files and words of a command, or None if it names no target."""
        texts = []
        has_target = False
        for word in words:
            target = self.target_of(word)
            path = pathlib.Path(os.path.join(self.directory, word))
            if target:
                has_target = True
                texts.append(self.digest_of_target(target))
            elif path.is_file() and self.directory in path.parents and path.stat().st_size < 1 << 20:
                # A plan that names programs.
                inside = re.split(r"\s+", path.read_text(errors="replace"))
                targets = sorted({found for found in map(self.target_of, inside) if found})
                has_target = has_target or bool(targets)
                texts += [digest_of_file(path, self.directory), *map(self.digest_of_target, targets)]
            elif path.is_file() and ROOT in path.parents:
                # A script is used with what lies beside it.
                place = path if path.parent == ROOT else path.parent
                texts.append(digest_of_tracked((os.path.relpath(place, ROOT),)))
            elif path.is_dir() and ROOT in path.parents:
                texts.append(digest_of_file(path))
            texts.append(placeless(word, self.directory))
        return digest_of_texts(texts) if has_target else None


@functools.lru_cache(maxsize=None)
def tracked_files():
    return output_of("git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")


@functools.lru_cache(maxsize=None)
def digest_of_tracked(places):
    """Returns a digest of the tracked files at or below the paths of a tuple."""
    names = sorted({name for name in tracked_files() for place in places
                    if name and (name == place or name.startswith(place + "/"))})
    if not names:
        sys.exit(f"evidence.py: no file is tracked at or below {' '.join(places)}")
    return digest_of_texts(f"{name} {digest_of_file(ROOT / name)}" for name in names)


def read_record(stage):
    try:
        lines = (RECORDS / stage).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    return {name: digest for digest, name in (line.split(" ", 1) for line in lines if line and line[0] != "#")}


def write_record(stage, digests):
    RECORDS.mkdir(exist_ok=True)
    with open(RECORDS / stage, "w", encoding="utf-8") as file:
        file.write("# What passed, and a digest of what it depends on (scripts/evidence.py).\n")
        file.writelines(f"{digest} {name}\n" for name, digest in sorted(digests.items()))


def tests_of(build, preset, only):
    """Yields name and digest of each test of a build, in ctest's order; no digest if the name does not match."""
    run = subprocess.run(["ctest", "--preset", preset, "--show-only=json-v1"], cwd=ROOT, capture_output=True,
                         text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"evidence.py: ctest cannot list the tests of {preset}: {run.stderr.strip()}")
    for test in json.loads(run.stdout)["tests"]:
        command = test.get("command", [])
        properties = [placeless(json.dumps(entry, sort_keys=True), build.directory)
                      for entry in test.get("properties", []) if entry["name"].startswith("ENVIRONMENT")]
        digest = build.digest_of_words(command) if command and only.search(test["name"]) else None
        yield test["name"], digest and digest_of_texts([environment(), digest, *properties])[:16]


def chosen_again(name, every, seed):
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16) % every == seed % every


def select(wanted):
    build = Build(wanted.preset)
    known = {} if RENEW else read_record(wanted.stage)
    only = re.compile(wanted.only or "")
    exclude = wanted.exclude and re.compile(wanted.exclude)
    numbers, digests, kept, left_out, again = [], {}, [], 0, 0
    for number, (name, digest) in enumerate(tests_of(build, wanted.preset, only), 1):
        if exclude and exclude.search(name):
            kept.append(name)
            continue
        if digest:
            digests[name] = digest
            if known.get(name) == digest:
                if not wanted.again or not chosen_again(name, *wanted.again):
                    kept.append(name)
                    left_out += 1
                    continue
                again += 1
        numbers.append(number)
    (build.directory / "selected-tests").write_text("0,0,0," + ",".join(map(str, numbers or [0])) + "\n")
    (build.directory / "selected-tests.json").write_text(json.dumps({"digests": digests, "kept": kept}))
    if known:
        repeated = f"; {again} others with such a record run again, as this commit's share" if wanted.again else ""
        print(f"evidence: {left_out} of {len(numbers) + left_out} tests of {wanted.stage} are left out, "
              f"which passed with the same inputs{repeated}")
    else:
        print(f"evidence: all {len(numbers)} tests of {wanted.stage} run, " +
              ("to renew their records" if RENEW else "since none has a record"))


def record(wanted):
    directory = ROOT / "build" / wanted.preset
    selected = json.loads((directory / "selected-tests.json").read_text())
    known = read_record(wanted.stage)
    kept = {name: known[name] for name in selected["kept"] if name in known}
    for test in xml.parse(wanted.report).getroot().findall("testcase"):
        name = test.get("name")
        if test.get("status") == "run" and name in selected["digests"]:
            kept[name] = selected["digests"][name]
    if kept != known:
        write_record(wanted.stage, kept)


def stage_digest(wanted):
    return digest_of_texts([environment(), digest_of_tracked(tuple(wanted.path))])[:16]


def holds(wanted):
    if RENEW or read_record(wanted.stage).get(wanted.stage) != stage_digest(wanted):
        sys.exit(1)
    print(f"evidence: {wanted.stage} is left out, which passed with the same {', '.join(wanted.path)}")


def keep(wanted):
    write_record(wanted.stage, {wanted.stage: stage_digest(wanted)})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True)

    command = commands.add_parser("select")
    command.add_argument("preset")
    command.add_argument("stage")
    command.add_argument("--only")
    command.add_argument("--exclude")
    command.add_argument("--again", nargs=2, type=int)
    command.set_defaults(run=select)

    command = commands.add_parser("record")
    command.add_argument("preset")
    command.add_argument("stage")
    command.add_argument("report")
    command.set_defaults(run=record)

    for name, run in (("holds", holds), ("keep", keep)):
        command = commands.add_parser(name)
        command.add_argument("stage")
        command.add_argument("path", nargs="+")
        command.set_defaults(run=run)

    wanted = parser.parse_args()
    wanted.run(wanted)


if __name__ == "__main__":
    main()
