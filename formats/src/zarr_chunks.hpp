// Where the chunks of a zarr array lie: in files of their own, or in shards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <perdure/array/chunk_grid.hpp>
#include <perdure/array/extents.hpp>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "input_file.hpp"
#include "zarr_array.hpp"

namespace perdure::formats {

/// Returns the elements that the chunk at a place and a part have in common, from the array's beginning.
slab common_part(const extents& place, const extents& chunk, const slab& part);
/// Returns the path of a chunk's file, or of a shard's.
std::filesystem::path zarr_chunk_path(const std::filesystem::path& directory, const zarr_keys& keys,
                                      const extents& place);

/// The chunks that an array's directory has. Only files that exist are looked at, however many chunks the
/// array could have. Thread safety: one thread at a time.
class zarr_chunks {
 public:
  zarr_chunks(std::filesystem::path directory, const zarr_array& array);

  /// The bytes of a chunk as they lie in a file.
  struct encoded {
    std::filesystem::path path;
    std::string bytes;
  };
  /// Returns the chunk at a place; nothing if there is none. `bad_input` also for one of more than `most`
  /// bytes, which is not read; `io`.
  std::optional<encoded> find(const extents& place, std::uint64_t most);
  /// Calls `visit` with the place of each chunk that there is, in the order of files. Errors as `find`.
  void for_each(const std::function<void(const extents& place)>& visit);
  /// Returns the number of files: of chunks, or of shards.
  std::size_t files();

 private:
  /// Offset and length of each chunk of a shard.
  using shard_index = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

  const std::unordered_set<std::uint64_t>& existing();
  void list(extents& place);
  void list(const std::filesystem::path& directory, std::size_t dimension, extents& place);
  void refuse_other_separator(extents& place);
  void add(const extents& place);
  std::optional<encoded> find_in_shard(const extents& place, std::uint64_t most);
  const shard_index& index_of(const extents& shard);

  std::filesystem::path directory_;
  zarr_keys keys_;
  zarr_shards shards_;
  chunk_grid files_;   // of files: chunks or shards
  extents per_shard_;  // chunks of a shard along each dimension
  chunk_grid chunks_;
  bool is_listed_ = false;
  std::unordered_set<std::uint64_t> existing_;
  std::map<std::uint64_t, shard_index> indices_;
  std::size_t index_entries_ = 0;
};

}  // namespace perdure::formats
