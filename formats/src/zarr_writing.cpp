// Writes zarr directories.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <perdure/array/chunk_grid.hpp>
#include <perdure/error.hpp>
#include <perdure/formats/group_attributes.hpp>
#include <perdure/workload/compression.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "output_file.hpp"
#include "region.hpp"
#include "stored_parts.hpp"
#include "unicode.hpp"
#include "zarr.hpp"
#include "zarr_chunks.hpp"
#include "zarr_metadata.hpp"

namespace perdure::formats {

namespace {

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  output_file file(path);
  file.write(text);
  file.finish();
}

void write_json_file(const std::filesystem::path& directory, const zarr_json& metadata) {
  constexpr int indent = 2;
  write_text_file(directory / "zarr.json", text_of(metadata, indent) + '\n');
}

/// The array's own, or pieces of about 4 MiB along the outer dimensions.
extents chunk_for(const array_description& what) {
  extents chunk = what.dims;
  for (std::size_t i = 0; i < chunk.rank(); ++i) chunk[i] = std::max<std::uint64_t>(chunk[i], 1);
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

void write_chunk(const std::filesystem::path& path, const std::string& bytes, bool compressed) {
  write_text_file(path, compressed ? workload::compress_zstd(bytes) : bytes);
}

/// All texts are one chunk.
void write_texts(const std::filesystem::path& path, array_source& from, bool compressed) {
  const variable_elements all = from.read_variable();
  std::string bytes;
  append_length(bytes, all.ends.size());
  std::uint64_t begin = 0;
  for (const std::uint64_t end : all.ends) {
    if (end - begin > UINT32_MAX || all.ends.size() > UINT32_MAX)
      throw error(errc::unsupported, "zarr has no texts of more than 4 GiB");
    if (!is_utf8(std::string_view(all.bytes).substr(begin, end - begin)))
      throw error(errc::unsupported, "a text of the array \"" + from.what().name +
                                         "\" is not UTF-8, as texts in zarr are: choose HDF5");
    append_length(bytes, end - begin);
    bytes.append(all.bytes, begin, end - begin);
    begin = end;
  }
  write_chunk(path, bytes, compressed);
}

/// Calls `visit` for each chunk that has elements which may be other than zero.
void for_each_chunk(const std::optional<std::vector<slab>>& parts, const chunk_grid& grid,
                    const std::function<void(const extents& place)>& visit) {
  if (parts) return for_each_stored_chunk(*parts, grid, visit);
  const slab whole = slab::whole(grid.dims());
  grid.for_each_in(whole.offset, whole.count, visit);
}

void write_zarr_array(const std::filesystem::path& directory, array_source& from, bool compressed,
                      const loss_sink& report) {
  array_description what = from.what();
  const std::optional<std::vector<slab>> parts = from.stored_parts();
  if (parts && fill_value_of(what) != nullptr) {
    report({what.name, "loses its fill value: elements that are not stored are zero"});
    std::erase_if(what.attributes, [](const array_attribute& one) { return one.key == fill_value_key; });
  }
  const std::size_t rank = zarr_rank_of(what);
  if (what.dimensions.size() > rank && !what.dimensions[rank].empty())
    report({what.name,
            "loses the name of its last dimension, the length of its texts: zarr has no place for it"});
  const auto counted = [rank](const extents& all) { return extents(all.span().first(rank)); };
  extents chunk = chunk_for(what);
  for (std::size_t i = rank; i < chunk.rank(); ++i) chunk[i] = std::max<std::uint64_t>(what.dims[i], 1);
  std::vector<std::string> losses;
  write_json_file(directory, zarr_json_of(what, counted(chunk), compressed, losses));
  for (const std::string& one : losses) report({what.name, one});
  if (what.dims.elements() == 0) return;
  const zarr_keys keys;
  if (what.type.is_variable())
    return write_texts(zarr_chunk_path(directory, keys, extents::all(rank, 0)), from, compressed);
  const std::size_t size = what.type.size();
  const slab whole = slab::whole(what.dims);
  const region_strides chunk_strides = row_major(chunk, size);
  std::vector<std::byte> part;
  std::string bytes;
  for_each_chunk(parts, chunk_grid(what.dims, chunk), [&](const extents& at) {
    const slab common = common_part(at, chunk, whole);
    part.resize(common.count.elements() * size);
    from.read(common, part.data());
    // Chunks at the edges are as large as the others.
    bytes.assign(chunk.elements() * size, '\0');
    copy_region(common.count, size, reinterpret_cast<std::byte*>(bytes.data()), chunk_strides, part.data(),
                row_major(common.count, size));
    write_chunk(zarr_chunk_path(directory, keys, counted(at)), bytes, compressed);
  });
}

/// Each part of a name is a directory's.
std::filesystem::path directory_for(const std::filesystem::path& root, const std::string& name,
                                    std::map<std::filesystem::path, std::vector<array_attribute>>& groups) {
  std::filesystem::path directory = root;
  std::size_t at = 0;
  for (;;) {
    groups[directory];
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

void write_zarr(const std::filesystem::path& path, std::span<array_source* const> arrays, bool compressed,
                const loss_sink& report) {
  if (arrays.size() == 1 && !is_group_attributes(arrays[0]->what()))
    return write_zarr_array(path, *arrays[0], compressed, report);
  std::map<std::filesystem::path, std::vector<array_attribute>> groups;
  std::set<std::filesystem::path> written;
  groups[path];
  for (array_source* const one : arrays) {
    const array_description& what = one->what();
    const std::filesystem::path directory = directory_for(path, what.name, groups);
    if (is_group_attributes(what)) {
      groups[directory.parent_path()] = what.attributes;
      continue;
    }
    write_zarr_array(directory, *one, compressed, report);
    written.insert(directory);
  }
  for (const auto& [group, attributes] : groups) {
    if (written.contains(group))
      throw error(errc::unsupported, "zarr cannot have an array and a group of one name: " + group.string());
    std::vector<std::string> losses;
    write_json_file(group, zarr_json_of_group(attributes, losses));
    const std::string name = group == path ? "" : group.lexically_relative(path).string();
    for (const std::string& one : losses) report({name_of_group_attributes(name), one});
  }
}

}  // namespace perdure::formats
