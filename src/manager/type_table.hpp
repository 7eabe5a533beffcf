// The types of a store's objects, each recorded once for each set of names that its members have had.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "manager/checked_memory.hpp"
#include "manager/directory_layout.hpp"
#include "manager/type_layout.hpp"
#include "perdure/type_stamp.hpp"

namespace perdure::detail {

/// Not thread-safe: `intern` needs exclusive access, the others exclude only `intern`.
class type_table {
 public:
  /// The record at an offset stored in an object's record. `errc::damaged` where there is none.
  static const type_record& at(const checked_memory& memory, std::uint64_t offset);
  static std::string_view name(const type_record& type) noexcept {
    return text_after(&type, type.name_length);
  }
  /// Content of the type: layout and form, one after the other.
  static std::string_view inside(const type_record& type) noexcept {
    return text_after(&type, type.layout_length, type.name_length + std::size_t{1});
  }
  static std::string_view layout(const type_record& type) noexcept {
    return parts_of_recorded(inside(type)).layout;
  }

  /// The offset of this type's record, written if it is new.
  std::uint64_t intern(const checked_memory& memory, directory_root& root, const type_stamp& stamp);

  /// Returns whether the recorded type is this one, or, if only the layout is asked for, one with the same
  /// layout.
  static bool is_same(const type_record& type, const type_stamp& asked, type_match match);
  /// Throws `errc::wrong_type`, saying how the recorded type differs, unless it `is_same`. `object` describes
  /// the object, as in `"x"`.
  static void require_same(const checked_memory& memory, const type_record& type, const type_stamp& asked,
                           type_match match, std::string_view object);

 private:
  void load(const checked_memory& memory, const directory_root& root);

  bool loaded_ = false;
  std::unordered_multimap<std::uint64_t, std::uint64_t> offsets_;  // by stamp hash
};

}  // namespace perdure::detail
