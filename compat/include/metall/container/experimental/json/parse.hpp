// Where metall/json/parse.hpp was before.
#pragma once

#include <metall/json/parse.hpp>

namespace metall::container::experimental {
namespace json = metall::json;
}
