// Forward declarations of what programs name most, for headers that only mention it.
//
//     #include <perdure/perdure_fwd.hpp>
//
//     class dictionary {
//       perdure::manager& store_;
//       perdure::flat_map<perdure::string, long>* words_;
//     };
//
// The default arguments of templates are declared here and nowhere else. Ordered maps and sets are not
// declared: their default order is the standard library's `std::less`. A pointer or a reference to a type
// needs its declaration only; all else needs its own header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <utility>

namespace perdure {

class array_ref;
class array_store;
class data_type;
class datastore;
class error;
class extents;
class heap;
class kind;
class untyped_arrays;
enum class backing;
enum class errc;
struct array_info;
struct store_options;

struct pinned;
struct relocatable;
template <class Placement>
class basic_manager;
using manager = basic_manager<relocatable>;
using pinned_manager = basic_manager<pinned>;

template <class T>
class allocator;
template <class T>
class offset_ptr;
template <class T>
struct hash;
struct equal_to;

/// The rank of a view whose number of dimensions is known at run time only.
inline constexpr std::size_t dynamic_rank = static_cast<std::size_t>(-1);
template <class T, std::size_t Rank = dynamic_rank>
class array_view;
template <class T, std::size_t Rank = dynamic_rank>
class stored_view;

template <class T, class Allocator = allocator<T>>
class vector;
template <class Char, class Traits = std::char_traits<Char>, class Allocator = allocator<Char>>
class basic_string;
using string = basic_string<char>;
using wstring = basic_string<wchar_t>;
using u8string = basic_string<char8_t>;
using u16string = basic_string<char16_t>;
using u32string = basic_string<char32_t>;
template <class Key, class Mapped, class Hash = hash<Key>, class KeyEqual = equal_to,
          class Allocator = allocator<std::pair<const Key, Mapped>>>
class flat_map;
template <class Key, class Hash = hash<Key>, class KeyEqual = equal_to, class Allocator = allocator<Key>>
class flat_set;
template <class T, class Allocator = allocator<T>>
class deque;
template <class T, class Allocator = allocator<T>>
class list;
template <class T, class Allocator = allocator<T>>
class forward_list;
template <class T, class Allocator = allocator<T>>
class stable_vector;

}  // namespace perdure
