// The file in which a process publishes the statistics of its regions, for processes on the same machine.
//
// Its process has a lock (fcntl) on it as long as it lives, and the file has a name only while it is locked.
// It is written anew a few times a second; a reader that meets a write under way notices by the checksum, and
// reads again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <perdure/pager.hpp>
#include <vector>

namespace perdure::pager::detail {

inline constexpr char publication_prefix[] = "perdure-pager.";
inline constexpr std::uint64_t publication_magic = 0x3152474150445250U;  // "PRDPAGR1" in the file
inline constexpr std::uint32_t publication_version = 1;
inline constexpr std::size_t most_published_regions = 1024;

struct publication_header {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t checksum;  // CRC-32C of the whole, with 0 in this place
  std::uint32_t header_bytes;
  std::uint32_t region_bytes;
  std::uint32_t regions;
  std::uint32_t reserved;
  std::int64_t pid;
  std::int64_t written;  // nanoseconds since 1970
  std::array<char, 64> command;
};
static_assert(sizeof(publication_header) == 112);

struct publication_region {
  std::uint64_t id;
  std::uint64_t bytes;
  std::uint64_t budget;
  std::uint64_t nanoseconds;  // since it was mapped
  std::uint32_t mode;
  std::uint32_t tier;
  std::array<std::uint64_t, 12> counters;  // in the order of pager::statistics
  std::array<std::uint64_t, 40> latency;
  std::array<char, 256> file;
};
static_assert(sizeof(publication_region) == 712);

std::uint32_t checksum_of(const publication_header& header, const publication_region* regions) noexcept;

/// Where processes publish: XDG_RUNTIME_DIR if it is set and takes files, else /dev/shm. Readers look into
/// both.
std::vector<std::filesystem::path> publication_directories();

}  // namespace perdure::pager::detail
