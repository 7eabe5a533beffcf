// Tables of a store, from and to Arrow's C interfaces.
#include "bind_tables.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <perdure/error.hpp>
#include <string>
#include <utility>
#include <vector>

#include "arrow_field.hpp"
#include "arrow_input.hpp"
#include "arrow_output.hpp"
#include "data_types.hpp"
#include "element_buffer.hpp"
#include "interruptible.hpp"
#include "stored_block.hpp"
#include "stored_table.hpp"

namespace nb = nanobind;

namespace perdure::python {

namespace {

using array_names = std::array<std::string, parts_of_column>;

// Batches of more values are appended on a thread of their own, so that Ctrl-C is looked for.
constexpr std::uint64_t least_interruptible = 8'000'000;

std::string kind_of(const arrow_field& field) {
  switch (field.storage.kind) {
    case arrow_kind::nothing:
      return "nothing";
    case arrow_kind::bits:
      return "bits";
    case arrow_kind::fixed:
      return "fixed";
    case arrow_kind::bytes:
      return field.storage.is_text ? "text" : "binary";
    case arrow_kind::views:
      return "views";
    case arrow_kind::list:
      return "list";
    case arrow_kind::fixed_list:
      return "fixed_list";
    default:
      return "structure";
  }
}

arrow_field make_field(std::string name, std::string format, std::int64_t flags,
                       const std::vector<std::pair<nb::bytes, nb::bytes>>& metadata,
                       std::vector<arrow_field> children, std::vector<arrow_field> dictionary,
                       array_names arrays) {
  arrow_field field;
  field.name = std::move(name);
  field.format = std::move(format);
  field.flags = flags;
  for (const auto& [key, value] : metadata)
    field.metadata.emplace_back(std::string(key.c_str(), key.size()),
                                std::string(value.c_str(), value.size()));
  field.children = std::move(children);
  field.dictionary = std::move(dictionary);
  field.arrays = std::move(arrays);
  if (const auto storage = storage_of(field.format)) field.storage = *storage;
  number_slots(field);
  return field;
}

nb::list metadata_of(const arrow_field& field) {
  nb::list all;
  for (const auto& [key, value] : field.metadata)
    all.append(nb::make_tuple(nb::bytes(key.data(), key.size()), nb::bytes(value.data(), value.size())));
  return all;
}

/// Buffers of Python objects, which are given back under the GIL.
class python_memory {
 public:
  const void* add(const nb::handle& from) {
    buffers_.push_back(std::make_unique<element_buffer>(from.ptr(), false));
    if (!buffers_.back()->is_contiguous())
      throw error(errc::invalid_argument, "a column does not lie in one piece; give np.ascontiguousarray(…)");
    return buffers_.back()->bytes() == 0 ? no_elements() : buffers_.back()->data();
  }
  python_memory() = default;
  python_memory(const python_memory&) = delete;
  python_memory& operator=(const python_memory&) = delete;
  ~python_memory() {
    if (buffers_.empty() || Py_IsInitialized() == 0) return;
    const nb::gil_scoped_acquire python;
    buffers_.clear();
  }

