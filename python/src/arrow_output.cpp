// Tables given to other libraries by Arrow's C stream interface, without a copy.
#include "arrow_output.hpp"

#include <cerrno>
#include <new>
#include <utility>

namespace nb = nanobind;

namespace perdure::python {

namespace {

/// Memory of an array that was given away. Children may be moved out of it, and have a share of their
/// own.
struct exported_array {
  exported_array() = default;
  exported_array(const exported_array&) = delete;
  exported_array& operator=(const exported_array&) = delete;
  ~exported_array() {
    for (ArrowArray& one : arrays)
      if (one.release != nullptr) one.release(&one);
  }

  std::shared_ptr<const arrow_table> table;
  std::array<const void*, parts_of_column> buffers{};
  std::vector<ArrowArray> arrays;  // children, then the dictionary
  std::vector<ArrowArray*> children;
};

void release_array(ArrowArray* array) {
  delete static_cast<exported_array*>(array->private_data);
  array->release = nullptr;
}

void export_array(const std::shared_ptr<const arrow_table>& table, const arrow_field& field,
                  const std::vector<arrow_piece>& batch, ArrowArray& to) {
  const arrow_piece& piece = batch[field.slot];
  auto own = std::make_unique<exported_array>();
  own->table = table;
  std::size_t buffers = 0;
  const auto add = [&](part_of_column part) { own->buffers[buffers++] = piece.buffers[part]; };
  const arrow_kind kind = field.storage.kind;
  if (kind != arrow_kind::nothing) add(validity);
  if (kind == arrow_kind::bytes || kind == arrow_kind::list) add(offsets);
  if (kind == arrow_kind::bytes || kind == arrow_kind::fixed || kind == arrow_kind::bits) add(values);
  own->arrays.resize(field.children.size() + field.dictionary.size());
  for (std::size_t i = 0; i < own->arrays.size(); ++i) {
    const bool is_child = i < field.children.size();
    export_array(table, is_child ? field.children[i] : field.dictionary.front(), batch, own->arrays[i]);
    if (is_child) own->children.push_back(&own->arrays[i]);
  }
  to = {};
  to.length = piece.length;
  to.null_count = kind == arrow_kind::nothing ? piece.length : piece.nulls;
  to.offset = piece.offset;
  to.n_buffers = static_cast<std::int64_t>(buffers);
  to.buffers = own->buffers.data();
  to.n_children = static_cast<std::int64_t>(own->children.size());
  to.children = own->children.data();
  to.dictionary = field.dictionary.empty() ? nullptr : &own->arrays.back();
  to.release = release_array;
  to.private_data = own.release();
}

struct exported_stream {
  std::shared_ptr<const arrow_table> table;
  std::size_t next = 0;
};

exported_stream& own_of(ArrowArrayStream* stream) {
  return *static_cast<exported_stream*>(stream->private_data);
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* to) {
  try {
    export_schema(own_of(stream).table->schema, *to);
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

int get_next(ArrowArrayStream* stream, ArrowArray* to) {
  exported_stream& own = own_of(stream);
  *to = {};
  if (own.next == own.table->batches.size()) return 0;
  try {
    export_array(own.table, own.table->schema, own.table->batches[own.next], *to);
    ++own.next;
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

const char* get_last_error(ArrowArrayStream*) {
  return "no memory is left";
}

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<exported_stream*>(stream->private_data);
  stream->release = nullptr;
}

/// Returns a capsule that releases the struct if nobody has taken it over.
template <class T>
nb::object capsule_of(std::unique_ptr<T> all, const char* name) {
  nb::object made = nb::steal(PyCapsule_New(all.get(), name, [](PyObject* capsule) {
    auto* const held = static_cast<T*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
    if (held->release != nullptr) held->release(held);
    delete held;
  }));
  if (!made.is_valid()) {
    all->release(all.get());
    throw nb::python_error();
  }
  static_cast<void>(all.release());
  return made;
}

}  // namespace

const void* no_elements() noexcept {
  alignas(64) static constexpr std::array<std::byte, 64> zeros{};
  return zeros.data();
}

nb::object stream_capsule(std::shared_ptr<const arrow_table> table) {
  auto stream = std::make_unique<ArrowArrayStream>();
  auto own = std::make_unique<exported_stream>();
  own->table = std::move(table);
  *stream = {get_schema, get_next, get_last_error, release_stream, own.release()};
  return capsule_of(std::move(stream), "arrow_array_stream");
}

nb::object schema_capsule(const arrow_field& schema) {
  auto made = std::make_unique<ArrowSchema>();
  export_schema(schema, *made);
  return capsule_of(std::move(made), "arrow_schema");
}

}  // namespace perdure::python
