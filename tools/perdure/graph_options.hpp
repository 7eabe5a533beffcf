// Options that several graph commands take.
#pragma once

#include <cstdint>
#include <perdure/datastore.hpp>
#include <perdure/graph/communities.hpp>
#include <perdure/graph/graph_file.hpp>
#include <perdure/graph/merge_duplicates.hpp>
#include <perdure/graph/pagerank.hpp>
#include <perdure/graph/rgg.hpp>
#include <perdure/graph/rmat.hpp>
#include <string>

#include "command_line.hpp"

namespace perdure::cli {

/// `--scale`.
void add_scale_option(command target, graph::rmat_parameters& parameters);
/// `--edge-factor` and `--seed`.
void add_rmat_options(command target, graph::rmat_parameters& parameters);
/// `--vertices`, `--degree`, `--seed` and `--scramble`.
void add_rgg_options(command target, graph::rgg_parameters& parameters);
/// `--resolution`, `--tolerance`, `--starts`, `--max-levels` and `--first-phase`; `--from`, an array of
/// communities.
void add_louvain_options(command target, graph::louvain_options& how, std::string& from);
/// Throws `usage_error` for `--starts` with `--from`.
void require_one_beginning(const graph::louvain_options& how, const std::string& from);
/// `--damping`, `--tolerance` and `--iterations`.
void add_pagerank_options(command target, graph::pagerank_options& how);
/// `--format text|binary`, of what is written.
void add_format_option(command target, graph::graph_format& format);
/// `--format`, `--source-column` and what else says how graphs are read from files.
void add_file_options(command target, graph::graph_file_options& options);
/// `--duplicates keep|sum|last|error`.
void add_duplicates_option(command target, graph::duplicate_edges& how);

/// `--graph`, which one in the store, and `--budget`, how much of it may be in memory (0: as without).
void add_graph_options(command target, std::string& graph, std::uint64_t& budget);
/// `--backing`, how the store's memory is mapped.
void add_backing_option(command target, backing& mapped);
const char* name_of(backing mapped) noexcept;

}  // namespace perdure::cli
