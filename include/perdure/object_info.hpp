// Descriptions of a store's objects, and iteration over them.
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
  /// Key and value; the value may have any bytes.
  ///@{
  std::string key;
  std::string value;
  ///@}
  /// Compares key and value.
  bool operator==(const attribute&) const = default;
};

/// Facts about one object. The views point into the store: they are valid until the object is destroyed or
/// the store closed. Thread safety is that of a standard container.
class object_info {
 public:
  /// Returns how the object is found again: by name, by type, or through pointers only.
  instance_kind kind() const noexcept { return kind_; }
  /// Returns the name, which may hold any bytes and is followed by a zero byte. Empty for unique and
  /// anonymous objects.
  std::string_view name() const noexcept { return name_; }
  /// Returns the number of elements: 1 unless the object was constructed as an array.
  std::size_t length() const noexcept { return length_; }
  /// Returns the element type as its author wrote it.
  std::string type_name() const;
  /// Returns the element type as the compiler names it, followed by a zero byte.
  std::string_view mangled_type_name() const noexcept { return mangled_type_name_; }
  /// Returns what is inside the element type, as the store keeps it to notice changes: a line each for the
  /// type and what it holds (depth, size, alignment, version, whether trivially copyable, role, mangled name,
  /// label). Empty where nothing is inside, or nothing is known.
  std::string_view layout() const noexcept { return layout_; }
  /// Returns how the bytes of an element are read, for programs that list objects of types they do not know:
  /// a line each for the type and what it holds (`+`, depth, offset in what it is inside, size, alignment,
  /// whether trivially copyable, kind, mangled name, label). perdure/inspect reads it. Empty where the layout
  /// says it all, and where the object was stored by a library that did not record it.
  std::string_view form() const noexcept { return form_; }
  /// Returns the element type in words that every language has; nothing where it is more than plain data.
  std::optional<perdure::data_type> data_type() const;
  /// Returns the size of an element, or its alignment, in bytes.
  ///@{
  std::size_t element_size() const noexcept { return element_size_; }
  std::size_t alignment() const noexcept { return alignment_; }
  ///@}
  /// Returns the bytes of all elements, without what they point to.
  std::size_t size() const noexcept { return length_ * element_size_; }
  /// Returns the distance from the store's first byte, in bytes.
  std::uint64_t offset() const noexcept { return offset_; }
  /// Returns the address of the first element.
  void* value() const noexcept { return value_; }
  /// Returns the object's attributes, as they were when it was looked up.
  const std::vector<attribute>& attributes() const noexcept { return attributes_; }
  /// Returns whether the object was constructed as a `T`, so that `manager::find<T>` finds it.
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
  /// Member types of an iterator. It passes over the objects several times, and makes each `object_info`
  /// anew.
  ///@{
  using iterator_category = std::input_iterator_tag;
  using iterator_concept = std::forward_iterator_tag;
  using value_type = object_info;
  using difference_type = std::ptrdiff_t;
  using reference = object_info;
  ///@}
  /// An object that `->` leads to.
  class pointer {
   public:
    /// Holds the facts while `->` is in use.
    ///@{
    explicit pointer(object_info info) : info_(std::move(info)) {}
    const object_info* operator->() const noexcept { return &info_; }
    ///@}

   private:
    object_info info_;
  };

  /// Makes an iterator that points to nothing.
  object_iterator() noexcept = default;

  /// Reads the facts about the object. Throws `damaged` if its record is not sound.
  ///@{
  object_info operator*() const;
  pointer operator->() const { return pointer(**this); }
  ///@}
  /// Goes on to the next object of the kind. Linear in the slots between, which objects of all kinds share.
  ///@{
  object_iterator& operator++() noexcept;
  object_iterator operator++(int) noexcept {
    object_iterator old(*this);
    ++*this;
    return old;
  }
  ///@}
  /// Compares places of iterators over one store.
  bool operator==(const object_iterator& other) const noexcept { return slot_ == other.slot_; }

 private:
  friend class detail::name_directory;
  object_iterator(const detail::name_directory* directory, std::size_t slot, instance_kind kind) noexcept
      : directory_(directory), slot_(slot), kind_(kind) {}

  const detail::name_directory* directory_ = nullptr;
  std::size_t slot_ = 0;
  instance_kind kind_ = instance_kind::named;
};

/// The objects of one kind, for a range-based `for`.
class object_range {
 public:
  /// Makes a range of two iterators, and returns them.
  ///@{
  object_range(object_iterator first, object_iterator last) noexcept : first_(first), last_(last) {}
  object_iterator begin() const noexcept { return first_; }
  object_iterator end() const noexcept { return last_; }
  ///@}
  /// Returns whether there is no object of the kind.
  bool empty() const noexcept { return first_ == last_; }

 private:
  object_iterator first_;
  object_iterator last_;
};

}  // namespace perdure