 private:
  std::vector<std::unique_ptr<element_buffer>> buffers_;
};

/// Makes a table of one batch of what lies in Python's objects. `lengths` and `buffers` are by slots.
nb::object stream_of_buffers(const arrow_field& schema, const std::vector<std::int64_t>& lengths,
                             const std::vector<std::vector<nb::object>>& buffers) {
  auto memory = std::make_shared<python_memory>();
  auto table = std::make_shared<arrow_table>();
  table->schema = schema;
  std::vector<arrow_piece> batch(lengths.size());
  for (std::size_t slot = 0; slot < lengths.size(); ++slot) {
    batch[slot].length = lengths[slot];
    batch[slot].nulls = -1;
    for (std::size_t part = 0; part < buffers.at(slot).size() && part < parts_of_column; ++part)
      if (!buffers[slot][part].is_none()) batch[slot].buffers[part] = memory->add(buffers[slot][part]);
    if (batch[slot].buffers[validity] == nullptr) batch[slot].nulls = 0;
  }
  table->batches.push_back(std::move(batch));
  table->memory = std::move(memory);
  return stream_capsule(std::move(table));
}

void append(const open_store& store, const std::string& table, const arrow_field& schema,
            const arrow_field& given, const std::vector<std::size_t>& columns, const arrow_batch& batch) {
  const auto work = [&] {
    append_batch(store, table, schema, values_of(batch.array(), schema, given, columns));
  };
  const auto rows = static_cast<std::uint64_t>(std::max<std::int64_t>(batch.array().length, 0));
  if (rows * columns.size() >= least_interruptible) return interruptible(work);
  const nb::gil_scoped_release others_go_on;
  work();
}

/// Returns elements of a stored array along its first dimension, where they lie.
nb::object view_elements(const open_store& self, const std::string& name, std::uint64_t begin,
                         std::uint64_t count) {
  const std::shared_ptr<session> now = self.current();
  const array_info info = now->arrays().info(name);
  if (info.dims.rank() != 1)
    throw error(errc::unsupported, "the array \"" + name + "\" has more than one dimension");
  viewed_array viewed = now->arrays().view_part(name, info.type, {{begin}, {count}, {}});
  viewed.info.bytes = count * info.type.size();
  nb::object block =
      nb::cast(new stored_block(now, self.views(), name, std::move(viewed)), nb::rv_policy::take_ownership);
  return nb::module_::import_("numpy").attr("ndarray")(nb::make_tuple(count), dtype_of(info.type), block);
}

}  // namespace

void bind_arrow(nb::module_& module) {
  nb::class_<arrow_field>(module, "ArrowField",
                          "A column of a table, or the table as a struct of its columns.")
      .def(
          "__init__",
          [](arrow_field* self, std::string name, std::string format, std::int64_t flags,
             const std::vector<std::pair<nb::bytes, nb::bytes>>& metadata, std::vector<arrow_field> children,
             std::vector<arrow_field> dictionary, array_names arrays) {
            new (self) arrow_field(make_field(std::move(name), std::move(format), flags, metadata,
                                              std::move(children), std::move(dictionary), std::move(arrays)));
          },
          nb::arg("name"), nb::arg("format"), nb::arg("flags") = ARROW_FLAG_NULLABLE,
          nb::arg("metadata") = nb::list(), nb::arg("children") = nb::list(),
          nb::arg("dictionary") = nb::list(), nb::arg("arrays") = array_names{})
      .def_prop_ro("name", [](const arrow_field& field) { return field.name; })
      .def_prop_ro("format", [](const arrow_field& field) { return field.format; })
      .def_prop_ro("flags", [](const arrow_field& field) { return field.flags; })
      .def_prop_ro("metadata", metadata_of)
      .def_prop_ro("children", [](const arrow_field& field) { return field.children; })
      .def_prop_ro("dictionary", [](const arrow_field& field) { return field.dictionary; })
      .def_prop_ro("arrays", [](const arrow_field& field) { return field.arrays; })
      .def_prop_ro("slot", [](const arrow_field& field) { return field.slot; })
      .def_prop_ro("kind", kind_of)
      .def_prop_ro("type", type_text, "The type in words.")
      .def_prop_ro("slots", count_fields)
      .def("select",
           [](const arrow_field& field, const std::vector<std::size_t>& columns) {
             arrow_field some = field;
             some.children.clear();
             for (const std::size_t i : columns) some.children.push_back(field.children.at(i));
             return some;
           })
      .def("as_stored",
           [](const arrow_field& field) {
             require_known(field);
             return as_stored(field);
           })
      .def("match", matched_columns)
      .def("capsule", schema_capsule);
  nb::class_<arrow_batch>(module, "ArrowBatch", "A record batch of another library's.")
      .def_prop_ro("is_empty", [](const arrow_batch& batch) { return batch.array().length == 0; });
  nb::class_<arrow_input>(module, "ArrowInput", "Record batches of another library's.")
      .def_static("of_stream", arrow_input::of_stream)
      .def_static("of_array", arrow_input::of_array)
      .def_prop_ro("schema", [](const arrow_input& input) { return input.schema(); })
      .def("next", &arrow_input::next, nb::call_guard<nb::gil_scoped_release>());
  module.def("schema_of_capsule", [](const nb::handle& capsule) {
    const auto* const schema =
        static_cast<const ArrowSchema*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_schema"));
    if (schema == nullptr) throw nb::python_error();
    return field_of(*schema);
  });
  module.def("stream_of_buffers", stream_of_buffers);
  module.def(
      "report_leaks", [](bool reports) { nb::set_leak_warnings(reports); },
      "Sets whether objects that are left at the end of the interpreter are reported.");
}

void bind_tables(nb::class_<open_store>& bound) {
  bound.def("create_columns", create_columns, nb::call_guard<nb::gil_scoped_release>())
      .def("append_batch", append)
      .def("keep_batches", keep_batches, nb::call_guard<nb::gil_scoped_release>())
      .def("view_elements", view_elements)
      .def("table_stream", [](const open_store& self, const std::string& table, const arrow_field& schema,
                              std::size_t slots, std::uint64_t begin, std::uint64_t end) {
        std::shared_ptr<const arrow_table> rows;
        {
          const nb::gil_scoped_release others_go_on;
          rows = view_rows(self, table, schema, slots, begin, end);
        }
        return stream_capsule(std::move(rows));
      });
}

}  // namespace perdure::python
