// JSON values from text.
#pragma once

#include <iostream>
#include <metall/json/json_fwd.hpp>
#include <metall/json/value_from.hpp>
#include <string_view>

namespace metall::json {

/// Null if the text is not JSON; the standard error stream is told why.
template <typename Allocator>
value<Allocator> parse(const std::string_view text, const Allocator& allocator) {
  boost::json::error_code failure;
  const boost::json::value parsed = boost::json::parse({text.data(), text.size()}, failure);
  if (failure) {
    std::cerr << "Failed to parse JSON: " << failure.message() << std::endl;
    return value<Allocator>(allocator);
  }
  return value_from(parsed, allocator);
}

}  // namespace metall::json
