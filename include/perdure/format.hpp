// Strings of stores in std::format, where the standard library has it: with g++ 13, clang 17 and libc++ 17,
// or later. perdure.hpp does not include this, because <format> is large.
#pragma once

#include <version>

#ifndef __cpp_lib_format
#error \
    "<perdure/format.hpp> needs std::format, which this standard library does not have (g++ 13 and libc++ 17 have it)"
#endif

#include <format>
#include <perdure/container/string.hpp>
#include <string_view>

/// Takes what a string view takes: `std::format("{:>10}", text)`. Ranges (`perdure::vector`, `flat_map`) need
/// nothing more than C++23's formatters of ranges.
template <class Char, class Traits, class Allocator>
struct std::formatter<perdure::basic_string<Char, Traits, Allocator>, Char>
    : std::formatter<std::basic_string_view<Char, Traits>, Char> {
  /// Writes the characters, by the format of a string view.
  template <class Context>
  auto format(const perdure::basic_string<Char, Traits, Allocator>& text, Context& context) const {
    return std::formatter<std::basic_string_view<Char, Traits>, Char>::format(
        std::basic_string_view<Char, Traits>(text.data(), text.size()), context);
  }
};
