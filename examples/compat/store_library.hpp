// The names of the library that an example is compiled for, under `store_library`. One of these is defined:
//
//     FOR_METALL               <metall/...>
//     FOR_BOOST_INTERPROCESS   <boost/interprocess/...>
//     (neither)                <perdure_interprocess/...>, the same interface over Perdure
#pragma once

#include <cstddef>
#include <string>

#ifdef FOR_METALL

#include <metall/container/map.hpp>
#include <metall/container/string.hpp>
#include <metall/container/vector.hpp>
#include <metall/metall.hpp>

namespace store_library {

using metall::anonymous_instance;
using metall::offset_ptr;
using metall::container::basic_string;
using metall::container::map;
using metall::container::vector;

using store = metall::manager;
template <class T>
using allocator = metall::manager::scoped_allocator_type<T>;

inline store open_or_create(const char* path) {
  constexpr std::size_t capacity = std::size_t{1} << 30;
  return metall::manager::consistent(path) ? store(metall::open_only, path)
                                           : store(metall::create_only, path, capacity);
}

}  // namespace store_library

#else

#include <boost/container/scoped_allocator.hpp>

#ifdef FOR_BOOST_INTERPROCESS
#include <boost/interprocess/containers/map.hpp>
#include <boost/interprocess/containers/string.hpp>
#include <boost/interprocess/containers/vector.hpp>
#include <boost/interprocess/managed_mapped_file.hpp>
#include <boost/interprocess/offset_ptr.hpp>
namespace bip = boost::interprocess;
#else
#include <perdure_interprocess/containers/map.hpp>
#include <perdure_interprocess/containers/string.hpp>
#include <perdure_interprocess/containers/vector.hpp>
#include <perdure_interprocess/managed_mapped_file.hpp>
#include <perdure_interprocess/offset_ptr.hpp>
namespace bip = perdure_interprocess;
#endif

namespace store_library {

using bip::anonymous_instance;
using bip::basic_string;
using bip::map;
using bip::offset_ptr;
using bip::vector;

using store = bip::managed_mapped_file;
template <class T>
using allocator = boost::container::scoped_allocator_adaptor<bip::allocator<T, store::segment_manager>>;

inline store open_or_create(const char* path) {
  constexpr std::size_t capacity = std::size_t{64} << 20;
  return {bip::open_or_create, path, capacity};
}

}  // namespace store_library

#endif

namespace store_library {

/// A string whose characters are in the store.
using text = basic_string<char, std::char_traits<char>, allocator<char>>;

}  // namespace store_library
