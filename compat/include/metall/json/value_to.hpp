// Boost.JSON's values from JSON values.
#pragma once

#include <metall/json/json_fwd.hpp>
#include <metall/json/value.hpp>
#include <type_traits>
#include <utility>

namespace metall::json {

namespace detail {
template <typename Allocator>
boost::json::value boost_value(const value<Allocator>& from);

template <typename Allocator>
boost::json::array boost_array(const array<Allocator>& from) {
  boost::json::array made;
  made.reserve(from.size());
  for (const auto& element : from) made.push_back(boost_value(element));
  return made;
}
template <typename Allocator>
boost::json::object boost_object(const object<Allocator>& from) {
  boost::json::object made;
  for (const auto& pair : from)
    made.insert_or_assign(boost::json::string_view(pair.key().data(), pair.key().size()),
                          boost_value(pair.value()));
  return made;
}
template <typename Allocator>
boost::json::value boost_value(const value<Allocator>& from) {
  if (from.is_bool()) return from.as_bool();
  if (from.is_int64()) return from.as_int64();
  if (from.is_uint64()) return from.as_uint64();
  if (from.is_double()) return from.as_double();
  if (from.is_string()) return boost::json::string_view(from.as_string().data(), from.as_string().size());
  if (from.is_array()) return boost_array(from.as_array());
  if (from.is_object()) return boost_object(from.as_object());
  return nullptr;
}
}  // namespace detail

/// To a `boost::json::value`, or what `boost::json::value_to` makes of one.
template <typename T, typename Allocator>
T value_to(const value<Allocator>& from) {
  if constexpr (std::is_same_v<T, boost::json::value>) {
    return detail::boost_value(from);
  } else {
    return boost::json::value_to<T>(detail::boost_value(from));
  }
}

}  // namespace metall::json
