// Which arrays an open store has, and the locks that guard them.
#pragma once

#include <array>
#include <atomic>
#include <perdure/array/array_info.hpp>
#include <perdure/data_type.hpp>
#include <perdure/detail/manager_core.hpp>
#include <shared_mutex>
#include <string_view>

#include "array/stored_array.hpp"

namespace perdure::detail {

/// The records of a store's arrays, which change under one lock; their elements change without it.
class array_directory {
 public:
  /// `catalogue` is null where a store has no arrays and is open for reading only. Throws `too_new`.
  array_directory(manager_core& store, array_catalogue* catalogue);
  array_directory(const array_directory&) = delete;
  array_directory& operator=(const array_directory&) = delete;

  manager_core& store() const noexcept { return store_; }
  array_catalogue* catalogue() noexcept { return catalogue_; }
  const array_catalogue* catalogue() const noexcept { return catalogue_; }

  /// From now on `require_open` throws.
  void close() noexcept { is_closed_ = true; }
  void require_open() const;
  void require_writable() const;

  /// Guards the catalogue.
  std::shared_mutex& mutex() const noexcept { return mutex_; }
  /// Held shared to write parts of an array, alone to change what it is. To be locked before `mutex`.
  std::shared_mutex& writing_of(std::string_view id) noexcept;

  // With the lock held:

  /// Returns the array; null if there is none of that id.
  const stored_array* look_up(std::string_view id) const;
  stored_array* look_up(std::string_view id);
  /// Throws `not_found`.
  const stored_array& require(std::string_view id) const;
  stored_array& require(std::string_view id);
  /// Throws `wrong_type` if the array of this id, where there is one, has elements of another type and the
  /// options do not let any go.
  void require_may_replace(std::string_view id, const data_type& type, const array_options& options) const;

 private:
  manager_core& store_;
  array_catalogue* const catalogue_;
  mutable std::shared_mutex mutex_;
  std::array<std::shared_mutex, 64> writing_;  // by their ids
  std::atomic<bool> is_closed_{false};
};

}  // namespace perdure::detail
