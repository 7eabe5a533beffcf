// Where an application's data is: a store that Python has open, or the path of one.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <filesystem>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/manager.hpp>
#include <string>
#include <utility>

#include "open_store.hpp"

namespace perdure::python {

/// Returns the options for a store whose pages may take so many bytes of memory, or all where `budget` is 0.
store_options options_for_budget(std::size_t budget);

/// A place that functions of Python are given as their first argument.
class store_place {
 public:
  /// Takes a path.
  explicit store_place(std::filesystem::path path) : path_(std::move(path)) {}
  /// Takes an open store, which must outlive it.
  explicit store_place(open_store& open) : open_(&open) {}

  /// Returns the open store, or opens the one at the path for reading. Closing the open store names what
  /// still uses it as a view of `name`.
  std::shared_ptr<const manager> open_to_read(const std::string& name, std::size_t budget = 0) const;
  /// Returns the path; empty for an open store.
  const std::filesystem::path& path() const noexcept { return path_; }

  /// Calls `change(store)` and returns its result.
  ///
  /// A store at a path is opened for it, or created, and closed afterwards with a checkpoint. If `change`
  /// throws, the store stays as it was, and one that did not exist is removed, unless `change` made
  /// checkpoints. An open store has no checkpoint yet afterwards.
  template <class Change>
  auto change(Change&& change, std::size_t budget = 0) const {
    if (open_ != nullptr) {
      const std::shared_ptr<session> now = open_->current_to_change();
      return change(now->store());
    }
    const bool is_new = !manager::exists(path_);
    manager store(open_or_create, path_, options_for_budget(budget));
    const auto epoch = store.store().epoch();
    try {
      auto result = change(store);
      store.close();
      return result;
    } catch (...) {
      const bool is_kept = store.is_open() && store.store().epoch() != epoch;
      store.discard();
      if (is_new && !is_kept) manager::remove(path_);
      throw;
    }
  }

 private:
  std::filesystem::path path_;
  open_store* open_ = nullptr;
};

/// Returns the place that an argument of Python names: an open store, or a path as `str`, `bytes` or
/// `os.PathLike`. Throws `TypeError` for anything else.
store_place place_of(nanobind::handle given);

}  // namespace perdure::python
