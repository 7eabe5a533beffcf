// Names of vertices, numbered in the order in which they were added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <perdure/allocator.hpp>
#include <perdure/container/vector.hpp>
#include <perdure/error.hpp>
#include <perdure/graph/vertex_namer.hpp>
#include <perdure/hash.hpp>
#include <perdure/stored_form.hpp>
#include <string_view>

namespace perdure::graph {

/// A map between names and numbers in both directions, in three arrays: a container for a store or for
/// ordinary memory.
///
/// Thread safety: like a standard container.
template <class Allocator = perdure::allocator<std::byte>>
class vertex_names {
  template <class T>
  using array = perdure::vector<T, typename std::allocator_traits<Allocator>::template rebind_alloc<T>>;

 public:
  using allocator_type = Allocator;  ///< allocator of the arrays

  /// Makes an empty map.
  vertex_names()
    requires std::is_default_constructible_v<Allocator>
      : vertex_names(Allocator()) {}
  /// Makes an empty map in the memory of `allocator`.
  explicit vertex_names(const Allocator& allocator) : text_(allocator), ends_(allocator), slots_(allocator) {}
  vertex_names(const vertex_names&) = delete;
  vertex_names& operator=(const vertex_names&) = delete;

  /// Returns the number of names. Numbers are below it.
  std::uint64_t size() const noexcept { return ends_.size(); }
  /// Returns the name of a number below `size()`. It is valid until a name is added. O(1).
  std::string_view name(vertex_id number) const noexcept {
    const std::uint64_t begin = number == 0 ? 0 : ends_[number - 1];
    return {std::to_address(text_.data()) + begin, ends_[number] - begin};
  }
  /// Returns the number of a name, or nothing. O(length of the name).
  std::optional<vertex_id> find(std::string_view wanted) const noexcept {
    if (slots_.empty()) return std::nullopt;
    const std::uint64_t number = slots_[slot_of(wanted)];
    return number == 0 ? std::nullopt : std::optional(number - 1);
  }
  /// Returns the number of a name, and adds the name if it is new. Amortised O(length of the name). Throws
  /// `std::bad_alloc`; nothing has changed then.
  vertex_id add(std::string_view wanted) {
    if ((size() + 1) * 2 > slots_.size()) grow();
    std::uint64_t& slot = slots_[slot_of(wanted)];
    if (slot != 0) return slot - 1;
    const std::uint64_t before = text_.size();
    ends_.push_back(before + wanted.size());
    try {
      text_.resize(before + wanted.size());
    } catch (...) {
      ends_.pop_back();
      throw;
    }
    if (!wanted.empty()) std::memcpy(std::to_address(text_.data()) + before, wanted.data(), wanted.size());
    slot = ends_.size();
    return slot - 1;
  }

  /// Describes the members, so that the store can record them.
  static auto stored_form() {
    using perdure::stored_member;
    return perdure::stored_members(stored_member("text", &vertex_names::text_),
                                   stored_member("ends", &vertex_names::ends_),
                                   stored_member("slots", &vertex_names::slots_));
  }

 private:
  /// Where it is, or may be.
  std::size_t slot_of(std::string_view wanted) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash_bytes(wanted.data(), wanted.size()) & mask;; i = (i + 1) & mask)
      if (slots_[i] == 0 || name(slots_[i] - 1) == wanted) return i;
  }
  void grow() {
    array<std::uint64_t> larger(slots_.empty() ? 64 : slots_.size() * 2, 0, slots_.get_allocator());
    slots_.swap(larger);
    for (std::uint64_t number = 0; number < size(); ++number) slots_[slot_of(name(number))] = number + 1;
  }

  array<char> text_;            // all names, one after the other
  array<std::uint64_t> ends_;   // of each in it
  array<std::uint64_t> slots_;  // a hash table of numbers plus 1; 0: free
};

/// Names in ordinary memory.
using memory_names = vertex_names<std::allocator<std::byte>>;

/// A `vertex_namer` that adds names to a `vertex_names`.
template <class Names>
class names_to_number final : public vertex_namer {
 public:
  /// Adds to `names`, which must outlive this object.
  explicit names_to_number(Names& names) : names_(names) {}
  vertex_id number_of(std::string_view name) override { return names_.add(name); }

 private:
  Names& names_;
};

}  // namespace perdure::graph
