"""Arrow streams that contradict themselves are refused, and nothing beyond them is read."""

import ctypes

import numpy as np
import pytest

import perdure


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", RELEASE_SCHEMA),
    ("private", ctypes.c_void_p),
]
Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", RELEASE_ARRAY),
    ("private", ctypes.c_void_p),
]


@RELEASE_SCHEMA
def release_schema(schema):
    schema.contents.release = RELEASE_SCHEMA()


@RELEASE_ARRAY
def release_array(array):
    array.contents.release = RELEASE_ARRAY()


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Column:
    """A column of given buffers: addresses, arrays of NumPy's, or None."""

    def __init__(self, format, length, *buffers, nulls=0, offset=0, children=(), dictionary=None, **changes):
        self.kept = [one for one in buffers if one is not None]
        self.parts = children
        self.inner = dictionary
        self.schema = Schema(format=format.encode(), name=b"c", flags=2, release=release_schema)
        self.array = Array(length=length, null_count=nulls, offset=offset, n_buffers=len(buffers), release=release_array)
        self.addresses = (ctypes.c_void_p * max(len(buffers), 1))(*[None if one is None else one.ctypes.data for one in buffers])
        self.array.buffers = self.addresses
        for struct, kind in ((self.schema, Schema), (self.array, Array)):
            mine = [ctypes.pointer(one.schema if kind is Schema else one.array) for one in children]
            struct.children = (ctypes.POINTER(kind) * max(len(mine), 1))(*mine)
            struct.n_children = len(children)
            if dictionary is not None:
                struct.dictionary = ctypes.pointer(dictionary.schema if kind is Schema else dictionary.array)
        for name, value in changes.items():
            kind, _, field = name.partition("_")
            setattr(getattr(self, kind), field, value)


class Rows:
    """A record batch of one column."""

    def __init__(self, column, length=None, **changes):
        self.table = Column("+s", column.array.length if length is None else length, None, children=[column], **changes)

    def __arrow_c_array__(self, requested_schema=None):
        return (
            new_capsule(ctypes.addressof(self.table.schema), b"arrow_schema", None),
            new_capsule(ctypes.addressof(self.table.array), b"arrow_array", None),
        )


def i32(*values):
    return np.array(values, np.int32)


def i64(*values):
    return np.array(values, np.int64)


def raw(text):
    return np.frombuffer(text + b"\0", np.uint8)


NUMBERS = i64(1, 2, 3)
VIEW = np.frombuffer(np.int32(20).tobytes() + b"abcd" + np.array([0, 0], np.int32).tobytes(), np.uint8).copy()
FAR_VIEW = np.frombuffer(np.int32(20).tobytes() + b"abcd" + np.array([0, 90], np.int32).tobytes(), np.uint8).copy()
OTHER_VIEW = np.frombuffer(np.int32(20).tobytes() + b"abcd" + np.array([3, 0], np.int32).tobytes(), np.uint8).copy()
NEGATIVE_VIEW = np.frombuffer(np.int32(-1).tobytes() + b"abcd" * 3, np.uint8).copy()
BITS = raw(b"\x05")
TEXT = raw(b"a text of more than twenty bytes")


def child(length=3):
    return Column("l", length, None, NUMBERS)


def texts(*values):
    joined = "".join(values).encode()
    return Column("u", len(values), None, i32(*np.cumsum([0, *[len(one.encode()) for one in values]])), raw(joined))


def test_what_is_sound_is_stored(store):
    store["t"] = Rows(child())
    assert store["t"]["c"].tolist() == [1, 2, 3]
    store["t"] = Rows(Column("vu", 1, None, VIEW, TEXT, i64(32)))
    assert store["t"]["c"].tolist() == ["a text of more than "]
    store["t"] = Rows(Column("u", 2, None, i32(1, 2, 5), raw(b"abcde")))  # offsets may begin anywhere
    assert store["t"]["c"].tolist() == ["b", "cde"] and store["t/c.offsets"].shape == (3,)
    store["t"] = Rows(texts("x", "é"))
    assert store["t"]["c"].tolist() == ["x", "é"]
    unaligned = np.frombuffer(b"\0" * 3 + i64(5, 6).tobytes(), np.uint8)[3:]
    store["t"] = Rows(Column("l", 2, None, unaligned))
    assert store["t"]["c"].tolist() == [5, 6]


