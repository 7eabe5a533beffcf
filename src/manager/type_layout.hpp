// Reads and compares the descriptions of what is inside types. Their text is part of the on-disk format:
// lines of depth, size, alignment, version, whether trivially copyable, role, mangled name and label. Behind
// them are the lines of the form, which begin with "+" and which nothing here compares: object_info::form
// says what is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "perdure/type_stamp.hpp"

namespace perdure::detail {

/// The hash of a type alone combined with that of its layout; unchanged if it has none. Labels do not count.
std::uint64_t with_layout(std::uint64_t own_hash, std::string_view layout);

/// Size, alignment and the like: "4 bytes aligned to 4, trivially copyable, layout version 0".
std::string in_words(std::size_t size, std::size_t alignment, std::uint32_t version, bool trivially_copyable);

enum class layout_names { compared, where_opaque };

/// Layout and form in the record of a type, one behind the other.
struct recorded_parts {
  std::string_view layout;
  std::string_view form;
  bool operator==(const recorded_parts&) const = default;
};
/// Returns as much as there is room for: a form is left out whole, a layout from some line on.
recorded_parts parts_to_record(const type_stamp& type) noexcept;
/// Splits the text of a record.
recorded_parts parts_of_recorded(std::string_view text) noexcept;

/// Returns as much of a description, in whole lines, as fits in a record.
std::string_view kept_part_of(std::string_view layout) noexcept;

/// The first thing that differs, as a clause: "[i].weight was float (4 bytes), and is now double (8 bytes)".
/// Nothing where the two agree, or a description cannot be read. With `layout_names::where_opaque` types may
/// have other names where their roles allow it, and members any names; else members may have other names but
/// not each other's. Nothing is compared inside a type into which the library that stored it did not look.
std::optional<std::string> layout_difference(std::string_view stored, std::string_view now,
                                             layout_names names);

}  // namespace perdure::detail
