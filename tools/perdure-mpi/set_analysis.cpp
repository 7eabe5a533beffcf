#include "set_analysis.hpp"

#include <numeric>
#include <optional>

#include "result_array.hpp"
#include "type_names.hpp"

namespace perdure::cli {

command add_set_command(command graph_command, const std::string& name, const std::string& description,
                        const std::string& columns, set_options& given) {
  command added = graph_command.add_command(name, description);
  given.command = name;
  added.add_path("SET", given.set, "The directory of the set of stores").required();
  added.add_text("--graph", given.graph, "The graph's name in the set, where there are several");
  added.add_flag("--repartition", given.divides_anew,
                 "Divide the graph anew, for this run only, where the set has another number of parts than "
                 "there are ranks");
  added.add_size("--budget", given.budget,
                 "Have no more than this of a rank's part in memory at once, as 4GiB; for graphs larger than "
                 "memory, by as many ranks as the set has parts");
  if (!columns.empty())
    added.add_path("-o,--output", given.output,
                   "Write a line for each vertex, ordered by id, with tabs between: " + columns +
                       "; with commas to a name in .csv, as an array of NumPy to one in .npy; '-' is "
                       "standard output");
  if (!columns.empty())
    added.add_text(
        "--store-as", given.store_as,
        "Keep what --output writes in the set, as an array of this name; needs as many ranks as the "
        "set has parts");
  add_stage_option(added, given.stage,
                   "Copy each rank's part to this directory on a fast device of its machine first, and work "
                   "there; needs as many ranks as the set has parts");
  add_rank_threads_option(added, given.threads);
  add_json_option(added, given.as_json);
  return added;
}

void add_verify_option(command target, set_options& given) {
  target.add_flag("--verify", given.is_checked,
                  "Check the answer by a plain computation of rank 0, which reads the whole graph");
}

namespace {

const set_options& checked(const set_options& given) {
  if (given.as_json && given.output == "-")
    throw usage_error("--json and --output - would both write to standard output: give --output a file");
  if (given.budget != 0 && given.divides_anew)
    throw usage_error(
        "--budget is for parts that are used where they lie, and --repartition reads them into memory: leave "
        "one of them out");
  if (!given.store_as.empty() && given.divides_anew)
    throw usage_error(
        "--store-as keeps values where the set has its vertices: leave --repartition out, or divide the set "
        "for good first (perdure-mpi graph repartition)");
  return given;
}

}  // namespace

set_analysis::set_analysis(job& run, const set_options& given)
    : run_(run),
      given_(checked(given)),
      opened_(run, given.set, given.graph,
              {.divides_anew = given.divides_anew,
               .to_write = !given.store_as.empty(),
               .budget = given.budget,
               .stage = given.stage}),
      sent_(run.ranks()) {}

std::vector<graph::vertex_id> set_analysis::own_ids() const {
  const graph::rank_graph& own = part();
  std::vector<graph::vertex_id> ids(own.ids().begin(), own.ids().end());
  if (!ids.empty()) return ids;
  ids.resize(own.size());
  std::iota(ids.begin(), ids.end(), own.first());
  return ids;
}

void set_analysis::keep_levels(std::vector<graph::community_level<graph::vertex_id>> levels) {
  if (levels.empty()) return;
  // In the same order as lines.
  vertex_lines lines{own_ids(), {}};
  for (std::size_t v = 0; v < lines.ids.size(); ++v)
    for (const auto& level : levels) lines.values.push_back(level.labels[v]);
  graph::order_by_id(ranks(), lines.ids, lines.values, levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    levels[i].labels.resize(lines.ids.size());
    for (std::size_t v = 0; v < lines.ids.size(); ++v)
      levels[i].labels[v] = lines.values[v * levels.size() + i];
  }
  levels_ = std::move(levels);
}

void set_analysis::write_lines(const char* first, const std::vector<graph::result_column>& columns,
                               vertex_lines lines) {
  begin_progress_stage("gathering values");
  graph::order_by_id(ranks(), lines.ids, lines.values, columns.size());
  std::vector<graph::result_column> all{{.name = first, .is_vertex = true}};
  all.insert(all.end(), columns.begin(), columns.end());
  if (!given_.store_as.empty()) store(all, lines);
  if (given_.output.empty()) return;
  std::optional<output> out;
  std::optional<graph::result_table> file;
  // The other ranks do not hear that the reader of rank 0's output has gone, and go on as if it were there.
  const auto while_read = [this](auto&& write) {
    if (!run_.is_first() || is_reader_gone_) return;
    try {
      write();
    } catch (const reader_gone&) {
      is_reader_gone_ = true;
    }
  };
  graph::joint_call(ranks(), [&] {
    while_read([&] {
      out.emplace(output::to(given_.output));
      file.emplace(graph::table_format_of(given_.output), all,
                   [&out](std::string_view text) { out->write(text); });
    });
  });
  graph::gather_values(ranks(), lines.ids, lines.values, columns.size(),
                       [&](std::span<const graph::vertex_id> ids, std::span<const std::uint64_t> values) {
                         while_read([&] {
                           for (std::size_t i = 0; i < ids.size(); ++i)
                             file->line_of(ids[i], values.subspan(i * columns.size(), columns.size()));
                         });
                       });
  graph::joint_call(ranks(), [&] {
    while_read([&] {
      file->finish();
      out->finish();
    });
  });
}

void set_analysis::store(const std::vector<graph::result_column>& columns, const vertex_lines& lines) {
  const stopwatch watch;
  begin_progress_stage("storing values");
  mpi::array_store& set = opened_.to_write_to(run_);
  try {
    write_array(set, columns, lines);
    set.checkpoint();
  } catch (...) {
    // Else closing would make a checkpoint of what is there.
    set.discard();
    throw;
  }
  store_seconds_ = run_.longest("store_seconds", watch.seconds());
}

void set_analysis::write_array(mpi::array_store& set, const std::vector<graph::result_column>& columns,
                               const vertex_lines& lines) {
  const std::vector<std::uint64_t> counts = ranks().gather(lines.ids.size());
  const auto before = counts.begin() + ranks().rank();
  graph::joint_call(ranks(), [&] {
    const data_type type = graph::record_type(columns);
    const auto& arrays = set.untyped();
    require_result_name(*arrays, given_.store_as);
    arrays->erase(given_.store_as);
    erase_levels(*arrays, given_.store_as);
    arrays->create(given_.store_as, type, {std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})},
                   {});
    const std::string command = "perdure-mpi graph " + given_.command;
    if (run_.is_first()) mark_result(*arrays, given_.store_as, command, opened_.stored.name());
    const std::uint64_t first = std::accumulate(counts.begin(), before, std::uint64_t{0});
    if (!levels_.empty()) {
      graph::store_levels(*arrays, levels_of(given_.store_as), levels_, first, vertices());
      if (run_.is_first()) mark_result(*arrays, levels_of(given_.store_as), command, opened_.stored.name());
    }
    if (lines.ids.empty()) return;
    const std::size_t values = columns.size() - 1;
    std::vector<std::uint64_t> records;
    for (std::size_t i = 0; i < lines.ids.size(); ++i) {
      records.push_back(lines.ids[i]);
      const auto* const of_it = lines.values.data() + i * values;
      records.insert(records.end(), of_it, of_it + values);
    }
    const slab where{{first}, {lines.ids.size()}, {}};
    arrays->write(given_.store_as, type, where,
                  const_untyped_view::row_major(records.data(), where.count, type.size()));
  });
}

