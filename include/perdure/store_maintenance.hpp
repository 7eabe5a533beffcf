// Maintenance of stores that the caller does not have open: inspect, verify, repair, copy, stage, remove.
//
//     const perdure::verify_report report = perdure::store_maintenance::verify("words.store");
//     if (report.whole()) perdure::store_maintenance::copy("words.store", "/backup/words.store");
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <perdure/checkpoint_log.hpp>
#include <perdure/pending_copy.hpp>
#include <perdure/repair.hpp>
#include <perdure/store_info.hpp>
#include <perdure/verify.hpp>
#include <string>
#include <vector>

namespace perdure {

/// The counts of what `store_maintenance::stage_out` wrote back.
struct stage_report {
  std::uint64_t pages_written = 0;   ///< pages that differed in the store
  std::uint64_t pages_released = 0;  ///< pages whose content is no longer needed
  std::uint64_t pages = 0;           ///< pages of the segment
  std::uint64_t epoch = 0;           ///< number of the store's checkpoint, afterwards
};

/// Functions for whole stores, named by their paths. All are thread-safe. Each says what it does where a
/// program has the store open.
namespace store_maintenance {

/// Reads what the super block records, without locking or mapping anything.
store_info inspect(const std::filesystem::path& path);
/// Checks every byte of the store's files and changes nothing. The report names what is damaged; only
/// what keeps the store from being read at all is thrown (`not_found`, `not_a_store`, `too_new`,
/// `incompatible`, `in_use` by a writer with the backing `shared_file` or `dax`, `permission_denied`).
/// Reads the whole store, on several threads. A writer goes on meanwhile, up to its second checkpoint.
verify_report verify(const std::filesystem::path& path, const verify_options& options = {});
/// Mends what can be mended from what is sound, and says what cannot. Changes nothing that it cannot
/// prove, unless told to by `accept_damage`; opens for writing first, so a committed checkpoint that is
/// not yet home is brought home. Removes what killed processes left of stores that they were making at this
/// path. `in_use`, `not_found`, `not_a_store`, `too_new`, `incompatible`, `io`.
repair_report repair(const std::filesystem::path& path, const repair_options& options = {});

/// Copies a store at its last checkpoint; durable on return, and after a crash there or not there. The
/// files share their blocks where the file system can do that; else their data is copied, on several
/// threads, and holes stay holes. A writer goes on meanwhile, up to its second checkpoint.
/// `already_exists`, `in_use` (by a writer with the backing `shared_file` or `dax`), `no_space`.
///
/// A copy keeps the UUID of its original, since all its files carry it, and records at which epoch and
/// when it was taken (`store_info`). Of a store that nobody has open and that has a prepared checkpoint, it
/// has that too, and waits for the same verdict.
void copy(const std::filesystem::path& from, const std::filesystem::path& to);
/// Starts `copy` in a thread of its own. The handle's `wait` throws what it throws.
pending_copy copy_async(const std::filesystem::path& from, const std::filesystem::path& to);
/// Deletes the store at the path, and what unfinished copies of that name a crash left beside it. False
/// if nothing is there; `not_a_store` (nothing is touched) if something else is; `in_use`.
bool remove(const std::filesystem::path& path);

/// Returns why stores in this directory cannot have the `dax` backing; nothing if they can. Makes a file
/// without a name there for a moment.
std::optional<std::string> why_not_persistent(const std::filesystem::path& directory);

/// Returns why a copy that another tool (`cp -r`, `rsync`) makes of a store in this directory is not told
/// from the original, and so not verified when it is first opened for writing; nothing if it is.
std::optional<std::string> why_copies_pass_unnoticed(const std::filesystem::path& directory);

/// Raises the capacity of a store that no one has open; returns what it is then. A capacity is never
/// lowered. Durable on return. `in_use`, `invalid_argument`, `address_taken` (a pinned store that would not
/// fit at its address any more), `not_found`, `not_a_store`, `io`.
std::size_t raise_capacity(const std::filesystem::path& path, std::size_t capacity);

/// Returns the checkpoints that the store remembers, oldest first. After a power failure the last may be
/// missing.
std::vector<checkpoint_record> log(const std::filesystem::path& path);

/// Copies a store to a faster place, to work there. `copy`, by the name of its purpose.
void stage_in(const std::filesystem::path& store, const std::filesystem::path& fast);
/// Writes home from `fast` what is different there, as one checkpoint of `store`: it has all of it or
/// nothing. `fast` stays and may be worked on and written back again. `conflict` when `store` had
/// another checkpoint since, `incompatible` when `fast` is no copy of it.
stage_report stage_out(const std::filesystem::path& fast, const std::filesystem::path& store);

}  // namespace store_maintenance
}  // namespace perdure
