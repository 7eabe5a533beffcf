// Element types of stores and of NumPy.
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data_types.hpp"

namespace nb = nanobind;

namespace perdure::python {

namespace {

std::string kind_of(const data_type& type) {
  switch (type.kind()) {
    case element_kind::opaque:
      return "opaque";
    case element_kind::character:
      return "character";
    case element_kind::structure:
      return "structure";
    case element_kind::text:
      return "text";
    case element_kind::sequence:
      return "sequence";
    default:
      return std::string(to_string(type.kind()));
  }
}

}  // namespace

nb::object dtype_of(const data_type& type) {
  // Never destroyed: the interpreter may be gone before.
  static auto& of_kinds = *new std::array<PyObject*, 32>{};
  static auto& of_texts = *new std::unordered_map<std::string, PyObject*>();
  const bool is_plain = type.dims().empty() && type.kind() != element_kind::opaque &&
                        type.kind() != element_kind::structure && type.kind() != element_kind::sequence;
  PyObject*& known = is_plain ? of_kinds[static_cast<std::size_t>(type.kind())] : of_texts[type.text()];
  if (known == nullptr)
    known = nb::module_::import_("perdure._dtypes").attr("to_dtype")(type).release().ptr();
  return nb::borrow(known);
}

void bind_data_types(nb::module_& module) {
  nb::class_<data_type>(module, "DataType", "What one element is, in words that every language has.")
      .def_static("parse", [](const std::string& text) { return data_type::parse(text); })
      .def_static("structure",
                  [](const std::vector<std::tuple<std::string, std::uint64_t, data_type>>& fields,
                     std::size_t size, std::size_t alignment) {
                    std::vector<data_field> all;
                    for (const auto& [name, offset, type] : fields) all.push_back({name, offset, type});
                    return data_type::structure(std::move(all), size, alignment);
                  })
      .def_static("list_of", [](const data_type& element) { return data_type::list_of(element); })
      .def_static("opaque", [](const std::string& name, std::size_t size,
                               std::size_t alignment) { return data_type::opaque(name, size, alignment); })
      .def("array",
           [](const data_type& type, const std::vector<std::uint64_t>& dims) { return type.array(dims); })
      .def_prop_ro("text", [](const data_type& type) { return type.text(); })
      .def_prop_ro("kind", kind_of)
      .def_prop_ro("dims", [](const data_type& type) { return type.dims(); })
      .def_prop_ro("size", [](const data_type& type) { return type.size(); })
      .def_prop_ro("alignment", [](const data_type& type) { return type.alignment(); })
      .def_prop_ro("name", [](const data_type& type) { return type.name(); })
      .def_prop_ro("base", [](const data_type& type) { return type.base(); })
      .def_prop_ro("element", [](const data_type& type) { return type.element(); })
      .def_prop_ro("is_variable", [](const data_type& type) { return type.is_variable(); })
      .def_prop_ro("fields",
                   [](const data_type& type) {
                     std::vector<std::tuple<std::string, std::uint64_t, data_type>> all;
                     for (const data_field& field : type.fields())
                       all.emplace_back(field.name, field.offset, field.type);
                     return all;
                   })
      .def(
          "__eq__", [](const data_type& a, const data_type& b) { return a == b; }, nb::is_operator())
      .def("__hash__", [](const data_type& type) { return std::hash<std::string>()(type.text()); })
      .def("__repr__", [](const data_type& type) { return "DataType(" + type.text() + ")"; });
}

}  // namespace perdure::python
