"""Opening, closing, checkpoints."""

import errno
import subprocess
import sys

import numpy as np
import pytest

import perdure


def test_what_is_stored_is_there_after_closing(path, grid):
    with perdure.open(path, "x") as s:
        s["a"] = grid
    with perdure.open(path) as s:
        assert s.mode == "r"
        np.testing.assert_array_equal(s["a"], grid)


def test_reading_is_the_default_and_needs_a_store(path):
    with pytest.raises(perdure.Error) as raised:
        perdure.open(path)
    assert isinstance(raised.value, OSError)
    assert raised.value.errno == errno.ENOENT
    assert raised.value.code == "not_found"
    with pytest.raises(OSError):
        perdure.open(path, "r+")


def test_mode_x_refuses_a_store_that_is_there(path):
    perdure.open(path, "x").close()
    with pytest.raises(OSError) as raised:
        perdure.open(path, "x")
    assert raised.value.errno == errno.EEXIST


def test_mode_a_creates_and_opens(path):
    with perdure.open(path, "a") as s:
        s["n"] = 1
    with perdure.open(path, "a") as s:
        s["m"] = 2
        assert sorted(s) == ["m", "n"]


def test_mode_w_begins_anew(path):
    with perdure.open(path, "w") as s:
        s["n"] = 1
    with perdure.open(path, "w") as s:
        assert len(s) == 0


def test_mode_w_leaves_what_is_no_store(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "text").write_text("mine")
    with pytest.raises(perdure.Error):
        perdure.open(tmp_path / "notes", "w")
    assert (tmp_path / "notes" / "text").read_text() == "mine"


def test_an_unknown_mode_is_a_value_error(path):
    with pytest.raises(ValueError, match="mode='rw'"):
        perdure.open(path, "rw")
    with pytest.raises(ValueError, match="backing="):
        perdure.open(path, "a", backing="disk")


def test_an_exception_in_the_block_discards_what_was_not_checkpointed(path):
    with pytest.raises(ZeroDivisionError):
        with perdure.open(path, "x") as s:
            s["kept"] = 1
            s.checkpoint()
            s["lost"] = 2
            1 / 0
    with perdure.open(path) as s:
        assert list(s) == ["kept"]


def test_a_store_that_is_deleted_is_checkpointed(path):
    s = perdure.open(path, "x")
    s["n"] = 1
    del s
    with perdure.open(path) as s:
        assert s["n"] == 1


def test_a_second_writer_is_an_os_error(store, path):
    with pytest.raises(OSError) as raised:
        perdure.open(path, "r+")
    assert raised.value.errno == errno.EAGAIN
    assert raised.value.code == "in_use"


def test_a_reader_cannot_write(path):
    with perdure.open(path, "x") as s:
        s["a"] = [1, 2]
    with perdure.open(path) as s:
        for change in (
            lambda: s.__setitem__("b", 1),
            lambda: s.__delitem__("a"),
            lambda: s["a"].__setitem__(0, 1),
            lambda: s["a"].append([3]),
            lambda: s["a"].attrs.__setitem__("k", 1),
            lambda: s.create_group("g"),
            s.checkpoint,
        ):
            with pytest.raises(OSError, match="reading only") as raised:
                change()
            assert raised.value.errno == errno.EROFS


def test_a_closed_store_says_so(store):
    a = store.create_array("a", 3)
    store.close()
    store.close()
    assert not store.is_open
    assert "closed" in repr(store)
    for use in (lambda: store["a"], lambda: a[...], lambda: a.shape, lambda: list(store), store.checkpoint):
        with pytest.raises(ValueError, match="is closed"):
            use()


def test_checkpoints_have_labels(store):
    store["n"] = 1
    store.checkpoint("first")
    pending = store.checkpoint_async("second")
    pending.wait()
    assert pending.ready
    assert [one["label"] for one in store.log()][-2:] == ["first", "second"]
    assert store.epoch == store.log()[-1]["epoch"] == pending.epoch


