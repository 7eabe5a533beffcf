"""What other languages store, and what they find."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import perdure

PROGRAMS = pathlib.Path(os.environ.get("PERDURE_PROGRAMS", "/nonexistent"))


@pytest.fixture
def made(path):
    """A store that a C++ program has made."""
    maker = PROGRAMS / "python_objects"
    if not maker.exists():
        pytest.skip("the program that makes objects in C++ is not built")
    subprocess.run([maker, path], check=True)
    return path


def test_objects_of_cpp_are_mappings_arrays_and_texts(made):
    with perdure.open(made) as s:
        assert dict(s["words"]) == {"be": 2, "to": 3} and s["text"] == "hello" and s["names"] == ("a",)
        np.testing.assert_array_equal(s["numbers"], [0, 0.5, 1, 1.5, 2])
        assert s["counter"] == 42 and not s["counter"].flags.writeable
        assert s["particles"]["id"].tolist() == [0, 7, 0] and s["particles"].dtype["mass"] == np.dtype(("f4", (3,)))
        assert {"words", "array", "text"} < set(s) and "words" in s and "words (object)" in s.tree()
        for change in (lambda: s["words"].__setitem__("x", 1), lambda: s["numbers"].__setitem__(0, 1)):
            with pytest.raises((TypeError, AttributeError, ValueError)):
                change()
    with perdure.open(made, "r+") as s:
        with pytest.raises(NotImplementedError):
            del s["words"]
        counter = s["counter"]
        with pytest.raises(perdure.Error, match="counter"):
            s.close()
        del counter


def test_arrays_of_cpp_are_arrays(made):
    with perdure.open(made) as s:
        assert s["array"].dtype == np.int32 and s["array"].tolist() == [1, 2, 3]
        assert s["line"] == "cpp" and s["lines"].tolist() == ["p", "q"]
        assert [one.tolist() for one in s["lists"][...]] == [[1], [2, 3]]
        assert s["structs"].dtype.names == ("x", "mass", "id")


def test_the_program_finds_what_python_stored(path, tmp_path):
    program = PROGRAMS / "perdure"
    if not program.exists():
        pytest.skip("the program perdure is not built")
    with perdure.open(path, "x") as s:
        s.create_array("t", data=np.arange(6.0).reshape(2, 3), dims=("y", "x"), attrs={"units": "K"})
    told = json.loads(subprocess.run([program, "array", "stat", f"{path}:t", "--json"], check=True, capture_output=True).stdout)
    assert "float64" in json.dumps(told) and "units" in json.dumps(told)
    subprocess.run([program, "array", "export", f"{path}:t", tmp_path / "t.npy"], check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "t.npy"), np.arange(6.0).reshape(2, 3))
    np.save(tmp_path / "u.npy", np.arange(4, dtype="u2"))
    subprocess.run([program, "array", "import", f"{path}:u", tmp_path / "u.npy"], check=True)
    with perdure.open(path) as s:
        assert s["u"].dtype == np.uint16 and s["u"].tolist() == [0, 1, 2, 3]
