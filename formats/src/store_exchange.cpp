// Arrays between stores and files.
#include <algorithm>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <perdure/formats/store_exchange.hpp>
#include <perdure/progress.hpp>
#include <span>
#include <utility>

#include "reserved_keys.hpp"
#include "stored_parts.hpp"

namespace perdure::formats {
namespace {

/// A part of a stored array as an array of its own.
class stored_source final : public array_source {
 public:
  stored_source(std::shared_ptr<untyped_arrays> arrays, std::string id, const extents& dims,
                array_selection::selected selected, array_description what)
      : array_source(std::move(what)),
        arrays_(std::move(arrays)),
        id_(std::move(id)),
        dims_(dims),
        selected_(std::move(selected)) {}

  void read(const slab& part, std::byte* to) override {
    slab where = selected_.where;
    for (std::size_t i = 0, k = 0; i < where.offset.rank(); ++i) {
      if (selected_.is_dropped[i]) continue;
      where.offset[i] += part.offset[k] * where.stride[i];
      where.count[i] = part.count[k++];
    }
    arrays_->read(id_, what_.type, where, untyped_view::row_major(to, where.count, what_.type.size()));
  }

  std::optional<std::vector<slab>> stored_parts() override {
    const std::uint64_t all = what_.dims.elements();
    if (what_.type.is_variable() || all == 0) return std::nullopt;
    const array_layout layout = arrays_->info(id_).layout;
    const bool is_small = all < least_sparse_bytes / what_.type.size();
    if (layout == array_layout::contiguous || (layout == array_layout::blocks && is_small))
      return std::nullopt;
    std::vector<slab> parts;
    std::uint64_t stored = 0;
    for (const slab& one : arrays_->parts(id_)) {
      std::optional<slab> part = selected_of(one);
      if (!part) continue;
      stored += part->count.elements();
      parts.push_back(*part);
    }
    if (stored > all / 2) return std::nullopt;
    return parts;
  }

