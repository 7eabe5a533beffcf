// Where metall/json/key_value_pair.hpp was before.
#pragma once

#include <metall/json/key_value_pair.hpp>

namespace metall::container::experimental {
namespace json = metall::json;
}
