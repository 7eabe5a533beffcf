"""What is left behind: objects at the interpreter's exit, descriptors and mappings of stores that were closed."""

import os
import subprocess
import sys

import numpy as np
import pytest

import perdure

pytestmark = pytest.mark.long


def descriptors_and_mappings():
    with open("/proc/self/maps") as maps:
        return len(os.listdir("/proc/self/fd")), sum(1 for _ in maps)


@pytest.mark.parametrize("mode", ["r", "r+"])
@pytest.mark.parametrize("backing", ["private", "paged"])
def test_a_thousand_opens_leave_nothing_behind(path, mode, backing):
    with perdure.open(path, "x") as s:
        s["a"] = np.arange(1000.0)
        perdure.Dict(s, "d", {"a": 1})

    def open_and_close():
        with perdure.open(path, mode, backing=backing, budget="16 MiB") as s:
            view = s["a"].view()
            assert view[5] == 5 and s["d"]["a"] == 1
            if mode == "r+":
                s["b"] = 1

    for _ in range(20):
        open_and_close()
    before = descriptors_and_mappings()
    for _ in range(1000):
        open_and_close()
    after = descriptors_and_mappings()
    assert after[0] == before[0]
    assert after[1] <= before[1] + 8  # threads' stacks and arenas of malloc


PROGRAMS = {
    "stores": """
s = perdure.open(path, "x")
s["a"] = np.arange(1000); s["t"] = "text"; s["g/x"] = {"y": [1, 2], "z": b"b"}
v = s["a"].view(); m = memoryview(s["a"]); n = np.from_dlpack(s["a"])
del n  # NumPy frees no memory of DLPack while the interpreter ends
d = perdure.Dict(s, "d", {"a": np.arange(3)}); l = perdure.List(s, "l", [1]); e = perdure.Set(s, "e", {1})
pending = s.checkpoint_async()
pending.wait()
for wrong in (lambda: s["none"], lambda: s["a"][9999], lambda: s.close()):
    try: wrong()
    except Exception as error: kept = error
""",
    "closed": """
with perdure.open(path, "x") as s:
    s["a"] = np.arange(1000)
    v = s["a"].view()
    cycle = [s, v]; cycle.append(cycle)
""",
    "memmap": """
m = perdure.memmap(path + ".bin", "f8", "w+", shape=(1000,), budget=1 << 20)
m[[1, 2]] = 3
k = m[::2]
""",
    "graph and k-mers": """
from perdure import graph, kmer
g = graph.from_edges(path, [0, 1, 2], [1, 2, 0])
levels, indptr = g.bfs(0), g.indptr
""",
    "failures": """
for _ in range(3):
    try: perdure.open(path)
    except OSError as error: kept = error
""",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_nothing_is_left_at_the_end_of_the_interpreter(program, path):
    start = "import sys, perdure, numpy as np\npath = sys.argv[1]\n"
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", start + program, path], capture_output=True, text=True, timeout=120
    )
    # nanobind names its objects that are left on the standard error stream.
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_leak_would_be_named(path):
    leak = "import ctypes, perdure, sys\ns = perdure.open(sys.argv[1], 'x')\nctypes.pythonapi.Py_IncRef(ctypes.py_object(s._core))\n"
    done = subprocess.run([sys.executable, "-c", leak, path], capture_output=True, text=True, timeout=120)
    assert "leaked" in done.stderr and "StoreCore" in done.stderr
