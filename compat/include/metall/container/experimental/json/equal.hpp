// Where metall/json/equal.hpp was before.
#pragma once

#include <metall/json/equal.hpp>

namespace metall::container::experimental {
namespace json = metall::json;
}
