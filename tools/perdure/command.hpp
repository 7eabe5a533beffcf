// Declarations that all subcommands share.
#pragma once

#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <perdure/datastore.hpp>

#include "command_line.hpp"
#include "output.hpp"

namespace perdure::cli {

/// Keys in the order they were added.
using json = nlohmann::ordered_json;

/// The command did its work and the answer is no, already printed: exit code 1 without another word.
struct negative_result : std::exception {};

/// Prints one JSON object, indented. Text that is not UTF-8 is shown with replacement characters.
void print(const json& value);

/// Explains an argument that names a store which is only read.
inline constexpr const char* store_to_read =
    "The directory of the store or of the set of stores, or STORE@LABEL (or STORE@EPOCH): a checkpoint that "
    "it keeps";

/// Adds `--json` to a command. It may also stand before the command's name.
void add_json_option(command target, bool& as_json);
/// Adds `--wait`: for how long the command waits for others that have the store.
void add_wait_option(command target);
/// Adds `--threads`, 1 to 1024; by default one for each processor this process may use.
void add_threads_option(command target, unsigned& threads);
/// Adds `--verify`, or PERDURE_VERIFY in the environment: what of the store is checked, and when.
/// `name`: where `--verify` is something else.
void add_verify_option(command target, verify_mode& mode, const char* name = "--verify");
/// Returns how a store is opened by these options. `budget`: bytes of it in memory at most; 0: as many as
/// there are.
store_options settings_for(verify_mode verify, std::uint64_t budget = 0);

// Each adds one subcommand, whose callback does the work.
void add_info_command(command program);
void add_list_command(command program);
void add_verify_command(command program);
void add_repair_command(command program);
void add_repartition_command(command program);
void add_copy_commands(command program);
void add_diff_command(command program);
void add_report_command(command program);
void add_remove_command(command program);
void add_log_command(command program);
void add_stage_commands(command program);
void add_doctor_command(command program);
void add_top_command(command program);
void add_graph_commands(command program);
void add_array_commands(command program);
void add_kmer_commands(command program);

// The subcommands of `perdure graph`.
void add_generate_command(command graph);
void add_ingest_command(command graph);
void add_build_command(command graph);
void add_append_command(command graph);
void add_freeze_command(command graph);
void add_export_commands(command graph);
void add_graph_properties_command(command graph);
void add_stats_command(command graph);
void add_graph_info_command(command graph);
void add_bfs_command(command graph);
void add_pagerank_command(command graph);
void add_sssp_command(command graph);
void add_components_command(command graph);
void add_strong_components_command(command graph);
void add_triangle_commands(command graph);
void add_core_command(command graph);
void add_truss_command(command graph);
void add_community_commands(command graph);
void add_betweenness_command(command graph);
void add_path_command(command graph);
void add_neighbours_command(command graph);

// The subcommands of `perdure array`.
void add_array_list_command(command array);
void add_array_stat_command(command array);
void add_array_dump_command(command array);
void add_array_import_command(command array);
void add_array_export_command(command array);
void add_array_diff_command(command array);

}  // namespace perdure::cli
