// Reads and writes the chunks of zarr arrays.
#include "zarr.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <perdure/array/chunk_grid.hpp>
#include <perdure/error.hpp>
#include <perdure/workload/compression.hpp>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "byte_order.hpp"
#include "input_file.hpp"
#include "os/crc32c.hpp"
#include "output_file.hpp"
#include "region.hpp"
#include "zarr_metadata.hpp"

namespace perdure::formats {

namespace {

constexpr std::size_t most_cached = std::size_t{128} << 20;
constexpr std::uint64_t most_texts = std::uint64_t{1} << 28;
constexpr unsigned deepest_zarr_group = 64;

/// What a chunk and a part have in common, from the array's beginning.
slab common_part(const extents& at, const extents& chunk, const slab& part) {
  slab common;
  for (std::size_t i = 0; i < chunk.rank(); ++i) {
    const std::uint64_t begin = std::max(at[i] * chunk[i], part.offset[i]);
    const std::uint64_t end = std::min((at[i] + 1) * chunk[i], part.offset[i] + part.count[i]);
    common.offset.push_back(begin);
    common.count.push_back(end - begin);
  }
  return common;
}

std::filesystem::path chunk_path(const std::filesystem::path& directory, const zarr_array& array,
                                 const extents& at) {
  std::string key = array.is_version_2_key ? "" : "c";
  for (const std::uint64_t n : at) {
    if (!key.empty()) key += array.separator;
    key += std::to_string(n);
  }
  return directory / (key.empty() ? "0" : key);
}

class zarr_input final : public array_source {
 public:
  zarr_input(std::filesystem::path directory, zarr_array array)
      : array_source(array.what), directory_(std::move(directory)), array_(std::move(array)) {
    if (array_.is_big_endian) swaps_ = swaps_of(what_.type);
    auto stride = static_cast<std::ptrdiff_t>(what_.type.size());
    for (std::size_t i = array_.order.size(); i-- > 0;) {
      strides_[array_.order[i]] = stride;
      stride *= static_cast<std::ptrdiff_t>(array_.chunk[array_.order[i]]);
    }
  }

  void read(const slab& part, std::byte* to) override {
    const std::size_t size = what_.type.size();
    const region_strides to_strides = row_major(part.count, size);
    const region_strides none{};
    chunk_grid(what_.dims, array_.chunk).for_each_in(part.offset, part.count, [&](const extents& at) {
      const slab common = common_part(at, array_.chunk, part);
      std::byte* into = to;
      std::size_t from = 0;
      for (std::size_t i = 0; i < at.rank(); ++i) {
        into += (common.offset[i] - part.offset[i]) * to_strides[i];
        from += (common.offset[i] - at[i] * array_.chunk[i]) * static_cast<std::size_t>(strides_[i]);
      }
      const std::string* const bytes = chunk_at(at);
      if (bytes == nullptr)
        copy_region(common.count, size, into, to_strides,
                    reinterpret_cast<const std::byte*>(array_.fill.data()), none);
      else
        copy_region(common.count, size, into, to_strides,
                    reinterpret_cast<const std::byte*>(bytes->data()) + from, strides_);
    });
  }

  variable_elements read_variable() override {
    const std::uint64_t count = what_.dims.elements();
    if (count > most_texts)
      throw error(errc::unsupported, directory_.string() + ": it has more texts than can be read at once");
    std::vector<std::string> texts(count, array_.fill);
    const slab whole = slab::whole(what_.dims);
    chunk_grid(what_.dims, array_.chunk).for_each_in(whole.offset, whole.count, [&](const extents& at) {
      const std::string* const bytes = chunk_at(at);
      if (bytes == nullptr) return;
      spread_texts(*bytes, at, common_part(at, array_.chunk, whole), texts);
    });
    variable_elements all;
    for (const std::string& one : texts) {
      all.bytes += one;
      all.ends.push_back(all.bytes.size());
    }
    return all;
  }

 private:
  [[noreturn]] void refuse_chunk(const std::filesystem::path& path, const std::string& what) const {
    throw error(errc::bad_input, path.string() + ": " + what);
  }