MALFORMED = {
    "negative length": lambda: Rows(child(), length=-3),
    "negative length of a column": lambda: Rows(Column("l", -1, None, NUMBERS), length=1),
    "negative offset": lambda: Rows(Column("l", 3, None, NUMBERS, offset=-1)),
    "an offset that overflows": lambda: Rows(Column("l", 3, None, NUMBERS, offset=2**63 - 1)),
    "fewer values than rows": lambda: Rows(child(2), length=3),
    "no values": lambda: Rows(Column("l", 3, None, None)),
    "no bits": lambda: Rows(Column("b", 3, None, None)),
    "no buffers": lambda: Rows(Column("l", 3)),
    "no list of buffers": lambda: Rows(Column("l", 3, None, NUMBERS, array_buffers=None)),
    "a buffer too many": lambda: Rows(Column("l", 3, None, NUMBERS, NUMBERS)),
    "nulls without a bitmap": lambda: Rows(Column("l", 3, None, NUMBERS, nulls=2)),
    "rows that are null": lambda: Rows(child(), nulls=1, array_buffers=(ctypes.c_void_p * 1)(BITS.ctypes.data)),
    "no offsets": lambda: Rows(Column("u", 2, None, None, TEXT)),
    "offsets out of order": lambda: Rows(Column("u", 2, None, i32(0, 5, 3), TEXT)),
    "negative offsets": lambda: Rows(Column("u", 2, None, i32(-4, 0, 3), TEXT)),
    "large offsets out of order": lambda: Rows(Column("U", 2, None, i64(0, 2**62, 3), TEXT)),
    "texts without bytes": lambda: Rows(Column("u", 2, None, i32(0, 2, 3), None)),
    "texts that are not UTF-8": lambda: Rows(Column("u", 2, None, i32(0, 2, 3), raw(b"a\xff\xff"))),
    "a character in two texts": lambda: Rows(Column("u", 2, None, i32(0, 1, 2), raw("é".encode()))),
    "surrogates": lambda: Rows(Column("u", 1, None, i32(0, 3), raw(b"\xed\xa0\x80"))),
    "a list beyond its values": lambda: Rows(Column("+l", 2, None, i32(0, 2, 9), children=[child()])),
    "a list without values": lambda: Rows(Column("+l", 2, None, i32(0, 2, 3), children=[child()], array_n_children=0)),
    "lists of a fixed length beyond their values": lambda: Rows(Column("+w:2", 2, None, children=[child()])),
    "a struct beyond its values": lambda: Rows(Column("+s", 9, None, children=[child()])),
    "a missing child": lambda: Rows(Column("+s", 3, None, children=[child()], array_children=(ctypes.POINTER(Array) * 1)())),
    "no children": lambda: Rows(Column("+s", 3, None, children=[child()], array_children=None)),
    "a negative number of children": lambda: Rows(Column("+s", 3, None, children=[child()], schema_n_children=-1)),
    "a child without a type": lambda: Rows(Column("+s", 3, None, children=[child()], schema_children=(ctypes.POINTER(Schema) * 1)())),
    "a released column": lambda: Rows(Column("l", 3, None, NUMBERS, array_release=RELEASE_ARRAY())),
    "a released type": lambda: Rows(Column("l", 3, None, NUMBERS, schema_release=RELEASE_SCHEMA())),
    "no format": lambda: Rows(Column("l", 3, None, NUMBERS, schema_format=None)),
    "an index beyond its dictionary": lambda: Rows(Column("l", 3, None, NUMBERS, dictionary=texts("x", "y", "z"))),
    "a negative index": lambda: Rows(Column("i", 1, None, i32(-1), dictionary=texts("x"))),
    "no dictionary": lambda: Rows(Column("i", 1, None, i32(0), dictionary=texts("x"), array_dictionary=None)),
    "a view beyond its buffer": lambda: Rows(Column("vu", 1, None, FAR_VIEW, TEXT, i64(32))),
    "a view of no buffer": lambda: Rows(Column("vu", 1, None, OTHER_VIEW, TEXT, i64(32))),
    "a view of a negative length": lambda: Rows(Column("vu", 1, None, NEGATIVE_VIEW, TEXT, i64(32))),
    "a view without sizes": lambda: Rows(Column("vu", 1, None, VIEW, TEXT, None)),
    "no views": lambda: Rows(Column("vu", 1, None, None, TEXT, i64(32))),
    "a view with too few buffers": lambda: Rows(Column("vu", 1, None, VIEW)),
}


@pytest.mark.parametrize("what", MALFORMED)
def test_a_malformed_batch_is_refused(store, what):
    rows = MALFORMED[what]()
    with pytest.raises(ValueError, match="contradicts itself|not UTF-8|null as a whole|in its schema|was released|used already"):
        store["t"] = rows
    assert "t" not in store and store._core.count() == 0


@pytest.mark.parametrize("format", ["", "x", "tsx:", "ts", "d:", "d:1", "d:10,2,7", "d:a,b", "w:", "w:-1", "w:0", "w:99999999999999999999", "+w:x", "+", "+ud:0", "d:10,2,128,1"])
def test_unknown_formats_are_refused(store, format):
    with pytest.raises(TypeError, match='column "c" is of type'):
        store["t"] = Rows(Column(format, 1, None, NUMBERS))


def test_deep_nesting_is_refused(store):
    column = child()
    for _ in range(40):
        column = Column("+s", 3, None, children=[column])
    with pytest.raises(ValueError, match="more than 32 levels"):
        store["t"] = Rows(column)


def test_a_stream_is_used_once(store):
    store["t"] = Rows(child())
    stream = store["t"].__arrow_c_stream__()

    class Once:
        def __arrow_c_stream__(self, requested_schema=None):
            return stream

    store["u"] = Once()
    with pytest.raises(ValueError, match="used already"):
        store["v"] = Once()
    assert sorted(store) == ["t", "u"]
