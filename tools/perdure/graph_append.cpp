// perdure graph append: adds edges with times, a bucket of time after the other, each a checkpoint of its
// own.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/graph/ingest.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "graph_inputs.hpp"
#include "graph_options.hpp"
#include "growing_graph.hpp"
#include "grown_store.hpp"
#include "ingested_files.hpp"
#include "linear_fit.hpp"
#include "plot.hpp"
#include "progress.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct append_options {
  std::filesystem::path store;
  std::vector<std::filesystem::path> files;
  graph::graph_file_options reading;
  std::string bucket;
  bool directed = false;
  bool undirected = false;
  bool has_names = false;
  bool again = false;
  unsigned kept = 4096;
  bool full_copies = false;
  std::filesystem::path plot;
  unsigned threads = 1;
  verify_mode verify = verify_mode::journal;
  bool as_json = false;
};

/// Spans of time, and what they are called.
class bucket_kind {
 public:
  explicit bucket_kind(const std::string& text) {
    if (text == "day") {
      seconds_ = 86400;
    } else if (text == "week") {
      seconds_ = 7 * 86400.0;
    } else if (text != "month") {
      char* end = nullptr;
      seconds_ = std::strtod(text.c_str(), &end);
      if (text.empty() || *end != 0 || !(seconds_ > 0) || !std::isfinite(seconds_))
        throw usage_error("--bucket " + text + ": give month, week, day, or a number of seconds");
      is_plain_ = true;
    }
  }

  /// Buckets are numbered; so numbered, they are ordered. Throws `bad_input` beyond dates that have a name.
  std::int64_t of(double time) const {
    if (!is_plain_ && std::abs(time) > 2e11)
      throw error(errc::bad_input,
                  "the time " + std::to_string(time) + " is no date (in seconds since 1970)");
    if (seconds_ == 0) {
      const auto date = date_of(time);
      return std::int64_t{int{date.year()}} * 12 + static_cast<unsigned>(date.month()) - 1;
    }
    // Weeks begin on Monday, and 1970 began on a Thursday.
    const double shift = seconds_ == 7 * 86400.0 && !is_plain_ ? 3 * 86400.0 : 0;
    const double number = std::floor((time + shift) / seconds_);
    if (std::abs(number) > 9e15)
      throw error(errc::bad_input, "there are too many buckets for the time " + std::to_string(time));
    return static_cast<std::int64_t>(number);
  }

  std::string name(std::int64_t bucket) const {
    char text[64];
    if (is_plain_) {
      std::snprintf(text, sizeof text, "%.17g", static_cast<double>(bucket) * seconds_);
    } else if (seconds_ == 0) {
      std::snprintf(text, sizeof text, "%04lld-%02lld", static_cast<long long>(bucket / 12),
                    static_cast<long long>(bucket % 12 + 1));
    } else if (seconds_ == 86400) {
      const auto date = date_of(static_cast<double>(bucket) * seconds_);
      std::snprintf(text, sizeof text, "%04d-%02u-%02u", int{date.year()}, unsigned{date.month()},
                    unsigned{date.day()});
    } else {
      // By ISO 8601: the week belongs to the year of its Thursday.
      const double thursday = static_cast<double>(bucket) * seconds_;
      const auto date = date_of(thursday);
      const auto first = std::chrono::sys_days(date.year() / std::chrono::January / 1);
      const auto days = (std::chrono::sys_days(date) - first).count();
      std::snprintf(text, sizeof text, "%04d-W%02d", int{date.year()}, static_cast<int>(days / 7 + 1));
    }
    return text;
  }

 private:
  static std::chrono::year_month_day date_of(double time) {
    return std::chrono::sys_days(std::chrono::days(static_cast<std::int64_t>(std::floor(time / 86400))));
  }

  double seconds_ = 0;  // 0: months
  bool is_plain_ = false;
};

struct timed_edge {
  graph::edge ends;
  double weight;
  double time;
  std::int64_t bucket;
  std::size_t input;  // which one it is from
};

/// The edges of one bucket.
class bucket_source final : public graph::edge_source {
 public:
  bucket_source(std::span<const timed_edge> edges, bool has_weights)
      : edges_(edges), has_weights_(has_weights) {}

