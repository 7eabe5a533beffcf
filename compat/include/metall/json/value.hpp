// A JSON value of any kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <metall/json/array.hpp>
#include <metall/json/json_fwd.hpp>
#include <metall/json/object.hpp>
#include <metall/json/string.hpp>
#include <string_view>
#include <utility>
#include <variant>

namespace metall::json {

/// Null, a bool, a number, a string, an array or an object. What it holds is in its allocator's memory, and
/// stays there: what is assigned from another store is copied. `as_…` throws `std::bad_variant_access` where
/// the value is of another kind.
template <typename Allocator>
class value {
 public:
  using allocator_type = Allocator;
  using string_type = string<Allocator>;
  using object_type = object<Allocator>;
  using array_type = array<Allocator>;

  value() = default;
  explicit value(const Allocator& allocator) : allocator_(allocator) {}
  value(const value& other) : value(other, other.allocator_) {}
  value(const value& other, const Allocator& allocator) : allocator_(allocator) { take(other); }
  value(value&& other) noexcept : allocator_(other.allocator_), data_(std::move(other.data_)) {
    other.data_ = null_type();
  }
  value(value&& other, const Allocator& allocator) : allocator_(allocator) {
    take(std::move(other));
    other.emplace_null();
  }
  ~value() = default;

  /// Assigns a value, which may be a part of this one.
  value& operator=(const value& other) {
    if (this != &other) replace(value(other, allocator_));
    return *this;
  }
  value& operator=(value&& other) {
    if (this == &other) return *this;
    value holder(std::move(other), allocator_);
    replace(std::move(holder));
    return *this;
  }

  value& operator=(std::nullptr_t) {
    emplace_null();
    return *this;
  }
  value& operator=(const bool b) {
    emplace_bool() = b;
    return *this;
  }
  value& operator=(const signed char i) { return *this = static_cast<long long>(i); }
  value& operator=(const short i) { return *this = static_cast<long long>(i); }
  value& operator=(const int i) { return *this = static_cast<long long>(i); }
  value& operator=(const long i) { return *this = static_cast<long long>(i); }
  value& operator=(const long long i) {
    emplace_int64() = i;
    return *this;
  }
  value& operator=(const unsigned char u) { return *this = static_cast<unsigned long long>(u); }
  value& operator=(const unsigned short u) { return *this = static_cast<unsigned long long>(u); }
  value& operator=(const unsigned u) { return *this = static_cast<unsigned long long>(u); }
  value& operator=(const unsigned long u) { return *this = static_cast<unsigned long long>(u); }
  value& operator=(const unsigned long long u) {
    emplace_uint64() = u;
    return *this;
  }
  value& operator=(const double d) {
    emplace_double() = d;
    return *this;
  }
  value& operator=(const std::string_view text) {
    value holder(allocator_);
    holder.emplace_string().assign(text.data(), text.size());
    replace(std::move(holder));
    return *this;
  }
  value& operator=(const char* const text) { return *this = std::string_view(text); }
  value& operator=(const string_type& text) { return hold<string_type>(text); }
  value& operator=(string_type&& text) { return hold<string_type>(std::move(text)); }
  value& operator=(const array_type& elements) { return hold<array_type>(elements); }
  value& operator=(array_type&& elements) { return hold<array_type>(std::move(elements)); }
  value& operator=(const object_type& pairs) { return hold<object_type>(pairs); }
  value& operator=(object_type&& pairs) { return hold<object_type>(std::move(pairs)); }

  // What was held is destroyed; the new content is zero or empty.

  void emplace_null() { data_ = null_type(); }
  bool& emplace_bool() { return data_.template emplace<bool>(); }
  std::int64_t& emplace_int64() { return data_.template emplace<std::int64_t>(); }
  std::uint64_t& emplace_uint64() { return data_.template emplace<std::uint64_t>(); }
  double& emplace_double() { return data_.template emplace<double>(); }
  string_type& emplace_string() { return data_.template emplace<string_type>(allocator_); }
  array_type& emplace_array() { return data_.template emplace<array_type>(allocator_); }
  object_type& emplace_object() { return data_.template emplace<object_type>(allocator_); }

