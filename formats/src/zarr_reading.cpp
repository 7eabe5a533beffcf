// Reads the arrays of zarr directories.
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <perdure/array/chunk_grid.hpp>
#include <perdure/error.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <utility>

#include "byte_order.hpp"
#include "declared_size.hpp"
#include "region.hpp"
#include "stored_parts.hpp"
#include "unicode.hpp"
#include "zarr.hpp"
#include "zarr_chunks.hpp"
#include "zarr_codecs.hpp"
#include "zarr_metadata.hpp"

namespace perdure::formats {

namespace {

constexpr std::size_t most_cached = std::size_t{128} << 20;
constexpr std::uint64_t most_text_chunk_bytes = std::uint64_t{4} << 30;
constexpr std::uint64_t most_texts = std::uint64_t{1} << 28;
// An array may declare so many times more than its directory has: of a little more than that nothing is real.
constexpr std::uint64_t most_declared_times = 1000;
constexpr std::uint64_t few_bytes = std::uint64_t{1} << 30;
constexpr std::uint64_t few_texts = std::uint64_t{1} << 20;
constexpr unsigned deepest_zarr_group = 64;

bool has_only_zeros(const std::string& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; });
}

/// An element of NumPy's texts of fixed length in UTF-32. False where it is no Unicode.
bool append_utf32_element(std::string& out, const std::byte* element, std::size_t size) {
  const auto character = [&](std::size_t i) {
    std::uint32_t code = 0;
    std::memcpy(&code, element + 4 * i, 4);
    return code;
  };
  std::size_t length = size / 4;
  while (length > 0 && character(length - 1) == 0) --length;
  for (std::size_t i = 0; i < length; ++i)
    if (!append_utf8(out, character(i))) return false;
  return true;
}

/// A fill value other than zero is an attribute, as it is not known from the elements.
array_description with_fill_value(const zarr_array& array) {
  array_description what = array.what;
  if (has_only_zeros(array.fill)) return what;
  const bool has_length = what.type.kind() == element_kind::character;
  what.attributes.push_back({std::string(fill_value_key), what.type,
                             has_length ? extents{array.fill.size()} : extents{}, array.fill});
  return what;
}

class zarr_input final : public array_source {
 public:
  zarr_input(const std::filesystem::path& directory, zarr_array array)
      : array_source(with_fill_value(array)),
        path_(directory),
        array_(std::move(array)),
        chunks_(directory, array_) {
    auto stride = static_cast<std::ptrdiff_t>(array_.element.size);
    kept_bytes_ = array_.element.size;
    for (std::size_t i = array_.order.size(); i-- > 0;) {
      const std::size_t dimension = array_.order[i];
      strides_[dimension] = stride;
      const std::uint64_t in_array = std::min(array_.dims[dimension], array_.chunk[dimension]);
      kept_bytes_ += (std::max<std::uint64_t>(in_array, 1) - 1) * static_cast<std::size_t>(stride);
      stride *= static_cast<std::ptrdiff_t>(array_.chunk[dimension]);
    }
    chunk_bytes_ = static_cast<std::uint64_t>(stride);
    most_encoded_ =
        array_.has_variable_texts() ? most_text_chunk_bytes : most_encoded(array_.codecs, chunk_bytes_);
    // Dimensions of an element itself lie in it in their order, in a chunk as in a fill value.
    auto inner = static_cast<std::ptrdiff_t>(what_.type.size());
    for (std::size_t i = what_.dims.rank(); i-- > array_.dims.rank();) {
      strides_[i] = fill_strides_[i] = inner;
      inner *= static_cast<std::ptrdiff_t>(what_.dims[i]);
    }
  }

