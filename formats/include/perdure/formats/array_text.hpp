// Elements as text, without loss.
#pragma once

#include <cstddef>
#include <perdure/data_type.hpp>
#include <perdure/formats/array_source.hpp>
#include <string>
#include <string_view>

namespace perdure::formats {

/// Appends a number as text: "1.5", "-7", "true", "1+2j"; a struct, a text or opaque bytes as JSON.
void append_element(std::string& out, const data_type& type, const std::byte* element);
/// Appends an element as a value of JSON. Complex numbers, and numbers that are not finite, are texts.
void append_json(std::string& out, const data_type& type, const std::byte* element);
/// Appends a text of UTF-8 as a value of JSON; invalid bytes become U+FFFD.
void append_json(std::string& out, std::string_view text);
/// Parses a number. Returns false if the text is no number of that type; `element` is then undefined.
bool parse_element(std::string_view text, const data_type& type, std::byte* element);

/// The form in which elements are written as text.
enum class text_style : unsigned char {
  lines,  ///< a row of the last dimension a line, an empty line behind each plane
  json,   ///< nested lists
};
/// Writes all elements as text, about 256 KiB at a time. Errors as `array_source::read`.
void write_text(array_source& from, text_style style, const byte_sink& to);

}  // namespace perdure::formats
