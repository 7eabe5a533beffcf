// Where metall/json/serialize.hpp was before.
#pragma once

#include <metall/json/serialize.hpp>

namespace metall::container::experimental {
namespace json = metall::json;
}
