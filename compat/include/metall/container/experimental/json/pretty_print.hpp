// Where metall/json/pretty_print.hpp was before.
#pragma once

#include <metall/json/pretty_print.hpp>

namespace metall::container::experimental {
namespace json = metall::json;
}
