// Where a sparse file has data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "os/file.hpp"

namespace perdure::os {

/// The first offset from `offset` on that may hold other bytes than zeros; nothing if there is none. Where
/// the file system does not tell of holes, all of the file is data.
std::optional<std::uint64_t> next_data(const file& sparse, std::uint64_t offset);

/// Where the data at `offset` ends, at most the file's size.
std::uint64_t next_hole(const file& sparse, std::uint64_t offset);

/// A part of a file, in bytes.
struct file_part {
  std::uint64_t begin;
  std::uint64_t end;
};

/// The parts of [begin, end) of a file of at least that size that may hold other bytes than zeros, in order.
/// Throws std::system_error. On tmpfs this takes 16 ms for each GiB of data *(measured)*.
std::vector<file_part> data_within(int descriptor, std::uint64_t begin, std::uint64_t end);

/// Finds the data of a file part by part, without looking twice at data that goes on from one part to the
/// next. On tmpfs each look passes all pages up to the next hole, however short the part.
class data_walk {
 public:
  /// Returns what `data_within` returns. Where this part begins behind the one before it, in data that was
  /// found then, what has become a hole meanwhile may still be among it.
  std::vector<file_part> within(int descriptor, std::uint64_t begin, std::uint64_t end);

 private:
  int descriptor_ = -1;
  std::uint64_t asked_end_ = 0;  // end of the part before
  std::uint64_t data_end_ = 0;   // end of the data that goes on there
};

/// Returns whether touching a hole of a mapping of the file takes a page of the file system, also in a
/// private mapping, and also for reading. So it is on tmpfs, where a lack of such a page is a SIGBUS.
bool fills_touched_holes(const file& mapped) noexcept;

}  // namespace perdure::os