  bool next(graph::edge_batch& batch) override {
    batch.clear();
    std::span<const timed_edge> part;
    {
      const std::lock_guard lock(mutex_);
      part = edges_.subspan(at_, std::min<std::size_t>(std::size_t{1} << 14, edges_.size() - at_));
      at_ += part.size();
    }
    for (const timed_edge& one : part) {
      batch.edges.push_back(one.ends);
      if (has_weights_) batch.values.push_back(one.weight);
      batch.times.push_back(one.time);
    }
    return !part.empty();
  }
  workload::progress progress() const noexcept override { return {}; }

 private:
  std::mutex mutex_;
  std::span<const timed_edge> edges_;
  bool has_weights_;
  std::size_t at_ = 0;
};

std::string two_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

/// What one iteration took.
struct iteration {
  std::string bucket;
  std::uint64_t edges;
  double open;
  double append;
  double checkpoint;
  double close;
  std::uint64_t epoch;

  double seconds() const { return open + append + checkpoint + close; }
};

constexpr const char* why_not_kept =
    "the file system shares no blocks between files, so earlier buckets cannot be opened again; "
    "--full-copies "
    "keeps them, each at the size of the store";

class appending {
 public:
  explicit appending(const append_options& given) : given_(given), kind_(given.bucket) {}

  void run() {
    require_changeable_store(given_.store);
    try {
      read();
      append_all();
    } catch (...) {
      const int signal = interruption_watch::signal();
      if (signal == 0) throw;
      throw interrupted(signal,
                        "interrupted: " + given_.store.string() +
                            (iterations_.empty() ? " is as it was before"
                                                 : " has the buckets up to " + iterations_.back().bucket +
                                                       "; the same command goes on behind them"));
    }
    report();
  }

