#!/usr/bin/python3
"""Plants mistakes in a folder of src/, one at a time, and says which of them no test notices.

usage: tests/mutation/mutate.py FOLDER [--sample N --seed S] [--list] [--point TEXT] [--jobs N] [--again | --unnoticed]
           [--quick | --thorough]
  FOLDER         below src, as store/commit
  --sample N     only N of the mistakes, chosen by --seed: by their keys, so that a change of the sources exchanges few of them
  --list         prints the mistakes and ends
  --point TEXT   only mistakes whose key has TEXT in it
  --again        tries all of them, also what an earlier run has tried with the same sources and tests
  --unnoticed    takes for noticed what an earlier run has noticed, with whatever sources and tests, and tries the others, but for those
                 that are explained
  --quick        takes only cases of up to 2 s, 20 s of them; what survives those is tried in all of them by the next run without it
  --thorough     takes all cases, however long they take

The folder's sources are compiled once more, with all mistakes in them (mutation_points.py), and every program of build/release
that tests them is linked with the result. A first run without a mistake learns which case of which program reaches which mistake,
and how long it takes. Then each mistake is made in turn, in the cases that reach it, those first that are quick and have noticed many, until one
fails or hangs (ten times its own time, and 10 s). A mistake has survived if all have passed, or as many as take 60 s together
without it, and then as many of the repetitions of tests with other backings and trackers; --thorough takes all.

What survived, and is not explained in docs/dev/surviving-mutants.md, is an error. Results: build/mutation/FOLDER/.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import mutation_points

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build/release"
EXPLAINED = ROOT / "docs/dev/surviving-mutants.md"
LIMIT = 60  # seconds that a case may take
QUICK = 2  # seconds that a quick case takes at most
QUICK_SUM = 20  # seconds that all quick cases take that one mistake is made in
SUM = 60  # the same of all cases
NOTICED = ("failed", "hung")
# What a case has mounted goes when it is killed.
APART = ["unshare", "--mount", "--propagation", "private"] if os.geteuid() == 0 else []
SURVIVED_QUICK = "survived quick cases"
# Of each folder: the ctest names of what may test it. The rigs come last of themselves, because they take longest.
TESTS = {
    "store": r"^(store_)?(journal|history|copied_files|copies|datastore|model|prepared|async|snapshot|staging|lock|verify|repair|trim|"
    r"bad_input|lazy|kept|disk_full|tmpfs|paged|forked|crash|reader|backings|checkpoint|limited|huge|dax|fault|read_only|careless|"
    r"hard|segment)",
    "ranks": r"^(store_set|crash[.]ranks)",
    "array": r"^(array|store_set|crash[.]fuzz_arrays)",
}
# Not the tests of mutants, of the machine, of other languages, and of programs that are not linked here.
NEVER = r"mutant|^vm[.]|^(docs|package|example)|^crash[.](kill|block|write_back|unsynced|fuzz_edges|fuzz_array)"
# What a program's control group may have, files in memory count for.
ON_DISK = r"^limited"
# The rigs' tests take longer than a mistake may: they go on with fewer runs.
SHORTER = {"crash_replay": ("--test", "700"), "crash_faults": ("--test", "97"), "crash_damage": ("--test", "300"), "crash_ranks": ("--states", "150")}

Case = collections.namedtuple("Case", "name program arguments environment filter repeats")


def run(command, **options):
    return subprocess.run(command, check=True, text=True, capture_output=True, **options).stdout


class Build:
    """The folder's sources with their mistakes, and the programs linked with them."""

    def __init__(self, folder):
        self.folder = folder
        self.place = ROOT / "build/mutation" / folder
        self.place.mkdir(parents=True, exist_ok=True)
        # Of the library: how sources are compiled, and which of them as one.
        self.compiled = []
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            file = pathlib.Path(entry["file"])
            if "perdure.dir/" not in entry["command"]:
                continue
            if "Unity/unity" not in entry["file"]:
                together = [file]
            elif file.exists():
                together = [pathlib.Path(each) for each in re.findall(r'#include "(.*)"', file.read_text())]
            else:
                continue
            self.compiled.append((entry, [str(each.relative_to(ROOT)) for each in together if ROOT in each.parents]))
        self.sources = sorted(
            str(path.relative_to(ROOT)) for path in (ROOT / "src" / folder).rglob("*.cpp")
        )
        if not self.sources:
            raise SystemExit(f"mutate.py: src/{folder} has no sources; name a folder as store/commit")
        self.points = []
        self.mutators = {}

    def command_of(self, source):
        """How a source of the library is compiled, and all sources that are compiled as one with it."""
        for entry, together in self.compiled:
            if source in together:
                return entry, together
        raise SystemExit(f"{source} is not compiled into the library: build it first (make build-test)")

    def flags_of(self, entry):
        """What a source is compiled with, but for its name, its object, precompiled headers and optimization."""
        words = iter(shlex.split(entry["command"]))
        kept = []
        for word in words:
            if word in ("-o", "-c", "-include"):
                next(words)
            elif word.startswith("-") and not word.startswith(("-O", "-Winvalid-pch")):
                kept.append(word)
        return kept

    def find_points(self):
        for source in self.sources:
            entry, _ = self.command_of(source)
            flags = [word for word in self.flags_of(entry) if word.startswith(("-I", "-D", "-std", "-isystem"))]
            path = ROOT / source
            mutator = mutation_points.Mutator(
                str(pathlib.Path(source).relative_to("src")), path.read_text(), flags, path
            ).run()
            self.mutators[source] = (len(self.points), mutator)
            self.points += mutator.points

    def compile(self, source, text=None):
        """Compiles a source, or another text in its place; returns its object."""
        entry, _ = self.command_of(source)
        path = ROOT / source
        name = source.replace("/", "_")
        if text is not None:
            path = self.place / name
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
        target = self.place / (name + ".o")
        command = ["ccache"] if shutil.which("ccache") else []
        command += ["g++", *self.flags_of(entry), "-O1", "-w", "-include", str(ROOT / "tests/mutation/chosen_mutant.hpp")]
        command += ["-iquote", str((ROOT / source).parent), "-c", str(path), "-o", str(target)]
        done = subprocess.run(command, cwd=entry["directory"], text=True, capture_output=True)
        if done.returncode:
            raise SystemExit(f"{path} does not compile:\n{done.stderr}")
        return str(target)

    def objects(self, jobs):
        """All that is compiled: what is mutated, and what the library has in one object with it."""
        work = {}
        for source in self.sources:
            first, mutator = self.mutators[source]
            work[source] = mutator.mutated(first)
        for source in self.sources:
            for other in self.command_of(source)[1]:
                work.setdefault(other, None)
        switch = self.place / "chosen_mutant.o"
        run(["g++", "-std=c++20", "-fPIC", "-O1", "-c", str(ROOT / "tests/mutation/chosen_mutant.cpp"), "-o", str(switch)])
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return [str(switch), *pool.map(lambda item: self.compile(*item), work.items())]

    def link(self, program, objects):
        """Links a program of the build with other objects before the library's; None if it has no library in it."""
        lines = run(["ninja", "-C", str(BUILD), "-t", "commands", str(program.relative_to(BUILD))]).splitlines()
        words = lines[-1].removeprefix(": && ").removesuffix(" && :")
        if "libperdure.a" not in words:
            return None
        target = self.place / program.name
        command = re.sub(r" -o (\S+)", f" {' '.join(objects)} -o {target}", words, count=1)
        done = subprocess.run(command, shell=True, cwd=BUILD, text=True, capture_output=True)
        if done.returncode:
            raise SystemExit(f"{program.name} cannot be linked:\n{done.stderr[-2000:]}")
        return target


