// Iteration over the named or the unique objects of a store.
#pragma once

#include <cstddef>
#include <iterator>
#include <perdure/object_info.hpp>
#include <perdure_interprocess/detail/translate_errors.hpp>
#include <string_view>

namespace perdure_interprocess::detail {

/// One object. Valid while the store is open and the object not destroyed.
class instance_value {
 public:
  instance_value(const char* name, std::size_t name_length, const void* value) noexcept
      : name_(name), name_length_(name_length), value_(value) {}

  /// A named object's name, a unique object's type name (mangled).
  const char* name() const noexcept { return name_; }
  std::size_t name_length() const noexcept { return name_length_; }
  const void* value() const noexcept { return value_; }

 private:
  const char* name_;
  std::size_t name_length_;
  const void* value_;
};

/// In no particular order. Constructing or destroying objects invalidates it.
class instance_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::forward_iterator_tag;
  using value_type = instance_value;
  using difference_type = std::ptrdiff_t;
  using reference = instance_value;
  class pointer {
   public:
    explicit pointer(const instance_value& value) noexcept : value_(value) {}
    const instance_value* operator->() const noexcept { return &value_; }

   private:
    instance_value value_;
  };

  instance_iterator() noexcept = default;
  explicit instance_iterator(perdure::object_iterator at) noexcept : at_(at) {}

  instance_value operator*() const {
    return translate_errors([this] {
      const perdure::object_info info = *at_;
      const std::string_view name =
          info.kind() == perdure::instance_kind::unique ? info.mangled_type_name() : info.name();
      // The store keeps both with a zero byte behind them.
      return instance_value(name.data(), name.size(), info.value());
    });
  }
  pointer operator->() const { return pointer(**this); }
  instance_iterator& operator++() noexcept {
    ++at_;
    return *this;
  }
  instance_iterator operator++(int) noexcept {
    instance_iterator old(*this);
    ++*this;
    return old;
  }
  bool operator==(const instance_iterator& other) const noexcept { return at_ == other.at_; }

 private:
  perdure::object_iterator at_;
};

}  // namespace perdure_interprocess::detail
