// The program of several ranks, by MPI. Exit codes are those of perdure: 0 done, 1 failed, 2 wrong command
// line. Rank 0 prints for all.
#include <fcntl.h>
#include <malloc.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/mpi/own_communicator.hpp>
#include <perdure/version.hpp>
#include <string>
#include <string_view>

#include "complaint.hpp"
#include "death_watch.hpp"
#include "failure_message.hpp"
#include "job.hpp"
#include "launcher.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "same_command_line.hpp"

namespace perdure::cli {
namespace {

/// How long a rank that has failed waits for others that have too, before it ends them all.
constexpr std::chrono::seconds wait_for_others(30);

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string all(text.data(), static_cast<std::size_t>(length));
  all.resize(std::min(all.find_first_of(",\n"), all.size()));
  // MPICH's begins with "MPICH Version:", and a tab.
  if (const std::size_t label = all.find(" Version:\t"); label != std::string::npos)
    all.replace(label, all.find_first_not_of("\t ", label + std::string_view(" Version:").size()) - label,
                " ");
  return all;
}

command_line line_of(int argc, const char* const* argv) {
  return {"perdure-mpi",
          "Graphs of several ranks, by MPI, in sets of stores.",
          std::string("perdure-mpi ") + version_string + ", " + mpi_version(),
          argc,
          argv,
          "mpirun -n 4 "};
}

void add_commands(command program, job& run) {
  program.require_command();
  program.footer(
      "Start it by mpirun -n RANKS perdure-mpi …; 'perdure' opens the same sets without MPI.\n"
      "Exit codes: 0 done, 1 failed, 2 wrong command line.\n'perdure-mpi help COMMAND' explains a command.");
  command graph = program.add_command("graph", "Generate, keep and cluster graphs");
  graph.require_command();
  add_generate_command(graph, run);
  add_ingest_command(graph, run);
  add_append_command(graph, run);
  add_louvain_command(graph, run);
  add_bfs_command(graph, run);
  add_components_command(graph, run);
  add_pagerank_command(graph, run);
  add_triangles_command(graph, run);
  add_stats_command(graph, run);
  add_export_command(graph, run);
  add_repartition_command(graph, run);
}

/// Writes man pages and completions, which needs no other rank and no MPI that runs.
int write_documents(int argc, const char* const* argv) {
  try {
    command_line line = line_of(argc, argv);
    job alone;
    add_commands(line.program(), alone);
    line.run();
    return 0;
  } catch (const std::exception& e) {
    complain("perdure-mpi", failure_message(e));
    return 1;
  }
}

/// A failure of this rank.
struct failure {
  int status = 0;     ///< the exit code; 0: it has not failed
  std::string words;  ///< empty: there is nothing to say, and nobody who would read it
  std::string_view code;
};

/// Runs the command line. The ranks stay together until all have told of it.
failure attempt(int argc, char** argv, std::optional<job>& ranks) {
  try {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    // MPIs of other makes start so many programs, each of which is alone.
    if (const int meant = processes_by_launcher(); size == 1 && meant > 1)
      throw error(errc::invalid_argument,
                  "it was started " + std::to_string(meant) +
                      " times with one rank each, by the mpirun of another MPI than " + mpi_version() +
                      ", which it is built with: start it by that MPI's mpirun");
    job& run = ranks.emplace();
    run.join();
    if (!run.is_first()) hide_progress();
    require_same_command_line(run.ranks(), argc, argv);
    command_line line = line_of(argc, argv);
    add_commands(line.program(), run);
    line.run();
    return {};
  } catch (const usage_error& e) {
    return {2, e.what(), "usage"};
  } catch (const reader_gone&) {
    return {1, {}, {}};
  } catch (const std::bad_alloc& e) {
    return {1, failure_message(e), to_string(errc::out_of_memory)};
  } catch (const error& e) {
    return {1, failure_message(e), to_string(e.code())};
  } catch (const std::exception& e) {
    return {1, failure_message(e), to_string(errc::io)};
  }
}

/// Says what has failed: once where all ranks have failed alike, else by each that has, and ends the others.
/// Where only the reader of what rank 0 prints has gone, all ranks end as they would have.
void tell(const failure& own, mpi::own_communicator& all, bool as_json, death_watch& watch) {
  struct statuses {
    int own;
    int least;
  };
  auto call = std::make_unique<mpi::pending<statuses>>(statuses{own.status, 0});
  MPI_Iallreduce(&call->value.own, &call->value.least, 1, MPI_INT, MPI_MIN, all.get(), &call->request);
  if (own.status == 0) {
    MPI_Wait(&call->request, MPI_STATUS_IGNORE);
    return;
  }
  bool have_all_failed = false;
  try {
    all.wait(call);
    have_all_failed = call->value.least != 0;
    if (own.words.empty()) return;
  } catch (const error&) {
    // The others are elsewhere.
  }
  if (have_all_failed) {
    if (all.rank() != 0) return;
    if (as_json) print_failure(own.words, own.code);
    complain("perdure-mpi", own.words);
    return;
  }
  if (!own.words.empty()) complain("perdure-mpi", "rank " + std::to_string(all.rank()) + ": " + own.words);
  watch.end();
  MPI_Abort(MPI_COMM_WORLD, own.status);
}

int run(int argc, char** argv, death_watch& watch) {
  mpi::own_communicator all(MPI_COMM_WORLD, wait_for_others, "perdure-mpi");
  watch.set_rank(all.rank());
  // What all ranks would print alike is printed once.
  if (all.rank() != 0)
    if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) {
      ::dup2(nowhere, STDOUT_FILENO);
      ::close(nowhere);
    }
  std::optional<job> ranks;
  const failure own = attempt(argc, argv, ranks);
  tell(own, all, wants_json(argc, argv), watch);
  return own.status;
}

}  // namespace
}  // namespace perdure::cli

int main(int argc, char** argv) {
  if (perdure::cli::wants_documents(argc, argv)) return perdure::cli::write_documents(argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
#ifdef __GLIBC__
  // Open MPI looks at each piece of memory that goes back to the system, in case a message was in it, which
  // takes longer than the message. So messages are made in memory that stays.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 26);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 28);
#endif
  perdure::cli::death_watch watch;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int status = perdure::cli::run(argc, argv, watch);
  MPI_Finalize();
  return status;
}