  /// Null where there is none: all its elements are the fill value.
  const std::string* chunk_at(const extents& at) {
    std::vector<std::uint64_t> key(at.begin(), at.end());
    const auto known = cached_.find(key);
    if (known != cached_.end()) return &known->second;
    const std::filesystem::path path = chunk_path(directory_, array_, at);
    if (!std::filesystem::exists(path)) return nullptr;
    const input_file file(path);
    std::string bytes = file.text_at(0, file.size());
    try {
      bytes = decoded(std::move(bytes));
    } catch (const error& failure) {
      refuse_chunk(path, failure.what());
    }
    if (!what_.type.is_variable()) {
      const std::size_t wanted = array_.chunk.elements() * what_.type.size();
      if (bytes.size() != wanted)
        refuse_chunk(path, "it has " + std::to_string(bytes.size()) + " bytes of elements, and a chunk has " +
                               std::to_string(wanted));
      swap_bytes(swaps_, reinterpret_cast<std::byte*>(bytes.data()), array_.chunk.elements(),
                 what_.type.size());
    }
    if (cached_bytes_ + bytes.size() > most_cached) {
      cached_.clear();
      cached_bytes_ = 0;
    }
    cached_bytes_ += bytes.size();
    return &(cached_[std::move(key)] = std::move(bytes));
  }

  std::string decoded(std::string bytes) const {
    // Texts may be of any length.
    const std::size_t most =
        what_.type.is_variable() ? std::size_t{4} << 30 : array_.chunk.elements() * what_.type.size() + 4096;
    for (std::size_t i = array_.codecs.size(); i-- > 0;) {
      switch (array_.codecs[i]) {
        case zarr_codec::gzip:
          bytes = workload::decompress(workload::codec::gzip, bytes, most);
          break;
        case zarr_codec::zstd:
          bytes = workload::decompress(workload::codec::zstd, bytes, most);
          break;
        case zarr_codec::crc32c: {
          std::uint32_t said = 0;
          if (bytes.size() < sizeof said) throw error(errc::bad_input, "it is too short for its checksum");
          std::memcpy(&said, bytes.data() + bytes.size() - sizeof said, sizeof said);
          bytes.resize(bytes.size() - sizeof said);
          if (os::crc32c(0, bytes.data(), bytes.size()) != said)
            throw error(errc::bad_input, "its checksum is wrong");
          break;
        }
      }
    }
    return bytes;
  }

  /// Of a chunk: how many, then each with its length before it.
  void spread_texts(const std::string& bytes, const extents& at, const slab& common,
                    std::vector<std::string>& texts) {
    std::size_t place = 0;
    const auto number = [&] {
      std::uint32_t value = 0;
      if (bytes.size() - place < sizeof value)
        refuse_chunk(chunk_path(directory_, array_, at), "it is cut short");
      std::memcpy(&value, bytes.data() + place, sizeof value);
      place += sizeof value;
      return value;
    };
    const std::uint64_t count = number();
    if (count != array_.chunk.elements() || count > bytes.size() / 4)
      refuse_chunk(chunk_path(directory_, array_, at), "it has another number of texts than a chunk");
    std::vector<std::string_view> given;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t length = number();
      if (length > bytes.size() - place) refuse_chunk(chunk_path(directory_, array_, at), "it is cut short");
      given.push_back(std::string_view(bytes).substr(place, length));
      place += length;
    }
    const std::size_t rank = at.rank();
    extents inside = extents::all(rank, 0);
    for (std::uint64_t i = 0; i < common.count.elements(); ++i) {
      std::uint64_t to = 0;
      for (std::size_t d = 0; d < rank; ++d) to = to * what_.dims[d] + common.offset[d] + inside[d];
      std::uint64_t from = 0;
      for (const std::size_t d : array_.order)
        from = from * array_.chunk[d] + common.offset[d] - at[d] * array_.chunk[d] + inside[d];
      texts[to] = given[from];
      for (std::size_t d = rank; d-- > 0 && ++inside[d] == common.count[d];) inside[d] = 0;
    }
  }

  std::filesystem::path directory_;
  zarr_array array_;
  std::vector<byte_swap> swaps_;
  region_strides strides_{};  // in a chunk
  std::map<std::vector<std::uint64_t>, std::string> cached_;
  std::size_t cached_bytes_ = 0;
};

void add_node(const std::filesystem::path& directory, const std::string& name, unsigned depth,
              array_sources& arrays) {
  zarr_node node = read_zarr_json(directory / "zarr.json");
  if (!node.is_group) {
    node.array.what.name = name;
    arrays.push_back(std::make_unique<zarr_input>(directory, std::move(node.array)));
    return;
  }
  if (depth == deepest_zarr_group) return;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (!entry.is_directory() || !std::filesystem::exists(entry.path() / "zarr.json")) continue;
    std::string inner = name;
    if (!inner.empty()) inner += '/';
    inner += entry.path().filename().string();
    add_node(entry.path(), inner, depth + 1, arrays);
  }
}

}  // namespace

