// The directory `epochs` in a set: copies of its last labelled checkpoints, each a set of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "ranks/set_directory.hpp"

namespace perdure::detail {

/// Which labelled checkpoints of a set are kept.
struct keeping_of_set {
  unsigned last = 0;  // how many; 0: none
  bool full_copies = false;
};

/// Returns where the copy of a checkpoint lies, or is to be made.
std::filesystem::path path_of_kept_set(const set_directory& set, std::uint64_t epoch);
/// Throws `unsupported` if the file system cannot share blocks between a part and the directory of the set,
/// unless full copies are wanted. Each rank asks for its own part.
void require_room_to_keep(const set_directory& set, const std::filesystem::path& part, std::uint32_t rank,
                          const keeping_of_set& wanted);
/// Makes the directory `epochs`, durably.
void make_directory_of_kept(const set_directory& set);
/// Removes all but the newest copies, and what crashes left of others. Copies that somebody reads stay.
void remove_old_kept(const set_directory& set, const keeping_of_set& wanted);

/// Removes a set with its kept checkpoints. Throws before anything is removed what
/// `set_directory::require_removable` throws.
void remove_whole_set(const set_directory& set, parts_elsewhere others = parts_elsewhere::refuse);

}  // namespace perdure::detail