  void read(const slab& part, std::byte* to) override {
    const std::size_t size = what_.type.size();
    if (part.count.elements() == 0) return;
    const region_strides to_strides = row_major(part.count, size);
    chunk_grid(what_.dims, what_.chunk).for_each_in(part.offset, part.count, [&](const extents& at) {
      const slab common = common_part(at, what_.chunk, part);
      std::byte* into = to;
      std::size_t from = 0;
      std::size_t from_fill = 0;
      for (std::size_t i = 0; i < at.rank(); ++i) {
        const std::uint64_t inside = common.offset[i] - at[i] * what_.chunk[i];
        into += static_cast<std::ptrdiff_t>(common.offset[i] - part.offset[i]) * to_strides[i];
        from += inside * static_cast<std::size_t>(strides_[i]);
        from_fill += inside * static_cast<std::size_t>(fill_strides_[i]);
      }
      const std::string* const bytes = chunk_at(extents(at.span().first(array_.dims.rank())));
      if (bytes == nullptr)
        copy_region(common.count, size, into, to_strides,
                    reinterpret_cast<const std::byte*>(array_.fill.data()) + from_fill, fill_strides_);
      else
        copy_region(common.count, size, into, to_strides,
                    reinterpret_cast<const std::byte*>(bytes->data()) + from, strides_);
    });
  }

  variable_elements read_variable() override {
    const std::uint64_t count = what_.dims.elements();
    require_few(count);
    std::vector<std::string> texts(count, array_.fill);
    const slab whole = slab::whole(what_.dims);
    chunks_.for_each([&](const extents& at) {
      const std::string* const bytes = chunk_at(at);
      if (bytes != nullptr) spread_texts(*bytes, at, common_part(at, array_.chunk, whole), texts);
    });
    variable_elements all;
    for (const std::string& one : texts) {
      all.bytes += one;
      all.ends.push_back(all.bytes.size());
    }
    return all;
  }

  std::optional<std::vector<slab>> stored_parts() override {
    const std::uint64_t element = what_.type.size();
    const std::uint64_t bytes = what_.dims.elements() * element;
    if (what_.type.is_variable() || bytes < least_sparse_bytes) return std::nullopt;
    const chunk_grid grid(what_.dims, what_.chunk);
    std::vector<slab> parts;
    std::uint64_t stored = 0;
    chunks_.for_each([&](const extents& at) {
      extents place = at;
      while (place.rank() < what_.dims.rank()) place.push_back(0);
      parts.push_back(grid.part_at(place));
      stored += parts.back().count.elements() * element;
    });
    if (!has_only_zeros(array_.fill)) {
      const std::uint64_t missing = bytes - stored;
      if (missing > few_bytes && missing / most_declared_times > stored)
        throw error(
            errc::unsupported,
            path_.string() + ": its fill value is not zero, and " + std::to_string(missing) +
                " bytes of elements have no chunk: a store would keep each of them. Set fill_value to 0, "
                "or copy the part that you need");
      return std::nullopt;
    }
    if (stored > bytes / 2) return std::nullopt;
    return parts;
  }

 private:
  /// Refuses an array of so many texts if it is too large, or has far more than are stored.
  void require_few(std::uint64_t count) {
    if (count <= few_texts) return;
    // Chunks have what the metadata say once they are decoded.
    const std::uint64_t least = count / most_declared_times;
    std::uint64_t stored = 0;
    if (count <= most_texts)
      chunks_.for_each([&](const extents& at) {
        if (stored >= least) return;
        if (const std::string* const bytes = chunk_at(at)) stored += texts_stored_in(*bytes, at);
      });
    if (stored < least)
      throw error(errc::unsupported, path_.string() + ": it declares " + std::to_string(count) +
                                         " texts, which is more than can be read at once");
  }

  /// Null where there is none: all its elements are the fill value.
  const std::string* chunk_at(const extents& at) {
    std::vector<std::uint64_t> key(at.begin(), at.end());
    const auto known = cached_.find(key);
    if (known != cached_.end()) return &known->second;
    std::optional<zarr_chunks::encoded> found = chunks_.find(at, most_encoded_);
    if (!found) return nullptr;
    // Before the next one is decoded: chunks may be large.
    const std::size_t expected = array_.has_variable_texts() ? found->bytes.size() : kept_bytes_;
    if (cached_bytes_ + expected > most_cached) {
      cached_.clear();
      cached_bytes_ = 0;
    }
    std::string bytes;
    try {
      bytes = decoded(std::move(found->bytes));
    } catch (const error& failure) {
      refuse_chunk(at, failure.code(), failure.what());
    }
    cached_bytes_ += bytes.size();
    return &(cached_[std::move(key)] = std::move(bytes));
  }

