"""CPython's own cases for mappings, where its test suite is installed."""

import pytest

import perdure

mapping_tests = pytest.importorskip("test.mapping_tests")


class TestMappingOfCPython(mapping_tests.TestMappingProtocol):
    """Without the cases that need a dictionary without a store, or lists as values."""

    test_constructor = test_fromkeys = test_copy = test_setdefault = None

    @pytest.fixture(autouse=True)
    def give_store(self, store):
        self.store = store
        self.made = 0

    def _empty_mapping(self):
        self.made += 1
        return perdure.Dict(self.store, f"d{self.made}")

    def _full_mapping(self, data):
        made = self._empty_mapping()
        made.update(data)
        return made
