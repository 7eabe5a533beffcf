// Containers of the standard library that keep plain pointers whatever pointers their allocator deals in, so
// that they compile with an allocator of a relocatable store, and hold nothing that the next run could use.
// Nothing in their interfaces tells them from those that do better; they are known by name. So are futures
// and their kin.
#pragma once

#include <cstddef>  // defines the macros of the library
#include <type_traits>

#ifdef _GLIBCXX_RELEASE
// Declared as the library declares them, to spare every program the headers.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-namespace-reopened-noninline"
#endif
namespace std {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
_GLIBCXX_BEGIN_NAMESPACE_CONTAINER
template <class, class>
class forward_list;
template <class, class>
class vector;
template <class, class, class, class, class>
class unordered_map;
template <class, class, class, class, class>
class unordered_multimap;
template <class, class, class, class>
class unordered_set;
template <class, class, class, class>
class unordered_multiset;
template <class, class, class, class>
class map;
template <class, class, class, class>
class multimap;
template <class, class, class>
class set;
template <class, class, class>
class multiset;
_GLIBCXX_BEGIN_NAMESPACE_CXX11
template <class, class>
class list;
_GLIBCXX_END_NAMESPACE_CXX11
_GLIBCXX_END_NAMESPACE_CONTAINER
template <class>
class future;
template <class>
class shared_future;
template <class>
class promise;
template <class>
class packaged_task;
_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#endif

namespace perdure::detail {

namespace plain_links {
// `_GLIBCXX_STD_C` is `std`, or the namespace in it where the library's debug mode keeps the containers
// proper.
using namespace ::std;

::std::false_type has_plain_links(...);
#ifdef _GLIBCXX_RELEASE
template <class A>
::std::true_type has_plain_links(const _GLIBCXX_STD_C::vector<bool, A>*);
template <class T, class A>
::std::true_type has_plain_links(const _GLIBCXX_STD_C::forward_list<T, A>*);
template <class K, class V, class H, class E, class A>
::std::true_type has_plain_links(const _GLIBCXX_STD_C::unordered_map<K, V, H, E, A>*);
template <class K, class V, class H, class E, class A>
::std::true_type has_plain_links(const _GLIBCXX_STD_C::unordered_multimap<K, V, H, E, A>*);
template <class K, class H, class E, class A>
::std::true_type has_plain_links(const _GLIBCXX_STD_C::unordered_set<K, H, E, A>*);
template <class K, class H, class E, class A>
::std::true_type has_plain_links(const _GLIBCXX_STD_C::unordered_multiset<K, H, E, A>*);
// These do not even compile, with a page of errors from inside them.
#if _GLIBCXX_RELEASE < 15
template <class T, class A>
::std::true_type has_plain_links(const _GLIBCXX_STD_C::list<T, A>*);
template <class K, class V, class C, class A>
::std::true_type has_plain_links(const _GLIBCXX_STD_C::map<K, V, C, A>*);
template <class K, class V, class C, class A>
::std::true_type has_plain_links(const _GLIBCXX_STD_C::multimap<K, V, C, A>*);
template <class K, class C, class A>
::std::true_type has_plain_links(const _GLIBCXX_STD_C::set<K, C, A>*);
template <class K, class C, class A>
::std::true_type has_plain_links(const _GLIBCXX_STD_C::multiset<K, C, A>*);
#endif
#endif

}  // namespace plain_links

/// The shared state of a future and its promise is in ordinary memory, and one of them waits there for the
/// other.
template <class T>
inline constexpr bool is_future = false;
#ifdef _GLIBCXX_RELEASE
template <class T>
inline constexpr bool is_future<::std::future<T>> = true;
template <class T>
inline constexpr bool is_future<::std::shared_future<T>> = true;
template <class T>
inline constexpr bool is_future<::std::promise<T>> = true;
template <class T>
inline constexpr bool is_future<::std::packaged_task<T>> = true;
#endif
template <class T>
concept refers_to_shared_state = is_future<T>;

template <class T>
inline constexpr bool keeps_plain_links =
    decltype(plain_links::has_plain_links(static_cast<const T*>(nullptr)))::value;

}  // namespace perdure::detail
