// JSON values as text for people.
#pragma once

#include <charconv>
#include <cmath>
#include <metall/json/json_fwd.hpp>
#include <metall/json/serialize.hpp>
#include <ostream>
#include <string>

namespace metall::json {

namespace detail {
template <int indent_size, typename Allocator>
void print(std::ostream& os, const value<Allocator>& json_value, const std::string& indent) {
  const std::string deeper = indent + std::string(indent_size, ' ');
  const char* separator = "\n";
  if (json_value.is_array() && json_value.as_array().size() != 0) {
    os << '[';
    for (const auto& element : json_value.as_array()) {
      os << separator << deeper;
      print<indent_size>(os, element, deeper);
      separator = ",\n";
    }
    os << '\n' << indent << ']';
  } else if (json_value.is_object() && json_value.as_object().size() != 0) {
    os << '{';
    for (const auto& pair : json_value.as_object()) {
      os << separator << deeper
         << boost::json::serialize(boost::json::string_view(pair.key().data(), pair.key().size())) << " : ";
      print<indent_size>(os, pair.value(), deeper);
      separator = ",\n";
    }
    os << '\n' << indent << '}';
  } else if (json_value.is_double() && std::isfinite(json_value.as_double())) {
    // The shortest text that gives the same number again; Boost.JSON always prints an exponent.
    char digits[32];
    const auto [end, failure] = std::to_chars(digits, digits + sizeof digits, json_value.as_double());
    os.write(digits, end - digits);
  } else {
    os << serialize(json_value);
  }
}
}  // namespace detail

/// Each element on a line of its own. What is printed is JSON.
template <typename Allocator, int indent_size>
void pretty_print(std::ostream& os, const value<Allocator>& json_value) {
  detail::print<indent_size>(os, json_value, std::string());
  os << std::endl;
}

}  // namespace metall::json
