// Where metall/json/value_to.hpp was before.
#pragma once

#include <metall/json/value_to.hpp>

namespace metall::container::experimental {
namespace json = metall::json;
}
