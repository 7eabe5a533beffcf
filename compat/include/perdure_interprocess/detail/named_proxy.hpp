// The result of `construct<T>(name)`: it waits for `(args…)`, or for `[n](args…)`.
#pragma once

#include <cstddef>
#include <limits>
#include <mutex>
#include <new>
#include <perdure/open_mode.hpp>
#include <perdure_interprocess/detail/open_file.hpp>
#include <perdure_interprocess/detail/translate_errors.hpp>
#include <string>
#include <utility>

namespace perdure_interprocess {

using perdure::anonymous_instance;
using perdure::anonymous_instance_t;
using perdure::unique_instance;
using perdure::unique_instance_t;

namespace detail {

/// A name, or one of the tags above. A null pointer means an anonymous object.
class instance_key {
 public:
  instance_key(const char* name) noexcept
      : key_(name == nullptr ? perdure::object_name(anonymous_instance) : perdure::object_name(name)) {}
  instance_key(const std::string& name) noexcept : key_(name) {}
  instance_key(unique_instance_t tag) noexcept : key_(tag) {}
  instance_key(anonymous_instance_t tag) noexcept : key_(tag) {}

  const perdure::object_name& object_name() const noexcept { return key_; }

 private:
  perdure::object_name key_;
};

struct construct_policy {
  bool find_first;
  bool nothrow;
};

template <class T, class Placement, bool FromIterators>
class named_proxy_base {
 public:
  named_proxy_base(open_file<Placement>& file, const instance_key& key, construct_policy policy) noexcept
      : file_(&file), key_(key), policy_(policy) {}

 protected:
  /// Hands `finish` the request of Perdure's manager.
  template <class Finish>
  T* build(Finish finish) const {
    return translate_errors([&] {
      const std::lock_guard lock(file_->objects());
      auto& manager = file_->manager();
      const perdure::object_name& name = key_.object_name();
      if constexpr (FromIterators) {
        if (policy_.find_first && policy_.nothrow)
          return finish(manager.template find_or_construct_it<T>(name, std::nothrow));
        if (policy_.find_first) return finish(manager.template find_or_construct_it<T>(name));
        if (policy_.nothrow) return finish(manager.template construct_it<T>(name, std::nothrow));
        return finish(manager.template construct_it<T>(name));
      } else {
        if (policy_.find_first && policy_.nothrow)
          return finish(manager.template find_or_construct<T>(name, std::nothrow));
        if (policy_.find_first) return finish(manager.template find_or_construct<T>(name));
        if (policy_.nothrow) return finish(manager.template construct<T>(name, std::nothrow));
        return finish(manager.template construct<T>(name));
      }
    });
  }

 private:
  open_file<Placement>* file_;
  instance_key key_;
  construct_policy policy_;
};

template <class T, class Placement, bool FromIterators>
class named_array_proxy : public named_proxy_base<T, Placement, FromIterators> {
  using base = named_proxy_base<T, Placement, FromIterators>;

 public:
  named_array_proxy(const base& request, std::size_t length) noexcept : base(request), length_(length) {}

  /// `[a][b]` is an array of a × b.
  named_array_proxy operator[](std::size_t length) const noexcept {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    return {*this, length != 0 && length_ > most / length ? most : length_ * length};
  }
  template <class... Args>
  T* operator()(Args&&... args) const {
    return this->build([&](auto request) { return request[length_](std::forward<Args>(args)...); });
  }

 private:
  std::size_t length_;
};

template <class T, class Placement, bool FromIterators>
class named_proxy : public named_proxy_base<T, Placement, FromIterators> {
 public:
  using named_proxy_base<T, Placement, FromIterators>::named_proxy_base;

  named_array_proxy<T, Placement, FromIterators> operator[](std::size_t length) const noexcept {
    return {*this, length};
  }
  template <class... Args>
  T* operator()(Args&&... args) const {
    return this->build([&](auto request) { return request(std::forward<Args>(args)...); });
  }
};

}  // namespace detail
}  // namespace perdure_interprocess
