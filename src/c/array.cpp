// Arrays by name.
#include "perdure/c/array.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "c/handles.hpp"
#include "perdure/array/array_info.hpp"
#include "perdure/array/extents.hpp"
#include "perdure/array/untyped_arrays.hpp"
#include "perdure/data_type.hpp"

using namespace perdure::c;

namespace {

using perdure::array_info;
using perdure::array_layout;
using perdure::array_options;
using perdure::compression;
using perdure::const_untyped_view;
using perdure::data_type;
using perdure::extents;
using perdure::slab;
using perdure::untyped_arrays;
using perdure::untyped_view;

static_assert(PERDURE_MAX_RANK == perdure::max_rank);
static_assert(PERDURE_LAYOUT_BLOCKS == static_cast<int>(array_layout::blocks));
static_assert(PERDURE_LAYOUT_CONTIGUOUS == static_cast<int>(array_layout::contiguous));
static_assert(PERDURE_LAYOUT_CHUNKED == static_cast<int>(array_layout::chunked));
static_assert(PERDURE_COMPRESSION_NONE == static_cast<int>(compression::none));
static_assert(PERDURE_COMPRESSION_LZ4 == static_cast<int>(compression::lz4));
static_assert(PERDURE_COMPRESSION_ZSTD == static_cast<int>(compression::zstd));
static_assert(PERDURE_COMPRESSION_BLOSC == static_cast<int>(compression::blosc));

data_type type_of(const char* text) {
  return data_type::parse(required_text(text, "type"));
}

/// One number for each dimension; `given` may be null where there are none.
extents numbers_from(const uint64_t* given, size_t rank, const char* what) {
  if (rank == 0) return {};
  if (rank > perdure::max_rank)
    refuse("the rank is " + std::to_string(rank) + "; an array has up to " +
           std::to_string(perdure::max_rank) + " dimensions");
  return extents(std::span(&required(given, what), rank));
}

array_options options_for(const perdure_array_options* given, size_t rank) {
  const perdure_array_options wanted = options_from(given, "options");
  if (wanted.layout < PERDURE_LAYOUT_BLOCKS || wanted.layout > PERDURE_LAYOUT_CHUNKED)
    refuse("options->layout is " + std::to_string(wanted.layout) + ", which is none");
  if (wanted.compression < PERDURE_COMPRESSION_NONE || wanted.compression > PERDURE_COMPRESSION_BLOSC)
    refuse("options->compression is " + std::to_string(wanted.compression) + ", which is none");
  array_options options;
  options.layout = static_cast<array_layout>(wanted.layout);
  options.codec = static_cast<compression>(wanted.compression);
  options.level = wanted.level;
  options.shuffle = wanted.no_shuffle == 0;
  options.replaces_any = wanted.replaces_any != 0;
  if (wanted.chunk != nullptr) options.chunk = numbers_from(wanted.chunk, rank, "options->chunk");
  if (wanted.dimensions != nullptr)
    for (size_t i = 0; i < rank; ++i)
      options.dimensions.emplace_back(required_text(wanted.dimensions[i], "a name in options->dimensions"));
  return options;
}

const void* required_data(const void* data, const extents& count) {
  if (count.elements() != 0) required(static_cast<const char*>(data), "data");
  return data;
}

/// The elements at `data` as the part says.
template <class Elements, class Data>
Elements elements_at(Data* data, const perdure_array_part* part, const extents& count, size_t element_size) {
  required_data(data, count);
  Elements all = Elements::row_major(data, count, element_size);
  if (part != nullptr && part->memory_strides != nullptr)
    std::copy_n(part->memory_strides, count.rank(), all.strides.begin());
  return all;
}

/// The type of elements that all have one length.
data_type type_of_fixed_size(const char* text) {
  data_type type = type_of(text);
  if (type.is_variable())
    refuse("elements of type " + type.text() +
           " have any length: store them by perdure_array_store_variable");
  return type;
}

const_untyped_view all_elements_at(const void* data, const data_type& type, size_t rank,
                                   const uint64_t* dims) {
  const extents shape = numbers_from(dims, rank, "dims");
  return const_untyped_view::row_major(required_data(data, shape), shape, type.size());
}

perdure_pending_store* handle_for(perdure::pending_store store) {
  return new_handle(std::make_unique<perdure_pending_store>(perdure_pending_store{std::move(store)}));
}

slab slab_from(const perdure_array_part* part, const untyped_arrays& arrays, const char* id) {
  if (part == nullptr) return slab::whole(arrays.info(id).dims);
  slab where;
  where.count = numbers_from(part->count, part->rank, "part->count");
  where.offset = part->offset == nullptr ? extents::all(part->rank, 0)
                                         : numbers_from(part->offset, part->rank, "part->offset");
  if (part->stride != nullptr) where.stride = numbers_from(part->stride, part->rank, "part->stride");
  return where;
}

/// Refuses memory that the part's elements do not fit, or fill.
void require_bytes(const perdure_array_part* part, const extents& count, size_t element_size, size_t bytes) {
  const std::uint64_t all = count.elements();
  std::uint64_t needed = 0;
  bool is_number = !__builtin_mul_overflow(all, element_size, &needed);
  if (part != nullptr && part->memory_strides != nullptr) {
    needed = all == 0 ? 0 : element_size;
    for (std::size_t i = 0; i < count.rank() && all != 0; ++i) {
      if (part->memory_strides[i] < 0) refuse("a stride in part->memory_strides is negative");
      std::uint64_t to_last = 0;
      is_number = is_number &&
                  !__builtin_mul_overflow(count[i] - 1, static_cast<std::uint64_t>(part->memory_strides[i]),
                                          &to_last) &&
                  !__builtin_add_overflow(needed, to_last, &needed);
    }
    if (is_number && needed <= bytes) return;
  } else if (is_number && needed == bytes) {
    return;
  }
  refuse("the memory has " + std::to_string(bytes) + " bytes, and elements of shape " +
         perdure::detail::shape_text(count) + " take " +
         (is_number ? std::to_string(needed) : "more than there can be"));
}

void add(perdure_array_list& list, array_info info) {
  perdure_array_list::texts texts{std::move(info), {}, {}};
  texts.type = texts.info.type.text();
  list.strings.push_back(std::move(texts));
}

perdure_array_list* complete(std::unique_ptr<perdure_array_list> list) {
  for (perdure_array_list::texts& texts : list->strings) {
    const array_info& from = texts.info;
    for (const std::string& name : from.dimensions) texts.dimensions.push_back(name.c_str());
    perdure_array_info info{};
    info.id = from.id.c_str();
    info.type = texts.type.c_str();
    info.rank = from.dims.rank();
    info.dims = from.dims.begin();
    info.dimensions = texts.dimensions.empty() ? nullptr : texts.dimensions.data();
    info.chunk = from.chunk.empty() ? nullptr : from.chunk.begin();
    info.elements = from.dims.elements();
    info.element_size = from.type.size();
    info.bytes = from.bytes;
    info.stored_bytes = from.stored_bytes;
    info.blocks = from.blocks;
    info.layout = static_cast<std::int32_t>(from.layout);
    info.compression = static_cast<std::int32_t>(from.codec);
    info.is_viewable = from.is_viewable ? 1 : 0;
    list->items.push_back(info);
  }
  return new_handle(std::move(list));
}

[[noreturn]] void report_missing(const untyped_arrays& arrays, const char* id) {
  throw perdure::error(perdure::errc::not_found,
                       arrays.path().string() + " has no array named \"" + std::string(id) + '"');
}
[[noreturn]] void report_missing_attribute(const char* id, const char* key) {
  throw perdure::error(perdure::errc::not_found,
                       "the array \"" + std::string(id) + "\" has no attribute \"" + std::string(key) + '"');
}

}  // namespace

