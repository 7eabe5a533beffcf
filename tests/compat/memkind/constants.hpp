// Numbers that several tests of memkind's interface need.
#pragma once

#include <memkind.h>

#include <cstddef>

inline constexpr std::size_t mib = std::size_t{1} << 20;
inline constexpr auto no_flags = static_cast<memkind_bits_t>(0);
