// What a store knows about each of its objects, and iteration over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <perdure/data_type.hpp>
#include <perdure/open_mode.hpp>
#include <perdure/type_stamp.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perdure {

namespace detail {
class name_directory;
}  // namespace detail

/// One attribute of an object: small text or bytes under a key.
struct attribute {
  std::string key;
  std::string value;
  bool operator==(const attribute&) const = default;
};

/// One object. The views point into the store: valid until the object is destroyed or the store closed.
class object_info {
 public:
  instance_kind kind() const noexcept { return kind_; }
  /// Empty for unique and anonymous objects. May hold any bytes; followed by a zero byte.
  std::string_view name() const noexcept { return name_; }
  /// Elements: 1 unless constructed as an array.
  std::size_t length() const noexcept { return length_; }
  /// The element type as its author wrote it.
  std::string type_name() const;
  /// As the compiler names it; followed by a zero byte.
  std::string_view mangled_type_name() const noexcept { return mangled_type_name_; }
  /// What is inside the element type, as the store keeps it to notice changes: a line each for the type and
  /// what it holds (depth, size, alignment, version, whether trivially copyable, role, mangled name, label).
  /// Empty where nothing is, or nothing is known.
  std::string_view layout() const noexcept { return layout_; }
  /// How the bytes of an element are read, for programs that list objects of types they do not know: a line
  /// each for the type and what it holds (`+`, depth, offset in what it is inside, size, alignment, whether
  /// trivially copyable, kind, mangled name, label). perdure/inspect reads it. Empty where the layout says it
  /// all, and where the object was stored by a library that did not record it.
  std::string_view form() const noexcept { return form_; }
  /// The element type in words that every language has; nothing where it is more than plain data.
  std::optional<perdure::data_type> data_type() const;
  std::size_t element_size() const noexcept { return element_size_; }
  std::size_t alignment() const noexcept { return alignment_; }
  /// Bytes of all elements, without what they point to.
  std::size_t size() const noexcept { return length_ * element_size_; }
  /// Distance from the store's first byte.
  std::uint64_t offset() const noexcept { return offset_; }
  void* value() const noexcept { return value_; }
  const std::vector<attribute>& attributes() const noexcept { return attributes_; }
  template <class T>
  bool is_type() const {
    return detail::is_stamp_of(type_hash_, layout_, type_stamp_of<T>());
  }

 private:
  friend class detail::name_directory;

  std::string_view name_;
  std::string_view mangled_type_name_;
  std::size_t length_ = 0;
  std::size_t element_size_ = 0;
  std::size_t alignment_ = 0;
  std::uint64_t type_hash_ = 0;
  std::string_view layout_;  // not of types of older stores, nor of those that have nothing inside
  std::string_view form_;
  std::uint64_t offset_ = 0;
  void* value_ = nullptr;
  instance_kind kind_ = instance_kind::named;
  std::vector<attribute> attributes_;
};

/// Visits the objects of one kind, in no particular order. Constructing or destroying objects, in any
/// thread, invalidates it.
class object_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::forward_iterator_tag;
  using value_type = object_info;
  using difference_type = std::ptrdiff_t;
  using reference = object_info;
  class pointer {
   public:
    explicit pointer(object_info info) : info_(std::move(info)) {}
    const object_info* operator->() const noexcept { return &info_; }

   private:
    object_info info_;
  };

  object_iterator() noexcept = default;

  /// Throws `errc::damaged` if the object's record is not sound.
  object_info operator*() const;
  pointer operator->() const { return pointer(**this); }
  object_iterator& operator++() noexcept;
  object_iterator operator++(int) noexcept {
    object_iterator old(*this);
    ++*this;
    return old;
  }
  bool operator==(const object_iterator& other) const noexcept { return slot_ == other.slot_; }

 private:
  friend class detail::name_directory;
  object_iterator(const detail::name_directory* directory, std::size_t slot, instance_kind kind) noexcept
      : directory_(directory), slot_(slot), kind_(kind) {}

  const detail::name_directory* directory_ = nullptr;
  std::size_t slot_ = 0;
  instance_kind kind_ = instance_kind::named;
};

/// All objects of one kind, for a range-based `for`.
class object_range {
 public:
  object_range(object_iterator first, object_iterator last) noexcept : first_(first), last_(last) {}
  object_iterator begin() const noexcept { return first_; }
  object_iterator end() const noexcept { return last_; }
  bool empty() const noexcept { return first_ == last_; }

 private:
  object_iterator first_;
  object_iterator last_;
};

}  // namespace perdure