def cases_of(folder):
    """What ctest would run of the tests that may reach the folder."""
    top = folder.split("/")[0]
    tests = json.loads(run(["ctest", "--test-dir", str(BUILD), "--show-only=json-v1"]))["tests"]
    cases = []
    for test in tests:
        command = test.get("command")
        if not command or not re.search(TESTS[top], test["name"]) or re.search(NEVER, test["name"]):
            continue
        properties = {each["name"]: each["value"] for each in test.get("properties", [])}
        environment = dict(each.split("=", 1) for each in properties.get("ENVIRONMENT", []))
        words = [word for word in command if not word.endswith("on-tmpfs.sh")]
        program = pathlib.Path(words[0])
        if program.parent != BUILD / "bin":
            continue
        arguments = words[1:]
        if program.name in SHORTER:
            name, value = SHORTER[program.name]
            arguments[arguments.index(name) + 1] = value
        pattern = next((word.split("=", 1)[1] for word in arguments if word.startswith("--gtest_filter=")), None)
        arguments = [word for word in arguments if not word.startswith("--gtest_filter=")]
        pattern = pattern or environment.get("GTEST_FILTER")
        repeats = "repeated" in properties.get("LABELS", [])
        cases.append(
            Case(test["name"], program, tuple(arguments), tuple(sorted(environment.items())), pattern, repeats)
        )
    return cases


