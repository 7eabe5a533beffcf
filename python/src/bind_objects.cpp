// Objects that C++ programs have made: containers and texts as read-only values.
#include "bind_objects.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/inspect/contents.hpp>
#include <perdure/inspect/object_reader.hpp>
#include <perdure/manager.hpp>
#include <string>
#include <variant>
#include <vector>

#include "data_types.hpp"
#include "stored_block.hpp"

namespace nb = nanobind;

namespace perdure::python {

namespace {

// Most values that inspect reads of one object.
constexpr std::uint64_t most_values = 200'000;

template <class... Cases>
struct cases : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
cases(Cases...) -> cases<Cases...>;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw error(errc::unsupported, "the object \"" + name + "\" " + why);
}

nb::object python_of(const std::string& name, const inspect::value& one) {
  using value = inspect::value;
  return std::visit(cases{[](const value::nothing&) -> nb::object { return nb::none(); },
                          [](bool held) -> nb::object { return nb::bool_(held); },
                          [](std::int64_t held) -> nb::object { return nb::int_(held); },
                          [](std::uint64_t held) -> nb::object { return nb::int_(held); },
                          [](float held) -> nb::object { return nb::float_(held); },
                          [](double held) -> nb::object { return nb::float_(held); },
                          [&](const value::text& held) -> nb::object {
                            if (held.more != 0)
                              refuse(name, "has a text that is longer than Python reads of objects");
                            return nb::steal(PyUnicode_DecodeUTF8(
                                held.characters.data(), static_cast<Py_ssize_t>(held.characters.size()),
                                "surrogateescape"));
                          },
                          [&](const value::list& held) -> nb::object {
                            if (held.more != 0)
                              refuse(name, "has more elements than the " + std::to_string(most_values) +
                                               " that Python reads of objects");
                            nb::list all;
                            for (const value& element : held.elements) all.append(python_of(name, element));
                            return all;
                          },
                          [&](const value::record& held) -> nb::object {
                            nb::dict all;
                            for (const value::field& field : held.fields)
                              all[field.name.c_str()] = python_of(name, field.held);
                            return all;
                          },
                          [&](const value::opaque& held) -> nb::object {
                            refuse(name, "has a " + held.type + ", which the store does not explain");
                          },
                          [&](const value::damaged&) -> nb::object {
                            throw error(errc::damaged, "the object \"" + name + "\" leads out of the store");
                          },
                          [&](const value::left_out&) -> nb::object {
                            refuse(name, "has more values than the " + std::to_string(most_values) +
                                             " that Python reads of objects");
                          }},
                    one.held);
}

std::vector<std::string> object_names(const open_store& self) {
  const std::shared_ptr<session> now = self.current();
  std::vector<std::string> names;
  if (now->is_set()) return names;
  for (const object_info& one : now->store().named_objects()) names.emplace_back(one.name());
  std::sort(names.begin(), names.end());
  return names;
}

/// Returns (type's name, value), or None where there is no such object: an array of NumPy's in place for
/// plain data, else what the store says of the object.
nb::object object_value(const open_store& self, const std::string& name) {
  const std::shared_ptr<session> now = self.current();
  if (now->is_set()) return nb::none();
  const manager& store = now->store();
  object_info found;
  bool is_there = false;
  for (const object_info& one : store.named_objects()) {
    if (one.name() != name) continue;
    found = one;
    is_there = true;
  }
  if (!is_there) return nb::none();
  if (const auto type = found.data_type()) {
    viewed_array viewed;
    viewed.info.type = *type;
    viewed.info.bytes = found.size();
    viewed.data = static_cast<std::byte*>(found.value());
    nb::object block =
        nb::cast(new stored_block(now, self.views(), name, std::move(viewed)), nb::rv_policy::take_ownership);
    const nb::object shape = found.length() == 1 ? nb::make_tuple() : nb::make_tuple(found.length());
    return nb::make_tuple(found.type_name(),
                          nb::module_::import_("numpy").attr("ndarray")(shape, dtype_of(*type), block));
  }
  const inspect::object_reader reader(store, found);
  const inspect::object_extent extent = reader.extent();
  if (extent.elements && *extent.elements > most_values)
    refuse(name, "has " + std::to_string(*extent.elements) + " elements; Python reads " +
                     std::to_string(most_values) + " of an object at most");
  nb::list values;
  for (const inspect::value& one : reader.values(most_values)) values.append(python_of(name, one));
  return nb::make_tuple(found.type_name(),
                        reader.reads_elements() ? nb::object(values) : nb::object(values[0]));
}

}  // namespace

void bind_objects(nb::class_<open_store>& bound) {
  bound.def("object_names", object_names).def("object_value", object_value);
}

}  // namespace perdure::python
