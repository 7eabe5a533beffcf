// JSON values from Boost.JSON's.
#pragma once

#include <metall/json/json_fwd.hpp>
#include <metall/json/value.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

namespace metall::json {

namespace detail {
template <typename Allocator>
void assign(value<Allocator>& to, const boost::json::value& from) {
  switch (from.kind()) {
    case boost::json::kind::null:
      to.emplace_null();
      break;
    case boost::json::kind::bool_:
      to.emplace_bool() = from.get_bool();
      break;
    case boost::json::kind::int64:
      to.emplace_int64() = from.get_int64();
      break;
    case boost::json::kind::uint64:
      to.emplace_uint64() = from.get_uint64();
      break;
    case boost::json::kind::double_:
      to.emplace_double() = from.get_double();
      break;
    case boost::json::kind::string:
      to.emplace_string().assign(from.get_string().data(), from.get_string().size());
      break;
    case boost::json::kind::array: {
      auto& elements = to.emplace_array();
      elements.resize(from.get_array().size());
      for (std::size_t i = 0; i < elements.size(); ++i) assign(elements[i], from.get_array()[i]);
      break;
    }
    case boost::json::kind::object: {
      auto& pairs = to.emplace_object();
      for (const auto& pair : from.get_object())
        assign(pairs[std::string_view(pair.key().data(), pair.key().size())], pair.value());
      break;
    }
  }
}
}  // namespace detail

/// From a `boost::json::value`, or what one can be made from with `boost::json::value_from`.
template <typename T, typename Allocator>
value<Allocator> value_from(T&& data, const Allocator& allocator) {
  value<Allocator> made(allocator);
  if constexpr (std::is_same_v<std::remove_cvref_t<T>, boost::json::value>) {
    detail::assign(made, data);
  } else {
    detail::assign(made, boost::json::value_from(std::forward<T>(data)));
  }
  return made;
}

}  // namespace metall::json