perdure_status perdure_array_store(perdure_store* store, const char* id, const char* type, size_t rank,
                                   const uint64_t* dims, const void* data,
                                   const perdure_array_options* options) {
  return guarded([&] {
    const arrays_of arrays(store);
    const data_type element = type_of_fixed_size(type);
    arrays->store_whole(required_text(id, "id"), element, all_elements_at(data, element, rank, dims),
                        options_for(options, rank));
  });
}

perdure_status perdure_array_store_async(perdure_store* store, const char* id, const char* type, size_t rank,
                                         const uint64_t* dims, const void* data,
                                         const perdure_array_options* options,
                                         perdure_pending_store** pending) {
  return guarded([&] {
    perdure_pending_store*& result = required_result(pending, "pending");
    const arrays_of arrays(store);
    const data_type element = type_of_fixed_size(type);
    result = handle_for(arrays->store_async(required_text(id, "id"), element,
                                            all_elements_at(data, element, rank, dims),
                                            options_for(options, rank)));
  });
}

perdure_status perdure_array_create(perdure_store* store, const char* id, const char* type, size_t rank,
                                    const uint64_t* dims, const perdure_array_options* options) {
  return guarded([&] {
    arrays_of(store)->create(required_text(id, "id"), type_of(type), numbers_from(dims, rank, "dims"),
                             options_for(options, rank));
  });
}

