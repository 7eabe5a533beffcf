"""Full disks, damage, interrupts."""

import errno
import signal
import subprocess
import sys

import numpy as np
import pytest

import perdure


def test_ctrl_c_ends_a_copy_and_leaves_the_old_array(store):
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        # A copy may be over before the interrupt is looked for; a larger one is not.
        for mebibytes in (256, 512, 1024, 2048):
            store["a"] = np.arange(5)
            large = np.zeros(mebibytes << 17)
            signal.setitimer(signal.ITIMER_REAL, 0.002)
            with pytest.raises(KeyboardInterrupt):
                store["a"] = large
                signal.pause()
            if store["a"].shape == (5,):
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert store["a"].tolist() == [0, 1, 2, 3, 4]
    store["b"] = 1
    store.checkpoint()


def test_a_file_that_cannot_grow_is_an_os_error_and_loses_nothing(path):
    program = """
import perdure, numpy as np, resource, sys
s = perdure.open(sys.argv[1], "x")
s["a"] = np.arange(1000)
s.checkpoint()
resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 20, 8 << 20))
try:
    s["b"] = np.ones(4 << 20)
    s.checkpoint()
except OSError as error:
    print(isinstance(error, perdure.Error), error.code, error.errno)
s.discard()
"""
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert done.stdout.startswith("True "), done
    with perdure.open(path, "r+") as s:
        assert list(s) == ["a"] and s["a"][999] == 999


def test_damage_is_an_os_error_that_names_the_page(path):
    with perdure.open(path, "x") as s:
        s["a"] = np.arange(10_000.0)
    home = next(path.glob("heap.*"))
    data = bytearray(home.read_bytes())
    data[data.find(np.arange(1000.0, 1010.0).tobytes())] ^= 1
    home.write_bytes(data)
    with pytest.raises(OSError, match="page") as raised:
        perdure.open(path, verify=True)
    assert raised.value.errno == errno.EIO and raised.value.code == "damaged"
    with perdure.open(path) as s:
        assert s["a"].shape == (10_000,)


def test_what_is_no_store_is_a_value_error(tmp_path):
    (tmp_path / "file").write_text("text")
    with pytest.raises(ValueError) as raised:
        perdure.open(tmp_path / "file")
    assert raised.value.code == "not_a_store"


def test_limits_of_memory_are_memory_errors(store):
    with pytest.raises((MemoryError, OSError)):
        store.create_array("a", 1 << 50, "u1")
    assert "a" not in store
