"""Sets of stores on the ranks of an MPI program, by mpi4py. Each case runs a program under mpiexec."""

import itertools
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import perdure

pytestmark = pytest.mark.long

START = """
import sys, numpy as np, perdure
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank, ranks, path = comm.rank, comm.size, sys.argv[1]
sys.stdout = open(f"{path}.printed.{rank}", "w")
"""


def run_ranks(ranks, program, path, status=0):
    """Runs a program on some ranks and returns what it printed, its lines sorted."""
    # Open MPI asks for these where root starts more ranks than there are processors.
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # Errors end all ranks, so that none waits for one that has gone.
    done = subprocess.run(
        ["mpiexec", "-n", str(ranks), sys.executable, "-B", "-m", "mpi4py", "-c", START + program, path],
        capture_output=True, text=True, timeout=240, env={**os.environ, **allowed},
    )  # fmt: skip
    assert done.returncode == status, done.stdout + done.stderr
    printed = [path.with_name(f"{path.name}.printed.{rank}").read_text().splitlines() for rank in range(ranks)]
    return sorted(itertools.chain.from_iterable(printed))


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_each_rank_writes_its_block_and_all_have_one_checkpoint(path, ranks):
    program = """
with perdure.open(path, "a", comm=comm) as s:
    t = s.require_array("g/t", (3 * ranks, 5), "f8", dims=("row", "column"))
    t[3 * rank : 3 * rank + 3] = rank + t[3 * rank : 3 * rank + 3] * 10
    t.attrs["units"] = "K"
    if rank == 0:
        s["steps"] = 7
        s["text"] = "grüße"
    before = s.epoch
    s.checkpoint("first")
    assert s.epoch == before + 1 and s.info["ranks"] == ranks and s.info["rank"] == rank
    print(rank, t[:, 0].tolist() == [r for r in range(ranks) for _ in range(3)], int(s["steps"]), s["text"], list(s), list(s["g"]))
    with s if False else perdure.open(path + "x", "w", comm=comm) as other:
        other["mine%d" % rank] = np.arange(rank + 1)
"""
    lines = run_ranks(ranks, program, path)
    assert lines == [f"{rank} True 7 grüße ['g', 'steps', 'text'] ['t']" for rank in range(ranks)]
    with perdure.open(path) as s:  # one process, without MPI
        t = s["g/t"]
        np.testing.assert_array_equal(t[...], np.repeat(np.arange(ranks), 3)[:, None] * np.ones(5))
        assert (t.dims, t.attrs["units"], s["steps"], s.epoch) == (("row", "column"), "K", 7, s.log()[-1]["epoch"])
        assert s.verify() == []
    with perdure.open(f"{path}x") as s:
        assert list(s) == [f"mine{rank}" for rank in range(ranks)]
    assert perdure.exists(path) and perdure.remove(path) and not path.exists()


def test_a_set_is_read_by_another_number_of_ranks(path):
    run_ranks(2, 'with perdure.open(path, "x", comm=comm) as s:\n  s.create_array("a", 8, "i4")[4 * rank : 4 * rank + 4] = rank + 1\n', path)
    program = 'with perdure.open(path, comm=comm) as s:\n  print(s["a"][...].tolist(), s.mode)\n'
    assert run_ranks(3, program, path) == ["[1, 1, 1, 1, 2, 2, 2, 2] r"] * 3
    lines = run_ranks(3, 'try:\n  perdure.open(path, "r+", comm=comm)\nexcept ValueError as e:\n  print("2" in str(e))\n', path)
    assert lines == ["True"] * 3


def test_an_exception_on_one_rank_takes_the_others_along(path):
    program = """
with perdure.open(path, "x", comm=comm) as s:
    s.create_array("a", ranks, "i4")[rank] = 1
    s.checkpoint()
try:
    with perdure.open(path, "r+", comm=comm) as s:
        s["a"][rank] = 2
        if rank == 1:
            raise ZeroDivisionError
        s.checkpoint()
except (ZeroDivisionError, perdure.Error) as error:
    print(rank, getattr(error, "code", type(error).__name__))
with perdure.open(path, comm=comm) as s:
    assert s["a"][...].tolist() == [1] * ranks
"""
    assert run_ranks(3, program, path) == ["0 rank_failed", "1 ZeroDivisionError", "2 rank_failed"]


def test_two_ranks_that_write_one_element_are_a_conflict_on_all(path):
    program = """
s = perdure.open(path, "x", comm=comm)
s.create_array("a", 10, "i4")[4 * rank : 4 * rank + 5] = rank
try:
    s.checkpoint()
except perdure.Error as error:
    print(error.code, '"a"' in str(error))
s.discard()
"""
    assert run_ranks(2, program, path) == ["conflict True"] * 2


def test_what_sets_do_not_have_is_said(path):
    program = """
import pickle
for wrong in (7, MPI.COMM_NULL):
    try:
        perdure.open(path, "x", comm=wrong)
    except (TypeError, ValueError) as error:
        print(error.code)
s = perdure.open(path, "x", comm=comm)
s.create_array("a", (2, 3), "f4")[rank] = rank
s.checkpoint()
for refused in (s["a"].view, s.refresh, lambda: perdure.Dict(s, "d"), lambda: s.checkpoint_async(), lambda: s.create_array("b", 3, fill_value=1)):
    try:
        refused()
        print("done")
    except perdure.Error as error:
        print(error.code)
s.close()
assert not s.is_open
"""
    assert run_ranks(2, program, path) == sorted((["wrong_type", "invalid_argument"] + ["unsupported"] * 4 + ["done"]) * 2)


def test_a_killed_rank_loses_nothing_that_was_checkpointed(path):
    program = """
import os, signal
s = perdure.open(path, "x", comm=comm)
a = s.create_array("a", ranks, "i4")
a[rank] = 1
s.checkpoint()
a[rank] = 2
comm.barrier()
if rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
s.checkpoint()
"""
    assert shutil.which("mpiexec")
    with pytest.raises(AssertionError):
        run_ranks(2, program, path)
    with perdure.open(path) as s:
        assert s["a"][...].tolist() == [1, 1]
