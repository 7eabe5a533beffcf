// Finds chunks in directories and in shards.
#include "zarr_chunks.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <perdure/error.hpp>
#include <system_error>

#include "file_failure.hpp"
#include "zarr_codecs.hpp"

namespace perdure::formats {

namespace {

constexpr std::uint64_t no_chunk = ~std::uint64_t{0};
constexpr std::size_t index_entry = 16;
constexpr std::size_t most_index_entries = std::size_t{4} << 20;

/// A number as keys of chunks have it: without a sign and zeros before it.
bool parse_place(std::string_view text, std::uint64_t& number) {
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc{} && stop == text.data() + text.size() && (text[0] != '0' || text.size() == 1);
}

extents quotients(const extents& a, const extents& b) {
  extents result = a;
  for (std::size_t i = 0; i < a.rank(); ++i) result[i] = a[i] / b[i];
  return result;
}

/// The place whose `chunk_grid::number_of` is the number.
extents place_at(const chunk_grid& grid, std::uint64_t number) {
  extents place = grid.dims();
  for (std::size_t i = place.rank(); i-- > 0;) {
    const std::uint64_t along = (grid.dims()[i] + grid.chunk()[i] - 1) / grid.chunk()[i];
    place[i] = number % along;
    number /= along;
  }
  return place;
}

/// Reads the bytes of a chunk. A file may be a hole of any size.
std::string chunk_bytes(const input_file& file, std::uint64_t offset, std::uint64_t length,
                        std::uint64_t most) {
  if (length > most)
    file.refuse("a chunk in it has " + std::to_string(length) + " bytes, and its elements take " +
                std::to_string(most) + " at most");
  return file.text_at(offset, length);
}

}  // namespace

slab common_part(const extents& place, const extents& chunk, const slab& part) {
  slab common;
  for (std::size_t i = 0; i < chunk.rank(); ++i) {
    const std::uint64_t begin = std::max(place[i] * chunk[i], part.offset[i]);
    const std::uint64_t end = std::min((place[i] + 1) * chunk[i], part.offset[i] + part.count[i]);
    common.offset.push_back(begin);
    common.count.push_back(end - begin);
  }
  return common;
}

std::filesystem::path zarr_chunk_path(const std::filesystem::path& directory, const zarr_keys& keys,
                                      const extents& place) {
  std::string key = keys.has_prefix ? "c" : "";
  for (const std::uint64_t n : place) {
    if (!key.empty()) key += keys.separator;
    key += std::to_string(n);
  }
  return directory / (key.empty() ? "0" : key);
}

zarr_chunks::zarr_chunks(std::filesystem::path directory, const zarr_array& array)
    : directory_(std::move(directory)),
      keys_(array.keys),
      shards_(array.shards),
      files_(array.dims, shards_.shape.empty() ? array.chunk : shards_.shape),
      chunks_(array.dims, array.chunk) {
  if (!shards_.shape.empty()) per_shard_ = quotients(shards_.shape, array.chunk);
}

const std::unordered_set<std::uint64_t>& zarr_chunks::existing() {
  if (is_listed_) return existing_;
  extents place = extents::all(files_.dims().rank(), 0);
  if (place.empty()) {
    if (std::filesystem::exists(zarr_chunk_path(directory_, keys_, place))) add(place);
  } else if (files_.count_in(place, files_.dims()) != 0) {
    list(place);
    if (existing_.empty() && files_.dims().rank() > 1) refuse_other_separator(place);
  }
  is_listed_ = true;
  return existing_;
}

// All chunks would be missing, and all elements the fill value.
void zarr_chunks::refuse_other_separator(extents& place) {
  const char said = keys_.separator;
  keys_.separator = said == '/' ? '.' : '/';
  list(place);
  const bool has_others = !existing_.empty();
  existing_.clear();
  const char used = std::exchange(keys_.separator, said);
  if (has_others)
    throw error(errc::bad_input,
                directory_.string() + ": its chunks are named with '" + used +
                    "' between numbers, and its metadata say '" + said + "': set " +
                    (keys_.has_prefix ? "the separator of chunk_key_encoding" : "dimension_separator") +
                    " to \"" + used + '"');
}

void zarr_chunks::list(extents& place) {
  list(keys_.has_prefix && keys_.separator == '/' ? directory_ / "c" : directory_, 0, place);
}

std::size_t zarr_chunks::files() {
  return existing().size();
}

void zarr_chunks::add(const extents& place) {
  for (std::size_t i = 0; i < place.rank(); ++i)
    if (place[i] > (files_.dims()[i] - 1) / files_.chunk()[i]) return;
  existing_.insert(files_.number_of(place));
}

// Files that are no chunks of the array are others'.
void zarr_chunks::list(const std::filesystem::path& directory, std::size_t dimension, extents& place) {
  std::error_code failure;
  std::filesystem::directory_iterator entries(directory, failure);
  if (failure == std::errc::no_such_file_or_directory || failure == std::errc::not_a_directory) return;
  for (; !failure && entries != std::filesystem::directory_iterator(); entries.increment(failure)) {
    std::string name = entries->path().filename().string();
    if (keys_.separator == '/') {
      if (!parse_place(name, place[dimension])) continue;
      if (dimension + 1 == place.rank())
        add(place);
      else
        list(entries->path(), dimension + 1, place);
      continue;
    }
    if (keys_.has_prefix) {
      if (!name.starts_with("c.")) continue;
      name.erase(0, 2);
    }
    std::string_view rest = name;
    std::size_t found = 0;
    for (; found < place.rank(); ++found) {
      const std::size_t end = std::min(rest.find('.'), rest.size());
      if (!parse_place(rest.substr(0, end), place[found])) break;
      const bool is_last = end == rest.size();
      if (is_last != (found + 1 == place.rank())) break;
      rest.remove_prefix(is_last ? end : end + 1);
    }
    if (found == place.rank()) add(place);
  }
  if (failure) fail_with(directory, "list", failure.value());
}

std::optional<zarr_chunks::encoded> zarr_chunks::find(const extents& place, std::uint64_t most) {
  if (!shards_.shape.empty()) return find_in_shard(place, most);
  if (!existing().contains(files_.number_of(place))) return std::nullopt;
  const input_file file(zarr_chunk_path(directory_, keys_, place));
  return encoded{file.path(), chunk_bytes(file, 0, file.size(), most)};
}

void zarr_chunks::for_each(const std::function<void(const extents& place)>& visit) {
  std::vector<std::uint64_t> numbers(existing().begin(), existing().end());
  std::sort(numbers.begin(), numbers.end());
  for (const std::uint64_t number : numbers) {
    const extents file = place_at(files_, number);
    if (shards_.shape.empty()) {
      visit(file);
      continue;
    }
    const shard_index index = index_of(file);
    extents inside = extents::all(file.rank(), 0);
    for (const auto& [offset, length] : index) {
      extents place = file;
      bool is_in_array = offset != no_chunk || length != no_chunk;
      for (std::size_t i = 0; i < place.rank(); ++i) {
        place[i] = file[i] * per_shard_[i] + inside[i];
        is_in_array = is_in_array && place[i] <= (chunks_.dims()[i] - 1) / chunks_.chunk()[i];
      }
      if (is_in_array) visit(place);
      for (std::size_t i = inside.rank(); i-- > 0 && ++inside[i] == per_shard_[i];) inside[i] = 0;
    }
  }
}

const zarr_chunks::shard_index& zarr_chunks::index_of(const extents& shard) {
  const std::uint64_t number = files_.number_of(shard);
  const auto known = indices_.find(number);
  if (known != indices_.end()) return known->second;
  const input_file file(zarr_chunk_path(directory_, keys_, shard));
  const std::uint64_t chunks = per_shard_.elements();
  const std::uint64_t checksum = shards_.has_checksum ? 4 : 0;
  if (file.size() < checksum || chunks > (file.size() - checksum) / index_entry)
    file.refuse("it is too short for the index of a shard of " + std::to_string(chunks) + " chunks");
  const std::uint64_t bytes = chunks * index_entry + checksum;
  std::string text = file.text_at(shards_.is_index_first ? 0 : file.size() - bytes, bytes);
  try {
    if (shards_.has_checksum) take_crc32c(text);
  } catch (const error& failure) {
    file.refuse(std::string("the index of the shard: ") + failure.what());
  }
  shard_index index(chunks);
  for (std::uint64_t i = 0; i < chunks; ++i) {
    std::uint64_t pair[2];
    std::memcpy(pair, text.data() + i * index_entry, sizeof pair);
    if (shards_.has_big_endian_index)
      for (std::uint64_t& one : pair) one = __builtin_bswap64(one);
    // Some writers add the index's own length to the offset of missing chunks too.
    if (pair[1] == no_chunk) pair[0] = no_chunk;
    const bool is_missing = pair[1] == no_chunk;
    if (!is_missing && (pair[0] > file.size() || pair[1] > file.size() - pair[0]))
      file.refuse("the index of the shard leads out of it");
    index[i] = {pair[0], pair[1]};
  }
  if (index_entries_ + chunks > most_index_entries) {
    indices_.clear();
    index_entries_ = 0;
  }
  index_entries_ += chunks;
  return indices_[number] = std::move(index);
}

std::optional<zarr_chunks::encoded> zarr_chunks::find_in_shard(const extents& place, std::uint64_t most) {
  const extents shard = quotients(place, per_shard_);
  if (!existing().contains(files_.number_of(shard))) return std::nullopt;
  std::uint64_t inside = 0;
  for (std::size_t i = 0; i < place.rank(); ++i) inside = inside * per_shard_[i] + place[i] % per_shard_[i];
  const auto [offset, length] = index_of(shard)[inside];
  if (offset == no_chunk && length == no_chunk) return std::nullopt;
  const input_file file(zarr_chunk_path(directory_, keys_, shard));
  return encoded{file.path(), chunk_bytes(file, offset, length, most)};
}

}  // namespace perdure::formats
