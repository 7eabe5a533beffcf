"""Reads Perdure's containers, stores and arrays from the memory of a program that is debugged.

The module knows no debugger. `perdure_gdb.py` and `perdure_lldb.py` give it memory and types. It takes nothing on trust:
a container that was overwritten or never initialised raises `Corrupt`, and every loop has an end.
"""

import re
import struct

MOST_SCANNED = 1 << 20  # slots of a hash table without an element between them
MOST_OBJECTS = 1000  # that are listed of one store
MOST_TEXT = 4096  # bytes of a name or a path


class Corrupt(Exception):
    """The bytes are no such object, or its memory cannot be read."""


class Memory:
    """Memory of the program. A debugger derives from it and defines `read`."""

    def read(self, address, size):
        """Returns `size` bytes, or raises `Corrupt`."""
        raise NotImplementedError

    def number(self, address, size=8):
        return int.from_bytes(self.read(address, size), "little")

    def text(self, address, size):
        if size > MOST_TEXT:
            raise Corrupt("a text of %d bytes" % size)
        return self.read(address, size).decode("utf-8", "backslashreplace")

    def require(self, address, size):
        """Raises `Corrupt` unless the first and the last byte can be read."""
        if size == 0:
            return
        if address <= 0 or address + size > 1 << 64:
            raise Corrupt("its memory would be at 0x%x" % address)
        self.read(address, 1)
        self.read(address + size - 1, 1)


class Types:
    """Types as the debugger has them."""

    def size(self, kind):
        raise NotImplementedError

    def alignment(self, kind):
        raise NotImplementedError

    def name(self, kind):
        raise NotImplementedError

    def fields(self, kind):
        """Returns (name, offset, type) of each base class, whose name is None, and each member."""
        raise NotImplementedError


class Place:
    """An object of the program: its address, and the type that it has."""

    _offsets = {}

    def __init__(self, memory, types, address, kind):
        self.memory, self.types, self.address, self.kind = memory, types, address, kind

    def _find(self, kind, name):
        key = (self.types.name(kind), self.types.size(kind), name)
        if key in self._offsets:
            return self._offsets[key]
        level = [(0, kind)]  # level by level: the outermost member of that name
        for _ in range(16):
            below = []
            for start, inside in level:
                for field, offset, its in self.types.fields(inside):
                    if field == name:
                        self._offsets[key] = (start + offset, its)
                        return self._offsets[key]
                    below.append((start + offset, its))
            level = below
        raise Corrupt("this version of the library has no member %s" % name)

    def find(self, *names):
        """Returns the member of that name, wherever in the object it is; then its member of the next name."""
        offset, kind = self._find(self.kind, names[0])
        inside = Place(self.memory, self.types, self.address + offset, kind)
        return inside.find(*names[1:]) if len(names) > 1 else inside

    def has(self, name):
        try:
            self._find(self.kind, name)
            return True
        except Corrupt:
            return False

    def size(self):
        return self.types.size(self.kind)

    def number(self):
        return self.memory.number(self.address, self.size())

    def pointer(self):
        """Returns the address that a pointer of either sort holds; 0 for null."""
        value = self.memory.number(self.address)
        if not self.types.name(self.kind).startswith("perdure::offset_ptr<"):
            return value
        return 0 if value == 0 else (self.address + value + 1) % (1 << 64)


def wrapped(address):
    return address % (1 << 64)


class Elements:
    """Elements of a container: how many there are, and where each one is."""

    def __init__(self, count, addresses, more=""):
        self.count, self.addresses, self.more = count, addresses, more


def require_count(memory, count, element_size, where):
    """Raises `Corrupt` unless so many elements can be there."""
    if count * element_size >= 1 << 47:
        raise Corrupt("%d elements" % count)
    memory.require(where, count * element_size)


def row(first, count, size):
    return (first + i * size for i in range(count))


def vector(place, element_size, _alignment):
    count, capacity = place.find("size_").number(), place.find("capacity_").number()
    if count > capacity:
        raise Corrupt("%d elements where there is room for %d" % (count, capacity))
    first = wrapped(place.address + place.find("distance_").number())
    require_count(place.memory, count, element_size, first)
    return Elements(count, row(first, count, element_size), ", capacity %d" % capacity)


