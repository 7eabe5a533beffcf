// Between kinds and their handles, which are their addresses: a kind is checked for on every allocation, so
// that must be quick.
#pragma once

#include "perdure/c/kind.h"
#include "perdure/detail/kind_slots.hpp"
#include "perdure/kind.hpp"

namespace perdure::c {

/// `errc::invalid_argument` if it is none.
kind& kind_of(const perdure_kind* handle);
perdure_kind* handle_of(kind* object) noexcept;
kind_options kind_options_from(const perdure_kind_options* given);

}  // namespace perdure::c
