// The bytes of elements: their order, which differs between machines, and how they look as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/data_type.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::formats {

/// Which bytes of an element are to be reversed: `count` numbers of `width` bytes each from `offset` on.
struct byte_swap {
  std::size_t offset;
  std::size_t width;
  std::size_t count;
};

/// All numbers of a type that have more than one byte.
std::vector<byte_swap> swaps_of(const data_type& type);
void swap_bytes(const std::vector<byte_swap>& swaps, std::byte* elements, std::uint64_t count,
                std::size_t element_size);

/// A struct of these fields, aligned as C would align it if they lie so; else to 1.
data_type naturally_aligned(std::vector<data_field> fields, std::size_t size);

/// Text of a number, without loss: "1.5", "-7", "true", "1+2j". Of a struct, a text or opaque bytes as JSON
/// writes it.
void append_element(std::string& out, const data_type& type, const std::byte* element);
/// As a value of JSON; complex numbers, and what is not finite, are texts.
void append_json(std::string& out, const data_type& type, const std::byte* element);
/// A text of UTF-8; bytes that are none are replaced.
void append_json(std::string& out, std::string_view text);
/// The number that a text is. False where it is none of that type.
bool parse_element(std::string_view text, const data_type& type, std::byte* element);

}  // namespace perdure::formats
