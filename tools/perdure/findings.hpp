// Output of `verify` and `repair` about a store.
#pragma once

#include <exception>
#include <perdure/inspect/raw_pointers.hpp>
#include <perdure/verify.hpp>

#include "command.hpp"

namespace perdure::cli {

json to_json(const verify_finding& finding);
json to_json(const verify_report& report);
json to_json(const inspect::pointer_report& report);

/// One line for each finding, then how it stands.
void print(output& out, const verify_report& report);
/// One line for each object or block with such words, then how many there are.
void print(output& out, const inspect::pointer_report& report);

}  // namespace perdure::cli
