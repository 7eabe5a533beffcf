// The command-line program. Exit codes: 0 done, 1 failed, 2 wrong command line; a signal where one ended it.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <perdure/damage.hpp>
#include <perdure/error.hpp>
#include <perdure/version.hpp>
#include <string>
#include <string_view>

#include "command.hpp"
#include "complaint.hpp"
#include "failure_message.hpp"
#include "interruption.hpp"
#include "progress.hpp"
#include "store/file/store_busy.hpp"
#include "unfinished_files.hpp"

namespace perdure::cli {

void add_graph_commands(command program) {
  command graph = program.add_command("graph", "Keep graphs in stores and ask about them");
  graph.require_command();
  add_generate_command(graph);
  add_ingest_command(graph);
  add_build_command(graph);
  add_append_command(graph);
  add_freeze_command(graph);
  add_export_commands(graph);
  add_graph_info_command(graph);
  add_graph_properties_command(graph);
  add_stats_command(graph);
  add_bfs_command(graph);
  add_pagerank_command(graph);
  add_sssp_command(graph);
  add_components_command(graph);
  add_strong_components_command(graph);
  add_triangle_commands(graph);
  add_core_command(graph);
  add_truss_command(graph);
  add_community_commands(graph);
  add_betweenness_command(graph);
  add_path_command(graph);
  add_neighbours_command(graph);
}

namespace {

// A program that asked for JSON gets the failure as JSON too.
int fail(const std::string& what, std::string_view code, bool as_json, int status = 1) {
  if (as_json) print_failure(what, code);
  complain("perdure", what);
  return status;
}

// The library's advice names what programs call.
std::string advice_for(const store::store_busy& busy, const command_line& line) {
  const bool may_wait = line.takes("--wait");
  switch (busy.what_is_in_the_way()) {
    case store::obstacle::writer:
      return may_wait ? "end it there first, or wait for its end with --wait SECONDS" : "end it there first";
    case store::obstacle::readers:
      return std::string("end them first") + (may_wait ? ", or wait for their end with --wait SECONDS" : "") +
             "; programs that read a snapshot (perdure snapshot STORE COPY) keep nobody waiting";
    case store::obstacle::waiting_writer:
      return std::string("try again later") + (may_wait ? ", wait with --wait SECONDS" : "") +
             ", or read a snapshot (perdure snapshot STORE COPY)";
    case store::obstacle::no_sharing:
    case store::obstacle::no_files:
      return std::string("read a snapshot (perdure snapshot STORE COPY)") +
             (may_wait ? ", or wait until the writer has ended with --wait SECONDS" : "");
  }
  return {};
}

// In a signal handler: what the library would say, but the end of a program that failed.
void end_for_damage(const page_damage& damage) {
  std::array<char, 1024> line;
  const int size = std::snprintf(line.data(), line.size(),
                                 "perdure: %s is damaged: %s at byte %llu, page %llu, epoch %llu: %s\n",
                                 damage.store, damage.file, static_cast<unsigned long long>(damage.offset),
                                 static_cast<unsigned long long>(damage.page),
                                 static_cast<unsigned long long>(damage.epoch), damage.what);
  erase_progress();
  if (size > 0) {
    const auto bytes = std::min(static_cast<std::size_t>(size), line.size() - 1);
    static_cast<void>(!::write(STDERR_FILENO, line.data(), bytes));
  }
  remove_unfinished();
  ::_exit(1);
}

int run(int argc, char** argv) {
  command_line line("perdure", "Keeps a program's own data structures alive between runs.",
                    std::string("perdure ") + version_string, argc, argv);
  command program = line.program();
  program.require_command();
  program.footer(
      "Commands that read a store take STORE@LABEL too: the newest checkpoint with this label that the store "
      "keeps; or STORE@EPOCH, where no checkpoint has such a label. 'perdure log STORE' lists them.\n"
      "Exit codes: 0 done, 1 failed, 2 wrong command line.\n'perdure help COMMAND' explains a command.");
  add_info_command(program);
  add_list_command(program);
  add_log_command(program);
  add_verify_command(program);
  add_repair_command(program);
  add_repartition_command(program);
  add_copy_commands(program);
  add_diff_command(program);
  add_report_command(program);
  add_remove_command(program);
  add_stage_commands(program);
  add_doctor_command(program);
  add_top_command(program);
  add_graph_commands(program);
  add_kmer_commands(program);
  add_array_commands(program);
  const bool as_json = wants_json(argc, argv);
  try {
    line.run();
    return 0;
  } catch (const usage_error& e) {
    return fail(e.what(), "usage", as_json, 2);
  } catch (const reader_gone&) {
    return 1;
  } catch (const negative_result&) {
    return 1;
  } catch (const interrupted& e) {
    fail(e.what(), "interrupted", as_json);
    end_by(e.signal);
  } catch (const std::bad_alloc& e) {
    return fail(failure_message(e), to_string(errc::out_of_memory), as_json);
  } catch (const store::store_busy& e) {
    return fail(e.reason() + "; " + advice_for(e, line), to_string(e.code()), as_json);
  } catch (const error& e) {
    return fail(failure_message(e), to_string(e.code()), as_json);
  } catch (const std::exception& e) {
    return fail(failure_message(e), to_string(errc::io), as_json);
  }
}

}  // namespace
}  // namespace perdure::cli

int main(int argc, char** argv) {
  // A reader that goes away must not kill us in the middle of a checkpoint: writes fail with EPIPE instead.
  std::signal(SIGPIPE, SIG_IGN);
  // The same with the limit on file sizes, for what is printed into a file: EFBIG.
  std::signal(SIGXFSZ, SIG_IGN);
  perdure::set_damage_handler(perdure::cli::end_for_damage);
  return perdure::cli::run(argc, argv);
}
