// The objects in a store.
#pragma once

#include <cstdint>
#include <perdure/inspect/object_reader.hpp>
#include <perdure/manager.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::inspect {

/// A named or unique object and how large it is.
struct listed_object {
  object_info info;      ///< name, type and length
  object_extent extent;  ///< bytes and elements
};

/// Returns the named and the unique objects of a store, by name and type. Reads each as far as
/// `object_reader::extent` does. Throws `errc::damaged` where the store's directory of objects is. The views
/// in them are valid until an object is destroyed or the store is closed.
///
///     const perdure::manager store(perdure::open_read_only, "web.store");
///     for (const auto& [info, extent] : perdure::inspect::objects_in(store))
///       std::cout << info.name() << ": " << extent.bytes << " bytes\n";
std::vector<listed_object> objects_in(const manager& store);

/// The objects without names of one type.
struct anonymous_objects {
  std::string type;           ///< name that its author wrote
  std::uint64_t objects = 0;  ///< their number
  std::uint64_t bytes = 0;    ///< bytes of all of them, without the memory they own
};

/// Returns the objects without names, by type. O(objects). Throws `errc::damaged` as `objects_in` does.
std::vector<anonymous_objects> anonymous_objects_in(const manager& store);

/// Returns the named object, or the unique object whose type has this name: as the author wrote it, without
/// default arguments, or as the compiler writes it. O(objects). Throws `errc::not_found`, and
/// `errc::invalid_argument` where several unique objects have types of such a name.
object_info object_called(const manager& store, std::string_view name);

}  // namespace perdure::inspect
