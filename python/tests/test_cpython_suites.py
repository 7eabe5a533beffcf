"""CPython's own cases for mappings, lists and sets, on the containers of a store.

A container is made with a store and a name, and CPython's cases make theirs without: the classes here choose both.
Cases that a suite lists as DIFFERENCES have to fail.
"""

import itertools
import tempfile

import pytest
from test import list_tests, mapping_tests, test_set

import perdure

pytestmark = pytest.mark.long

NOT_STORED = "stores values that containers in a store do not take, such as lists, sets, objects and the container itself"
NO_STORE = "makes a container of a class alone, which has no store to put it in"
ORDINARY = "copies and results of operators are dictionaries, lists and sets of Python, not containers in a store"
ITERABLES = "operators take any iterable, as those of collections.abc.Set do"
ITS_REPR = "compares with the text of Python's own class; ours names the container's"
OPEN_FOR_WRITING = "unpickles a handle while its store is open for writing: it has the name of the store, and no values"
ITERATORS = "pickles an iterator, which stands at a place of an open store"
UNNOTICED = "changes the list while it is sorted, which a copy of the values does not notice"

_numbers = itertools.count()


@pytest.fixture(scope="module", autouse=True)
def open_store():
    with tempfile.TemporaryDirectory(prefix="perdure-suites-") as place:
        made = perdure.open(place + "/s.store", "x")
        Dict.store = List.store = Set.store = made
        yield
        made.discard()


def new_name():
    return f"c{next(_numbers)}"


def make(base, container, *values, **more):
    """Makes a container of a new name, or gives one other values, as a second call of __init__ does."""
    if "_store" in vars(container):
        container.clear()
    else:
        base.__init__(container, container.store, new_name())
    container.extend(*values) if isinstance(container, List) else container.update(*values, **more)


class Dict(perdure.Dict):
    def __init__(self, *values, **more):
        make(perdure.Dict, self, *values, **more)


class List(perdure.List):
    def __init__(self, values=()):
        make(perdure.List, self, values)


class Set(perdure.Set):
    def __init__(self, values=()):
        make(perdure.Set, self, values)


class TestBasicMapping(mapping_tests.BasicTestMappingProtocol):
    type2test = Dict


class TestMapping(mapping_tests.TestMappingProtocol):
    type2test = Dict
    DIFFERENCES = {
        "test_copy": ORDINARY,
        "test_fromkeys": NO_STORE,
        "test_setdefault": NOT_STORED,
    }


class TestHashMapping(mapping_tests.TestHashMappingProtocol):
    type2test = Dict
    DIFFERENCES = {
        "test_copy": ORDINARY,
        "test_eq": NOT_STORED,
        "test_fromkeys": NO_STORE,
        "test_getitem": NOT_STORED,
        "test_pop": NOT_STORED,
        "test_repr": ITS_REPR,
        "test_repr_deep": NOT_STORED,
        "test_setdefault": NOT_STORED,
    }


class TestList(list_tests.CommonTest):
    type2test = List
    DIFFERENCES = {
        "test_contains_fake": NOT_STORED,
        "test_contains_order": NOT_STORED,
        "test_copy": NOT_STORED,
        "test_count": NOT_STORED,
        "test_index": NOT_STORED,
        "test_remove": NOT_STORED,
        "test_repr_deep": NOT_STORED,
        "test_pickle": OPEN_FOR_WRITING,
        "test_repr": ITS_REPR,
        "test_sort": UNNOTICED,
    }


class TestSet(test_set.TestSet):
    thetype = Set
    basetype = Set
    DIFFERENCES = {
        "test_badcmp": NOT_STORED,
        "test_contains": NOT_STORED,
        "test_cyclical_repr": NOT_STORED,
        "test_deepcopy": NOT_STORED,
        "test_discard": NOT_STORED,
        "test_remove": NOT_STORED,
        "test_remove_keyerror_set": NOT_STORED,
        "test_setOfFrozensets": NOT_STORED,
        "test_copy": ORDINARY,
        "test_difference": ORDINARY,
        "test_intersection": ORDINARY,
        "test_symmetric_difference": ORDINARY,
        "test_union": ORDINARY,
        "test_and": ITERABLES,
        "test_or": ITERABLES,
        "test_sub": ITERABLES,
        "test_xor": ITERABLES,
        "test_iterator_pickling": ITERATORS,
        "test_pickling": OPEN_FOR_WRITING,
    }


BASIC = {"test_iteration": "asks an iterator how much is left, which is no part of the protocol", "test_pickling": OPEN_FOR_WRITING, "test_repr": ITS_REPR}


class OnStoredSets:
    """Gives CPython's cases that call `set` by its name ours."""

    @pytest.fixture(autouse=True)
    def use_stored_sets(self, monkeypatch):
        monkeypatch.setattr(test_set, "set", Set, raising=False)


class TestBasicOpsEmpty(OnStoredSets, test_set.TestBasicOpsEmpty):
    DIFFERENCES = BASIC


class TestBasicOpsTuple(OnStoredSets, test_set.TestBasicOpsTuple):
    DIFFERENCES = BASIC


class TestBasicOpsString(OnStoredSets, test_set.TestBasicOpsString):
    DIFFERENCES = BASIC


class TestBasicOpsBytes(OnStoredSets, test_set.TestBasicOpsBytes):
    DIFFERENCES = BASIC


class TestExceptionPropagation(OnStoredSets, test_set.TestExceptionPropagation):
    DIFFERENCES = {}


class TestBinaryOps(OnStoredSets, test_set.TestBinaryOps):
    DIFFERENCES = {}


class TestUpdateOps(OnStoredSets, test_set.TestUpdateOps):
    DIFFERENCES = {}


class TestMutate(OnStoredSets, test_set.TestMutate):
    DIFFERENCES = {}


class TestSubsetEqualNonEmpty(OnStoredSets, test_set.TestSubsetEqualNonEmpty):
    DIFFERENCES = {}


class TestSubsetPartial(OnStoredSets, test_set.TestSubsetPartial):
    DIFFERENCES = {}


class TestIdentities(OnStoredSets, test_set.TestIdentities):
    DIFFERENCES = {}
