// Looks at stored arrays.
#include "stored_arrays.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <perdure/error.hpp>
#include <utility>

namespace perdure::cli {

arrays_to_read::arrays_to_read(const std::filesystem::path& path)
    : store_(open_read_only, path, {.beside_writer = reader_beside_writer::hold_writer}),
      arrays_(untyped_arrays::of(detail::core_of(store_))) {}

std::vector<std::string> arrays_to_read::named(const std::string& id) const {
  std::vector<std::string> ids = arrays_->list(id);
  if (ids.empty() && !id.empty())
    throw error(errc::not_found, store_.store().path().string() + ": there is no array \"" + id +
                                     "\"; `perdure array ls` lists those that are there");
  return ids;
}

namespace {

/// Reads a part of a stored array as an array of its own.
class stored_array_input final : public formats::array_input {
 public:
  stored_array_input(untyped_arrays& core, std::string id, array_part::selected selected,
                     formats::array_description what)
      : array_input(std::move(what)),
        core_(core),
        id_(std::move(id)),
        dims_(core_.info(id_).dims),
        selected_(std::move(selected)) {}

  void read(const slab& part, std::byte* to) override {
    slab where = selected_.where;
    for (std::size_t i = 0, k = 0; i < where.offset.rank(); ++i) {
      if (selected_.is_dropped[i]) continue;
      where.offset[i] += part.offset[k] * where.stride[i];
      where.count[i] = part.count[k++];
    }
    core_.read(id_, what_.type, where, untyped_view::row_major(to, where.count, what_.type.size()));
  }

  variable_elements read_variable() override {
    variable_elements all = core_.read_variable(id_, what_.type);
    if (selected_.where.count == dims_) return all;
    variable_elements chosen;
    const std::uint64_t count = selected_.where.count.elements();
    extents at = extents::all(dims_.rank(), 0);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t place = 0;
      for (std::size_t d = 0; d < dims_.rank(); ++d)
        place = place * dims_[d] + selected_.where.offset[d] + at[d] * selected_.where.stride[d];
      const std::uint64_t begin = place == 0 ? 0 : all.ends[place - 1];
      chosen.bytes.append(all.bytes, begin, all.ends[place] - begin);
      chosen.ends.push_back(chosen.bytes.size());
      for (std::size_t d = dims_.rank(); d-- > 0 && ++at[d] == selected_.where.count[d];) at[d] = 0;
    }
    return chosen;
  }

 private:
  untyped_arrays& core_;
  std::string id_;
  extents dims_;
  array_part::selected selected_;
};

}  // namespace

std::unique_ptr<formats::array_input> open_stored_array(const arrays_to_read& store, const std::string& id,
                                                        const array_part& part, std::string name) {
  untyped_arrays& core = store.core();
  const array_info info = core.info(id);
  array_part::selected selected = part.of(info.dims);
  formats::array_description what{std::move(name), info.type, selected.dims(), {}, {}, {}};
  for (std::size_t i = 0; i < info.dims.rank(); ++i) {
    if (selected.is_dropped[i]) continue;
    if (!info.dimensions.empty()) what.dimensions.push_back(info.dimensions[i]);
    if (!info.chunk.empty()) what.chunk.push_back(std::max<std::uint64_t>(info.chunk[i], 1));
  }
  for (const std::string& key : core.attributes(id))
    if (auto value = core.attribute(id, key))
      what.attributes.push_back({key, value->type, value->dims, std::move(value->bytes)});
  return std::make_unique<stored_array_input>(core, id, std::move(selected), std::move(what));
}

std::string dtype_of(const data_type& type) {
  if (type.kind() == element_kind::character && type.dims().empty()) return "S1";
  return type.text();
}

json shape_of_dims(const extents& dims) {
  json shape = json::array();
  for (const std::uint64_t n : dims) shape.push_back(n);
  return shape;
}

json facts_of(const array_info& info) {
  json facts{{"id", info.id},
             {"dtype", dtype_of(info.type)},
             {"shape", shape_of_dims(info.dims)},
             {"bytes", info.bytes},
             {"layout", std::string(to_string(info.layout))},
             {"stored_bytes", info.stored_bytes},
             {"blocks", info.blocks},
             {"compression", std::string(to_string(info.codec))}};
  if (!info.chunk.empty()) facts["chunk"] = shape_of_dims(info.chunk);
  if (!info.dimensions.empty()) facts["dimensions"] = info.dimensions;
  return facts;
}

}  // namespace perdure::cli
