"""Blocks of Python in the documents, lessons, notebooks, and docstrings."""

import doctest
import importlib
import inspect
import json
import os
import pathlib
import pkgutil
import subprocess
import sys
import types

import numpy as np
import pytest

import perdure

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = os.environ.get("PERDURE_PROGRAMS", "")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

sys.path.insert(0, str(ROOT / "tests/docs"))
from document_blocks import blocks_of  # noqa: E402
from run_lesson import follow  # noqa: E402


def blocks_to_run(page):
    """Blocks of Python that run one after the other. The text of a file is a lesson's."""
    return [one for one in blocks_of(page.read_text().splitlines()) if one.tag in ("python", "pycon") and not one.file]


DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/*/*.md"))]
PAGES = [page for page in DOCUMENTS if blocks_to_run(page)]
NOTEBOOKS = sorted(ROOT.glob("examples/*.ipynb"))
# Modules over packages that are not there are tested where these are.
MODULES = ["perdure", *(f"perdure.{one.name}" for one in pkgutil.iter_modules(perdure.__path__) if one.name != "_perdure")]


def run_examples(text, names, where):
    examples = doctest.DocTestParser().get_doctest(text, names, where, where, 0)
    examples.globs = names
    result = doctest.DocTestRunner(optionflags=FLAGS).run(examples, clear_globs=False)
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks_to_run(page):
        if block.tag == "python":
            exec(compile(block.text, str(page), "exec"), names)
        else:
            run_examples(block.text, names, page.name)
    names.clear()


@pytest.mark.skipif(not PROGRAMS, reason="the lesson calls the program perdure")
def test_the_lesson_prints_what_it_shows(tmp_path):
    variables = {
        **os.environ,
        "PATH": os.pathsep.join([PROGRAMS, str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]),
        "PERDURE_WAIT": "20",
    }
    assert follow(ROOT / "docs/tutorial/python.md", tmp_path, variables) > 5


def sessions_of(notebook):
    """The cells with code of each session, as a program, and what they print. A cell with the tag "restart" begins a session."""
    found = []
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        if not found or "restart" in cell["metadata"].get("tags", ()):
            found.append(["", ""])
        found[-1][0] += "".join(cell["source"]) + "\n"
        found[-1][1] += "".join("".join(one["text"]) for one in cell["outputs"])
    return found


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_prints_what_it_shows(notebook, tmp_path):
    sessions = sessions_of(notebook)
    assert len(sessions) > 1
    for program, printed in sessions:
        ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, ran.stderr
        assert ran.stdout == printed


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_docstrings(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for test in doctest.DocTestFinder().find(importlib.import_module(module)):
        test.globs.update(np=np, perdure=perdure)
        assert doctest.DocTestRunner(optionflags=FLAGS).run(test).failed == 0


def undocumented(module):
    """Names of a module, and of members of its classes, without a docstring."""
    for name in module.__all__:
        found = getattr(module, name)
        if not (inspect.isclass(found) or callable(found)):
            continue
        if not inspect.getdoc(found):
            yield name
        if not inspect.isclass(found) or not found.__module__.startswith("perdure"):
            continue
        for member, value in vars(found).items():
            kinds = (types.FunctionType, property, classmethod, staticmethod)
            if not member.startswith("_") and isinstance(value, kinds) and not inspect.getdoc(getattr(found, member)):
                yield f"{name}.{member}"


@pytest.mark.parametrize("module", ["perdure", "perdure.graph", "perdure.kmer"])
def test_everything_public_has_a_docstring(module):
    assert list(undocumented(importlib.import_module(module))) == []