  [[noreturn]] void refuse_chunk(const extents& at, errc code, const std::string& what) const {
    extents file = at;
    std::string inside;
    if (!array_.shards.shape.empty()) {
      inside = "its chunk " + at.text() + ": ";
      for (std::size_t i = 0; i < at.rank(); ++i) file[i] = at[i] * array_.chunk[i] / array_.shards.shape[i];
    }
    throw error(code, zarr_chunk_path(path_, array_.keys, file).string() + ": " + inside + what);
  }

  /// Returns the bytes of a chunk up to the last element that is in the array.
  std::string decoded(std::string bytes) const {
    if (array_.has_variable_texts()) {
      const std::uint64_t most = std::min(most_held(bytes.size()), most_text_chunk_bytes);
      return decode_zarr_texts(array_.codecs, std::move(bytes), most);
    }
    const std::size_t size = array_.element.size;
    bytes = decode_zarr_elements(array_.codecs, std::move(bytes), chunk_bytes_, kept_bytes_);
    if (size != 0)
      swap_bytes(array_.element.swaps, reinterpret_cast<std::byte*>(bytes.data()), bytes.size() / size, size);
    return bytes;
  }

  /// Returns the number of texts that a chunk really has.
  std::uint64_t texts_stored_in(const std::string& bytes, const extents& at) const {
    if (!array_.element.is_utf32) return texts_in(bytes, at).size();
    return array_.element.size == 0 ? 0 : bytes.size() / array_.element.size;
  }

  /// Returns the places and lengths of the texts of a chunk of texts of any length, in its order.
  std::vector<std::string_view> texts_in(const std::string& bytes, const extents& at) const {
    const std::uint64_t count = array_.chunk.elements();
    std::vector<std::string_view> texts;
    // How many, then each with its length before it.
    std::size_t place = 0;
    const auto number = [&] {
      std::uint32_t value = 0;
      if (bytes.size() - place < sizeof value) refuse_chunk(at, errc::bad_input, "it is cut short");
      std::memcpy(&value, bytes.data() + place, sizeof value);
      place += sizeof value;
      return value;
    };
    const std::uint64_t said = number();
    if (said != count || said > bytes.size() / 4)
      refuse_chunk(at, errc::bad_input, "it has another number of texts than a chunk");
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t length = number();
      if (length > bytes.size() - place) refuse_chunk(at, errc::bad_input, "it is cut short");
      texts.emplace_back(bytes.data() + place, length);
      place += length;
    }
    return texts;
  }

  void spread_texts(const std::string& bytes, const extents& at, const slab& common,
                    std::vector<std::string>& texts) {
    std::vector<std::string_view> given;
    if (!array_.element.is_utf32) given = texts_in(bytes, at);
    const std::size_t rank = at.rank();
    extents inside = extents::all(rank, 0);
    for (std::uint64_t i = 0; i < common.count.elements(); ++i) {
      std::uint64_t to = 0;
      for (std::size_t d = 0; d < rank; ++d) to = to * what_.dims[d] + common.offset[d] + inside[d];
      std::uint64_t from = 0;
      for (const std::size_t d : array_.order)
        from = from * array_.chunk[d] + common.offset[d] - at[d] * array_.chunk[d] + inside[d];
      if (!array_.element.is_utf32) {
        texts[to] = given[from];
      } else {
        const std::size_t size = array_.element.size;
        texts[to].clear();
        if (!append_utf32_element(texts[to], reinterpret_cast<const std::byte*>(bytes.data()) + from * size,
                                  size))
          refuse_chunk(at, errc::bad_input, "a text in it is no Unicode");
      }
      for (std::size_t d = rank; d-- > 0 && ++inside[d] == common.count[d];) inside[d] = 0;
    }
  }

  std::filesystem::path path_;
  zarr_array array_;
  zarr_chunks chunks_;
  region_strides strides_{};  // in a chunk
  region_strides fill_strides_{};
  std::uint64_t chunk_bytes_ = 0;   // of elements of fixed size
  std::size_t kept_bytes_ = 0;      // up to the last element of a chunk that is in the array
  std::uint64_t most_encoded_ = 0;  // of a chunk in its file
  std::map<std::vector<std::uint64_t>, std::string> cached_;
  std::size_t cached_bytes_ = 0;
};

