// Where metall/json/string.hpp was before.
#pragma once

#include <metall/json/string.hpp>

namespace metall::container::experimental {
namespace json = metall::json;
}
