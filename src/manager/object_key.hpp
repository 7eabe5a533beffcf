// Key of an object in the directory, and its name in messages.
#pragma once

#include <string>
#include <string_view>

#include "perdure/object_info.hpp"
#include "perdure/type_stamp.hpp"

namespace perdure::detail {

/// A named object's name, a unique object's mangled type name.
std::string_view key_of(const object_name& name, const type_stamp& type) noexcept;

/// For messages.
std::string printable(instance_kind kind, std::string_view key);

/// `errc::invalid_argument` for a name that no object may have; `path` is the store's.
void require_sound_name(const object_name& name, const std::string& path);

}  // namespace perdure::detail