  bool& as_bool() { return std::get<bool>(data_); }
  const bool& as_bool() const { return std::get<bool>(data_); }
  std::int64_t& as_int64() { return std::get<std::int64_t>(data_); }
  const std::int64_t& as_int64() const { return std::get<std::int64_t>(data_); }
  std::uint64_t& as_uint64() { return std::get<std::uint64_t>(data_); }
  const std::uint64_t& as_uint64() const { return std::get<std::uint64_t>(data_); }
  double& as_double() { return std::get<double>(data_); }
  const double& as_double() const { return std::get<double>(data_); }
  string_type& as_string() { return std::get<string_type>(data_); }
  const string_type& as_string() const { return std::get<string_type>(data_); }
  array_type& as_array() { return std::get<array_type>(data_); }
  const array_type& as_array() const { return std::get<array_type>(data_); }
  object_type& as_object() { return std::get<object_type>(data_); }
  const object_type& as_object() const { return std::get<object_type>(data_); }

  bool is_null() const noexcept { return std::holds_alternative<null_type>(data_); }
  bool is_bool() const noexcept { return std::holds_alternative<bool>(data_); }
  bool is_int64() const noexcept { return std::holds_alternative<std::int64_t>(data_); }
  bool is_uint64() const noexcept { return std::holds_alternative<std::uint64_t>(data_); }
  bool is_double() const noexcept { return std::holds_alternative<double>(data_); }
  bool is_string() const noexcept { return std::holds_alternative<string_type>(data_); }
  bool is_array() const noexcept { return std::holds_alternative<array_type>(data_); }
  bool is_object() const noexcept { return std::holds_alternative<object_type>(data_); }

  /// Both must have equal allocators.
  void swap(value& other) noexcept { data_.swap(other.data_); }
  friend void swap(value& a, value& b) noexcept { a.swap(b); }

  allocator_type get_allocator() const noexcept { return allocator_; }

  /// Compares kinds and values; a signed and an unsigned number are equal if their values are.
  friend bool operator==(const value& a, const value& b) noexcept {
    if (a.is_int64() && b.is_uint64()) return std::cmp_equal(a.as_int64(), b.as_uint64());
    if (a.is_uint64() && b.is_int64()) return std::cmp_equal(a.as_uint64(), b.as_int64());
    return a.data_ == b.data_;
  }

 private:
  using content = std::variant<null_type, bool, std::int64_t, std::uint64_t, double, object_type, array_type,
                               string_type>;

  /// The other's content, in memory of this value's allocator. A variant would take the content's own.
  template <class Value>
  void take(Value&& other) {
    if (other.is_object()) {
      data_.template emplace<object_type>(std::forward<Value>(other).as_object(), allocator_);
    } else if (other.is_array()) {
      data_.template emplace<array_type>(std::forward<Value>(other).as_array(), allocator_);
    } else if (other.is_string()) {
      data_.template emplace<string_type>(std::forward<Value>(other).as_string(), allocator_);
    } else {
      data_ = other.data_;
    }
  }
  /// The holder has an equal allocator, and may have been built from a part of this value.
  void replace(value&& holder) noexcept {
    content old(std::move(data_));
    data_.template emplace<null_type>();
    switch (holder.data_.index()) {
      case 5:
        data_.template emplace<object_type>(std::move(holder.as_object()));
        break;
      case 6:
        data_.template emplace<array_type>(std::move(holder.as_array()));
        break;
      case 7:
        data_.template emplace<string_type>(std::move(holder.as_string()));
        break;
      default:
        data_ = holder.data_;
    }
  }
  template <class Held, class Source>
  value& hold(Source&& source) {
    value holder(allocator_);
    holder.data_.template emplace<Held>(std::forward<Source>(source), allocator_);
    replace(std::move(holder));
    return *this;
  }

  // Without a default where there is none to be had.
  Allocator allocator_{};
  content data_;
};

}  // namespace metall::json

// Arrays and objects hold values, and objects pairs: whoever has one has them all.
#include <metall/json/key_value_pair.hpp>
