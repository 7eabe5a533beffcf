// What the environment of a program says of how its stores, kinds and pagers work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perdure {

/// A variable's value; nothing where it is not set, or empty.
std::optional<std::string_view> setting(const char* variable) noexcept;

/// Throws `invalid_argument`, which names variable and value. `choices` is what it may be.
[[noreturn]] void refuse_setting(const char* variable, std::string_view value, const std::string& choices);

/// Of a variable that may be 0 or 1.
std::optional<bool> switch_in(const char* variable);

/// Of a variable that may be a whole number of `unit`.
std::optional<std::uint64_t> number_in(const char* variable, std::uint64_t least, std::uint64_t most,
                                       const char* unit);

}  // namespace perdure
