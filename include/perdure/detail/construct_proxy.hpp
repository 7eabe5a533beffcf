// The result of `construct<T>(name)`: it waits for `(args…)`, or for `[n](args…)`.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <perdure/detail/construct_object.hpp>
#include <perdure/detail/manager_core.hpp>
#include <perdure/detail/parts.hpp>
#include <perdure/detail/refusal.hpp>
#include <perdure/error.hpp>
#include <perdure/type_stamp.hpp>
#include <type_traits>
#include <utility>

namespace perdure::detail {

/// Destroys, last first, the elements built so far when a constructor throws.
template <class T>
class built_elements {
 public:
  explicit built_elements(T* first) noexcept : first_(first) {}
  built_elements(const built_elements&) = delete;
  built_elements& operator=(const built_elements&) = delete;
  ~built_elements() {
    while (count_ != 0) std::destroy_at(first_ + --count_);
  }
  T* next() const noexcept { return first_ + count_; }
  void add() noexcept { ++count_; }
  void keep() noexcept { count_ = 0; }

 private:
  T* first_;
  std::size_t count_ = 0;
};

/// False, but not before it is asked for one type.
template <class T>
inline constexpr bool constructed_yet = false;

template <class T, class Placement>
class construct_request {
 public:
  construct_request(manager_core& core, const object_name& name, if_exists policy, bool nothrow) noexcept
      : core_(&core), name_(name), policy_(policy), nothrow_(nothrow) {}

  /// For those who forget the last parentheses: one sentence instead of a page.
  template <class U = T>
  U& operator*() const {
    static_assert(constructed_yet<U>,
                  "there is no object before its constructor's arguments: write construct<T>(name)(), "
                  "find_or_construct<T>(name)() or construct<T>(name)[n](), with the last parentheses");
    __builtin_unreachable();
  }
  template <class U = T>
  U* operator->() const {
    return &**this;
  }

 protected:
  /// Reserves the name, lets `build_next(element, index)` construct each element, and publishes. Of a type
  /// that is refused nothing is compiled, so that the reason is the only error.
  template <class BuildNext>
  T* build(std::size_t length, BuildNext build_next) const {
    if constexpr (object_verdict<T, Placement>::accepted) {
      std::optional<object_construction> construction;
      if (nothrow_) {
        try {
          construction.emplace(*core_, name_, type_stamp_of<T>(), length, policy_);
        } catch (const error&) {
          return nullptr;
        } catch (const std::bad_alloc&) {
          return nullptr;
        }
      } else {
        construction.emplace(*core_, name_, type_stamp_of<T>(), length, policy_);
      }
      T* const first = static_cast<T*>(construction->object());
      if (construction->exists()) return first;
      built_elements<T> built(first);
      for (std::size_t i = 0; i < length; ++i) {
        build_next(built.next(), i);
        built.add();
      }
      construction->publish();
      built.keep();
      return first;
    } else {
      return nullptr;
    }
  }

  auto allocator() const noexcept {
    return typename Placement::template allocator<std::byte>(core_->memory());
  }

 private:
  manager_core* core_;
  object_name name_;
  if_exists policy_;
  bool nothrow_;
};

/// `[n]` was given: every element is constructed from the same arguments.
template <class T, class Placement>
class array_construct_proxy : public construct_request<T, Placement> {
 public:
  array_construct_proxy(const construct_request<T, Placement>& request, std::size_t length) noexcept
      : construct_request<T, Placement>(request), length_(length) {}

  template <class... Args>
  T* operator()(Args&&... args) const {
    return this->build(length_, [&](auto* element, std::size_t index) {
      // Only the last element may take what the arguments hold; the others must leave it there.
      if (index + 1 == length_) {
        construct_object<T>(element, this->allocator(), std::forward<Args>(args)...);
      } else {
        construct_object<T>(element, this->allocator(), args...);
      }
    });
  }

 private:
  std::size_t length_;
};

/// The type for braces among the arguments, which a template cannot deduce: the elements of a container,
/// else the object.
template <class T>
struct braced_argument {
  using type = T&&;
};
template <has_allocator T>
  requires requires { typename T::value_type; }
struct braced_argument<T> {
  using type = std::initializer_list<typename T::value_type>;
};

template <class T, class Placement>
class construct_proxy : public construct_request<T, Placement> {
  // In the class, not in its constructor: clang instantiates that at the end, and no longer says for which
  // line of the program. Not in the base, for one line less before the reason.
  static_assert((require_accepted<T>(object_verdict<T, Placement>()), true));

 public:
  using construct_request<T, Placement>::construct_request;

  array_construct_proxy<T, Placement> operator[](std::size_t length) const noexcept {
    return {*this, length};
  }

  template <class... Args>
  T* operator()(Args&&... args) const {
    return this->build(1, [&](auto* element, std::size_t) {
      construct_object<T>(element, this->allocator(), std::forward<Args>(args)...);
    });
  }
  /// `({…})`.
  T* operator()(typename braced_argument<T>::type value) const {
    return this->build(1, [&](auto* element, std::size_t) {
      construct_object<T>(element, this->allocator(), std::move(value));
    });
  }
};

/// Like the class above, but the arguments are iterators: element i is constructed from what they point to
/// after i steps.
template <class T, class Placement>
class iterator_construct_proxy : public construct_request<T, Placement> {
  static_assert((require_accepted<T>(object_verdict<T, Placement>()), true));

 public:
  using construct_request<T, Placement>::construct_request;

  iterator_construct_proxy operator[](std::size_t length) const noexcept {
    iterator_construct_proxy copy(*this);
    copy.length_ = length;
    return copy;
  }

  template <class... Iterators>
  T* operator()(Iterators... iterators) const {
    return this->build(length_, [&](auto* element, std::size_t) {
      construct_object<T>(element, this->allocator(), *iterators...);
      (void)(++iterators, ...);
    });
  }

 private:
  std::size_t length_ = 1;
};

}  // namespace perdure::detail
