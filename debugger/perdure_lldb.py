"""Summaries and elements of Perdure's types for lldb: containers, offset pointers, managers, datastores and arrays.

`command script import PREFIX/share/perdure/debugger/perdure_lldb.py`. With them comes the command

    perdure-stores               lists the stores that the program has open, and their objects
"""

import ctypes
import os
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perdure_memory as perdure  # noqa: E402 (beside this file)

sys.path.pop(0)

MOST_CHILDREN = 256


class LldbMemory(perdure.Memory):
    def __init__(self, process):
        self.process = process

    def read(self, address, size):
        if size == 0:
            return b""
        error = lldb.SBError()
        data = self.process.ReadMemory(address, size, error) if 0 <= address < 1 << 64 else None
        if data is None or error.Fail() or len(data) != size:
            raise perdure.Corrupt("its memory at 0x%x cannot be read" % address)
        return bytes(data)


class LldbTypes(perdure.Types):
    def size(self, kind):
        return kind.GetByteSize()

    def alignment(self, kind):
        """Computes the alignment, which lldb does not say: that of the largest member, or of a number itself."""
        kind = kind.GetCanonicalType()
        if kind.IsArrayType():
            return self.alignment(kind.GetArrayElementType())
        inside = [self.alignment(its) for _, _, its in self.fields(kind)]
        if inside:
            return max(inside)
        return 1 if kind.GetTypeClass() in (lldb.eTypeClassClass, lldb.eTypeClassStruct) else max(1, min(kind.GetByteSize(), 16))

    def name(self, kind):
        return kind.GetCanonicalType().GetName() or ""

    def fields(self, kind):
        kind = kind.GetCanonicalType()
        bases = [kind.GetDirectBaseClassAtIndex(i) for i in range(kind.GetNumberOfDirectBaseClasses())]
        members = [kind.GetFieldAtIndex(i) for i in range(kind.GetNumberOfFields())]
        return ([(None, base.GetOffsetInBytes(), base.GetType()) for base in bases] +
                [(member.GetName(), member.GetOffsetInBytes(), member.GetType()) for member in members])


TYPES = LldbTypes()


def place_of(value):
    value = value.GetNonSyntheticValue()
    kind = value.GetType()
    if kind.IsReferenceType():  # to a type that may be declared only
        address, kind = value.GetValueAsUnsigned(), kind.GetDereferencedType()
    else:
        address = value.GetLoadAddress()
    if address == lldb.LLDB_INVALID_ADDRESS:
        raise perdure.Corrupt("it has no address")
    return perdure.Place(LldbMemory(value.GetProcess()), TYPES, address, kind.GetCanonicalType().GetUnqualifiedType())


def plain_name(kind):
    return TYPES.name(kind).replace("const ", "").split("<")[0].replace("perdure::", "", 1).replace("basic_", "")


def all_stores(target):
    symbols = target.FindSymbols("perdure::detail::debugger_records")
    if symbols.GetSize() == 0:
        raise perdure.Corrupt("the library's table of open stores is not to be found")
    address = symbols.GetContextAtIndex(0).GetSymbol().GetStartAddress().GetLoadAddress(target)
    return perdure.stores(LldbMemory(target.GetProcess()), address)


def demangled(mangled):
    try:
        library = ctypes.CDLL("libstdc++.so.6")
        library.__cxa_demangle.restype = ctypes.c_char_p
        text = library.__cxa_demangle(("_ZTS" + mangled).encode(), None, None, None)
        return text.decode().replace("typeinfo name for ", "") if text else mangled
    except (OSError, AttributeError):
        return mangled


def object_text(one):
    text = perdure.short_type(demangled(one.mangled))
    return "%s%s at 0x%x" % (text, "" if one.length == 1 else "[%d]" % one.length, one.address)


def element_of(kind):
    allocator = kind.GetTemplateArgumentType(kind.GetNumberOfTemplateArguments() - 1)
    return allocator.GetCanonicalType().GetTemplateArgumentType(0)


def elements_of(place):
    walk, _ = perdure.CONTAINERS[plain_name(place.kind)]
    element = element_of(place.kind)
    return walk(place, TYPES.size(element), TYPES.alignment(element)), element


def guarded(function):
    """Describes what cannot be read, instead of raising."""

    def summary(value, _options):
        try:
            return function(value, place_of(value))
        except Exception as failure:  # pylint: disable=broad-except: a debugger goes on printing
            return "corrupt or not initialised: %s" % failure

    return summary


@guarded
def container(_value, place):
    elements, _ = elements_of(place)
    return "length %d%s" % (elements.count, elements.more)