def test_a_kept_checkpoint_is_opened_by_its_label(path):
    with perdure.open(path, "x", keep=2, full_copies=True) as s:
        s["n"] = 1
        s.checkpoint("monday")
        s["n"] = 2
        assert [one["label"] for one in s.kept_checkpoints()] == ["monday"]
    with perdure.open(f"{path}@monday") as s:
        assert s["n"] == 1
    with pytest.raises(perdure.Error, match="tuesday"):
        perdure.open(f"{path}@tuesday")


def test_update_is_one_checkpoint(store):
    before = store.epoch
    store.update({"a": [1, 2]}, b="text")
    assert store.epoch == before + 1
    with pytest.raises(TypeError):
        store.update(c=1, d=object())
    assert "c" not in store


def test_a_snapshot_is_a_store(store, tmp_path):
    store["n"] = 5
    store.checkpoint()
    store["n"] = 6
    store.snapshot(tmp_path / "copy.store")
    with perdure.open(tmp_path / "copy.store") as copy:
        assert copy["n"] == 5


def test_a_sound_store_verifies_and_a_damaged_one_is_named(path):
    with perdure.open(path, "x") as s:
        s["a"] = np.arange(100_000.0)
    assert perdure.verify(str(path)) == []
    home = next(path.glob("heap.*"))
    data = bytearray(home.read_bytes())
    at = data.find(np.arange(1000.0, 1010.0).tobytes())
    data[at] ^= 1
    home.write_bytes(data)
    damages = perdure.verify(str(path))
    assert len(damages) == 1 and "heap.0" in damages[0]


def test_info_names_the_store(store, path):
    store["a"] = 1
    info = store.info
    assert info["path"] == str(path) and info["arrays"] == 1 and info["mode"] == "r+"


def test_refresh_sees_the_checkpoint_of_a_writer(path):
    writer = perdure.open(path, "x")
    writer["n"] = 1
    writer.checkpoint()
    reader = perdure.open(path, beside_writer="hold")
    held = reader["n"].view()
    assert not reader.refresh()
    writer["n"] = 2
    writer.checkpoint()
    assert reader["n"] == 1
    assert reader.refresh()
    assert reader["n"] == 2 and held == 1
    assert not writer.refresh()
    reader.close(force=True)
    del held
    writer.close()


def test_the_end_of_a_program_commits_and_an_uncaught_exception_does_not(path):
    program = "import perdure, sys; s = perdure.open(sys.argv[1], 'a'); s[sys.argv[2]] = 1; "
    assert subprocess.run([sys.executable, "-c", program, path, "a"], check=True, capture_output=True).stderr == b""
    failed = subprocess.run([sys.executable, "-c", program + "1 / 0", path, "b"], capture_output=True)
    assert failed.returncode == 1
    with perdure.open(path) as s:
        assert list(s) == ["a"]


def test_a_killed_program_leaves_the_last_checkpoint(path):
    program = (
        "import perdure, sys, os, signal; s = perdure.open(sys.argv[1], 'a'); s['a'] = 1; s.checkpoint(); "
        "s['b'] = 2; os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", program, path]).returncode == -9
    with perdure.open(path, "r+") as s:
        assert list(s) == ["a"]


def test_many_opens_leave_nothing_behind(path):
    import os

    def held():
        with open("/proc/self/maps") as maps:
            return len(os.listdir("/proc/self/fd")), sum(1 for _ in maps)

    with perdure.open(path, "x") as s:
        s["a"] = np.arange(10)
    for _ in range(5):
        with perdure.open(path, "r+") as s:
            s["a"].view()
    before = held()
    for _ in range(30):
        with perdure.open(path, "r+") as s:
            s["a"].view()
    descriptors, mappings = held()
    assert descriptors == before[0] and mappings <= before[1] + 5


def test_budgets_are_numbers_or_texts(path):
    with perdure.open(path, "x", budget="64 MiB") as s:
        s["a"] = 1
    with perdure.open(path, budget=1 << 26, backing="paged") as s:
        assert s["a"] == 1
    with pytest.raises(ValueError, match="no number of bytes"):
        perdure.open(path, budget="64 apples")
