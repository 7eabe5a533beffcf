// Where pMEMCPY puts bytes and how it packs them, and the names of both. Here there is one way, so these
// choose nothing.
#pragma once

#include <cstddef>
#include <iterator>
#include <perdure/error.hpp>
#include <string>

namespace pmemcpy {

enum class StorageType { PMDK_LIST, PMDK_HASHTABLE, PMDK_FS, POSIX, MPI_IO_POSIX, MMAP, PMDK };
enum class SerializerType { CAPNPROTO, CAPNPROTO_NOCOMPRESS, NO_SERIALIZER, BP4, CEREAL, MSGPACK, BOOST };

namespace detail {

/// Converts between the enumerators of a type, which count from 0, and their names.
template <class Enum, const char* const (&names)[7]>
class converter {
 public:
  /// Throws `perdure::error` (`invalid_argument`), which lists the names, for any other.
  static Enum convert(const std::string& name) {
    for (std::size_t i = 0; i < std::size(names); ++i)
      if (name == names[i]) return static_cast<Enum>(i);
    std::string known;
    for (const char* const one : names) known += (known.empty() ? "" : ", ") + std::string(one);
    throw perdure::error(perdure::errc::invalid_argument,
                         "pMEMCPY has nothing of the name \"" + name + "\": take one of " + known);
  }
  static std::string convert(Enum value) { return names[static_cast<std::size_t>(value)]; }
};

inline constexpr const char* storage_names[7] = {"PMDK_LIST",    "PMDK_HASHTABLE", "PMDK_FS", "POSIX",
                                                 "MPI_IO_POSIX", "MMAP",           "PMDK"};
inline constexpr const char* serializer_names[7] = {
    "CAPNPROTO", "CAPNPROTO_NOCOMPRESS", "NO_SERIALIZER", "BP4", "CEREAL", "MSGPACK", "BOOST"};

}  // namespace detail

using StorageTypeConverter = detail::converter<StorageType, detail::storage_names>;
using SerializerTypeConverter = detail::converter<SerializerType, detail::serializer_names>;

}  // namespace pmemcpy
