// Comparison with Boost.JSON's values, and so with bools, numbers and text.
#pragma once

#include <algorithm>
#include <metall/json/json_fwd.hpp>
#include <metall/json/value.hpp>
#include <string_view>
#include <utility>

namespace metall::json {

// The compiler makes the other order of the operands, and !=, from these.

template <typename Allocator>
bool operator==(const value<Allocator>& a, const boost::json::value& b);

template <typename Allocator>
bool operator==(const array<Allocator>& a, const boost::json::array& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const boost::json::value& other) { return one == other; });
}
template <typename Char, typename Traits, typename Allocator>
bool operator==(const key_value_pair<Char, Traits, Allocator>& a, const boost::json::key_value_pair& b) {
  return a.key() == std::string_view(b.key().data(), b.key().size()) && a.value() == b.value();
}
template <typename Allocator>
bool operator==(const object<Allocator>& a, const boost::json::object& b) {
  if (a.size() != b.size()) return false;
  return std::all_of(b.begin(), b.end(), [&](const boost::json::key_value_pair& pair) {
    const auto found = a.find(std::string_view(pair.key().data(), pair.key().size()));
    return found != a.end() && found->value() == pair.value();
  });
}
template <typename Traits, typename Allocator>
bool operator==(const basic_string<char, Traits, Allocator>& a, const boost::json::string& b) {
  return std::string_view(a.data(), a.size()) == std::string_view(b.data(), b.size());
}
/// A signed and an unsigned number are equal if their values are; a number and a bool, or a whole number and
/// one with a fraction, never are.
template <typename Allocator>
bool operator==(const value<Allocator>& a, const boost::json::value& b) {
  switch (b.kind()) {
    case boost::json::kind::null:
      return a.is_null();
    case boost::json::kind::bool_:
      return a.is_bool() && a.as_bool() == b.get_bool();
    case boost::json::kind::int64:
      return (a.is_int64() && a.as_int64() == b.get_int64()) ||
             (a.is_uint64() && std::cmp_equal(a.as_uint64(), b.get_int64()));
    case boost::json::kind::uint64:
      return (a.is_uint64() && a.as_uint64() == b.get_uint64()) ||
             (a.is_int64() && std::cmp_equal(a.as_int64(), b.get_uint64()));
    case boost::json::kind::double_:
      return a.is_double() && a.as_double() == b.get_double();
    case boost::json::kind::string:
      return a.is_string() && json::operator==(a.as_string(), b.get_string());
    case boost::json::kind::array:
      return a.is_array() && a.as_array() == b.get_array();
    case boost::json::kind::object:
      return a.is_object() && a.as_object() == b.get_object();
  }
  return false;
}

}  // namespace metall::json