perdure_status perdure_array_write(perdure_store* store, const char* id, const char* type,
                                   const perdure_array_part* part, const void* data) {
  return guarded([&] {
    const arrays_of arrays(store);
    const data_type element = type_of(type);
    const slab where = slab_from(part, *arrays, required_text(id, "id"));
    arrays->write(id, element, where,
                  elements_at<const_untyped_view>(data, part, where.count, element.size()));
  });
}

perdure_status perdure_array_write_async(perdure_store* store, const char* id, const char* type,
                                         const perdure_array_part* part, const void* data,
                                         perdure_pending_store** pending) {
  return guarded([&] {
    perdure_pending_store*& result = required_result(pending, "pending");
    const arrays_of arrays(store);
    const data_type element = type_of(type);
    const slab where = slab_from(part, *arrays, required_text(id, "id"));
    result = handle_for(arrays->write_async(
        id, element, where, elements_at<const_untyped_view>(data, part, where.count, element.size())));
  });
}

perdure_status perdure_pending_store_wait(const perdure_pending_store* pending) {
  return guarded([&] { object_of(pending).store.wait(); });
}

perdure_status perdure_pending_store_ready(const perdure_pending_store* pending, int* ready) {
  return guarded([&] {
    required(ready, "ready") = 0;
    *ready = object_of(pending).store.ready() ? 1 : 0;
  });
}

perdure_status perdure_pending_store_free(perdure_pending_store* pending) {
  return free_handle(pending);
}

perdure_status perdure_array_read(const perdure_store* store, const char* id, const char* type,
                                  const perdure_array_part* part, void* data, size_t bytes) {
  return guarded([&] {
    const arrays_of arrays(store);
    const data_type element = type_of(type);
    const slab where = slab_from(part, *arrays, required_text(id, "id"));
    require_bytes(part, where.count, element.size(), bytes);
    arrays->read(id, element, where, elements_at<untyped_view>(data, part, where.count, element.size()));
  });
}

perdure_status perdure_array_append(perdure_store* store, const char* id, const char* type, uint64_t steps,
                                    const void* data) {
  return guarded([&] {
    const arrays_of arrays(store);
    const data_type element = type_of(type);
    extents dims = arrays->info(required_text(id, "id")).dims;
    if (dims.empty()) refuse("the array \"" + std::string(id) + "\" is a single element, and cannot grow");
    dims[0] = steps;
    arrays->append(id, element,
                   const_untyped_view::row_major(required_data(data, dims), dims, element.size()));
  });
}

perdure_status perdure_array_resize(perdure_store* store, const char* id, size_t rank, const uint64_t* dims) {
  return guarded(
      [&] { arrays_of(store)->resize(required_text(id, "id"), numbers_from(dims, rank, "dims")); });
}

perdure_status perdure_array_store_text(perdure_store* store, const char* id, const char* text,
                                        size_t length) {
  return guarded([&] {
    const arrays_of arrays(store);
    if (length != 0) required_text(text, "text");
    arrays->store_variable(required_text(id, "id"), perdure::element_kind::text, {},
                           {{length}, length == 0 ? std::string() : std::string(text, length)}, {});
  });
}

