// Tags that choose how a store is opened and which object is meant.
#pragma once

#include <perdure/open_mode.hpp>

namespace metall {

using perdure::create_only;
using perdure::create_only_t;
using perdure::open_only;
using perdure::open_only_t;
using perdure::open_or_create;
using perdure::open_or_create_t;
using perdure::open_read_only;
using perdure::open_read_only_t;

// No constructor takes these two, here as there.
struct open_read_private_t {};
inline constexpr open_read_private_t open_read_private{};
struct open_copy_on_write_t {};
inline constexpr open_copy_on_write_t open_copy_on_write{};

using perdure::anonymous_instance;
using perdure::unique_instance;

}  // namespace metall