 private:
  void read() {
    graph::graph_file_options reading = given_.reading;
    if (given_.has_names) reading.names = &namer_;
    inputs_ = open_inputs(given_.files, reading, interruption_);
    wanted_ = growth_of(inputs_);
    if (given_.undirected) wanted_.asked = graph::direction::undirected;
    if (given_.directed) wanted_.asked = graph::direction::directed;
    wanted_.has_names = given_.has_names;
    wanted_.threads = given_.threads;
    find_where_it_stopped();
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
      const graph_input& one = inputs_[input];
      if (!one.info.has_times)
        throw error(errc::invalid_argument, one.name + ": no column has times; say which with --time-column");
      const progress_line progress("read " + one.name, [&one] { return one.edges->progress(); });
      graph::edge_batch batch;
      std::uint64_t already = 0;
      while (one.edges->next(batch))
        for (std::size_t i = 0; i < batch.edges.size(); ++i) {
          if (batch.times[i] <= so_far_[input].until) {
            ++already;
            continue;
          }
          edges_.push_back({batch.edges[i],
                            batch.values.empty() ? graph::weight_of_edges_without : batch.values[i],
                            batch.times[i], kind_.of(batch.times[i]), input});
        }
      tell_ignored_columns(one);
      if (already != so_far_[input].edges)
        throw error(
            errc::invalid_argument,
            one.name + ": an earlier command added " + counted(so_far_[input].edges, "edge", "edges") +
                " of this file up to a time, and read so " + grouped(already) +
                " are up to it; give the columns and options that it had, so that this one can go on");
      already_ += already;
    }
    const auto earlier = [](const timed_edge& a, const timed_edge& b) { return a.bucket < b.bucket; };
    if (!std::is_sorted(edges_.begin(), edges_.end(), earlier))
      std::stable_sort(edges_.begin(), edges_.end(), earlier);
  }

  /// Where an earlier command was killed between two buckets, this one leaves out what the graph has. Refuses
  /// files that it has as a whole, or in part if nobody knows which part.
  void find_where_it_stopped() {
    so_far_.assign(inputs_.size(), {-std::numeric_limits<double>::infinity(), 0});
    if (!manager::exists(given_.store)) return;
    const manager store(open_read_only, given_.store, settings());
    if (store.find<stored_graph>(graph_name).first == nullptr) return;
    recorded_ = store.attribute(graph_name, ingested_files::attribute).value_or("");
    if (given_.again) return;
    const ingested_files files(recorded_);
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
      const graph_input& one = inputs_[input];
      if (one.fingerprint.empty()) continue;
      const ingested_files::entry* const known = files.find(one.fingerprint);
      if (known == nullptr) continue;
      if (!known->so_far)
        throw error(errc::already_exists,
                    given_.store.string() +
                        (known->whole ? ": the graph has the edges of " + one.name + " already"
                                      : ": an earlier command did not come to the end of " + one.name +
                                            ", so the graph has some of its edges") +
                        "; give --again to add them once more");
      so_far_[input] = *known->so_far;
    }
  }

  store_options settings() const {
    store_options settings;
    settings.verify = given_.verify;
    settings.keep_last = keeps_ ? given_.kept : 0;
    settings.keep_full_copies = given_.full_copies;
    return settings;
  }

  void append_all() {
    keeps_ = given_.kept != 0;
    std::span<const timed_edge> rest(edges_);
    while (!rest.empty()) {
      const std::int64_t bucket = rest.front().bucket;
      std::size_t count = 0;
      while (count < rest.size() && rest[count].bucket == bucket) ++count;
      append(kind_.name(bucket), rest.first(count), rest.size() == count);
      rest = rest.subspan(count);
      if (interruption_watch::signal() != 0) throw std::runtime_error("interrupted");
    }
  }

  /// Earlier buckets are kept where the file system can share their blocks, which the first checkpoint finds
  /// out.
  void append(const std::string& bucket, std::span<const timed_edge> edges, bool is_last) {
    try {
      append_once(bucket, edges, is_last);
    } catch (const error& failure) {
      if (failure.code() != errc::unsupported || !std::exchange(keeps_, false)) throw;
      append_once(bucket, edges, is_last);
    }
    if (given_.as_json) return;
    const iteration& now = iterations_.back();
    output out = output::standard();
    out.write(now.bucket + "  " + counted(now.edges, "edge", "edges") + ": open " + in_seconds(now.open) +
              ", append " + in_seconds(now.append) + ", checkpoint " + in_seconds(now.checkpoint) +
              ", close " + in_seconds(now.close) + "\n");
    out.finish();
  }

  void append_once(const std::string& bucket, std::span<const timed_edge> edges, bool is_last) {
    const stopwatch watch;
    const bool is_new = !manager::exists(given_.store);
    manager store(open_or_create, given_.store, settings());
    try {
      growing_graph g(store, given_.store, wanted_);
      const double opened = watch.seconds();
      const std::vector<ingested_files::part> with_these = counting(edges);
      note(store, with_these, is_last);
      // The files' names have numbers of their own.
      std::vector<timed_edge> numbered;
      if (g.names != nullptr) {
        numbered.assign(edges.begin(), edges.end());
        for (timed_edge& one : numbered)
          one.ends = {g.names->add(read_names_.name(one.ends.source)),
                      g.names->add(read_names_.name(one.ends.target))};
        edges = numbered;
      }
      bucket_source source(edges, wanted_.has_weights);
      g.add(source, {given_.threads});
      g.settle(given_.threads);
      const double appended = watch.seconds();
      store.checkpoint(bucket);
      const double durable = watch.seconds();
      const std::uint64_t epoch = store.store().epoch();
      store.close();
      so_far_ = with_these;
      recorded_ = noted_;
      iterations_.push_back({bucket, edges.size(), opened, appended - opened, durable - appended,
                             watch.seconds() - durable, epoch});
    } catch (...) {
      store.discard();
      if (is_new) manager::remove(given_.store);
      throw;
    }
  }

  /// What the graph has of each input when it has these edges too.
  std::vector<ingested_files::part> counting(std::span<const timed_edge> edges) const {
    std::vector<ingested_files::part> parts = so_far_;
    for (const timed_edge& one : edges) {
      ingested_files::part& part = parts[one.input];
      part.until = std::max(part.until, one.time);
      ++part.edges;
    }
    return parts;
  }

  /// Which files the graph has, and how far, in the checkpoint that has their edges.
  void note(manager& store, const std::vector<ingested_files::part>& parts, bool is_last) {
    std::string recorded = store.attribute(graph_name, ingested_files::attribute).value_or("");
    if (recorded != recorded_)
      throw error(errc::conflict, given_.store.string() +
                                      ": another command has added edges since this one began; try again");
    ingested_files files(recorded);
    for (std::size_t input = 0; input < inputs_.size(); ++input) {
      const graph_input& one = inputs_[input];
      if (one.fingerprint.empty()) continue;
      files.set({one.fingerprint, one.name, is_last,
                 is_last ? std::nullopt : std::optional<ingested_files::part>(parts[input])});
    }
    noted_ = files.text();
    store.set_attribute(graph_name, ingested_files::attribute, noted_);
  }

  /// Whether buckets were to be kept and none was.
  bool is_kept_none() const noexcept { return !keeps_ && given_.kept != 0; }

  /// What all of an iteration takes, by the edges of its bucket.
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
      add("append", [](const iteration& now) { return now.append; });
      add("checkpoint", [](const iteration& now) { return now.checkpoint; });
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
        buckets.push_back({{"bucket", now.bucket},
                           {"edges", now.edges},
                           {"epoch", now.epoch},
                           {"open_seconds", now.open},
                           {"append_seconds", now.append},
                           {"checkpoint_seconds", now.checkpoint},
                           {"close_seconds", now.close}});
      json value{{"store", given_.store.string()},
                 {"edges", edges_.size()},
                 {"edges_already_there", already_},
                 {"buckets", buckets},
                 {"fit", line ? json{{"seconds_per_edge", line->slope},
                                     {"seconds_fixed", line->intercept},
                                     {"r2", line->r2}}
                              : json(nullptr)},
                 {"kept", keeps_},
                 {"threads", given_.threads},
                 {"seconds", seconds}};
      if (is_kept_none()) value["why_not_kept"] = why_not_kept;
      tell_grown_store(value, given_.store, iterations_.size());
      print(value);
      return;
    }
    output out = output::standard();
    if (already_ != 0)
      out.write("went on        behind " + counted(already_, "edge", "edges") +
                " that an earlier command had added\n");
    out.write("appended       " + counted(edges_.size(), "edge", "edges") + " in " +
              counted(iterations_.size(), "bucket", "buckets") + ", " + in_seconds(seconds) + "\n");
    if (line)
      out.write("a bucket takes " + in_seconds(line->intercept) + " and " + in_seconds(line->slope * 1e6) +
                " a million edges more (r² " + two_digits(line->r2) + ")\n");
    if (is_kept_none()) out.write(std::string("kept           none: ") + why_not_kept + '\n');
    if (!iterations_.empty()) tell_grown_store(out, given_.store);
    out.finish();
  }

  const append_options& given_;
  bucket_kind kind_;
  interruption_watch interruption_;
  graph::vertex_names<std::allocator<std::byte>> read_names_;
  graph::names_to_number<graph::vertex_names<std::allocator<std::byte>>> namer_{read_names_};
  std::vector<graph_input> inputs_;
  growth_wanted wanted_;
  std::vector<timed_edge> edges_;
  std::vector<ingested_files::part> so_far_;  // of each input
  std::string recorded_;                      // what the graph has, as the store says
  std::string noted_;                         // the same with the bucket under way
  std::uint64_t already_ = 0;                 // edges left out, as an earlier command added them
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
  append.add_paths("FILE", given->files, "Graphs with times; '-' is standard input").required();
  append.add_text("--bucket", given->bucket, "Length of a bucket: month, week, day, or a number of seconds")
      .required();
  add_file_options(append, given->reading);
  append.add_flag("--undirected", given->undirected,
                  "Make an undirected graph. By default as the files say, else directed");
  append.add_flag("--directed", given->directed, "Make a directed graph");
  append.add_flag("--names", given->has_names, "Vertices have names, which are kept");
  append.add_flag("--again", given->again, "Add the edges of files that the graph has already once more");
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
  add_threads_option(append, given->threads);
  add_verify_option(append, given->verify);
  add_json_option(append, given->as_json);
  append.callback([given] {
    if (given->directed && given->undirected)
      throw usage_error("--directed and --undirected exclude each other");
    appending(*given).run();
  });
}

}  // namespace perdure::cli