perdure_status perdure_array_store_variable(perdure_store* store, const char* id, const char* type,
                                            size_t rank, const uint64_t* dims, const void* bytes,
                                            const uint64_t* ends, const perdure_array_options* options) {
  return guarded([&] {
    const arrays_of arrays(store);
    const data_type element = type_of(type);
    if (!element.is_variable())
      refuse("elements of type " + element.text() + " have one length: store them by perdure_array_store");
    const extents shape = numbers_from(dims, rank, "dims");
    const std::uint64_t count = shape.elements();
    perdure::variable_elements all;
    if (count != 0) all.ends.assign(&required(ends, "ends"), ends + count);
    std::uint64_t before = 0;
    const std::size_t size = element.kind() == perdure::element_kind::text ? 1 : element.element().size();
    for (std::size_t i = 0; i < all.ends.size(); ++i) {
      if (all.ends[i] < before || (all.ends[i] - before) % std::max<std::size_t>(size, 1) != 0)
        refuse("ends[" + std::to_string(i) + "] is " + std::to_string(all.ends[i]) +
               ", which ends no whole number of elements behind " + std::to_string(before));
      before = all.ends[i];
    }
    if (before != 0) all.bytes.assign(&required(static_cast<const char*>(bytes), "bytes"), before);
    arrays->store_variable(required_text(id, "id"), element, shape, all, options_for(options, rank));
  });
}

perdure_status perdure_array_read_variable(const perdure_store* store, const char* id, const char* type,
                                           perdure_text_list** all) {
  return guarded([&] {
    perdure_text_list*& result = required_result(all, "elements");
    const arrays_of arrays(store);
    const data_type element = type_of(type);
    if (!element.is_variable())
      refuse("elements of type " + element.text() + " have one length: read them by perdure_array_read");
    const auto found = arrays->read_variable(required_text(id, "id"), element);
    auto list = std::make_unique<perdure_text_list>();
    list->items.reserve(found.ends.size());
    std::uint64_t begin = 0;
    for (const std::uint64_t end : found.ends) {
      list->items.push_back(found.bytes.substr(begin, end - begin));
      begin = end;
    }
    result = new_handle(std::move(list));
  });
}

perdure_status perdure_array_erase(perdure_store* store, const char* id) {
  return guarded([&] {
    const arrays_of arrays(store);
    if (!arrays->erase(required_text(id, "id"))) report_missing(*arrays, id);
  });
}

perdure_status perdure_array_find(const perdure_store* store, const char* id, perdure_array_list** list) {
  return guarded([&] {
    perdure_array_list*& result = required_result(list, "list");
    auto made = std::make_unique<perdure_array_list>();
    add(*made, arrays_of(store)->info(required_text(id, "id")));
    result = complete(std::move(made));
  });
}

perdure_status perdure_array_list_create(const perdure_store* store, const char* group,
                                         perdure_array_list** list) {
  return guarded([&] {
    perdure_array_list*& result = required_result(list, "list");
    const arrays_of arrays(store);
    auto made = std::make_unique<perdure_array_list>();
    for (const std::string& id : arrays->list(group == nullptr ? std::string_view() : group))
      if (auto info = arrays->find(id)) add(*made, *std::move(info));
    result = complete(std::move(made));
  });
}

perdure_status perdure_array_list_size(const perdure_array_list* list, size_t* size) {
  return guarded([&] { required(size, "size") = object_of(list).items.size(); });
}

perdure_status perdure_array_list_at(const perdure_array_list* list, size_t index,
                                     const perdure_array_info** array) {
  return guarded([&] {
    const perdure_array_info*& result = required_result(array, "array");
    result = &item_of(list, index);
  });
}

perdure_status perdure_array_list_free(perdure_array_list* list) {
  return free_handle(list);
}

perdure_status perdure_array_view_create(const perdure_store* store, const char* id, const char* type,
                                         int to_write, perdure_array_view** view, void** data,
                                         size_t* bytes) {
  return guarded([&] {
    perdure_array_view*& result = required_result(view, "view");
    void*& where = required_result(data, "data");
    if (bytes != nullptr) *bytes = 0;
    auto found = arrays_of(store)->view(required_text(id, "id"), type_of(type), to_write != 0);
    auto made = std::make_unique<perdure_array_view>();
    made->hold = std::move(found.hold);
    result = new_handle(std::move(made));
    where = found.data;
    if (bytes != nullptr) *bytes = found.info.bytes;
  });
}

perdure_status perdure_array_view_free(perdure_array_view* view) {
  return free_handle(view);
}

perdure_status perdure_array_prefetch(const perdure_store* store, const char* id) {
  return guarded([&] { arrays_of(store)->prefetch(required_text(id, "id")); });
}

