// What the subcommands have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <perdure/datastore.hpp>
#include <stdexcept>
#include <string>

#include "output.hpp"

namespace perdure::cli {

/// Keys in the order they were added.
using json = nlohmann::ordered_json;

/// A wrong command line that the parser cannot see; ends with exit code 2.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The command did its work and the answer is no, already printed: exit code 1 without another word.
struct negative_result : std::exception {};

/// Prints one JSON object, indented. Text that is not UTF-8 is shown with replacement characters.
void print(const json& value);

/// Adds `--json` to a command.
void add_json_option(CLI::App& command, bool& as_json);
/// Adds an option that takes a whole number within bounds, passed to `store`. (The parser's own conversion
/// lets a negative number through as a huge one.)
CLI::Option* add_number_option(CLI::App& command, const std::string& name, std::uint64_t smallest,
                               std::uint64_t largest, const std::string& description,
                               std::function<void(std::uint64_t)> store);
/// Adds `--threads`, 1 to 1024; by default one for each processor this process may use.
void add_threads_option(CLI::App& command, unsigned& threads);
/// Adds `--verify`, or PERDURE_VERIFY in the environment: what of the store is checked, and when.
void add_verify_option(CLI::App& command, verify_mode& mode);

// Each adds one subcommand, whose callback does the work.
void add_info_command(CLI::App& program);
void add_list_command(CLI::App& program);
void add_verify_command(CLI::App& program);
void add_repair_command(CLI::App& program);
void add_copy_commands(CLI::App& program);
void add_remove_command(CLI::App& program);
void add_log_command(CLI::App& program);
void add_stage_commands(CLI::App& program);
void add_doctor_command(CLI::App& program);
void add_top_command(CLI::App& program);
void add_graph_commands(CLI::App& program);

// The subcommands of `perdure graph`.
void add_generate_command(CLI::App& graph);
void add_ingest_command(CLI::App& graph);
void add_graph_info_command(CLI::App& graph);
void add_bfs_command(CLI::App& graph);
void add_components_command(CLI::App& graph);

}  // namespace perdure::cli