def string(place, unit):
    """Returns address and length of the characters, each of `unit` bytes."""
    words = place.find("words_")
    last = place.memory.number(words.address + 23, 1)
    if last < 0x80:
        if last > 23 // unit - 1:
            raise Corrupt("%d characters where there is room for %d" % (last, 23 // unit - 1))
        return words.address, last
    count = place.memory.number(words.address + 8)
    capacity = place.memory.number(words.address + 16) & ~(1 << 63)
    if count > capacity:
        raise Corrupt("%d characters where there is room for %d" % (count, capacity))
    first = wrapped(place.address + place.memory.number(words.address))
    require_count(place.memory, count, unit, first)
    return first, count


def flat_slots(memory, table, element_size):
    """Elements of a flat table whose `size_` is at the address `table`; see flat_table.hpp."""
    count, growth_left, distance, mask = struct.unpack("<QQQQ", memory.read(table, 32))
    if count == 0:
        return Elements(0, iter(()))
    if distance == 0:
        raise Corrupt("%d elements without memory" % count)
    controls, mask = wrapped(table + distance), mask & ((1 << 48) - 1)
    groups = mask + 16
    if groups & (groups - 1) or count + growth_left > groups:
        raise Corrupt("%d elements in %d slots" % (count, groups))
    require_count(memory, groups, 1, controls)

    def walk():
        found = since = 0
        for group in range(0, groups, 16):
            for i, control in enumerate(memory.read(controls + group, 16)):
                if control >= 0x80:
                    yield controls - (group + i + 1) * element_size
                    found, since = found + 1, 0
                    if found == count:
                        return
            since += 16
            if since > MOST_SCANNED:
                break
        raise Corrupt("%d of %d elements are there" % (found, count))

    return Elements(count, walk())


def flat(place, element_size, _alignment):
    return flat_slots(place.memory, place.find("table_", "size_").address, element_size)


def behind(hook_size, alignment):
    """Offset of an element in a node, behind the pointers of that many bytes."""
    return (hook_size + alignment - 1) // alignment * alignment


def linked(place, _element_size, alignment):
    """Elements of a list of Boost.Container, linked in one or in two directions."""
    root = place.find("m_icont", "root_plus_size_")
    count = root.find("size_").number()
    header = root.find("next_")
    hook = header.size() * (2 if root.has("prev_") else 1)
    if count * (hook + 1) >= 1 << 47:
        raise Corrupt("%d elements" % count)

    def walk():
        at, seen = header, set()
        for i in range(count):
            node = at.pointer()
            if node in (0, header.address) or node in seen:
                raise Corrupt("the links end after %d of %d elements" % (i, count))
            seen.add(node)
            place.memory.require(node, hook)
            yield node + behind(hook, alignment)
            at = Place(place.memory, place.types, node, header.kind)

    if count and header.pointer() in (0, header.address):
        raise Corrupt("%d elements without links" % count)
    return Elements(count, walk())


def tree(place, _element_size, alignment):
    """Elements of a map or a set of Boost.Container, in their order."""
    inside = place.find("m_icont")
    count = inside.find("size_").number()
    root = inside.find("holder", "root")
    parent, left, right = root.find("parent_"), root.find("left_"), root.find("right_")
    # An element begins in the padding behind the last member of the node, where it fits.
    tail = root.find("color_") if root.has("color_") else right
    hook = tail.address + tail.size() - root.address
    if count * hook >= 1 << 47:
        raise Corrupt("%d elements" % count)

    def link(node, member):
        at = Place(place.memory, place.types, node + member.address - root.address, member.kind)
        return at.pointer() & ~1

    def walk():
        found, seen, above = 0, set(), []
        node = link(root.address, parent)
        while found < count:
            while node:
                if node in seen or len(above) > 256:
                    raise Corrupt("the links end after %d of %d elements" % (found, count))
                seen.add(node)
                place.memory.require(node, hook)
                above.append(node)
                node = link(node, left)
            if not above:
                raise Corrupt("the links end after %d of %d elements" % (found, count))
            node = above.pop()
            yield node + behind(hook, alignment)
            found += 1
            node = link(node, right)

    if count and link(root.address, parent) == 0:
        raise Corrupt("%d elements without links" % count)
    return Elements(count, walk())


def deque(place, element_size, _alignment):
    start, finish = place.find("m_start"), place.find("m_finish")
    first, begin, end, node = (start.find(m).pointer() for m in ("m_cur", "m_first", "m_last", "m_node"))
    last, last_begin, last_node = (finish.find(m).pointer() for m in ("m_cur", "m_first", "m_node"))
    if node == 0 or first == last:
        return Elements(0, iter(()))
    block, blocks = end - begin, (last_node - node) // 8
    within = begin <= first < end and last_begin <= last < last_begin + block
    if not within or block % element_size or not 0 <= blocks < 1 << 40:
        raise Corrupt("its blocks do not follow each other")
    per_block = block // element_size
    count = blocks * per_block + (last - last_begin) // element_size - (first - begin) // element_size
    place.memory.require(node, (blocks + 1) * 8)
    skipped = (first - begin) // element_size
    holder = start.find("m_first")  # a pointer of the sort that the map of blocks has

    def walk():
        for i in range(skipped, skipped + count):
            at = Place(place.memory, place.types, node + i // per_block * 8, holder.kind)
            yield wrapped(at.pointer() + i % per_block * element_size)

    if count < 0:
        raise Corrupt("%d elements" % count)
    return Elements(count, walk())


def buckets(place, _element_size, alignment):
    """Elements of an unordered container of Boost 1.80 and later."""
    table = place.find("table_")
    count = table.find("size_").number()
    if count == 0:
        return Elements(0, iter(()))
    array = table.find("buckets_")
    lists, first = array.find("size_").number(), array.find("buckets").pointer()
    if first == 0 or count >= 1 << 43:
        raise Corrupt("%d elements without memory" % count)
    require_count(place.memory, lists, 8, first)
    pointer = array.find("buckets").kind

    def walk():
        found, since, seen = 0, 0, set()
        for i in range(lists):
            at, since = Place(place.memory, place.types, first + 8 * i, pointer), since + 1
            node = at.pointer()
            while node:
                if node in seen:
                    raise Corrupt("the links end after %d of %d elements" % (found, count))
                seen.add(node)
                place.memory.require(node, 8)
                yield node + behind(8, alignment)
                found, since = found + 1, 0
                if found == count:
                    return
                node = Place(place.memory, place.types, node, pointer).pointer()
            if since > MOST_SCANNED:
                break
        raise Corrupt("%d of %d elements are there" % (found, count))

    return Elements(count, walk())


def stable(place, _element_size, alignment):
    """Elements of a stable_vector, whose index ends with three pointers of its own."""
    count = place.find("index", "m_size").number()
    if count < 3:
        return Elements(0, iter(()))
    start = place.find("index", "m_start")
    first, count = start.pointer(), count - 3
    if first == 0:
        raise Corrupt("%d elements without memory" % count)
    require_count(place.memory, count, 8, first)
    nodes = (Place(place.memory, place.types, first + 8 * i, start.kind) for i in range(count))
    return Elements(count, (node.pointer() + behind(8, alignment) for node in nodes))


CONTAINERS = {
    "vector": (vector, "array"),
    "flat_map": (flat, "map"),
    "flat_set": (flat, "array"),
    "list": (linked, "array"),
    "forward_list": (linked, "array"),
    "map": (tree, "map"),
    "multimap": (tree, "map"),
    "set": (tree, "array"),
    "multiset": (tree, "array"),
    "deque": (deque, "array"),
    "stable_vector": (stable, "array"),
    "unordered_map": (buckets, "map"),
    "unordered_multimap": (buckets, "map"),
    "unordered_set": (buckets, "array"),
    "unordered_multiset": (buckets, "array"),
}


def shape_text(dims):
    return "[" + ", ".join(str(n) for n in dims) + "]"


def shape(place):
    """Returns the numbers of an `extents`."""
    rank = place.find("rank_").number()
    if rank > 32:
        raise Corrupt("%d dimensions" % rank)
    return struct.unpack("<%dQ" % rank, place.memory.read(place.find("values_").address, 8 * rank))


def view(place, element_size):
    """Returns the shape of an `array_view` and its elements, the last dimension fastest."""
    room = place.find("extents_").size() // 8
    rank = place.find("rank_").number() if room == 32 else room
    if rank > room:
        raise Corrupt("%d dimensions" % rank)
    dims = struct.unpack("<%dQ" % rank, place.memory.read(place.find("extents_").address, 8 * rank))
    strides = struct.unpack("<%dq" % rank, place.memory.read(place.find("strides_").address, 8 * rank))
    data, count, least, most = place.find("data_").number(), 1, 0, 0
    for n, stride in zip(dims, strides):
        count *= n
        least, most = least + min(0, (n - 1) * stride), most + max(0, (n - 1) * stride)
    if count and (count >= 1 << 47 or most - least >= 1 << 47):
        raise Corrupt("of shape %s" % shape_text(dims))
    if count:
        place.memory.require(data + least * element_size, (most - least + 1) * element_size)

    def walk():
        for i in range(count):
            at = 0
            for n, stride in zip(reversed(dims), reversed(strides)):
                at, i = at + i % n * stride, i // n
            yield data + at * element_size

    return dims, Elements(count, walk())


KINDS = ("opaque bool char int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 "
         "complex128 struct string list").split()


def std_vector(place, size):
    """Elements of a std::vector, whose first two words are the addresses of its first element and its end."""
    first, end = struct.unpack("<QQ", place.memory.read(place.address, 16))
    if end < first or (end - first) % size or end - first >= 1 << 47:
        raise Corrupt("a std::vector that ends before it begins")
    return row(first, (end - first) // size, size)


def type_text(place):
    """Returns a `data_type` as a store writes it, without the fields of a struct."""
    kind = place.find("kind_").number()
    dims = [place.memory.number(at) for at, _ in zip(std_vector(place.find("dims_"), 8), range(33))]
    if kind >= len(KINDS) or len(dims) > 32:
        raise Corrupt("kind %d" % kind)
    size = place.find("size_").number()
    name = "%s(%d)" % (KINDS[kind], size) if KINDS[kind] in ("opaque", "struct") else KINDS[kind]
    return name + (shape_text(dims).replace(" ", "") if dims else "")


def std_string(place):
    """Returns a std::string of libstdc++, in quotation marks."""
    length = place.find("_M_string_length").number()
    return '"%s"' % place.memory.text(place.find("_M_p").number(), length)


# What stores keep. The offsets are those of directory_layout.hpp and stored_array.hpp.


def short_type(name):
    """Returns the name of a type without arguments that are usually left out."""
    for _ in range(64):
        found = re.search(r", (perdure::(allocator|fallback_allocator|hash)<|std::char_traits<|std::less<|std::equal_to<)", name)
        if not found:
            break
        depth, end = 1, found.end()
        while end < len(name) and depth:
            depth += {"<": 1, ">": -1}.get(name[end], 0)
            end += 1
        name = name[:found.start()] + name[end:]
    name = name.replace(", perdure::equal_to", "").replace(" >", ">")
    return name.replace("perdure::basic_string<char>", "perdure::string")


class Object:
    """An object of a store: where it is, its name, its type as the compiler names it, how many elements it has."""

    def __init__(self, address, name, kind, mangled, length, size):
        self.address, self.name, self.kind, self.mangled, self.length, self.size = address, name, kind, mangled, length, size


class Store:
    """A store that a manager has open, by its record (debugger_record.hpp)."""

    def __init__(self, memory, record):
        self.memory = memory
        fields = struct.unpack("<9Q", memory.read(record, 72))
        if fields[0] != 0x3172656767756265:
            raise Corrupt("the library is of another version than these printers")
        self.core, self.store, self.base, self.directory = fields[1:5]
        self.path = memory.text(fields[5], fields[6])
        self.arrays, self.is_writable = fields[7], fields[8] != 0

    def state(self):
        return "open for writing" if self.is_writable else "open for reading"

    def object_count(self):
        return sum(struct.unpack("<3Q", self.memory.read(self.directory + 24, 24))) if self.directory else 0

    def text(self):
        count = self.object_count()
        if count <= MOST_OBJECTS:  # without those of the library itself
            count = len(self.listed())
        return '"%s", %s, %d object%s' % (self.path, self.state(), count, "" if count == 1 else "s")

    def objects(self):
        """Yields the objects, in no order."""
        if not self.directory:
            return
        _, _, bits, table = struct.unpack("<QIIQ", self.memory.read(self.directory, 24))
        count = self.object_count()
        if bits > 40:
            raise Corrupt("a table of 2^%d objects" % bits)
        found = 0
        for start in range(0, min(1 << bits, 16 * MOST_SCANNED), 512):
            size = min(512, (1 << bits) - start)
            for slot in struct.unpack("<%dQ" % size, self.memory.read(self.base + table + 8 * start, 8 * size)):
                if slot:
                    yield self.object_at((slot & ((1 << 44) - 1)) * 16)
                    found += 1
                    if found == count:
                        return

    def object_at(self, offset):
        address = self.base + offset
        _, kind, _, length, name_length, lead, _, instance = struct.unpack("<QQQQIIIB3x", self.memory.read(address - 48, 48))
        name = self.memory.text(address - lead, name_length)
        _, _, _, size, _, _, _, _, type_length = struct.unpack("<QQQQIIHHI", self.memory.read(self.base + kind, 48))
        mangled = self.memory.text(self.base + kind + 48, type_length)
        return Object(address, name, ("named", "unique", "anonymous")[min(instance, 2)], mangled, length, size)

    def listed(self):
        """Returns the objects that a program named or made, in the order of their names, up to a limit."""
        found = []
        for one in self.objects():
            if not one.mangled.startswith("N7perdure6detail"):
                found.append(one)
            if len(found) == MOST_OBJECTS:
                break
        return sorted(found, key=lambda one: (one.kind, one.name))

    def stored_arrays(self):
        """Yields (name, text) of each array."""
        for one in self.objects():
            if one.mangled == "N7perdure6detail15array_catalogueE":
                for entry in flat_slots(self.memory, one.address + 8, 312).addresses:
                    yield stored_string(self.memory, entry), array_text(self.memory, entry + 32)


def stores(memory, table):
    """Returns all stores that managers have open; `table` is the address of `perdure::detail::debugger_records`."""
    found = []
    for record in struct.unpack("<64Q", memory.read(table, 512)):
        if record:
            try:
                found.append(Store(memory, record))
            except Corrupt:
                pass
    return found


def whole_object(memory, address):
    """Returns the address of the object that a part of it with virtual functions belongs to."""
    table = memory.number(address)
    memory.require(table - 16, 16)
    return wrapped(address + struct.unpack("<q", memory.read(table - 16, 8))[0])


def stored_string(memory, address):
    last = memory.number(address + 31, 1)
    if last < 0x80:
        return memory.text(address + 8, min(last, 22))
    return memory.text(wrapped(address + memory.number(address + 8)), memory.number(address + 16))


def stored_numbers(memory, address):
    distance, count = struct.unpack("<QQ", memory.read(address + 8, 16))
    if count > 32:
        raise Corrupt("%d numbers" % count)
    return struct.unpack("<%dQ" % count, memory.read(wrapped(address + distance), 8 * count)) if count else ()


NUMBERS = {"bool": "?", "char": "c", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H",
           "uint32": "I", "uint64": "Q", "float16": "e", "float32": "f", "float64": "d"}


def array_text(memory, array):
    """Returns type, shape and first elements of the `stored_array` at that address."""
    kind, dims = stored_string(memory, array), stored_numbers(memory, array + 32)
    text = "%s %s" % (short_type(kind), shape_text(dims))
    code = NUMBERS.get(kind)
    elements = 1
    for n in dims:
        elements *= n
    if code is None or elements == 0:
        return text
    distance, blocks = struct.unpack("<QQ", memory.read(array + 168, 16))
    if blocks == 0:
        return text + ", nothing stored"
    if blocks > 1 or memory.number(array + 275, 1):
        return text + ", in %d blocks" % blocks
    block = wrapped(array + 160 + distance)
    data, _, size, _, codec, shuffled = struct.unpack("<QQQIBB", memory.read(block, 30))
    if codec or shuffled:
        return text + ", compressed"
    width = struct.calcsize(code)
    if size != elements * width:
        return text + ", in part"
    shown = min(elements, 8)
    values = struct.unpack("<%d%s" % (shown, code), memory.read(wrapped(block + data + 1), shown * width))
    return "%s = {%s%s}" % (text, ", ".join(str(v) for v in values), ", ..." if shown < elements else "")