class Runner:
    """Runs cases, with a mistake or with none."""

    def __init__(self, programs, count, scratch):
        self.programs = programs
        self.count = count
        self.scratch = scratch

    def run(self, case, limit, mutant=None, reached=None):
        """Returns what became of a case ('passed', 'skipped', 'failed', 'hung'), and the seconds it took."""
        place = tempfile.mkdtemp(dir=None if re.search(ON_DISK, case.name) else self.scratch)
        environment = {**os.environ, **dict(case.environment), "TMPDIR": place}
        if case.filter is not None:
            environment["GTEST_FILTER"] = case.filter
        if mutant is not None:
            environment["PERDURE_MUTANT"] = str(mutant)
        if reached is not None:
            environment["PERDURE_REACHED"] = f"{reached}:{self.count}"
        began = time.monotonic()
        process = subprocess.Popen(
            [*APART, str(self.programs[case.program]), *case.arguments],
            cwd=place, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=limit)
            status = process.returncode
            if status == 0:
                what = "skipped" if b"[  SKIPPED ] 1 test" in said else "passed"
            else:
                what = "skipped" if status == 77 else "failed"
        except subprocess.TimeoutExpired:
            what = "hung"
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        shutil.rmtree(place, ignore_errors=True)
        return what, time.monotonic() - began


def explained():
    """The keys of survivors that the documentation explains."""
    if not EXPLAINED.exists():
        return set()
    return set(re.findall(r"^- `(.*)`:? ", EXPLAINED.read_text(), re.MULTILINE))


def learn(build, runner, cases, jobs, limit):
    """Which case reaches what, how long it takes; without those that fail or take too long. What was learned is kept as long as
    the linked program stays the same."""
    path = build.place / "reached.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    digests = {program: hashlib.sha256(target.read_bytes()).hexdigest() for program, target in runner.programs.items()}

    def one(case):
        key = f"{digests[case.program]} {limit}"
        if known.get(case.name, {}).get("of") == key:
            return case, *known[case.name]["found"]
        found = run_once(case)
        if found[0] != "failed":
            known[case.name] = {"of": key, "found": found}
        return case, *found

    def run_once(case):
        with tempfile.NamedTemporaryFile(dir=build.place) as file:
            file.truncate(runner.count)
            what, seconds = runner.run(case, limit, reached=file.name)
            bits = pathlib.Path(file.name).read_bytes()
        return what, seconds, [number for number, byte in enumerate(bits) if byte]

    reaching = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for case, what, seconds, numbers in pool.map(one, cases):
            if what != "passed":
                if what == "failed" or (what == "hung" and limit == LIMIT):
                    print(f"left out, because without a mistake it {what}: {case.name}", flush=True)
                continue
            for number in numbers:
                reaching[number].append((seconds, case))
    path.write_text(json.dumps(known))
    return reaching


def ordered(reaching, results, most):
    """The cases that reach a mistake, in the order of what they take for what they have noticed, up to `most` seconds."""
    noticed = collections.Counter(each.get("by") for each in results.values())
    order = sorted(reaching, key=lambda item: item[0] / (1 + noticed[item[1].name]))
    total = 0
    for number, (seconds, _) in enumerate(order):
        total += seconds
        if total > most and number != 0:
            return order[:number]
    return order


def rank_of(key, seed):
    """A mistake's place in the order in which samples are drawn."""
    return hashlib.sha256(f"{seed} {key}".encode()).digest()


