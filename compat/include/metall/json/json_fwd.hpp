// Declarations of the JSON types and functions.
//
// Boost.JSON parses and prints. Its definitions come with this header, for one source file of a program:
// others define METALL_JSON_BOOST_JSON_SRC_INCLUDED first, and so do programs that link Boost's library.
#pragma once

#ifndef METALL_JSON_BOOST_JSON_SRC_INCLUDED
#define METALL_JSON_BOOST_JSON_SRC_INCLUDED
#include <boost/json/src.hpp>
#endif

#include <boost/json.hpp>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <metall/container/string.hpp>
#include <string>
#include <string_view>
#include <variant>

namespace metall::json {

using null_type = std::monostate;

template <typename Char, typename Traits, typename Allocator>
using basic_string = metall::container::basic_string<Char, Traits, Allocator>;
template <typename Allocator = std::allocator<std::byte>>
using string = basic_string<char, std::char_traits<char>,
                            typename std::allocator_traits<Allocator>::template rebind_alloc<char>>;

template <typename Allocator = std::allocator<std::byte>>
class value;
template <typename Allocator = std::allocator<std::byte>>
class array;
template <typename Allocator = std::allocator<std::byte>>
class object;
template <typename Char = char, typename Traits = std::char_traits<Char>,
          typename Allocator = std::allocator<Char>>
class key_value_pair;

template <typename Allocator = std::allocator<std::byte>>
value<Allocator> parse(std::string_view text, const Allocator& allocator = Allocator());
template <typename T, typename Allocator = std::allocator<std::byte>>
value<Allocator> value_from(T&& data, const Allocator& allocator = Allocator());
template <typename T, typename Allocator>
T value_to(const value<Allocator>& from);
template <typename Allocator, int indent_size = 2>
void pretty_print(std::ostream& os, const value<Allocator>& json_value);

}  // namespace metall::json
