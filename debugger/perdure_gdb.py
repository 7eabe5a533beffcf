"""Pretty printers of Perdure for gdb: containers, offset pointers, managers, datastores and arrays.

`source PREFIX/share/perdure/debugger/perdure_gdb.py`. With them come

    perdure-stores               lists the stores that the program has open, and their objects
    $perdure_object("name")      the object of that name: of the one store that is open, or
    $perdure_object("name", m)   of the manager m
"""

import os
import sys

import gdb
import gdb.printing
import gdb.types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perdure_memory as perdure  # noqa: E402 (beside this file)

sys.path.pop(0)


class GdbMemory(perdure.Memory):
    def read(self, address, size):
        try:
            return bytes(gdb.selected_inferior().read_memory(address, size))
        except (gdb.error, OverflowError) as failure:
            raise perdure.Corrupt("its memory at 0x%x cannot be read" % address) from failure


class GdbTypes(perdure.Types):
    def size(self, kind):
        return kind.sizeof

    def alignment(self, kind):
        return kind.alignof

    def name(self, kind):
        return str(kind.strip_typedefs())

    def fields(self, kind):
        kind = kind.strip_typedefs()
        if kind.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            return []
        return [(None if field.is_base_class else field.name, field.bitpos // 8, field.type)
                for field in kind.fields() if hasattr(field, "bitpos")]


MEMORY, TYPES = GdbMemory(), GdbTypes()


def place_of(value):
    if value.address is None:
        raise perdure.Corrupt("it has no address")
    kind = value.type.strip_typedefs()
    return perdure.Place(MEMORY, TYPES, int(value.address), kind)


def value_at(address, kind):
    return gdb.Value(address).cast(kind.pointer()).dereference()


def plain_name(kind):
    """Returns the name of a class without its arguments: "vector" of perdure::vector<int>."""
    name = gdb.types.get_basic_type(kind).tag or ""
    return name.split("<")[0].replace("perdure::", "", 1).replace("basic_", "")


def all_stores():
    try:
        table = int(gdb.parse_and_eval("(unsigned long)&'perdure::detail::debugger_records'"))
    except gdb.error as failure:
        raise perdure.Corrupt("the library's table of open stores is not to be found") from failure
    return perdure.stores(MEMORY, table)


def demangled(mangled):
    text = gdb.execute("demangle -- _ZTS" + mangled, to_string=True).strip()
    return text.replace("typeinfo name for ", "") if "typeinfo name for" in text else mangled


def object_text(one):
    text = perdure.short_type(demangled(one.mangled))
    return "%s%s at 0x%x" % (text, "" if one.length == 1 else "[%d]" % one.length, one.address)


class Printer:
    """A printer that never raises: what cannot be read is described instead."""

    def __init__(self, value):
        is_reference = value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
        self.value = value.referenced_value() if is_reference else value
        self.label = "perdure::" + plain_name(value.type)

    def to_string(self):
        try:
            return self.summary(place_of(self.value))
        except Exception as failure:  # pylint: disable=broad-except: a debugger goes on printing
            return "%s, corrupt or not initialised: %s" % (self.label, failure)

    def children(self):
        try:
            yield from self.parts(place_of(self.value))
        except Exception as failure:  # pylint: disable=broad-except: as above
            yield "corrupt", str(failure)

    def summary(self, place):
        raise NotImplementedError

    def parts(self, place):
        return iter(())


class ContainerPrinter(Printer):
    def __init__(self, value):
        super().__init__(value)
        self.walk, self.hint = perdure.CONTAINERS[plain_name(self.value.type)]
        self.is_sound = False

    def display_hint(self):
        return self.hint

    def element(self):
        """The last argument of a container is its allocator, whose first one is the element."""
        kind, arguments = self.value.type.strip_typedefs(), 0
        while True:
            try:
                last = kind.template_argument(arguments)
                arguments += 1
            except (RuntimeError, gdb.error):
                return last.strip_typedefs().template_argument(0)

    def elements(self, place):
        kind = self.element()
        return self.walk(place, kind.sizeof, kind.alignof)

    def summary(self, place):
        elements = self.elements(place)
        self.is_sound = True
        return "%s of length %d%s" % (self.label, elements.count, elements.more)

    def parts(self, place):
        if not self.is_sound:
            try:
                self.summary(place)
            except Exception:  # pylint: disable=broad-except: the summary says why
                return
        kind = self.element()
        label = 0
        try:
            for address in self.elements(place).addresses:
                MEMORY.require(address, kind.sizeof)
                element = value_at(address, kind)
                if self.hint == "map":
                    yield "[%d]" % label, element["first"]
                    yield "[%d]" % (label + 1), element["second"]
                    label += 2
                else:
                    yield "[%d]" % label, element
                    label += 1
        except (perdure.Corrupt, gdb.error) as failure:
            yield "corrupt", "<corrupt: %s>" % failure
            if self.hint == "map":
                yield "end", "<...>"


class StringPrinter(Printer):
    def characters(self, place):
        unit = self.value.type.strip_typedefs().template_argument(0)
        first, length = perdure.string(place, unit.sizeof)
        return gdb.Value(first).cast(unit.pointer()).lazy_string(length=length)

    def summary(self, place):
        return self.characters(place)

    def display_hint(self):
        try:
            self.characters(place_of(self.value))
            return "string"
        except Exception:  # pylint: disable=broad-except: the summary says why, without quotation marks
            return None


class PointerPrinter(Printer):
    """Shows the address and the target of an offset pointer; of a pointer in that target, the address."""

    is_in_target = False

    def summary(self, place):
        kind = self.value.type.strip_typedefs().template_argument(0)
        address = place.pointer()
        text = "(%s *) 0x%x" % (perdure.short_type(str(kind)), address)
        if address == 0 or PointerPrinter.is_in_target or kind.strip_typedefs().code == gdb.TYPE_CODE_VOID:
            return text
        MEMORY.require(address, kind.sizeof)
        PointerPrinter.is_in_target = True
        try:
            return "%s: %s" % (text, value_at(address, kind).format_string(max_elements=20))
        except (gdb.error, TypeError):
            return text
        finally:
            PointerPrinter.is_in_target = False


class StorePrinter(Printer):
    """A manager, or a datastore of one."""

    def store(self, place):
        raise NotImplementedError

    def closed(self, place):
        return None

    def summary(self, place):
        if self.closed(place):
            return "%s, closed" % self.label
        return "%s of %s" % (self.label, self.store(place).text())

    def parts(self, place):
        if self.closed(place):
            return
        try:
            listed = self.store(place).listed()
        except perdure.Corrupt:
            return  # the summary says why
        for one in listed:
            name = '"%s"' % one.name if one.kind == "named" else one.kind
            yield "[%s]" % name, object_text(one)


def store_with(field, address):
    for store in all_stores():
        if getattr(store, field) == address:
            return store
    raise perdure.Corrupt("no manager has it open")


class ManagerPrinter(StorePrinter):
    def closed(self, place):
        return place.find("core_").number() == 0

    def store(self, place):
        return store_with("core", place.find("core_").number())


class DatastorePrinter(StorePrinter):
    def store(self, place):
        return store_with("store", perdure.whole_object(MEMORY, place.address))


def store_of_arrays(place):
    """The store that an array_store or an array_ref is of; None for a set of stores."""
    arrays = place.find("arrays_", "_M_ptr").number()
    if arrays == 0:
        raise perdure.Corrupt("it is closed")
    whole = perdure.whole_object(MEMORY, arrays)
    return next((store for store in all_stores() if store.arrays == whole), None)


class ArrayStorePrinter(Printer):
    def summary(self, place):
        store = store_of_arrays(place)
        if store is None:
            return "%s, of a set of stores, or closed" % self.label
        count = sum(1 for _ in store.stored_arrays())
        return '%s of "%s", %d array%s' % (self.label, store.path, count, "" if count == 1 else "s")

    def parts(self, place):
        try:
            store = store_of_arrays(place)
            found = [] if store is None else sorted(store.stored_arrays())
        except perdure.Corrupt:
            return  # the summary says why
        for name, text in found:
            yield '["%s"]' % name, text


class ArrayRefPrinter(Printer):
    def summary(self, place):
        name = perdure.std_string(place.find("id_"))
        store = store_of_arrays(place)
        text = None if store is None else dict(store.stored_arrays()).get(name.strip('"'), "not stored")
        return "%s %s%s" % (self.label, name, "" if text is None else ": " + text)


class ViewPrinter(Printer):
    def element(self):
        return self.value.type.strip_typedefs().template_argument(0)

    def summary(self, place):
        dims, _ = perdure.view(place, self.element().sizeof)
        return "%s<%s> of shape %s" % (self.label, perdure.short_type(str(self.element())), perdure.shape_text(dims))

    def parts(self, place):
        kind = self.element()
        try:
            _, elements = perdure.view(place, kind.sizeof)
        except perdure.Corrupt:
            return  # the summary says why
        for i, address in enumerate(elements.addresses):
            yield "[%d]" % i, value_at(address, kind)

    def display_hint(self):
        return "array"


class ExtentsPrinter(Printer):
    def summary(self, place):
        return perdure.shape_text(perdure.shape(place))


class DataTypePrinter(Printer):
    def summary(self, place):
        return perdure.type_text(place)


class ArrayInfoPrinter(Printer):
    def summary(self, place):
        return "%s %s: %s %s" % (self.label, perdure.std_string(place.find("id")), perdure.type_text(place.find("type")),
                                 perdure.shape_text(perdure.shape(place.find("dims"))))


def printers():
    all_of = gdb.printing.RegexpCollectionPrettyPrinter("perdure")
    for name in perdure.CONTAINERS:
        all_of.add_printer(name, "^perdure::%s<.*>$" % name, ContainerPrinter)
    for name, pattern, printer in (
            ("string", "basic_string<.*>", StringPrinter),
            ("offset_ptr", "offset_ptr<.*>", PointerPrinter),
            ("manager", "basic_manager<.*>", ManagerPrinter),
            ("datastore", "datastore", DatastorePrinter),
            ("array_store", "array_store", ArrayStorePrinter),
            ("array_ref", "array_ref", ArrayRefPrinter),
            ("array_view", "(array|stored)_view<.*>", ViewPrinter),
            ("extents", "extents", ExtentsPrinter),
            ("data_type", "data_type", DataTypePrinter),
            ("array_info", "array_info", ArrayInfoPrinter)):
        all_of.add_printer(name, "^perdure::%s$" % pattern, printer)
    return all_of


class StoresCommand(gdb.Command):
    """Lists the stores that the program has open, and their objects."""

    def __init__(self):
        super().__init__("perdure-stores", gdb.COMMAND_DATA)

    def invoke(self, _arguments, _from_tty):
        try:
            found = all_stores()
            for store in found:
                print(store.text())
                for one in store.listed():
                    print("  %s %s" % (one.name if one.kind == "named" else "(%s)" % one.kind, object_text(one)))
                for name, text in sorted(store.stored_arrays()):
                    print("  array %s: %s" % (name, text))
        except perdure.Corrupt as failure:
            raise gdb.GdbError("perdure-stores: %s" % failure)
        if not found:
            print("The program has no store open.")


class ObjectFunction(gdb.Function):
    """$perdure_object("name"[, manager]): the object of that name in the one store that is open, or in the manager's."""

    def __init__(self):
        super().__init__("perdure_object")

    def invoke(self, name, manager=None):
        wanted = name.string()
        try:
            if manager is None:
                found = all_stores()
                if len(found) != 1:
                    raise gdb.GdbError("%d stores are open: name the manager as the second argument" % len(found))
                store = found[0]
            else:
                store = store_with("core", place_of(manager).find("core_").number())
            for one in store.objects():
                if one.name == wanted and one.kind == "named":
                    kind = gdb.lookup_type(demangled(one.mangled))
                    if one.length != 1:
                        kind = kind.array(one.length - 1)
                    return value_at(one.address, kind)
        except (perdure.Corrupt, gdb.error) as failure:
            raise gdb.GdbError('the object "%s" cannot be shown: %s' % (wanted, failure))
        raise gdb.GdbError('"%s" has no object "%s": `perdure-stores` lists those it has' % (store.path, wanted))


gdb.printing.register_pretty_printer(None, printers(), replace=True)
StoresCommand()
ObjectFunction()