@guarded
def string(_value, place):
    unit = place.kind.GetTemplateArgumentType(0).GetByteSize()
    first, length = perdure.string(place, unit)
    encoding = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}[unit]
    shown = min(length, perdure.MOST_TEXT // unit)
    text = place.memory.read(first, shown * unit).decode(encoding, "backslashreplace") if shown else ""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"%s"%s' % (escaped, "..." if shown < length else "")


@guarded
def offset_ptr(_value, place):
    address, size = place.pointer(), place.kind.GetTemplateArgumentType(0).GetByteSize()
    if address:
        place.memory.require(address, size)
    return "0x%x" % address


def store_with(value, field, address):
    for store in all_stores(value.GetTarget()):
        if getattr(store, field) == address:
            return store
    raise perdure.Corrupt("no manager has it open")


@guarded
def manager(value, place):
    core = place.find("core_").number()
    return "closed" if core == 0 else store_with(value, "core", core).text()


@guarded
def datastore(value, place):
    return store_with(value, "store", perdure.whole_object(place.memory, place.address)).text()


@guarded
def array_store(value, place):
    arrays = place.find("arrays_", "_M_ptr").number()
    if arrays == 0:
        raise perdure.Corrupt("it is closed")
    store = store_with(value, "arrays", perdure.whole_object(place.memory, arrays))
    return '"%s", arrays %s' % (store.path, "; ".join("%s: %s" % one for one in sorted(store.stored_arrays())))


@guarded
def array_ref(value, place):
    name = perdure.std_string(place.find("id_"))
    whole = perdure.whole_object(place.memory, place.find("arrays_", "_M_ptr").number())
    for store in all_stores(value.GetTarget()):
        if store.arrays == whole:
            return "%s: %s" % (name, dict(store.stored_arrays()).get(name.strip('"'), "not stored"))
    return name


@guarded
def array_view(_value, place):
    dims, _ = perdure.view(place, place.kind.GetTemplateArgumentType(0).GetByteSize())
    return "shape %s" % perdure.shape_text(dims)


@guarded
def extents(_value, place):
    return perdure.shape_text(perdure.shape(place))


@guarded
def data_type(_value, place):
    return perdure.type_text(place)


@guarded
def array_info(_value, place):
    return "%s: %s %s" % (perdure.std_string(place.find("id")), perdure.type_text(place.find("type")),
                          perdure.shape_text(perdure.shape(place.find("dims"))))


class Elements:
    """Elements of a container or of a view, the first `MOST_CHILDREN` of them."""

    def __init__(self, value, _dictionary):
        self.value, self.addresses, self.element = value, [], None

    def update(self):
        self.addresses = []
        try:
            place = place_of(self.value)
            if plain_name(place.kind) in perdure.CONTAINERS:
                elements, self.element = elements_of(place)
            else:
                self.element = place.kind.GetTemplateArgumentType(0)
                _, elements = perdure.view(place, self.element.GetByteSize())
            for address in elements.addresses:
                place.memory.require(address, self.element.GetByteSize())
                self.addresses.append(address)
                if len(self.addresses) == MOST_CHILDREN:
                    break
        except Exception:  # pylint: disable=broad-except: the summary says why, and these are the elements until there
            pass
        return False

    def num_children(self):
        return len(self.addresses)

    def has_children(self):
        return True

    def get_child_index(self, name):
        return int(name.strip("[]")) if name.strip("[]").isdigit() else -1

    def get_child_at_index(self, index):
        if not 0 <= index < len(self.addresses):
            return None
        return self.value.CreateValueFromAddress("[%d]" % index, self.addresses[index], self.element)


class Target:
    """Target of an offset pointer."""

    def __init__(self, value, _dictionary):
        self.value, self.address, self.element = value, 0, None

    def update(self):
        self.address = 0
        try:
            place = place_of(self.value)
            element = place.kind.GetTemplateArgumentType(0)
            address = place.pointer()
            if element.GetByteSize():
                place.memory.require(address, element.GetByteSize())
                self.address, self.element = address, element
        except Exception:  # pylint: disable=broad-except: it has no target that can be shown
            pass
        return False

    def num_children(self):
        return 1 if self.address else 0

    def has_children(self):
        return True

    def get_child_index(self, name):
        return 0 if name in ("target", "$$dereference$$") else -1

    def get_child_at_index(self, index):
        if index != 0 or not self.address:
            return None
        return self.value.CreateValueFromAddress("target", self.address, self.element)


def list_stores(debugger, _command, result, _dictionary):
    """Lists the stores that the program has open, and their objects."""
    try:
        found = all_stores(debugger.GetSelectedTarget())
        for store in found:
            result.AppendMessage(store.text())
            for one in store.listed():
                result.AppendMessage("  %s %s" % (one.name if one.kind == "named" else "(%s)" % one.kind, object_text(one)))
            for name, text in sorted(store.stored_arrays()):
                result.AppendMessage("  array %s: %s" % (name, text))
        if not found:
            result.AppendMessage("The program has no store open.")
    except perdure.Corrupt as failure:
        result.SetError("perdure-stores: %s" % failure)


def __lldb_init_module(debugger, _dictionary):
    def run(command):
        debugger.HandleCommand(command)

    containers = "^perdure::(%s)<.+>$" % "|".join(perdure.CONTAINERS)
    for pattern, name, parts in (
            (containers, "container", "Elements"),
            ("^perdure::basic_string<.+>$", "string", None),
            ("^perdure::offset_ptr<.+>$", "offset_ptr", "Target"),
            ("^perdure::basic_manager<.+>$", "manager", None),
            ("^perdure::datastore$", "datastore", None),
            ("^perdure::array_store$", "array_store", None),
            ("^perdure::array_ref$", "array_ref", None),
            ("^perdure::(array|stored)_view<.+>$", "array_view", "Elements"),
            ("^perdure::extents$", "extents", None),
            ("^perdure::data_type$", "data_type", None),
            ("^perdure::array_info$", "array_info", None)):
        expand = "-e " if parts else ""
        run('type summary add -w perdure -p %s-x "%s" -F %s.%s' % (expand, pattern, __name__, name))
        if parts:
            run('type synthetic add -w perdure -x "%s" -l %s.%s' % (pattern, __name__, parts))
    run("type category enable perdure")
    run("command script add -o -f %s.list_stores perdure-stores" % __name__)
