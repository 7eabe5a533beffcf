// Directories of zarr, made by hand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::test {

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

/// The bytes of some elements.
template <class T>
std::string bytes_of_elements(const std::vector<T>& elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
}

/// A `.zarray`; `more` are members before the usual ones.
inline std::string zarr_2_json(const std::string& dtype, const std::string& shape, const std::string& chunks,
                               const std::string& compressor = "null", const std::string& more = "") {
  const bool has_order = more.find("\"order\"") != std::string::npos;
  const bool has_fill = more.find("\"fill_value\"") != std::string::npos;
  const bool has_filters = more.find("\"filters\"") != std::string::npos;
  return "{" + more + (has_order ? "" : "\"order\": \"C\", ") + (has_fill ? "" : "\"fill_value\": null, ") +
         (has_filters ? "" : "\"filters\": null, ") + "\"zarr_format\": 2, \"dtype\": " + dtype +
         ", \"shape\": " + shape + ", \"chunks\": " + chunks + ", \"compressor\": " + compressor + "}";
}

/// A `zarr.json` of an array; `more` are members behind the usual ones.
inline std::string zarr_3_json(
    const std::string& type, const std::string& shape, const std::string& chunk,
    const std::string& codecs = R"([{"name": "bytes", "configuration": {"endian": "little"}}])",
    const std::string& more = "", const std::string& fill = "0") {
  return R"({"zarr_format": 3, "node_type": "array", "shape": )" + shape + R"(, "data_type": )" + type +
         R"(, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": )" + chunk +
         R"(}}, "chunk_key_encoding": {"name": "default"}, "fill_value": )" + fill + R"(, "codecs": )" +
         codecs + more + "}";
}

/// A block of lz4 that has literals only, behind its length.
inline std::string lz4_stored(std::string_view bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  std::string out(reinterpret_cast<const char*>(&size), sizeof size);
  out += size < 15 ? static_cast<char>(size << 4) : '\xf0';
  if (size >= 15) {
    std::uint32_t rest = size - 15;
    for (; rest >= 255; rest -= 255) out += '\xff';
    out += static_cast<char>(rest);
  }
  return out.append(bytes);
}

/// A buffer of blosc that has the bytes as they are.
inline std::string blosc_stored(std::string_view bytes, char element_size) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  std::string out{2, 1, 2, element_size};
  for (const std::uint32_t n : {size, size, size + 16})
    out.append(reinterpret_cast<const char*>(&n), sizeof n);
  return out.append(bytes);
}

}  // namespace perdure::test
