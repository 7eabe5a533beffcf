// The backings and what each can do, in one table: nothing else asks which backing it is.
// docs/explanation/durability.md shows the table, and a test holds the two together; another one holds it to
// what stores do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <perdure/datastore.hpp>
#include <span>
#include <string>
#include <string_view>

#include "os/file.hpp"

namespace perdure::store {

struct store_parts;

/// Requirement of a backing on the machine or the file system.
enum class backing_needs {
  nothing,
  user_faults,        ///< userfaultfd
  persistent_memory,  ///< a DAX file system
};

/// Pages that `store_options::memory_budget` limits.
enum class budget_of { nothing, changed_pages, all_pages };

struct backing_row {
  backing which;
  std::string_view name;        ///< in the environment, as PERDURE_BACKING, and in what `perdure` prints
  std::string_view enumerator;  ///< in a program
  std::string_view memory;      ///< where the bytes of an open store are, for people
  bool atomic_checkpoints;
  bool prepares;            ///< `datastore::prepare`
  bool verifies_lazily;     ///< `verify_mode::lazy`, of writers
  bool readers_beside;      ///< readers, copies and verification while a writer has the store open
  bool opens_without_room;  ///< where home has no room for what the last journal holds
  bool memory_in_child;     ///< a forked child of a writer has the segment
  budget_of budget;
  backing_needs needs;
  std::uint64_t most_pages;  ///< largest capacity of a store, in pages
  /// Backing that is used if this one is not available. Nothing: `unsupported`.
  std::optional<backing> otherwise;
  /// Opens for writing, when the store is recovered: nothing is left to redo.
  std::unique_ptr<datastore> (*open)(store_parts parts);
};

/// In the order of what PERDURE_BACKING may be.
std::span<const backing_row> all_backings() noexcept;

/// Throws `invalid_argument` where there is no such backing.
const backing_row& row_of(backing which);

/// Returns the backing that a program asks for, or that PERDURE_BACKING names if the program does not choose.
const backing_row& chosen_backing(const store_options& options);

/// Why a store of this capacity in bytes cannot have it; nothing if it can. `file` is on the store's file
/// system. Throws std::system_error where that cannot be found out.
std::optional<std::string> why_not(const backing_row& wanted, const os::file& file, std::uint64_t capacity,
                                   const std::filesystem::path& store);

/// Why new stores in a directory cannot have it. Where that depends on the file system, it makes a file
/// without a name there for a moment.
std::optional<std::string> why_not_in(const backing_row& wanted, const std::filesystem::path& directory);

/// Why a store that is there cannot be opened with it for writing. Only reads.
std::optional<std::string> why_not_of(const backing_row& wanted, const std::filesystem::path& store,
                                      std::uint64_t capacity);

/// "private or paged": those that can do something.
std::string names_of_those_with(bool backing_row::*ability);

}  // namespace perdure::store
