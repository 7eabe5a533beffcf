// perdure graph append: adds edges with times, a bucket of time after the other, each a checkpoint of its
// own.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/append_by_time.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "graph_files.hpp"
#include "graph_options.hpp"
#include "grown_store.hpp"
#include "interruption.hpp"
#include "linear_fit.hpp"
#include "plot.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct append_options {
  std::filesystem::path store;
  graph_files input;
  graph::time_append_options how;
  std::string bucket;
  bool has_names = false;
  unsigned kept = 4096;
  bool full_copies = false;
  std::filesystem::path plot;
  backing mapped = backing::private_memory;
  std::uint64_t budget = 0;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

std::string two_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

graph::time_buckets buckets_of(const std::string& text) {
  const auto found = graph::time_buckets::parse(text);
  if (!found) throw usage_error("--bucket " + text + ": give month, week, day, or a number of seconds");
  return *found;
}

/// Times of one iteration, in seconds.
struct iteration : graph::appended_bucket {
  double open_seconds = 0;
  double close_seconds = 0;

  double seconds() const { return open_seconds + append_seconds + checkpoint_seconds + close_seconds; }
};

constexpr const char* why_none_is_shared =
    "checkpoints of a shared mapping have no labels; without --backing shared buckets can be kept";
constexpr const char* why_no_blocks_are_shared =
    "the file system shares no blocks between files, so earlier buckets cannot be opened again; "
    "--full-copies "
    "keeps them, each at the size of the store";

class appending {
 public:
  explicit appending(const append_options& given) : given_(given), buckets_(buckets_of(given.bucket)) {}

  void run() {
    require_changeable_store(given_.store);
    if (given_.budget != 0 && (given_.mapped == backing::dax || given_.mapped == backing::shared_file))
      throw usage_error("--budget is for --backing paged: " + std::string(name_of(given_.mapped)) +
                        " maps the store's files themselves");
    try {
      append_all();
    } catch (...) {
      const int signal = interruption_watch::signal();
      if (signal == 0) throw;
      throw interrupted(signal,
                        "interrupted: " + given_.store.string() +
                            (iterations_.empty() ? " is as it was before"
                                                 : " has the buckets up to " + iterations_.back().name +
                                                       "; the same command goes on behind them"));
    }
    report();
  }

 private:
  void append_all() {
    graph::memory_names names;
    graph::names_to_number<graph::memory_names> namer(names);
    std::vector<graph::graph_input> inputs =
        given_.input.open(interruption_, given_.has_names ? &namer : nullptr);
    graph::time_append_options how = given_.how;
    how.names = given_.has_names ? &names : nullptr;
    how.watch = progress_of("read");
    graph::time_append waiting = read(inputs, how);
    tell_ignored_columns(inputs);
    total_ = waiting.edges();
    already_ = waiting.already_there();
    was_complete_ = waiting.was_complete();
    keeps_ = given_.kept != 0 && given_.mapped != backing::shared_file;
    while (!waiting.done()) {
      append(waiting);
      stop_if_interrupted();
    }
  }

  graph::time_append read(std::vector<graph::graph_input>& inputs,
                          const graph::time_append_options& how) const {
    std::optional<manager> store;
    if (manager::exists(given_.store)) store.emplace(open_read_only, given_.store, settings());
    return {inputs, buckets_, how, store ? &*store : nullptr};
  }

  store_options settings() const {
    store_options settings = settings_for(given_.verify, given_.budget);
    if (given_.mapped != backing::private_memory) settings.backing = given_.mapped;
    settings.keep_last = keeps_ ? given_.kept : 0;
    settings.keep_full_copies = given_.full_copies;
    return settings;
  }

  /// Earlier buckets are kept where the file system can share their blocks, which the first checkpoint finds
  /// out.
  void append(graph::time_append& waiting) {
    try {
      append_once(waiting);
    } catch (const error& failure) {
      if (failure.code() != errc::unsupported || !std::exchange(keeps_, false)) throw;
      append_once(waiting);
    }
    if (given_.as_json) return;
    const iteration& now = iterations_.back();
    output out = output::standard();
    out.write(now.name + "  " + counted(now.edges, "edge", "edges") + ": open " +
              in_seconds(now.open_seconds) + ", append " + in_seconds(now.append_seconds) + ", checkpoint " +
              in_seconds(now.checkpoint_seconds) + ", close " + in_seconds(now.close_seconds) + "\n");
    out.finish();
  }

  void append_once(graph::time_append& waiting) {
    const stopwatch opening;
    const bool is_new = !manager::exists(given_.store);
    manager store(open_or_create, given_.store, settings());
    iteration now;
    now.open_seconds = opening.seconds();
    try {
      static_cast<graph::appended_bucket&>(now) = waiting.add_next(store);
    } catch (...) {
      store.discard();
      if (is_new) manager::remove(given_.store);
      throw;
    }
    const stopwatch closing;
    store.close();
    now.close_seconds = closing.seconds();
    iterations_.push_back(now);
  }

  /// Returns whether buckets were to be kept and none was.
  bool is_kept_none() const noexcept { return !keeps_ && given_.kept != 0; }
  const char* why_not_kept() const noexcept {
    return given_.mapped == backing::shared_file ? why_none_is_shared : why_no_blocks_are_shared;
  }

  /// Fits a line to the seconds of all iterations by the edges of their buckets.
  std::optional<linear_fit> fit() const {
    std::vector<std::pair<double, double>> points;
    points.reserve(iterations_.size());
    for (const iteration& now : iterations_)
      points.emplace_back(static_cast<double>(now.edges), now.seconds());
    return fit_line(points);
  }

