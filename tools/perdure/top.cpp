// perdure top: what the pager does in running processes.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <perdure/pager_monitor.hpp>
#include <thread>
#include <utility>

#include "command.hpp"
#include "terminal.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct top_options {
  std::uint64_t interval = 1;
  std::uint64_t count = 0;  // 0: until interrupted on a terminal, once elsewhere
  bool as_json = false;
};

constexpr const char* hint = "Processes are seen here that run with PERDURE_PAGER_PUBLISH=1.";

/// The time below which so much of the faults were answered: the upper bound of a power of two. Nothing
/// without faults.
std::optional<double> percentile(const std::array<std::uint64_t, 40>& latency, double share) {
  std::uint64_t all = 0;
  for (const std::uint64_t one : latency) all += one;
  if (all == 0) return std::nullopt;
  const double wanted = share * static_cast<double>(all);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < latency.size(); ++i) {
    seen += latency[i];
    if (static_cast<double>(seen) >= wanted) return static_cast<double>(std::uint64_t{2} << i) / 1e9;
  }
  return std::nullopt;
}

/// Changes of the counters between two readings, or since the region was mapped.
struct change {
  double seconds = 0;
  pager::statistics events;

  double rate(std::uint64_t pager::statistics::*counter) const {
    return seconds > 0 ? static_cast<double>(events.*counter) / seconds : 0;
  }
};

change since(const pager::published_region& now, const pager::published_region* before) {
  change made{now.seconds, now.statistics};
  // A process of the same number may be another one by now.
  if (before == nullptr || before->seconds >= now.seconds ||
      before->statistics.faults > now.statistics.faults)
    return made;
  made.seconds -= before->seconds;
  for (const pager::named_counter& one : pager::event_counters)
    made.events.*one.value -= before->statistics.*one.value;
  for (std::size_t i = 0; i < made.events.latency.size(); ++i)
    made.events.latency[i] -= before->statistics.latency[i];
  return made;
}

const char* name_of(pager::mode mode) {
  switch (mode) {
    case pager::mode::read_only:
      return "read_only";
    case pager::mode::private_copy:
      return "private_copy";
    case pager::mode::write_back:
      return "write_back";
  }
  return "unknown";
}

json latency_of(const std::array<std::uint64_t, 40>& latency) {
  json rows = json::array();
  for (std::size_t i = 0; i < latency.size(); ++i)
    if (latency[i] != 0) rows.push_back({{"nanoseconds", std::uint64_t{1} << i}, {"faults", latency[i]}});
  return rows;
}

json json_of(const pager::published_region& region, const change& made) {
  const pager::statistics& s = region.statistics;
  json row{{"id", region.id},
           {"file", region.file},
           {"mode", name_of(region.mode)},
           {"tier", pager::to_string(region.tier)},
           {"bytes", region.bytes},
           {"budget", region.budget},
           {"seconds", region.seconds},
           {"resident_bytes", s.resident_bytes},
           {"most_resident_bytes", s.most_resident_bytes}};
  for (const pager::named_counter& one : pager::event_counters) row[one.name] = s.*one.value;
  row["latency"] = latency_of(s.latency);
  using t = pager::statistics;
  json rates{{"seconds", made.seconds},
             {"faults_per_second", made.rate(&t::faults)},
             {"bytes_read_per_second", made.rate(&t::bytes_read)},
             {"bytes_written_per_second", made.rate(&t::bytes_written)},
             {"evictions_per_second", made.rate(&t::evictions)}};
  for (const auto& [name, share] : {std::pair("p50_seconds", 0.5), std::pair("p99_seconds", 0.99)}) {
    const auto time = percentile(made.events.latency, share);
    rates[name] = time ? json(*time) : json(nullptr);
  }
  row["lately"] = std::move(rates);
  return row;
}

/// Nothing that a terminal would obey.
std::string harmless(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

/// Its end, which tells files apart.
std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : "…" + text.substr(text.size() - most + 1);
}

std::string line_of(const pager::published_process& process, const pager::published_region& region,
                    const change& made) {
  using t = pager::statistics;
  const pager::statistics& s = region.statistics;
  const auto time = [&](double share) {
    const auto found = percentile(made.events.latency, share);
    if (!found) return std::string("-");
    return *found < 1e-3 ? "<" + std::to_string(static_cast<int>(*found * 1e6 + 1)) + "us"
                         : "<" + in_seconds(*found);
  };
  const std::uint64_t loads = made.events.loads;
  const std::string hot = loads == 0 ? "-" : std::to_string(100 * made.events.hot_loads / loads) + "%";
  char line[512];
  std::snprintf(line, sizeof line, "%7lld %-12.12s %9s %9s %9s %9s %10s %10s %9s %5s %9s %9s  ",
                static_cast<long long>(process.pid), harmless(process.command).c_str(),
                in_bytes(region.bytes).c_str(), in_bytes(region.budget).c_str(),
                in_bytes(s.resident_bytes).c_str(), per_second(made.rate(&t::faults)).c_str(),
                in_bytes(static_cast<std::uint64_t>(made.rate(&t::bytes_read))).c_str(),
                in_bytes(static_cast<std::uint64_t>(made.rate(&t::bytes_written))).c_str(),
                per_second(made.rate(&t::evictions)).c_str(), hot.c_str(), time(0.5).c_str(),
                time(0.99).c_str());
  return line + shortened(harmless(region.file), 60) + "\n";
}

