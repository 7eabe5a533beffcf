// A view of the pager in running processes from outside, as `perdure top` shows it. See
// docs/explanation/pager.md.
#pragma once

#include <array>
#include <cstdint>
#include <perdure/pager.hpp>
#include <string>
#include <vector>

namespace perdure::pager {

/// One of the numbers in `statistics`, by the name it has there.
struct named_counter {
  /// The name of a number, and where it is.
  ///@{
  const char* name;
  std::uint64_t statistics::*value;
  ///@}
};

/// The numbers that only grow and may be subtracted: what happened between two looks is the difference.
inline constexpr std::array<named_counter, 10> event_counters{
    {{"faults", &statistics::faults},
     {"loads", &statistics::loads},
     {"read_ahead", &statistics::read_ahead},
     {"first_stores", &statistics::first_stores},
     {"hot_loads", &statistics::hot_loads},
     {"evictions", &statistics::evictions},
     {"evictions_by_touch", &statistics::evictions_by_touch},
     {"rescues", &statistics::rescues},
     {"bytes_read", &statistics::bytes_read},
     {"bytes_written", &statistics::bytes_written}}};

/// A region of a process that publishes its statistics, or the segment of a store with the backing `paged`.
/// The mode of such a segment is `read_only` for readers, and `private_copy` for those who may store to it.
struct published_region {
  std::uint64_t id = 0;     ///< within its process; never used again
  std::string file;         ///< or the store's directory; its end, if it is very long
  std::uint64_t bytes = 0;  ///< bytes mapped; those in use by now of a store
  /// Budget in bytes, mode, and tier in use.
  ///@{
  std::uint64_t budget = 0;
  pager::mode mode = pager::mode::read_only;
  pager::tier tier = pager::tier::plain;
  ///@}
  double seconds = 0;  ///< since it was mapped
  /// Counts since it was mapped.
  pager::statistics statistics;
};

/// A process that publishes regions.
struct published_process {
  /// Number of the process, and its command.
  ///@{
  std::int64_t pid = 0;
  std::string command;
  ///@}
  double age = 0;  ///< seconds since it published what is here
  /// Its regions and paged stores.
  std::vector<published_region> regions;
};

/// Returns other processes of this user (of all, for root) that run with PERDURE_PAGER_PUBLISH=1 and have
/// regions or paged stores, by process id. What cannot be read, or is no such file, is passed over. Takes as
/// long as looking at the descriptors of all these processes in /proc.
std::vector<published_process> published();

}  // namespace perdure::pager
