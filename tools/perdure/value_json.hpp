// Stored values as JSON.
#pragma once

#include <perdure/inspect/value.hpp>

#include "command.hpp"

namespace perdure::cli {

/// Numbers, texts, lists and objects; a list that was cut ends with `{"more": N}`. A value that is not read
/// is
/// `{"bytes": N, "type": NAME}`, with `"elements"` where their number is known.
json to_json(const inspect::value& value);

}  // namespace perdure::cli
