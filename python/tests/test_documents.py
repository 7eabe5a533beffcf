"""Blocks of Python in the documents, and examples of docstrings."""

import doctest
import importlib
import pathlib
import re

import numpy as np
import pytest

import perdure

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
BLOCK = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [page for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/*/*.md"))] if BLOCK.search(page.read_text())]


def run_examples(text, names, where):
    examples = doctest.DocTestParser().get_doctest(text, names, where, where, 0)
    examples.globs = names
    result = doctest.DocTestRunner(optionflags=FLAGS).run(examples, clear_globs=False)
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = BLOCK.findall(page.read_text())
    for kind, text in blocks:
        if kind == "python":
            exec(compile(text, str(page), "exec"), names)
        else:
            run_examples(text, names, page.name)
    names.clear()


@pytest.mark.parametrize("module", ["perdure", "perdure._array", "perdure._containers", "perdure._memmap", "perdure._store", "perdure._table", "perdure.graph"])
def test_examples_of_docstrings(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for test in doctest.DocTestFinder().find(importlib.import_module(module)):
        test.globs.update(np=np, perdure=perdure)
        assert doctest.DocTestRunner(optionflags=FLAGS).run(test).failed == 0
