// Strings in a store.
#pragma once

#include <boost/container/string.hpp>
#include <metall/metall.hpp>
#include <string>

namespace metall::container {

template <class CharT, class Traits = std::char_traits<CharT>,
          class Allocator = manager::allocator_type<CharT>>
using basic_string = boost::container::basic_string<CharT, Traits, Allocator>;

using string = basic_string<char>;
using wstring = basic_string<wchar_t>;

}  // namespace metall::container
