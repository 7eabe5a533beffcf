// Recognises how a file is compressed.
#include <algorithm>
#include <array>
#include <perdure/workload/byte_stream.hpp>
#include <perdure/workload/head_stream.hpp>
#include <string_view>
#include <utility>

#include "decoders.hpp"
#include "decoding_stream.hpp"
#include "file_stream.hpp"

namespace perdure::workload {
namespace {

using namespace std::string_view_literals;

struct compression {
  const char* name;
  std::string_view ending;
  std::string_view magic;
  std::unique_ptr<decoder> (*make)();
};

constexpr std::array compressions{
    compression{"gzip", ".gz"sv, "\x1f\x8b"sv, make_gzip_decoder},
    compression{"zstd", ".zst"sv, "\x28\xb5\x2f\xfd"sv, make_zstd_decoder},
    compression{"bzip2", ".bz2"sv, "BZh?1A"sv, make_bzip2_decoder},
    compression{"bzip2", ".bz2"sv, "BZh?\x17\x72"sv, make_bzip2_decoder},  // of nothing
    compression{"xz", ".xz"sv, "\xfd\x37\x7a\x58\x5a\x00"sv, make_xz_decoder},
};
constexpr std::size_t longest_magic = 6;

/// Returns whether bytes agree with a magic number as far as both go. A question mark in it stands for any
/// byte.
bool agrees(std::string_view bytes, std::string_view magic) {
  const std::size_t length = std::min(bytes.size(), magic.size());
  return std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length), magic.begin(),
                    [](char byte, char expected) { return expected == '?' || byte == expected; });
}

}  // namespace

std::unique_ptr<byte_stream> open_byte_stream(const std::filesystem::path& path, int end_descriptor) {
  auto file = std::make_unique<head_stream>(std::make_unique<file_stream>(path, end_descriptor));
  const std::string_view head = file->peek(longest_magic, [](std::string_view seen) {
    return std::any_of(compressions.begin(), compressions.end(), [seen](const compression& one) {
      return seen.size() < one.magic.size() && agrees(seen, one.magic);
    });
  });
  for (const compression& one : compressions)
    if (head.size() >= one.magic.size() && agrees(head, one.magic))
      return std::make_unique<decoding_stream>(std::move(file), one.make(), one.name);
  return file;
}

std::filesystem::path uncompressed_name(const std::filesystem::path& path) {
  const bool is_compressed =
      std::any_of(compressions.begin(), compressions.end(),
                  [&](const compression& one) { return path.extension() == one.ending; });
  return is_compressed ? path.parent_path() / path.stem() : path;
}

}  // namespace perdure::workload
