// The result of `construct<T>(name)`: it waits for `(args…)`, or for `[n](args…)`.
#pragma once

#include <cstddef>
#include <limits>
#include <metall/detail/open_store.hpp>
#include <new>
#include <perdure/open_mode.hpp>
#include <utility>

namespace metall::detail {

/// The object asked for: null where the name is taken or memory is short, and where there is no store. What
/// constructors throw is thrown.
template <typename T, bool FromIterators>
class construct_request {
 public:
  construct_request(open_store* store, const perdure::object_name& name, bool find_first) noexcept
      : store_(store), name_(name), find_first_(find_first) {}

 protected:
  /// `make` gives the arguments to Perdure's own proxy.
  template <class Make>
  T* build(Make&& make) const {
    if (store_ == nullptr) return nullptr;
    native_manager& manager = store_->manager();
    T* object = nullptr;
    if constexpr (FromIterators) {
      object = find_first_ ? make(manager.template find_or_construct_it<T>(name_, std::nothrow))
                           : make(manager.template construct_it<T>(name_, std::nothrow));
    } else {
      object = find_first_ ? make(manager.template find_or_construct<T>(name_, std::nothrow))
                           : make(manager.template construct<T>(name_, std::nothrow));
    }
    if (object != nullptr) store_->objects_changed();
    return object;
  }

 private:
  open_store* store_;
  perdure::object_name name_;
  bool find_first_;
};

/// `[n]` was given, once or several times: then the lengths are multiplied.
template <typename T, bool FromIterators>
class array_construct_proxy : public construct_request<T, FromIterators> {
 public:
  array_construct_proxy(const construct_request<T, FromIterators>& request, std::size_t length) noexcept
      : construct_request<T, FromIterators>(request), length_(length) {}

  array_construct_proxy operator[](const std::size_t length) const noexcept {
    array_construct_proxy longer(*this);
    // A product that no number holds is a length that no store holds.
    if (__builtin_mul_overflow(length_, length, &longer.length_))
      longer.length_ = std::numeric_limits<std::size_t>::max();
    return longer;
  }

  template <typename... Args>
  T* operator()(Args&&... args) const {
    return this->build([&](auto&& proxy) { return proxy[length_](std::forward<Args>(args)...); });
  }

 private:
  std::size_t length_;
};

template <typename T, bool FromIterators>
class construct_proxy : public construct_request<T, FromIterators> {
 public:
  using construct_request<T, FromIterators>::construct_request;

  array_construct_proxy<T, FromIterators> operator[](const std::size_t length) const noexcept {
    return {*this, length};
  }

  template <typename... Args>
  T* operator()(Args&&... args) const {
    return this->build([&](auto&& proxy) { return proxy(std::forward<Args>(args)...); });
  }
};

}  // namespace metall::detail
