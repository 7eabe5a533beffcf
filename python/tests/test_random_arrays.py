"""Arrays of any type, shape and index against NumPy, and stores that are killed between any two steps."""

import os
import pathlib
import shutil
import signal
import tempfile

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import perdure

pytestmark = pytest.mark.long

SETTINGS = settings(max_examples=200, deadline=None, database=None)

ELEMENTS = st.one_of(
    arrays.boolean_dtypes(),
    arrays.integer_dtypes(),
    arrays.unsigned_integer_dtypes(),
    arrays.floating_dtypes(endianness="?"),
    arrays.complex_number_dtypes(),
    arrays.datetime64_dtypes(max_period="Y", min_period="ns"),
    arrays.timedelta64_dtypes(max_period="Y", min_period="ns"),
    arrays.byte_string_dtypes(min_len=1, max_len=9),
    arrays.unicode_string_dtypes(min_len=1, max_len=9),
)
DTYPES = st.one_of(ELEMENTS, arrays.array_dtypes(arrays.integer_dtypes() | arrays.floating_dtypes(), max_size=3, allow_subarrays=True))
SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)


def same(ours, theirs):
    """Compares type, shape and elements, in the machine's byte order; NaN is equal to itself, also in fields."""
    theirs = np.asarray(theirs)
    ours = np.asarray(ours)
    assert ours.dtype.newbyteorder("=") == theirs.dtype.newbyteorder("=") and ours.shape == theirs.shape
    if theirs.dtype.names is None:
        np.testing.assert_array_equal(ours, theirs)
    for name in theirs.dtype.names or ():
        same(ours[name], theirs[name])


def values(dtype, shape):
    # A text ends with its last character that is not zero, in NumPy too; surrogates are no UTF-8.
    texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=max(dtype.itemsize // 4, 1))
    return arrays.arrays(dtype, shape, elements=texts if dtype.kind == "U" else None)


@pytest.fixture(scope="module")
def module_store():
    with tempfile.TemporaryDirectory(prefix="perdure-random-") as place:
        made = perdure.open(place + "/s.store", "x")
        yield made
        made.discard()


@SETTINGS
@given(st.data(), DTYPES, SHAPES)
def test_arrays_come_back_and_are_indexed_as_numpy_does(module_store, data, dtype, shape):
    if dtype.subdtype is not None:
        dtype = dtype.base
    expected = data.draw(values(dtype, shape))
    s = module_store
    if any(len(one) == 3 for one in (dtype.fields or {}).values()):
        with pytest.raises(TypeError, match="title"):
            s["a"] = expected
        return
    chunked = data.draw(st.booleans()) and dtype.kind != "U" and shape
    if chunked:
        chunks = [data.draw(st.integers(1, 4)) for _ in shape]
        codec = data.draw(st.sampled_from([None, "lz4", "zstd"]))
        a = s.create_array("a", data=expected, chunks=chunks, compression=codec, overwrite=True)
    else:
        s["a"] = expected
        a = s.array("a")
    same(a[...], expected)
    same(np.asarray(a), expected)
    key = data.draw(arrays.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    same(a[key], expected[key])
    if shape and 0 not in shape:
        mask = data.draw(arrays.arrays(bool, shape))
        same(a[mask], expected[mask])
        rows = data.draw(st.lists(st.integers(-shape[0], shape[0] - 1), max_size=5))
        rows = np.array(rows, int)
        same(a[rows], expected[rows])
    changed = expected.copy()
    part = changed[key]
    if isinstance(part, np.ndarray) and dtype.kind != "U":
        new = data.draw(values(dtype, part.shape))
        changed[key] = new
        a[key] = new
        same(a[...], changed)
        assert a.check() == []


class KilledStore(RuleBasedStateMachine):
    """Changes a store in a child that is killed, or checkpoints or closes it; a new child finds the last checkpoint."""

    NAMES = st.sampled_from(["a", "b", "g/c", "g/d"])
    VALUES = st.one_of(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
        st.binary(max_size=20),
        arrays.arrays(st.sampled_from([np.dtype("i4"), np.dtype("f8")]), st.integers(0, 3000), elements=st.integers(0, 99)),
    )

    @initialize()
    def begin(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="perdure-killed-", dir="/dev/shm"))
        self.path = self.place / "s.store"
        self.kept = {}
        self.now = {}
        self.steps = []
        perdure.open(self.path, "x").close()

    @rule(name=NAMES, value=VALUES)
    def store(self, name, value):
        self.steps.append(lambda s: s.__setitem__(name, value))
        self.now[name] = value

    @precondition(lambda self: self.now)
    @rule(data=st.data())
    def delete(self, data):
        name = data.draw(st.sampled_from(sorted(self.now)))
        self.steps.append(lambda s: s.__delitem__(name))
        del self.now[name]

    @precondition(lambda self: any(isinstance(one, np.ndarray) for one in self.now.values()))
    @rule(data=st.data(), elements=st.lists(st.integers(0, 99), max_size=4))
    def append(self, data, elements):
        name = data.draw(st.sampled_from(sorted(name for name, one in self.now.items() if isinstance(one, np.ndarray))))
        self.steps.append(lambda s: s[name].append(np.array(elements, s[name].dtype)))
        self.now[name] = np.concatenate([self.now[name], np.array(elements, self.now[name].dtype)])

    @rule()
    def checkpoint(self):
        self.steps.append(lambda s: s.checkpoint())
        self.kept = dict(self.now)

    @rule(is_killed=st.booleans(), discards=st.booleans())
    def end_and_reopen(self, is_killed, discards):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                s = perdure.open(self.path, "r+", beside_writer="hold")
                for step in self.steps:
                    step(s)
                if is_killed:
                    os.kill(os.getpid(), signal.SIGKILL)
                s.discard() if discards else s.close()
                status = 0
            finally:
                os._exit(status)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert ended == (-signal.SIGKILL if is_killed else 0)
        if not is_killed and not discards:
            self.kept = dict(self.now)
        self.now = dict(self.kept)
        self.steps = []

    @invariant()
    def the_last_checkpoint_is_there(self):
        if not hasattr(self, "path") or self.steps:
            return
        with perdure.open(self.path) as s:
            found = {name: s[name] for name in ("a", "b", "g/c", "g/d") if name in s}
            assert set(found) == set(self.kept)
            for name, value in self.kept.items():
                if isinstance(value, np.ndarray):
                    same(found[name][...], value)
                else:
                    assert found[name] == value and type(found[name]) is type(value)
            assert s.verify() == []

    def teardown(self):
        if hasattr(self, "place"):
            shutil.rmtree(self.place)


TestKilledStore = KilledStore.TestCase
TestKilledStore.settings = settings(max_examples=40, stateful_step_count=25, deadline=None, database=None)
