// Where metall/json/value.hpp was before.
#pragma once

#include <metall/json/value.hpp>

namespace metall::container::experimental {
namespace json = metall::json;
}
