// The description of one object, and iteration over descriptions.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <perdure/object_info.hpp>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

namespace metall::detail {

/// The key under which an object, or a store, has its description among Perdure's attributes.
inline constexpr std::string_view description_key = "description";

class object_attribute {
 public:
  using name_type = std::string;
  using offset_type = std::ptrdiff_t;
  using length_type = std::size_t;
  using type_id_type = std::size_t;
  using description_type = std::string;

  object_attribute() = default;
  explicit object_attribute(const perdure::object_info& info)
      : name_(info.kind() == perdure::instance_kind::unique ? info.mangled_type_name() : info.name()),
        type_name_(info.mangled_type_name()),
        offset_(static_cast<offset_type>(info.offset())),
        length_(info.length()) {
    for (const perdure::attribute& one : info.attributes())
      if (one.key == description_key) description_ = one.value;
  }

  /// Returns the name; for a unique object `typeid(T).name()`, for an anonymous one empty.
  const name_type& name() const noexcept { return name_; }
  /// Bytes from `manager::get_address()`.
  const offset_type& offset() const noexcept { return offset_; }
  /// Number of elements.
  const length_type& length() const noexcept { return length_; }
  /// `typeid(T).hash_code()`.
  type_id_type type_id() const noexcept {
    // The standard library hashes a type's name as it hashes a string.
    return std::hash<std::string_view>{}(type_name_);
  }
  template <typename T>
  bool is_type() const noexcept {
    return type_name_ == typeid(T).name();
  }
  const description_type& description() const noexcept { return description_; }
  void set_description(const description_type& text) { description_ = text; }

 private:
  name_type name_;
  std::string type_name_;
  offset_type offset_ = 0;
  length_type length_ = 0;
  description_type description_;
};

/// The objects of one kind, as they were when they were listed.
using object_list = std::vector<object_attribute>;

/// Keeps the list that it iterates over. Past the end all iterators are equal, also default-constructed ones.
class object_attribute_iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = object_attribute;
  using difference_type = std::ptrdiff_t;
  using pointer = const object_attribute*;
  using reference = const object_attribute&;

  object_attribute_iterator() noexcept = default;
  object_attribute_iterator(std::shared_ptr<const object_list> list, std::size_t index) noexcept
      : list_(std::move(list)), index_(index) {}

  reference operator*() const noexcept { return (*list_)[index_]; }
  pointer operator->() const noexcept { return &(*list_)[index_]; }
  object_attribute_iterator& operator++() noexcept {
    ++index_;
    return *this;
  }
  object_attribute_iterator operator++(int) noexcept {
    object_attribute_iterator old(*this);
    ++index_;
    return old;
  }
  bool at_end() const noexcept { return list_ == nullptr || index_ >= list_->size(); }
  friend bool operator==(const object_attribute_iterator& a, const object_attribute_iterator& b) noexcept {
    if (a.at_end() || b.at_end()) return a.at_end() == b.at_end();
    return a->offset() == b->offset();
  }

 private:
  std::shared_ptr<const object_list> list_;
  std::size_t index_ = 0;
};

}  // namespace metall::detail
