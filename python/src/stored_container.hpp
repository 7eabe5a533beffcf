// A named container in a store that Python has open.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/manager.hpp>
#include <perdure/write_guard.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "open_store.hpp"

namespace perdure::python {

/// The attribute of an object that says which container of Python it is: "dict", "list" or "set".
inline constexpr std::string_view container_mark = ".python";

/// Finds a container of type `T` anew where the store was closed, opened at another checkpoint or had
/// containers destroyed since it was found. Needs the GIL, which keeps threads from each other.
template <class T>
class stored_container {
 public:
  /// Creates the container unless it is there, or unless the store is open for reading: then `not_found`.
  stored_container(nanobind::handle store, std::string name, std::string_view kind)
      : object_(nanobind::borrow(store)),
        store_(&nanobind::cast<open_store&>(store)),
        name_(std::move(name)) {
    const std::shared_ptr<session> now = store_->current();
    if (now->is_writable() && now->store().find<T>(name_).first == nullptr) {
      if (now->arrays().find(name_) || now->is_group(name_))
        throw error(errc::already_exists,
                    "\"" + name_ + "\" is an array or a group, so it cannot be a container");
      now->store().construct<T>(name_)();
      now->store().set_attribute(object_name(name_), container_mark, kind);
    }
    static_cast<void>(read());
  }

  const std::string& name() const noexcept { return name_; }

  /// The container, which stays mapped as long as this lives.
  class reading {
   public:
    reading(std::shared_ptr<session> of, const T* container) : of_(std::move(of)), container_(container) {}
    const T& operator*() const noexcept { return *container_; }
    const T* operator->() const noexcept { return container_; }

   private:
    std::shared_ptr<session> of_;
    const T* container_;
  };

  /// Returns the container, to be read.
  reading read() const { return found_in(store_->current()); }

  /// Calls `change` with the container; a checkpoint of another thread has all of the change or nothing.
  template <class Change>
  decltype(auto) change(Change&& change) const {
    const std::shared_ptr<session> now = store_->current_to_change();
    static_cast<void>(found_in(now));
    const write_guard guard = now->store().writing();
    return change(*found_);
  }

 private:
  reading found_in(std::shared_ptr<session> now) const {
    const std::uint64_t generation = store_->destroyed();
    if (found_ == nullptr || now->serial() != of_ || generation != generation_) {
      found_ = now->store().find<T>(object_name(name_)).first;
      of_ = now->serial();
      generation_ = generation;
      if (found_ == nullptr)
        throw error(errc::not_found, store_->path().string() + " has no container \"" + name_ + "\"");
    }
    return {std::move(now), found_};
  }

  nanobind::object object_;  // keeps the store
  open_store* store_;
  std::string name_;
  mutable T* found_ = nullptr;
  mutable std::uint64_t of_ = 0;  // the session's serial number
  mutable std::uint64_t generation_ = 0;
};

}  // namespace perdure::python