  void report() const {
    const std::optional<linear_fit> line = fit();
    if (!given_.plot.empty()) {
      plot what{"Appended to " + given_.store.filename().string(),
                "edges in the bucket",
                "milliseconds",
                false,
                {}};
      const auto add = [&](const char* name, auto time) {
        plot::series one{name, {}, false};
        for (const iteration& now : iterations_)
          one.points.emplace_back(static_cast<double>(now.edges), time(now) * 1000);
        what.all.push_back(std::move(one));
      };
      add("all", [](const iteration& now) { return now.seconds(); });
      add("append", [](const iteration& now) { return now.append_seconds; });
      add("checkpoint", [](const iteration& now) { return now.checkpoint_seconds; });
      if (line) {
        double largest = 0;
        for (const iteration& now : iterations_) largest = std::max(largest, static_cast<double>(now.edges));
        what.all.push_back(
            {"all, as a line", {{0, line->at(0) * 1000}, {largest, line->at(largest) * 1000}}, true});
      }
      output out = output::to(given_.plot);
      out.write(svg_of(what));
      out.finish();
    }
    double seconds = 0;
    for (const iteration& now : iterations_) seconds += now.seconds();
    if (given_.as_json) {
      json buckets = json::array();
      for (const iteration& now : iterations_)
        buckets.push_back({{"bucket", now.name},
                           {"edges", now.edges},
                           {"epoch", now.epoch},
                           {"open_seconds", now.open_seconds},
                           {"append_seconds", now.append_seconds},
                           {"checkpoint_seconds", now.checkpoint_seconds},
                           {"close_seconds", now.close_seconds}});
      json value{{"store", given_.store.string()},
                 {"edges", total_},
                 {"edges_already_there", already_},
                 {"was_complete", was_complete_},
                 {"buckets", buckets},
                 {"fit", line ? json{{"seconds_per_edge", line->slope},
                                     {"seconds_fixed", line->intercept},
                                     {"r2", line->r2}}
                              : json(nullptr)},
                 {"backing", name_of(settings().backing)},
                 {"kept", keeps_},
                 {"threads", given_.how.threads},
                 {"seconds", seconds}};
      if (is_kept_none()) value["why_not_kept"] = why_not_kept();
      tell_grown_store(value, given_.store, iterations_.size());
      print(value);
      return;
    }
    output out = output::standard();
    if (was_complete_) {
      out.write("appended before, all of these files: nothing was done\n");
      out.finish();
      return;
    }
    if (already_ != 0)
      out.write("went on        behind " + counted(already_, "edge", "edges") +
                " that an earlier command had added\n");
    out.write("appended       " + counted(total_, "edge", "edges") + " in " +
              counted(iterations_.size(), "bucket", "buckets") + ", " + in_seconds(seconds) + "\n");
    if (line)
      out.write("a bucket takes " + in_seconds(line->intercept) + " and " + in_seconds(line->slope * 1e6) +
                " a million edges more (r² " + two_digits(line->r2) + ")\n");
    if (is_kept_none()) out.write(std::string("kept           none: ") + why_not_kept() + '\n');
    if (!iterations_.empty()) tell_grown_store(out, given_.store);
    out.finish();
  }

  const append_options& given_;
  graph::time_buckets buckets_;
  interruption_watch interruption_;
  std::uint64_t total_ = 0;
  std::uint64_t already_ = 0;  // edges left out, as an earlier command added them
  bool was_complete_ = false;
  std::vector<iteration> iterations_;
  bool keeps_ = false;
};

}  // namespace

void add_append_command(command graph_command) {
  auto given = std::make_shared<append_options>();
  command append = graph_command.add_command("append",
                                             "Add edges with times to the graph in a store, a bucket of time "
                                             "after the other: open, append, checkpoint "
                                             "with the bucket's name, close");
  append.add_path("STORE", given->store, "The store's directory").required();
  append.add_paths("FILE", given->input.files, "Graphs with times; '-' is standard input").required();
  append.add_text("--bucket", given->bucket, "Length of a bucket: month, week, day, or a number of seconds")
      .required();
  add_file_options(append, given->input.reading);
  add_direction_options(append, given->input);
  append.add_flag("--names", given->has_names, "Vertices have names, which are kept");
  append.add_flag("--again", given->how.again, "Add the edges of files that the graph has already once more");
  append
      .add_number("--keep", 0, 4096,
                  "Keep the last N buckets, to be opened as STORE@BUCKET, where the file system shares "
                  "blocks (XFS, btrfs); 0: none",
                  [given](std::uint64_t n) { given->kept = static_cast<unsigned>(n); })
      .default_text("4096");
  append.add_flag(
      "--full-copies", given->full_copies,
      "Keep buckets also where the file system shares no blocks, each as a full copy of the store");
  append.add_path("--plot", given->plot, "Draw the times by the buckets' sizes into this file, as SVG");
  add_backing_option(append, given->mapped);
  append.add_size("--budget", given->budget,
                  "Have no more than this of the store in memory at once, as 4GiB; without --backing, paged");
  add_threads_option(append, given->how.threads);
  add_verify_option(append, given->verify);
  add_wait_option(append);
  add_json_option(append, given->as_json);
  append.example("links.store links.txt --bucket month --names",
                 "Add edges month by month, a checkpoint each");
  append.callback([given] {
    given->how.kind = given->input.kind();
    appending(*given).run();
  });
}

}  // namespace perdure::cli
