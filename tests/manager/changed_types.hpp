// An earlier version of a program, whose types have the names of those in type_layout_test.cpp but are not
// the same.
#pragma once

#include <perdure/manager.hpp>

namespace perdure {

void store_as_the_earlier_program(manager& store);

}  // namespace perdure
