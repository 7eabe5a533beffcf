// Why a store cannot be opened now: because of those that have it open.
#pragma once

#include <filesystem>
#include <perdure/error.hpp>
#include <string>

namespace perdure::store {

/// Obstacle to an opening.
enum class obstacle {
  writer,          ///< another writer; or, for a reader, one that admits no readers
  readers,         ///< readers that keep a writer out, where blocks cannot be shared
  waiting_writer,  ///< a writer that comes before new readers
  no_sharing,      ///< a writer beside the reader, on a file system that cannot share blocks
  no_files,        ///< a writer beside the reader, which can make no files
};

/// An `error` whose reason and advice can be told apart, so that the command-line program can give advice in
/// terms of its own options.
class store_busy final : public error {
 public:
  /// `reason` is a clause about the store. The code is `in_use`, or `permission_denied` for `no_files`.
  store_busy(const std::filesystem::path& store, obstacle what, const std::string& reason);

  obstacle what_is_in_the_way() const noexcept { return obstacle_; }
  /// "STORE is in use: REASON".
  const std::string& reason() const noexcept { return reason_; }

 private:
  obstacle obstacle_;
  std::string reason_;
};

}  // namespace perdure::store