  variable_elements read_variable() override {
    variable_elements all = arrays_->read_variable(id_, what_.type);
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
  /// Returns the elements of a part of the stored array that are selected, as a part of this one; nothing if
  /// there are none.
  std::optional<slab> selected_of(const slab& stored) const {
    slab found;
    for (std::size_t i = 0; i < dims_.rank(); ++i) {
      const std::uint64_t begin = selected_.where.offset[i];
      const std::uint64_t stride = selected_.where.stride[i];
      // The first selected element behind `place` along this dimension.
      const auto after = [&](std::uint64_t place) {
        const std::uint64_t number = place <= begin ? 0 : (place - begin - 1) / stride + 1;
        return std::min(number, selected_.where.count[i]);
      };
      const std::uint64_t first = after(stored.offset[i]);
      const std::uint64_t last = after(stored.offset[i] + stored.count[i]);
      if (first == last) return std::nullopt;
      if (selected_.is_dropped[i]) continue;
      found.offset.push_back(first);
      found.count.push_back(last - first);
    }
    return found;
  }

  std::shared_ptr<untyped_arrays> arrays_;
  std::string id_;
  extents dims_;
  array_selection::selected selected_;
};

std::uint64_t bytes_of(const array_source& one) {
  return one.what().dims.elements() * one.what().type.size();
}

[[noreturn]] void refuse_empty(const array_file& from) {
  std::string why = from.path().string() + ": it has no arrays";
  if (!from.losses().empty()) {
    const loss& first = from.losses().front();
    why = from.path().string() + ": it has no arrays that can be read: " + first.array + ' ' + first.what;
  }
  throw error(from.losses().empty() ? errc::not_found : errc::unsupported, why);
}

/// Imports an array within the stage of progress that has begun.
void import_one(array_store& to, std::string_view id, array_source& from, const import_options& options) {
  untyped_arrays& arrays = *to.untyped();
  const array_description& what = from.what();
  array_options how = options.store;
  how.replaces_any = how.replaces_any || options.replaces_any;
  if (!what.dimensions.empty()) how.dimensions = what.dimensions;
  // With its attributes: they belonged to what is replaced.
  if (options.replaces_any) arrays.erase(id);
  progress_record* const progress = current_progress();
  const auto watched = [&](const auto& reading) {
    if (options.before_piece) options.before_piece();
    reading();
    if (options.after_piece) options.after_piece();
  };
  const element_source source = [&](const slab& part, std::byte* bytes) {
    watched([&] { from.read(part, bytes); });
    if (progress != nullptr) progress->add(part.count.elements() * what.type.size());
  };
  std::optional<std::vector<slab>> parts;
  if (what.type.is_variable()) {
    variable_elements all;
    watched([&] { all = from.read_variable(); });
    arrays.store_variable(id, what.type, what.dims, all, how);
    all = {};
  } else if (watched([&] { parts = from.stored_parts(); }); parts) {
    if (how.layout == array_layout::blocks) how.chunk = what.chunk;
    arrays.store_sparse(id, what.type, what.dims, *parts, source, how);
  } else {
    arrays.store_from(id, what.type, what.dims, source, how);
  }
  // What such keys said of elements that were replaced is not true of the new ones.
  for (const std::string& key : arrays.attributes(id))
    if (is_reserved_key(key)) arrays.remove_attribute(id, key);
  for (const array_attribute& one : what.attributes)
    arrays.set_attribute(id, one.key, one.type, one.dims, std::as_bytes(std::span(one.bytes)));
}

}  // namespace

void import_array(array_store& to, std::string_view id, array_source& from, const import_options& options) {
  begin_progress_stage("reading", bytes_of(from), "bytes");
  import_one(to, id, from, options);
}

std::vector<std::string> import_arrays(array_store& to, std::string_view id, const array_file& from,
                                       const import_options& options) {
  const auto arrays = std::count_if(from.begin(), from.end(),
                                    [](const auto& one) { return !is_group_attributes(one->what()); });
  if (arrays == 0) refuse_empty(from);
  std::uint64_t bytes = 0;
  for (const auto& one : from) bytes += bytes_of(*one);
  begin_progress_stage("reading", bytes, "bytes");
  std::vector<std::string> ids;
  for (const auto& one : from) {
    std::string called(id);
    const std::string& name = one->what().name;
    if (called.empty())
      called = name.empty() ? from.path().stem().string() : name;
    else if (arrays != 1 || is_group_attributes(one->what()))
      called.append(1, '/').append(name);
    import_one(to, called, *one, options);
    ids.push_back(std::move(called));
  }
  return ids;
}

std::unique_ptr<array_source> source_of(const array_store& from, std::string_view id,
                                        const array_selection& part, std::string name) {
  const std::shared_ptr<untyped_arrays>& arrays = from.untyped();
  const array_info info = arrays->info(id);
  array_selection::selected selected = part.of(info.dims);
  array_description what{std::move(name), info.type, selected.dims(), {}, {}, {}};
  for (std::size_t i = 0; i < info.dims.rank(); ++i) {
    if (selected.is_dropped[i]) continue;
    if (!info.dimensions.empty()) what.dimensions.push_back(info.dimensions[i]);
    if (!info.chunk.empty()) what.chunk.push_back(std::max<std::uint64_t>(info.chunk[i], 1));
  }
  for (const std::string& key : arrays->attributes(id))
    // Limits of an array are not those of its part.
    if (auto value = arrays->attribute(id, key); value && (part.is_whole() || key != max_dims_key))
      what.attributes.push_back({key, value->type, value->dims, std::move(value->bytes)});
  return std::make_unique<stored_source>(arrays, std::string(id), info.dims, std::move(selected),
                                         std::move(what));
}

array_sources sources_of(const array_store& from, std::string_view id) {
  array_sources sources;
  if (!id.empty() && from.contains(id)) {
    sources.push_back(source_of(from, id, {}, std::string(id)));
    // Attributes of the file that the array came from.
    const std::string attributes = name_of_group_attributes(id);
    if (from.contains(attributes))
      sources.push_back(source_of(from, attributes, {}, std::string(group_attributes_name)));
    return sources;
  }
  for (const std::string& one : from.list(id))
    sources.push_back(source_of(from, one, {}, id.empty() ? one : one.substr(id.size() + 1)));
  if (sources.empty())
    throw error(errc::not_found,
                from.path().string() + (id.empty() ? std::string(": it has no arrays")
                                                   : ": there is no array \"" + std::string(id) + '"'));
  return sources;
}

void export_arrays(const array_store& from, std::string_view id, const std::filesystem::path& path,
                   const writing_options& options) {
  const array_sources sources = sources_of(from, id);
  std::vector<array_source*> all;
  for (const auto& one : sources) all.push_back(one.get());
  write_arrays(path, all, options);
}

}  // namespace perdure::formats
