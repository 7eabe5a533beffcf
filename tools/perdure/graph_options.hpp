// Options that several graph commands take.
#pragma once

#include <CLI/CLI.hpp>
#include <perdure/graph/edge_list.hpp>
#include <perdure/graph/rmat.hpp>

namespace perdure::cli {

/// `--edge-factor` and `--seed`.
void add_rmat_options(CLI::App& command, graph::rmat_parameters& parameters);
/// `--format text|binary`.
void add_format_option(CLI::App& command, graph::edge_list_format& format);

}  // namespace perdure::cli
