// Where the members of a class are in its objects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace perdure::detail {

/// Returns an object that is never read: only addresses of its members are taken.
template <class T>
const T& unread_object() {
  alignas(T) static std::byte bytes[sizeof(T)];
  return *reinterpret_cast<const T*>(bytes);
}

/// Returns how many bytes the member is from the beginning of its object.
template <class Class, class Type>
std::uint64_t offset_of(Type Class::*member) {
  const Class& object = unread_object<Class>();
  return static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(std::addressof(object.*member)) -
                                    reinterpret_cast<const std::byte*>(std::addressof(object)));
}

}  // namespace perdure::detail
