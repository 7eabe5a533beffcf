"""Programs as they are installed, each with work that lives on malloc: what `bench/run.py --only malloc` runs.

A program is prepared once, and then run any number of times on what was prepared. Where it is not installed it is
left out.
"""

import os
import shutil
import subprocess
import sys
import textwrap



class Program:
    """name: what the table calls it. command: its argument list. folder: where it runs."""

    def __init__(self, name, folder, command, environment=None):
        self.name = name
        self.folder = folder
        self.command = [str(part) for part in command]
        self.environment = environment or {}


def quietly(command, folder, environment=None, **options):
    subprocess.run([str(part) for part in command], cwd=folder, env={**os.environ, **(environment or {})},
                   stdout=subprocess.DEVNULL, check=True, **options)


def python(folder, quick):
    """Compiles modules to byte code, then takes a document apart and puts it together as JSON."""
    package = folder / "package"
    package.mkdir()
    for number in range(10 if quick else 150):
        (package / f"m{number}.py").write_text("".join(
            f"def f{i}(a, b=None, *rest, **named):\n    return [a + {i} for _ in range({number})], {{'k{i}': b}}\n"
            for i in range(60)))
    script = folder / "work.py"
    script.write_text(textwrap.dedent(f"""
        import compileall, json
        assert compileall.compile_dir("package", force=True, quiet=2)
        data = {{str(i): [i, i * 0.5, "x" * (i % 50)] for i in range({5000 if quick else 150000})}}
        for _ in range(3):
            assert json.loads(json.dumps(data)) == data
        """))
    # Python's own allocator for small objects would leave malloc little to do.
    return Program("python3", folder, [sys.executable, script], {"PYTHONMALLOC": "malloc"})


def compiler(folder, quick):
    """Compiles a C++ source that instantiates much."""
    source = folder / "program.cpp"
    source.write_text("#include <map>\n#include <regex>\n#include <string>\n#include <vector>\n" + "".join(
        f"struct t{i} {{ int v; bool operator<(const t{i}& o) const {{ return v < o.v; }} }};\n"
        f"std::size_t f{i}() {{ std::map<t{i}, std::vector<std::string>> m; m[t{i}{{{i}}}].push_back(\"x\");\n"
        f"  return m.size(); }}\n" for i in range(5 if quick else 50)))
    return Program("g++", folder, ["g++", "-std=c++20", "-O1", "-c", source, "-o", folder / "program.o"])


def git(folder, quick):
    """Packs a repository anew, deltas and all."""
    identity = {"HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b",
                "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    repository = folder / "repository"
    quietly(["git", "init", "-q", repository], folder, identity)
    for round_number in range(3 if quick else 30):
        for number in range(100):
            text = "\n".join(str(line * (number + 1) % (97 + round_number)) for line in range(50 + 60 * number))
            (repository / f"file{number}").write_text(text)
        quietly(["git", "add", "."], repository, identity)
        quietly(["git", "commit", "-q", "-m", f"round {round_number}"], repository, identity)
    return Program("git repack", repository, ["git", "-c", "pack.threads=2", "repack", "-a", "-d", "-f", "-q",
                                              "--window=50"], identity)


def sqlite(folder, quick):
    """Fills, indexes and sorts a table in memory."""
    rows = 5000 if quick else 400000
    script = folder / "work.sql"
    script.write_text(textwrap.dedent(f"""
        create table t(id integer primary key, v integer, s text);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < {rows})
          insert into t select i, i * 7919 % {rows}, printf('%032x', i * 104729 % {rows}) from n;
        create index s on t(s);
        delete from t where v % 3 = 0;
        select count(*), group_concat(s) is not null from (select s from t order by v);
        """))
    return Program("sqlite3", folder, ["sqlite3", "-batch", ":memory:", f".read {script}"])


def redis(folder, quick):
    """Keeps what its own benchmark sends it; the clients use the C library's malloc."""
    if not shutil.which("redis-cli") or not shutil.which("redis-benchmark"):
        raise FileNotFoundError("redis-cli")
    requests = 2000 if quick else 300000
    script = folder / "work.sh"
    script.write_text(textwrap.dedent(f"""
        set -eu
        redis-server --port 0 --unixsocket socket --save '' --dir . >log &
        unset LD_PRELOAD
        until redis-cli -s socket ping >/dev/null 2>&1; do sleep 0.05; done
        redis-benchmark -q -s socket -n {requests} -r 100000 -d 200 -t set,lpush,sadd,hset,get >/dev/null
        redis-cli -s socket shutdown nosave
        wait
        """))
    return Program("redis-server", folder, ["sh", script])


def postgres(folder, quick):
    """One backend that fills a table, indexes it and aggregates it by hash."""
    rows = 5000 if quick else 300000
    user = {}
    if os.geteuid() == 0:  # it refuses to run as root
        nobody = 65534
        shutil.chown(folder, nobody, nobody)
        user = {"user": nobody, "group": nobody, "extra_groups": []}
    quietly(["initdb", "-D", folder / "data", "-A", "trust", "-U", "p", "--no-sync"], folder, {"HOME": str(folder)},
            **user)
    script = folder / "work.sql"
    script.write_text(f"create temp table t as select i, md5(i::text) as s from generate_series(1, {rows}) i;\n"
                      "create index on t(s);\n"
                      "select count(*) from (select s, array_agg(i) from t group by s) g;\n"
                      "select count(*) from (select string_agg(s, ',') from t group by i % 1000) g;\n")
    command = f"exec postgres --single -F -D data -c work_mem=256MB postgres <{script} >/dev/null 2>log"
    prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if user else []
    return Program("postgres", folder, [*prefix, "sh", "-c", command], {"HOME": str(folder)})


PROGRAMS = {"python3": python, "g++": compiler, "git": git, "sqlite3": sqlite, "redis-server": redis,
            "postgres": postgres}


def prepare(directory, quick, say):
    """The programs that are installed, each prepared in a folder of its own in `directory`."""
    prepared = []
    for executable, make in PROGRAMS.items():
        if not shutil.which(executable):
            say(f"{executable} is not installed and is left out")
            continue
        folder = directory / f"program-{executable}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            prepared.append(make(folder, quick))
        except (OSError, subprocess.CalledProcessError) as problem:
            say(f"{executable} is left out: {problem}")
    return prepared
