// Where metall/json/json_fwd.hpp was before.
#pragma once

#include <metall/json/json_fwd.hpp>

namespace metall::container::experimental {
namespace json = metall::json;
}
