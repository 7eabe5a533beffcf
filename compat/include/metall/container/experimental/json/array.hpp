// Where metall/json/array.hpp was before.
#pragma once

#include <metall/json/array.hpp>

namespace metall::container::experimental {
namespace json = metall::json;
}