/// Gathers the arrays of a hierarchy, and what of it cannot be read.
class zarr_walk {
 public:
  zarr_walk(std::filesystem::path root, const opening& how)
      : root_(std::move(root)), how_(how), version_2_(root_) {}

  opened_arrays run() {
    visit("", 0);
    if (!has_metadata_)
      throw error(errc::bad_input, root_.string() + ": it has no zarr.json, .zarray or .zgroup");
    return std::move(found_);
  }

 private:
  /// Reads a node. Returns nothing for an array in a group that cannot be read, which leaves the others
  /// alone.
  template <class Read>
  std::optional<zarr_node> node_of(const std::string& name, const std::filesystem::path& path, Read&& read) {
    if (how_.before_array) how_.before_array();
    try {
      zarr_node node = read();
      for (const std::string& one : node.losses)
        found_.losses.push_back({node.is_group ? name_of_group_attributes(name) : name, one});
      return node;
    } catch (const error& failure) {
      const bool is_about_it = failure.code() == errc::unsupported || failure.code() == errc::bad_input;
      if (!is_about_it || name.empty()) throw;
      std::string_view why = failure.what();
      const std::string file = path.string() + ": ";
      if (why.starts_with(file)) why.remove_prefix(file.size());
      found_.losses.push_back({name, "is skipped: " + std::string(why)});
      return std::nullopt;
    }
  }

  /// Returns whether a node is the member that is wanted, or a group that may have it.
  bool is_wanted(const std::string& name) const {
    return how_.member.empty() || name.empty() || how_.member == name || how_.member.starts_with(name + '/');
  }

  std::filesystem::path directory_of(const std::string& name) const {
    return name.empty() ? root_ : root_ / name;
  }

  std::optional<zarr_node> read(const std::string& name) {
    const std::filesystem::path directory = directory_of(name);
    if (std::filesystem::exists(directory / "zarr.json"))
      return node_of(name, directory / "zarr.json", [&] { return read_zarr_json(directory / "zarr.json"); });
    return node_of(name, directory / ".zarray", [&] { return version_2_.read(name); });
  }

  bool has_node(const std::string& name) const {
    return std::filesystem::exists(directory_of(name) / "zarr.json") || version_2_.has(name);
  }

  /// Adds the array at a node, or those in a group. A directory without metadata is a group without
  /// attributes: some writers leave the metadata of groups out.
  void visit(const std::string& name, unsigned depth) {
    std::optional<zarr_node> node;
    const bool is_explicit = has_node(name);
    if (is_explicit) {
      has_metadata_ = true;
      node = read(name);
      if (!node) return;
      if (!node->is_group) {
        node->array.what.name = name;
        found_.sources.push_back(std::make_unique<zarr_input>(directory_of(name), std::move(node->array)));
        return;
      }
    }
    if (how_.before_array) how_.before_array();
    const std::size_t before = found_.sources.size() + found_.losses.size();
    for (const std::string& inner : version_2_.names_in(name)) {
      const bool is_hidden = inner.substr(name.empty() ? 0 : name.size() + 1).starts_with('.');
      if (!is_wanted(inner) || (is_hidden && !has_node(inner))) continue;
      if (depth == deepest_zarr_group)
        found_.losses.push_back({inner, "is skipped: groups are read 64 deep"});
      else
        visit(inner, depth + 1);
    }
    if (!is_explicit) return;
    // A group that has nothing is known by its attributes alone.
    const bool is_empty = found_.sources.size() + found_.losses.size() == before;
    if (!node->attributes.empty() || (is_empty && !name.empty()))
      found_.sources.push_back(group_attributes(name, std::move(node->attributes)));
  }

  std::filesystem::path root_;
  const opening& how_;
  zarr_2_metadata version_2_;
  opened_arrays found_;
  bool has_metadata_ = false;
};

}  // namespace

opened_arrays open_zarr(const std::filesystem::path& path, const opening& how) {
  return zarr_walk(path, how).run();
}

}  // namespace perdure::formats
