// The file in which a process publishes the statistics of its regions, for processes on the same machine.
//
// It is locked (fcntl) by its process as long as that lives, and has a name only while it is locked. It is
// written anew a few times a second, which readers notice by the checksum, and read it again.
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
  std::uint32_t checksum;  // CRC-32C of all that follows, and of this with 0 here
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
