"""Views that outlive what they were taken from."""

import gc
import os
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import perdure


def test_close_names_the_views_that_live(store, grid):
    store["a"] = grid
    store["g/b"] = grid
    views = [store["a"].view(), store["a"].view(), store["g/b"].view()[1:]]
    with pytest.raises(perdure.Error, match=r'"a" \(2 views\), "g/b"'):
        store.close()
    assert store.is_open and store["a"][0, 1] == 1
    views.clear()
    store.close()


def test_force_leaves_views_readable_and_the_lock(store, path, grid):
    store["a"] = grid
    view = store["a"].view()
    store.close(force=True)
    np.testing.assert_array_equal(view, grid)
    with pytest.raises(OSError, match='views of "a"'):
        perdure.open(path, "r+")
    del view
    with perdure.open(path, "r+") as s:
        np.testing.assert_array_equal(s["a"], grid)


def test_a_view_outlives_its_block_and_its_store(path, grid):
    with perdure.open(path, "x") as s:
        s["a"] = grid
        view = s["a"].view()
    del s
    gc.collect()
    np.testing.assert_array_equal(view, grid)
    shutil.rmtree(path)
    np.testing.assert_array_equal(view, grid)


def test_a_view_of_a_discarded_store_stays(path, grid):
    s = perdure.open(path, "x")
    s["a"] = grid
    view = s["a"].view()
    s.discard()
    np.testing.assert_array_equal(view, grid)


def test_a_store_removed_underneath_is_still_read(path, grid):
    with perdure.open(path, "x") as s:
        s["a"] = grid
    s = perdure.open(path)
    shutil.rmtree(path)
    np.testing.assert_array_equal(s["a"], grid)
    s.close()


def test_views_at_the_end_of_the_interpreter(path):
    program = (
        "import perdure, numpy as np, sys\n"
        "s = perdure.open(sys.argv[1], 'x')\n"
        "s['a'] = np.arange(1000)\n"
        "v = s['a'].view(); w = memoryview(s['a'])\n"
        "class Late:\n"
        "    def __del__(self): assert v[5] == 5\n"
        "late = Late(); cycle = [v, s]; cycle.append(cycle)\n"
    )
    done = subprocess.run([sys.executable, "-X", "dev", "-c", program, path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    with perdure.open(path) as s:
        assert s["a"][999] == 999


def test_threads_read_views_while_the_store_changes(store):
    store["a"] = np.full(10_000, 0)
    stop = threading.Event()
    wrong = []

    def read():
        while not stop.is_set():
            view = store["a"].view()
            if view.min() != view.max():
                wrong.append(view.copy())

    threads = [threading.Thread(target=read) for _ in range(3)]
    for one in threads:
        one.start()
    for i in range(200):
        store["a"] = np.full(10_000, i)
        if i % 50 == 0:
            store.checkpoint()
    stop.set()
    for one in threads:
        one.join()
    assert not wrong


def in_child(work):
    """Runs a function in a forked child and returns its exit status; 0 is success."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_forked_child_of_a_reader_reads(path, grid):
    with perdure.open(path, "x") as s:
        s["a"] = grid
    s = perdure.open(path)
    view = s["a"].view()

    def child():
        assert (s["a"][...] == grid).all() and (view == grid).all()
        s.close(force=True)

    assert in_child(child) == 0
    assert (view == grid).all()
    del view
    s.close()


def test_a_forked_child_of_a_writer_gets_errors_where_it_writes(path, grid):
    s = perdure.open(path, "x")
    s["a"] = grid
    s.checkpoint()

    def child():
        for change in (lambda: s.__setitem__("b", 1), s.checkpoint, lambda: s["a"].__setitem__(0, 1)):
            with pytest.raises(perdure.Error):
                change()
        try:
            assert (s["a"][...] == grid).all()
        except OSError as error:
            assert error.code == "in_use"
        s.close()

    assert in_child(child) == 0
    s["b"] = 1
    s.close()
    with perdure.open(path) as s:
        assert sorted(s) == ["a", "b"]


def test_views_of_a_writer_are_read_in_a_forked_child(path, grid):
    s = perdure.open(path, "x")
    s["a"] = grid
    s["b"] = np.arange(100_000)
    views = [s["a"].view(), s["b"].view(), s["b"].view()[50:]]

    def child():
        assert (views[0] == grid).all() and views[1].sum() == 100_000 * 99_999 // 2
        assert in_child(lambda: views[2].max()) == 0
        views.clear()

    assert in_child(child) == 0
    assert (views[0] == grid).all()
    views.clear()
    s.close()


def test_a_forked_child_of_a_reader_with_a_budget_reads(path, grid):
    with perdure.open(path, "x") as s:
        s["a"] = grid
    s = perdure.open(path, backing="paged", budget="16 MiB")
    view = s["a"].view()

    def child():
        assert (view == grid).all() and (s["a"][...] == grid).all()

    assert in_child(child) == 0
    del view
    s.close()


def test_a_forked_child_of_a_writer_may_drop_its_views(path, grid):
    s = perdure.open(path, "x")
    s["a"] = grid
    held = [s["a"].view()]

    def child():
        held.clear()
        gc.collect()

    assert in_child(child) == 0
    held.clear()
    s.close()
