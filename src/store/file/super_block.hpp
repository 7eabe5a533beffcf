// The file `super`: the store's identity, and which checkpoint its files are at.
#pragma once

#include <perdure/datastore.hpp>
#include <string>

#include "os/file.hpp"
#include "os/file_identity.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

/// The file as it is on disk, sound or not.
struct super_file {
  layout::super_slot slots[2];
  layout::abi_stamp abi;
};
static_assert(sizeof(super_file) == layout::super_file_bytes);

/// Throws `not_a_store` where a directory without `super` holds nothing of a store, or one that is not
/// complete.
void require_remains_of_store(const os::file& directory);
/// Throws `too_new`, `too_old` or `incompatible` when this library cannot use what the slot describes.
void check_format(const layout::super_slot& slot, const std::filesystem::path& path, bool writable);
/// Throws `damaged` for values that this library cannot have written, though the checksum is right.
void check_sense(const layout::super_slot& slot, const std::filesystem::path& path);
/// Throws `incompatible` when a sound stamp is not that of this build.
void check_abi(const layout::abi_stamp& theirs, const std::filesystem::path& path);

/// Two slots are written in turn, so a torn or damaged one leaves the other. Not thread-safe.
class super_block {
 public:
  /// Writes the file of a new store, both slots alike, under the name that it has until the store is
  /// complete. Does not sync it.
  static super_block create(const os::file& directory, const layout::super_slot& first, const char* name);
  /// Reads and validates. Throws `not_a_store`, `damaged`, `too_new`, `too_old`, `incompatible`.
  static super_block load(const os::file& directory, bool writable);

  const layout::super_slot& now() const noexcept { return now_; }
  const std::string& abi() const noexcept { return abi_; }

  void sync() const { file_.sync(); }
  /// Throws `conflict` once the file has been removed: nobody could open a checkpoint that is made now.
  void require_named() const;
  /// Returns whether the file is another than the one that was written: somebody has copied or restored the
  /// store with a tool that knows nothing of it, perhaps while it changed. Not known on file systems that
  /// number files anew.
  bool is_copied() const noexcept { return is_copied_; }
  /// Writes that all pages were found to be sound where the store is now.
  void accept_place();
  /// Writes `next` into the slot not in use and makes it durable; then `now()` is `next`.
  void store(layout::super_slot next);

 private:
  super_block() = default;
  void record_place(layout::super_slot& in) const noexcept;

  os::file file_;
  layout::super_slot now_{};
  std::size_t slot_ = 0;     // where `now_` stands
  bool is_durable_ = false;  // `now_` is known to be on disk
  os::file_identity identity_{};
  bool is_copied_ = false;
  bool tells_names_ = false;  // its file system tells files that have a name from those that have none
  std::string abi_;
};

/// To be called with a copy that the library has made of `super`, open for writing, before it takes the place
/// of the original: if the pages were known to be sound there, they are here.
void carry_place(const os::file& original, const os::file& copy);

/// For rigs, which put the files of a store back: from now on `is_copied` is false.
void trust_copies(bool wanted) noexcept;

/// The ABI stamp of this build.
layout::abi_stamp own_abi();

std::uint64_t unix_time_ns();
layout::uuid_bytes random_uuid();
std::string to_text(const layout::uuid_bytes& uuid);

}  // namespace perdure::store