std::string set_analysis::times() const {
  return "in " + in_seconds(seconds_) + " (" +
         counted(static_cast<std::uint64_t>(ranks().size()), "rank", "ranks") + ", " +
         counted(given_.threads, "thread", "threads") + " each)";
}

void set_analysis::report(const json& findings, const std::function<void(output&)>& write) {
  const json table = table_of_ranks(run_, part(), columns_, sent_);
  if (!given_.store_as.empty()) opened_.end_writing();
  if (is_reader_gone_) throw reader_gone();
  if (!run_.is_first() || given_.output == "-") return;
  if (given_.as_json) {
    json all{{"store", given_.set.string()}, {"graph", opened_.stored.name()}};
    all.update(findings);
    if (!given_.store_as.empty())
      all.update({{"stored_as", given_.store_as}, {"store_seconds", store_seconds_}});
    all.update({{"vertices", vertices()},
                {"threads", given_.threads},
                {"attach_seconds", opened_.seconds},
                {"index_seconds", 0},  // rows need none
                {"seconds", seconds_},
                {"ranks", ranks().size()},
                {"parts", opened_.stored.parts()},
                {"by_rank", table}});
    if (given_.is_checked) all["is_right"] = is_right_;
    print(all);
    return;
  }
  output out = output::standard();
  out.write("re-attached    in " + in_seconds(opened_.seconds) + "\n");
  write(out);
  if (!given_.store_as.empty())
    out.write("stored         as the array " + given_.store_as + " in " + in_seconds(store_seconds_) + "\n");
  if (is_right_) out.write("checked        the answer is right\n");
  out.write(text_of_ranks(table));
  out.finish();
}

}  // namespace perdure::cli