std::string heading() {
  char line[512];
  std::snprintf(line, sizeof line, "%7s %-12s %9s %9s %9s %9s %10s %10s %9s %5s %9s %9s  %s\n", "PID",
                "COMMAND", "SIZE", "BUDGET", "IN MEMORY", "FAULTS/s", "READ/s", "WRITTEN/s", "EVICT/s", "HOT",
                "P50", "P99", "FILE");
  return line;
}

void show(const std::vector<pager::published_process>& now,
          const std::vector<pager::published_process>& before, const top_options& given, bool on_terminal) {
  std::map<std::pair<std::int64_t, std::uint64_t>, const pager::published_region*> known;
  for (const auto& process : before)
    for (const auto& region : process.regions) known[{process.pid, region.id}] = &region;
  const auto change_of = [&](const pager::published_process& process, const pager::published_region& region) {
    const auto found = known.find({process.pid, region.id});
    return since(region, found == known.end() ? nullptr : found->second);
  };
  if (given.as_json) {
    json processes = json::array();
    for (const auto& process : now) {
      json regions = json::array();
      for (const auto& region : process.regions)
        regions.push_back(json_of(region, change_of(process, region)));
      processes.push_back({{"pid", process.pid},
                           {"command", process.command},
                           {"age_seconds", process.age},
                           {"regions", std::move(regions)}});
    }
    return print({{"processes", std::move(processes)}});
  }
  output out = output::standard();
  // Home, the text, and nothing of what was there before. The last row stays empty: the cursor is there.
  if (on_terminal) out.write("\x1b[H\x1b[J");
  const terminal_size screen = size_of_terminal(STDOUT_FILENO);
  std::size_t rows = 1;
  const auto write_line = [&](const std::string& line) {
    if (!on_terminal) return out.write(line);
    if (++rows > screen.rows) return;
    out.write(cut_to(screen.columns, line));
    out.write("\n");
  };
  if (now.empty()) {
    write_line("No process publishes regions of the pager or paged stores.\n");
    write_line(std::string(hint) + '\n');
  } else {
    write_line(heading());
    for (const auto& process : now)
      for (const auto& region : process.regions)
        write_line(line_of(process, region, change_of(process, region)));
  }
  out.finish();
}

void show_processes(const top_options& given) {
  const bool on_terminal = !given.as_json && ::isatty(STDOUT_FILENO) != 0;
  const std::uint64_t count = given.count != 0 ? given.count : on_terminal ? ~std::uint64_t{0} : 1;
  std::optional<key_watch> keys;
  if (on_terminal && count != 1) keys.emplace();
  const std::chrono::seconds interval(given.interval);
  std::vector<pager::published_process> before;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i != 0) {
      if (!keys) {
        std::this_thread::sleep_for(interval);
      } else if (keys->is_over_within(interval)) {
        break;
      }
    }
    std::vector<pager::published_process> now = pager::published();
    show(now, before, given, keys.has_value());
    before = std::move(now);
  }
  if (!keys) return;
  keys.reset();
  if (const int signal = interruption_watch::signal(); signal != 0) end_by(signal);
}

}  // namespace

void add_top_command(command program) {
  auto given = std::make_shared<top_options>();
  command top = program.add_command(
      "top", "Show what the pager does in running processes: again and again on a terminal, once elsewhere");
  top.footer(
      std::string(hint) +
      "\nOn a terminal q or Ctrl-C ends it, and lines are cut at the terminal's width.\nWhat is shown first "
      "is the mean since a region was mapped, then what happened since the last "
      "look. P50 and P99: half, and 99 % of the touches that brought pages in took less. HOT: loads of "
      "pages that were missed soon after they had left.");
  top.add_number("--interval", 1, 3600, "Seconds between looks",
                 [given](std::uint64_t n) { given->interval = n; })
      .default_text("1");
  top.add_number("--count", 1, 1'000'000'000, "Number of looks",
                 [given](std::uint64_t n) { given->count = n; });
  add_json_option(top, given->as_json);
  top.example("--interval 5", "Look every five seconds");
  top.example("--count 1 --json", "Look once, for a script");
  top.callback([given] { show_processes(*given); });
}

}  // namespace perdure::cli
