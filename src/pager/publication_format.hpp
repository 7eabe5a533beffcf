// Format of the data that a process publishes of its regions: a file in memory (memfd), which other processes
// find among its descriptors in /proc and read. It has no name anywhere else, and goes with its process.
//
// A process writes it anew a few times a second; a reader that meets a write under way notices by the
// checksum, and reads again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <perdure/pager.hpp>
#include <type_traits>

#include "os/crc32c.hpp"

namespace perdure::pager::detail {

inline constexpr char publication_name[] = "perdure-published";
inline constexpr char publication_link[] = "/memfd:perdure-published (deleted)";  // how /proc shows it
inline constexpr std::uint64_t publication_magic = 0x3252474150445250U;           // "PRDPAGR2" in the file
inline constexpr std::size_t most_published_regions = 1024;

struct publication_header {
  std::uint64_t magic;
  std::uint32_t checksum;      // CRC-32C of all that follows, and of this with 0 here
  std::uint32_t region_bytes;  // another version may have other statistics
  std::uint64_t regions;
  std::int64_t written;  // nanoseconds since 1970
};
static_assert(sizeof(publication_header) == 32);

struct publication_region {
  std::uint64_t id;
  std::uint64_t bytes;
  std::uint64_t budget;
  std::uint64_t nanoseconds;  // since it was mapped
  pager::mode mode;
  pager::tier tier;
  pager::statistics statistics;
  std::array<char, 256> file;
};
static_assert(sizeof(publication_region) == 712 && std::is_trivially_copyable_v<publication_region>);

inline std::uint32_t checksum_of(publication_header header, const publication_region* regions) noexcept {
  header.checksum = 0;
  const std::uint32_t first = os::crc32c(0, &header, sizeof header);
  return os::crc32c(first, regions, header.regions * sizeof(publication_region));
}

}  // namespace perdure::pager::detail
