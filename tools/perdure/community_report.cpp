#include "community_report.hpp"

#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {

json findings_of(const graph::community_summary& summary) {
  return {{"communities", summary.communities},
          {"largest", summary.largest},
          {"modularity", summary.modularity},
          {"iterations", summary.iterations}};
}

void write_communities(output& out, const graph::community_summary& summary, const std::string& times,
                       std::uint64_t vertices, const std::optional<given_communities>& from) {
  if (from)
    out.write("from           the communities " + printable_name(from->array) + " of " +
              counted(from->found.matched, "vertex", "vertices") + "; " +
              grouped(vertices - from->found.matched) + " new, " + grouped(from->found.left) + " missing\n");
  out.write("communities    " + grouped(summary.communities) + " " + times + "\n");
  out.write("modularity     " + std::to_string(summary.modularity) + ", after " +
            counted(summary.iterations, "iteration", "iterations") + "\n");
  out.write("largest        " + grouped(summary.largest) + " of " + counted(vertices, "vertex", "vertices") +
            "\n");
}

}  // namespace perdure::cli