def digest_of(build, cases):
    digest = hashlib.sha256()
    for source in build.sources:
        digest.update((ROOT / source).read_bytes())
    for program in sorted({case.program for case in cases}):
        digest.update(program.read_bytes())
    digest.update(repr(sorted(case.name for case in cases)).encode())
    return digest.hexdigest()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--point")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--unnoticed", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--thorough", action="store_true")
    options = parser.parse_args()
    folder = options.folder.strip("/").removeprefix("src/")
    if folder.split("/")[0] not in TESTS:
        raise SystemExit(f"mutate.py: it is not said which tests are for src/{folder} (TESTS in mutate.py)")

    build = Build(folder)
    build.find_points()
    keys = [mutation_points.key_of(point) for point in build.points]
    numbers = list(range(len(keys)))
    if options.point:
        numbers = [number for number in numbers if options.point in keys[number]]
    if options.sample and options.sample < len(numbers):
        numbers = sorted(sorted(numbers, key=lambda number: rank_of(keys[number], options.seed))[: options.sample])
    if options.list:
        print("\n".join(keys[number] for number in numbers))
        return 0

    cases = cases_of(folder)
    objects = build.objects(options.jobs)
    linked = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        programs = sorted({case.program for case in cases})
        for program, target in zip(programs, pool.map(lambda each: build.link(each, objects), programs)):
            if target:
                linked[program] = target
    cases = [case for case in cases if case.program in linked]
    print(f"{len(keys)} mistakes in src/{folder}, {len(numbers)} to try; {len(cases)} cases of {len(linked)} programs",
          flush=True)

    results_path = build.place / "results.json"
    digest = digest_of(build, cases)
    results = {}
    if results_path.exists() and not options.again:
        known = json.loads(results_path.read_text())
        if known["digest"] == digest or options.unnoticed:
            results = known["results"]
    why = explained()
    if options.unnoticed:
        results = {key: each for key, each in results.items() if each["verdict"] in NOTICED or key in why}
    if not options.quick:
        results = {key: each for key, each in results.items() if each["verdict"] != SURVIVED_QUICK}
    # Where nothing waits for a device, if there is room.
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="perdure-mutants-", dir=place) as scratch:
        runner = Runner(linked, len(keys), scratch)
        reaching = learn(build, runner, cases, options.jobs, QUICK if options.quick else LIMIT)
        most = math.inf if options.thorough else QUICK_SUM if options.quick else SUM
        lock = threading.Lock()
        began = time.monotonic()
        done = 0

        def attempt(number):
            nonlocal done
            if keys[number] not in results:
                began_at = time.monotonic()
                verdict = {"verdict": "survived" if number in reaching else "not reached", "cases": len(reaching[number])}
                if options.quick:
                    verdict["verdict"] = SURVIVED_QUICK
                with lock:
                    order = []
                    for repeats in (False, True):
                        order += ordered([item for item in reaching[number] if item[1].repeats == repeats], results, most)
                for seconds, case in order:
                    what, _ = runner.run(case, max(10.0, 10 * seconds) if seconds < LIMIT / 6 else LIMIT * 2, mutant=number)
                    if what in NOTICED:
                        verdict = {"verdict": what, "by": case.name}
                        break
                verdict["seconds"] = round(time.monotonic() - began_at, 2)
                with lock:
                    results[keys[number]] = verdict
                    results_path.write_text(json.dumps({"digest": digest, "results": results}, indent=1))
            with lock:
                done += 1
                if sys.stdout.isatty() or done % 50 == 0:
                    left = (time.monotonic() - began) / done * (len(numbers) - done)
                    print(f"{done} of {len(numbers)}, {left / 60:.0f} min left", flush=True)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(attempt, numbers))

    found = collections.Counter(results[keys[number]]["verdict"] for number in numbers)
    unexplained = []
    for number in numbers:
        verdict = results[keys[number]]["verdict"]
        if verdict not in NOTICED and keys[number] not in why:
            unexplained.append(number)
            print(f"src/{build.points[number].source}:{build.points[number].line}: {verdict}: {keys[number]}")
    prefix = folder + "/"
    gone = sorted(key for key in why if key.startswith(prefix) and key not in keys)
    for key in gone:
        print(f"explained, but no longer there: {key}")
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(found.items()))
          + f"; {len(unexplained)} not explained in {EXPLAINED.relative_to(ROOT)}")
    return 1 if unexplained or gone else 0


if __name__ == "__main__":
    sys.exit(main())
