// Reads and writes communities as arrays.
#include <perdure/data_type.hpp>
#include <perdure/error.hpp>
#include <perdure/graph/detail/portion.hpp>
#include <perdure/graph/ranks/stored_communities.hpp>
#include <perdure/graph/result_table.hpp>
#include <span>

namespace perdure::graph {

labels_by_id stored_communities(const untyped_arrays& arrays, const std::string& name, int part, int parts) {
  const array_info info = arrays.info(name);
  const data_type type = record_type({{.name = "id", .is_vertex = true}, {.name = "community"}});
  if (info.type != type || info.dims.rank() != 1)
    throw error(errc::wrong_type, "the array \"" + name +
                                      "\" holds no communities: give the name of one that 'louvain "
                                      "--store-as' has made");
  const auto all = static_cast<std::uint64_t>(parts);
  const std::uint64_t first = detail::portion(info.dims[0], static_cast<std::uint64_t>(part), all);
  const std::uint64_t count =
      detail::portion(info.dims[0], static_cast<std::uint64_t>(part) + 1, all) - first;
  std::vector<std::uint64_t> records(2 * count);
  if (count != 0)
    arrays.read(name, type, {{first}, {count}, {}},
                untyped_view::row_major(records.data(), {count}, type.size()));
  labels_by_id found;
  found.ids.reserve(count);
  found.labels.reserve(count);
  for (std::size_t i = 0; i < records.size(); i += 2) {
    found.ids.push_back(records[i]);
    found.labels.push_back(records[i + 1]);
  }
  return found;
}

void store_levels(untyped_arrays& arrays, const std::string& name,
                  const std::vector<community_level<vertex_id>>& levels, std::uint64_t first,
                  std::uint64_t vertices) {
  const data_type& type = data_type_of<vertex_id>();
  arrays.create(name, type, {levels.size(), vertices}, {.dimensions = {"level", "vertex"}});
  std::vector<vertex_id> labels;
  std::vector<double> modularity;
  for (const community_level<vertex_id>& level : levels) {
    labels.insert(labels.end(), level.labels.begin(), level.labels.end());
    modularity.push_back(level.modularity);
  }
  arrays.set_attribute(name, "modularity", data_type_of<double>(), {modularity.size()},
                       std::as_bytes(std::span(modularity)));
  if (labels.empty()) return;
  const slab where{{0, first}, {levels.size(), levels.front().labels.size()}, {}};
  arrays.write(name, type, where, const_untyped_view::row_major(labels.data(), where.count, type.size()));
}

}  // namespace perdure::graph