array_sources open_zarr(const std::filesystem::path& path) {
  array_sources arrays;
  add_node(path, "", 0, arrays);
  return arrays;
}

namespace {

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  output_file file(path);
  file.write(text);
  file.finish();
}

/// The array's own, or pieces of about 4 MiB along the outer dimensions.
extents chunk_for(const array_description& what) {
  extents chunk = what.dims;
  for (std::uint64_t& n : std::span(const_cast<std::uint64_t*>(chunk.begin()), chunk.rank()))
    n = std::max<std::uint64_t>(n, 1);
  if (what.type.is_variable()) return chunk;
  if (!what.chunk.empty()) {
    for (std::size_t i = 0; i < chunk.rank(); ++i)
      chunk[i] = std::clamp<std::uint64_t>(what.chunk[i], 1, chunk[i]);
    return chunk;
  }
  std::uint64_t room = std::max<std::uint64_t>((std::uint64_t{4} << 20) / what.type.size(), 1);
  for (std::size_t i = chunk.rank(); i-- > 0;) {
    chunk[i] = std::min(chunk[i], room);
    room = std::max<std::uint64_t>(room / chunk[i], 1);
  }
  return chunk;
}

void append_length(std::string& out, std::size_t length) {
  const auto number = static_cast<std::uint32_t>(length);
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void write_zarr_array(const std::filesystem::path& directory, array_source& from, bool compressed) {
  const array_description& what = from.what();
  zarr_array array;
  array.what = what;
  array.chunk = chunk_for(what);
  write_text_file(directory / "zarr.json", zarr_json_of(what, array.chunk, compressed));
  if (what.type.is_variable()) {
    if (what.dims.elements() == 0) return;
    const variable_elements all = from.read_variable();
    std::string bytes;
    append_length(bytes, all.ends.size());
    std::uint64_t begin = 0;
    for (const std::uint64_t end : all.ends) {
      if (end - begin > UINT32_MAX || all.ends.size() > UINT32_MAX)
        throw error(errc::unsupported, "zarr has no texts of more than 4 GiB");
      append_length(bytes, end - begin);
      bytes.append(all.bytes, begin, end - begin);
      begin = end;
    }
    return write_text_file(chunk_path(directory, array, extents::all(what.dims.rank(), 0)),
                           compressed ? workload::compress_zstd(bytes) : bytes);
  }
  const std::size_t size = what.type.size();
  const slab whole = slab::whole(what.dims);
  const region_strides chunk_strides = row_major(array.chunk, size);
  std::vector<std::byte> part;
  std::string bytes;
  chunk_grid(what.dims, array.chunk).for_each_in(whole.offset, whole.count, [&](const extents& at) {
    const slab common = common_part(at, array.chunk, whole);
    part.resize(common.count.elements() * size);
    from.read(common, part.data());
    // Chunks at the edges are as large as the others.
    bytes.assign(array.chunk.elements() * size, '\0');
    copy_region(common.count, size, reinterpret_cast<std::byte*>(bytes.data()), chunk_strides, part.data(),
                row_major(common.count, size));
    write_text_file(chunk_path(directory, array, at), compressed ? workload::compress_zstd(bytes) : bytes);
  });
}

/// Each part of a name is a directory's.
std::filesystem::path directory_for(const std::filesystem::path& root, const std::string& name,
                                    std::set<std::filesystem::path>& groups) {
  std::filesystem::path directory = root;
  std::size_t at = 0;
  for (;;) {
    groups.insert(directory);
    const std::size_t end = std::min(name.find('/', at), name.size());
    const std::string one = name.substr(at, end - at);
    if (one.empty() || one == "." || one == ".." || one == "zarr.json" || one.find('\0') != std::string::npos)
      throw error(errc::unsupported, "zarr has no arrays of the name \"" + name + '"');
    directory /= one;
    if (end == name.size()) return directory;
    at = end + 1;
  }
}

}  // namespace

void write_zarr(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed) {
  if (arrays.size() == 1) return write_zarr_array(path, *arrays[0], compressed);
  std::set<std::filesystem::path> groups;
  std::set<std::filesystem::path> written;
  for (array_source* const one : arrays) {
    const std::filesystem::path directory = directory_for(path, one->what().name, groups);
    write_zarr_array(directory, *one, compressed);
    written.insert(directory);
  }
  for (const std::filesystem::path& group : groups) {
    if (written.contains(group))
      throw error(errc::unsupported, "zarr cannot have an array and a group of one name: " + group.string());
    write_text_file(group / "zarr.json", zarr_json_of_group());
  }
}

}  // namespace perdure::formats
