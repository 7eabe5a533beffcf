// Where metall/json/json.hpp was before.
#pragma once

#include <metall/json/json.hpp>

namespace metall::container::experimental {
namespace json = metall::json;
}
