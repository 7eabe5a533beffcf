// Where metall/json/object.hpp was before.
#pragma once

#include <metall/json/object.hpp>

namespace metall::container::experimental {
namespace json = metall::json;
}
