// The parts of every analysis: options, timing, checking, writing.
#include "graph_analysis.hpp"

#include <algorithm>
#include <optional>
#include <perdure/array_store.hpp>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/stored_communities.hpp>

#include "graph_options.hpp"
#include "result_array.hpp"
#include "type_names.hpp"

namespace perdure::cli {
command add_analysis_command(command graph_command, const std::string& name, const std::string& description,
                             const std::string& columns, analysis_options& given) {
  command added = graph_command.add_command(name, description);
  given.command = name;
  added.add_path("STORE", given.store, store_to_read).required();
  add_graph_options(added, given.graph, given.budget);
  added.add_path("-o,--output", given.output,
                 "Write a line for each vertex, ordered by id, with tabs between: " + columns +
                     "; with commas to a name in .csv, as an array of NumPy to one in .npy; '-' is standard "
                     "output");
  added.add_text(
      "--store-as", given.store_as,
      "Keep what --output writes in the store, as an array of this name, in the place of an earlier "
      "one that --store-as has made");
  add_threads_option(added, given.threads);
  added
      .add_number("--trials", 1, 1'000'000, "Do it N times and tell the median time",
                  [&given](std::uint64_t n) { given.trials = static_cast<unsigned>(n); })
      .default_text("1");
  added.add_flag("--check,--verify", given.is_checked,
                 "Check the answer by a plain computation, which may take long");
  add_verify_option(added, given.verify, "--verify-store");
  add_wait_option(added);
  add_json_option(added, given.as_json);
  return added;
}

void add_vertex_option(command target, const std::string& option_name, std::string& vertex,
                       const std::string& description) {
  target
      .add_text(option_name, vertex,
                description + ", as the input calls it: its name or, if there is none so called, its id")
      .required();
}

void require_own_output(const char* option, const std::filesystem::path& file, bool as_json) {
  if (as_json && file == "-")
    throw usage_error(std::string("--json and ") + option + " - would both write to standard output: give " +
                      option + " a file");
}

analysis::analysis(const analysis_options& given)
    : given_(checked(given)),
      attached_(given.store, given.graph, settings_for(given.verify, given.budget),
                given.store_as.empty() ? attached_for::reading : attached_for::writing) {
  if (given.store_as.empty()) return;
  require_result_name(*attached_.arrays().untyped(), given.store_as);
}

const analysis_options& analysis::checked(const analysis_options& given) {
  require_own_output("--output", given.output, given.as_json);
  return given;
}

void analysis::require_rows(const std::string& option) const {
  const graph::stored_graph& graph = attached_.graph();
  if (graph.list() == nullptr || graph.frozen() == graph::frozen_state::fresh) return;
  throw error(errc::invalid_argument,
              given_.store.string() + ": " + option + " needs the graph as a CSR, and " +
                  (graph.frozen() == graph::frozen_state::stale ? "its frozen form is stale"
                                                                : "it is only an adjacency list") +
                  ": bring it up to date with 'perdure graph freeze'");
}

graph::vertex_id analysis::id_of(const std::string& called) const {
  if (const std::optional<graph::vertex_id> id = attached_.graph().id_of(called)) return *id;
  if (attached_.graph().names() != nullptr) throw_no_vertex(called);
  throw usage_error(
      "vertex " + printable_name(called) +
      ": give a number from 0 to 18446744073709551615; the vertices of this graph have no names");
}

void analysis::throw_no_vertex(const std::string& called) {
  throw error(errc::not_found, "vertex " + printable_name(called) + " is not in the graph");
}

void analysis::add_names(json& findings, const char* key, const json& ids) const {
  if (attached_.graph().names() == nullptr) return;
  json& names = findings[key] = json::array();
  for (const json& id : ids) names.push_back(attached_.graph().name_of(id.get<graph::vertex_id>()));
}

void analysis::check(const std::function<std::optional<std::string>()>& verify) {
  if (!given_.is_checked) return;
  begin_progress_stage("checking the answer");
  if (const std::optional<std::string> wrong = verify())
    throw error(errc::damaged, given_.store.string() + ": the answer is wrong: " + *wrong);
  is_right_ = true;
}

void analysis::store_records(const data_type& type, const std::string& records) {
  const array_store all = attached_.arrays();
  untyped_arrays& arrays = *all.untyped();
  const extents lines{records.size() / type.size()};
  const std::string command = "perdure graph " + given_.command;
  arrays.store_whole(given_.store_as, type, const_untyped_view::row_major(records.data(), lines, type.size()),
                     {.replaces_any = true});
  mark_result(arrays, given_.store_as, command, attached_.graph().name());
  erase_levels(arrays, given_.store_as);
  if (!levels_.empty()) {
    graph::store_levels(arrays, levels_of(given_.store_as), levels_, 0, lines[0]);
    mark_result(arrays, levels_of(given_.store_as), command, attached_.graph().name());
  }
  begin_progress_stage("writing the checkpoint");
  attached_.store().checkpoint();
}

double analysis::seconds() const {
  std::vector<double> sorted = trial_seconds_;
  std::sort(sorted.begin(), sorted.end());
  return sorted.empty() ? 0 : sorted[sorted.size() / 2];
}

std::string analysis::times(const std::string& kernel) const {
  const std::string by = counted(given_.threads, "thread", "threads") +
                         (given_.trials > 1 ? ", median of " + grouped(given_.trials) : "");
  if (index_seconds_ == 0) return "in " + in_seconds(seconds()) + " (" + by + ")";
  return "in " + in_seconds(index_seconds_ + seconds()) + " (index " + in_seconds(index_seconds_) + ", " +
         kernel + " " + in_seconds(seconds()) + ", " + by + ")";
}

void analysis::report(const json& findings, const std::function<void(output&)>& write) const {
  if (wrote_to_standard_output_) return;
  if (given_.as_json) {
    json all{{"store", given_.store.string()}, {"graph", attached_.graph().name()}};
    if (const auto frozen = attached_.graph().frozen(); frozen != graph::frozen_state::none)
      all["frozen"] = frozen == graph::frozen_state::fresh ? "fresh" : "stale";
    all.update(findings);
    if (!given_.store_as.empty()) all["stored_as"] = given_.store_as;
    all.update({{"vertices", vertices_},
                {"threads", given_.threads},
                {"attach_seconds", attached_.seconds()},
                {"index_seconds", index_seconds_},
                {"seconds", seconds()}});
    if (given_.trials > 1) all["trial_seconds"] = trial_seconds_;
    if (given_.is_checked) all["is_right"] = is_right_;
    print(all);
    return;
  }
  output out = output::standard();
  out.write("re-attached    in " + in_seconds(attached_.seconds()) + "\n");
  if (attached_.graph().frozen() == graph::frozen_state::stale)
    out.write("frozen         stale, so the list was used; 'perdure graph freeze' brings it up to date\n");
  write(out);
  if (!given_.store_as.empty())
    out.write("stored         as the array " + printable_name(given_.store_as) + "\n");
  if (is_right_) out.write("checked        the answer is right\n");
  out.finish();
}

void analysis::report(json findings, const ranking& ranked, const std::function<void(output&)>& write) const {
  json& top = findings["top"] = json::array();
  for (const graph::ranked_vertex& v : ranked.top) {
    json one{{"id", v.id}};
    add_name(one, "name", v.id);
    one[ranked.key] = v.value;
    top.push_back(std::move(one));
  }
  report(findings, [&](output& out) {
    write(out);
    std::string label = ranked.label;
    label.resize(15, ' ');
    for (const graph::ranked_vertex& v : ranked.top)
      out.write(label + std::to_string(v.value) + "  vertex " + printable_name(name_of(v.id)) + "\n");
  });
}

}  // namespace perdure::cli