perdure_status perdure_array_check(const perdure_store* store, const char* id, perdure_text_list** wrong) {
  return guarded([&] {
    if (wrong != nullptr) *wrong = nullptr;
    auto list = std::make_unique<perdure_text_list>();
    list->items = arrays_of(store)->check(required_text(id, "id"));
    const std::string first = list->items.empty() ? std::string() : list->items.front();
    const bool is_sound = list->items.empty();
    if (wrong != nullptr) *wrong = new_handle(std::move(list));
    if (!is_sound) throw perdure::error(perdure::errc::damaged, first);
  });
}

perdure_status perdure_array_attribute_set(perdure_store* store, const char* id, const char* key,
                                           const char* type, size_t rank, const uint64_t* dims,
                                           const void* value, size_t bytes) {
  return guarded([&] {
    const arrays_of arrays(store);
    if (bytes != 0) required(static_cast<const char*>(value), "value");
    arrays->set_attribute(required_text(id, "id"), required_text(key, "key"), type_of(type),
                          numbers_from(dims, rank, "dims"),
                          {bytes == 0 ? nullptr : static_cast<const std::byte*>(value), bytes});
  });
}

perdure_status perdure_array_attribute_get(const perdure_store* store, const char* id, const char* key,
                                           const char* type, void* buffer, size_t capacity,
                                           size_t* value_size) {
  return guarded([&] {
    if (value_size != nullptr) *value_size = 0;
    const arrays_of arrays(store);
    if (capacity != 0) required(static_cast<char*>(buffer), "buffer");
    const auto found = arrays->attribute(required_text(id, "id"), required_text(key, "key"));
    if (!found) report_missing_attribute(id, key);
    const data_type wanted = type_of(type);
    if (!(found->type == wanted))
      throw perdure::error(perdure::errc::wrong_type, "the attribute \"" + std::string(key) +
                                                          "\" is of type " + found->type.text() + ", not " +
                                                          wanted.text());
    if (value_size != nullptr) *value_size = found->bytes.size();
    if (capacity == 0) return;
    if (found->bytes.size() > capacity)
      refuse("the attribute \"" + std::string(key) + "\" has " + std::to_string(found->bytes.size()) +
             " bytes, the buffer " + std::to_string(capacity));
    std::memcpy(buffer, found->bytes.data(), found->bytes.size());
  });
}

perdure_status perdure_array_attribute_remove(perdure_store* store, const char* id, const char* key) {
  return guarded([&] {
    if (!arrays_of(store)->remove_attribute(required_text(id, "id"), required_text(key, "key")))
      report_missing_attribute(id, key);
  });
}

perdure_status perdure_array_attribute_list_create(const perdure_store* store, const char* id,
                                                   perdure_array_attribute_list** list) {
  return guarded([&] {
    perdure_array_attribute_list*& result = required_result(list, "list");
    const arrays_of arrays(store);
    auto made = std::make_unique<perdure_array_attribute_list>();
    for (const std::string& key : arrays->attributes(required_text(id, "id"))) {
      auto value = arrays->attribute(id, key);
      if (!value) continue;
      std::string type = value->type.text();
      made->strings.push_back({key, std::move(type), *std::move(value)});
    }
    for (const auto& texts : made->strings) {
      perdure_array_attribute item{};
      item.key = texts.key.c_str();
      item.type = texts.type.c_str();
      item.rank = texts.value.dims.rank();
      item.dims = texts.value.dims.begin();
      item.value = texts.value.bytes.c_str();
      item.bytes = texts.value.bytes.size();
      made->items.push_back(item);
    }
    result = new_handle(std::move(made));
  });
}

perdure_status perdure_array_attribute_list_size(const perdure_array_attribute_list* list, size_t* size) {
  return guarded([&] { required(size, "size") = object_of(list).items.size(); });
}

perdure_status perdure_array_attribute_list_at(const perdure_array_attribute_list* list, size_t index,
                                               const perdure_array_attribute** attribute) {
  return guarded([&] {
    const perdure_array_attribute*& result = required_result(attribute, "attribute");
    result = &item_of(list, index);
  });
}

perdure_status perdure_array_attribute_list_free(perdure_array_attribute_list* list) {
  return free_handle(list);
}
