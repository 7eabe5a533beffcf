"""NumPy's own tests of memmap, on perdure.memmap."""

import warnings

import pytest

import perdure

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # their marks are those of their own configuration
    import numpy._core.tests.test_memmap as theirs


class TestMemmap(theirs.TestMemmap):
    @pytest.fixture(autouse=True)
    def ours(self, monkeypatch):
        monkeypatch.setattr(theirs, "memmap", perdure.memmap)
