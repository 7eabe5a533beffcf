// Kinds by an operations table, as memkind had them until 2016: memkind_create.
#pragma once

#include "memkind_1_0.h"

namespace perdure::memkind_compat {

/// Destroys a kind of a program's own, with its `destroy` if it has one.
int destroy_user_kind(memkind_t one) noexcept;

}  // namespace perdure::memkind_compat
