// Text from JSON values.
#pragma once

#include <metall/json/json_fwd.hpp>
#include <metall/json/value_to.hpp>
#include <ostream>
#include <string>

namespace metall::json {

/// On one line, without spaces.
template <typename Allocator>
std::string serialize(const value<Allocator>& input) {
  return boost::json::serialize(detail::boost_value(input));
}
template <typename Allocator>
std::string serialize(const object<Allocator>& input) {
  return boost::json::serialize(detail::boost_object(input));
}
template <typename Allocator>
std::string serialize(const array<Allocator>& input) {
  return boost::json::serialize(detail::boost_array(input));
}
/// The characters themselves, without quotation marks; those of a value that holds a string have them.
template <typename Traits, typename Allocator>
std::string serialize(const basic_string<char, Traits, Allocator>& input) {
  return {input.data(), input.size()};
}

template <typename Allocator>
std::ostream& operator<<(std::ostream& os, const value<Allocator>& input) {
  return os << serialize(input);
}
template <typename Allocator>
std::ostream& operator<<(std::ostream& os, const object<Allocator>& input) {
  return os << serialize(input);
}
template <typename Allocator>
std::ostream& operator<<(std::ostream& os, const array<Allocator>& input) {
  return os << serialize(input);
}

}  // namespace metall::json
