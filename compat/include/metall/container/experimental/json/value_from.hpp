// Where metall/json/value_from.hpp was before.
#pragma once

#include <metall/json/value_from.hpp>

namespace metall::container::experimental {
namespace json = metall::json;
}
