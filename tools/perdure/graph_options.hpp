// Options that several graph commands take.
#pragma once

#include <perdure/graph/edge_list.hpp>
#include <perdure/graph/rmat.hpp>

#include "command_line.hpp"

namespace perdure::cli {

/// `--edge-factor` and `--seed`.
void add_rmat_options(command target, graph::rmat_parameters& parameters);
/// `--format text|binary`.
void add_format_option(command target, graph::edge_list_format& format);

}  // namespace perdure::cli
