// The attributes of one object: a linked list of small records, as objects have few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manager/checked_memory.hpp"
#include "manager/directory_layout.hpp"
#include "perdure/object_info.hpp"

namespace perdure::detail {

inline constexpr std::size_t max_attribute_key = 4096;
inline constexpr std::size_t max_attribute_value = std::size_t{1} << 20;
inline constexpr std::size_t max_attributes = 1024;

/// `head` is the link in the object's record. Strong exception guarantee.
void set_attribute(const checked_memory& memory, std::uint64_t& head, std::string_view key,
                   std::string_view value);
std::optional<std::string> find_attribute(const checked_memory& memory, std::uint64_t head,
                                          std::string_view key);
bool remove_attribute(const checked_memory& memory, std::uint64_t& head, std::string_view key);
std::vector<attribute> list_attributes(const checked_memory& memory, std::uint64_t head);
/// Frees the records that can be reached; stops at the first damaged link.
void free_attributes(const checked_memory& memory, std::uint64_t& head) noexcept;

}  // namespace perdure::detail
