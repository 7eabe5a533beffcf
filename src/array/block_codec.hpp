// Turns the bytes of a block into fewer, and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/array/array_info.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::detail {

struct encoding {
  compression codec = compression::none;
  int level = 0;
  bool shuffle = false;
};

/// Returns whether this version of the library knows the codec, which its build may lack.
bool is_known(compression codec) noexcept;
/// Throws `unsupported` where this build lacks the codec, and names what to install. `id` is the array that
/// is read, if one is.
void require_available(compression codec, std::string_view id = {});
/// Compressed, with the elements' bytes sorted by place first if `shuffle` says so.
std::vector<std::byte> encode(std::span<const std::byte> bytes, std::size_t element_size,
                              const encoding& how);
/// Into exactly `to`. `damaged`, if that is not what the bytes give; `id` names their array.
void decode(std::span<const std::byte> from, std::span<std::byte> to, std::size_t element_size,
            compression codec, bool is_shuffled, std::string_view id);

}  // namespace perdure::detail
