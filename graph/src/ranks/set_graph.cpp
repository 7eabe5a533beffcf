// Stores the rows of ranks as arrays, and makes rows for any number of ranks of them.
#include <algorithm>
#include <perdure/array/attribute_value.hpp>
#include <perdure/error.hpp>
#include <perdure/graph/detail/portion.hpp>
#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <utility>

#include "ranks/array_elements.hpp"
#include "ranks/numbers_of_all.hpp"

namespace perdure::graph {
namespace {

using namespace detail;

constexpr std::string_view format_key = "graph of ranks";
constexpr std::uint64_t format = 1;
constexpr std::string_view bounds_name = "/bounds";

void require_new(const untyped_arrays& arrays, const std::string& name) {
  if (!is_array_name(name + std::string(bounds_name)))
    throw error(errc::invalid_argument, '"' + name +
                                            "\" is no name for a graph: 1 to 4000 bytes, with single "
                                            "slashes between its parts");
  const std::vector<std::string> there = arrays.list(name);
  if (!there.empty())
    throw error(errc::already_exists,
                "the set has an array \"" + there.front() + "\" already: choose another name for the graph");
}

/// Arrays that ranks divide, and those that rank 0 has whole.
class stored_parts {
 public:
  stored_parts(untyped_arrays& arrays, const std::string& name, rank_exchange& ranks)
      : arrays_(arrays), name_(name), ranks_(ranks) {}

  template <class Value>
  void divided(const char* what, std::uint64_t all, std::uint64_t first, const std::vector<Value>& own) {
    const std::string id = name_ + what;
    arrays_.create(id, data_type_of<Value>(), {all}, {});
    write_elements<Value>(arrays_, id, first, own);
  }
  void whole(const std::string& what, const std::vector<std::uint64_t>& values) {
    if (ranks_.rank() == 0)
      arrays_.store_whole(
          name_ + what, data_type_of<std::uint64_t>(),
          const_untyped_view::row_major(values.data(), {values.size()}, sizeof(std::uint64_t)), {});
  }

 private:
  untyped_arrays& arrays_;
  const std::string& name_;
  rank_exchange& ranks_;
};

}  // namespace

void store_rank_graph(untyped_arrays& arrays, const std::string& name, const rank_graph& graph,
                      rank_exchange& ranks) {
  joint_call(ranks, [&] { require_new(arrays, name); });
  std::vector<vertex_handle> local;
  const rank_rows& rows = graph.rows;
  const rank_plan plan = joint_call(
      ranks, [&] { return rank_plan::of(rows.bounds, ranks.rank(), rows.offsets, rows.targets, local); });
  const std::vector<std::uint64_t> arc_bounds = sums_before(local.size(), ranks);
  const std::vector<std::uint64_t> ghost_bounds = sums_before(plan.ghosts.size(), ranks);
  // A rank without arcs has no weights, and one without vertices no ids.
  std::uint64_t has[] = {rows.weights.empty() ? 0U : 1U, graph.ids.empty() ? 0U : 1U};
  ranks.add_up(has);
  joint_call(ranks, [&] {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const std::uint64_t vertices = rows.bounds.back();
    stored_parts parts(arrays, name, ranks);
    parts.divided("/offsets", vertices + static_cast<std::uint64_t>(ranks.size()), rows.bounds[rank] + rank,
                  rows.offsets);
    parts.divided("/neighbours", arc_bounds.back(), arc_bounds[rank], local);
    if (has[0] != 0) parts.divided("/weights", arc_bounds.back(), arc_bounds[rank], rows.weights);
    parts.divided("/ghosts", ghost_bounds.back(), ghost_bounds[rank], plan.ghosts);
    if (has[1] != 0) parts.divided("/ids", vertices, rows.bounds[rank], graph.ids);
    parts.whole("/arc_bounds", arc_bounds);
    parts.whole("/ghost_bounds", ghost_bounds);
    parts.whole(std::string(bounds_name), rows.bounds);
    if (ranks.rank() == 0)
      arrays.set_attribute(name + std::string(bounds_name), format_key, data_type_of<std::uint64_t>(), {},
                           std::as_bytes(std::span(&format, 1)));
  });
}

std::vector<std::string> graphs_of_ranks_in(const untyped_arrays& arrays) {
  std::vector<std::string> names;
  for (const std::string& id : arrays.list({}))
    if (id.ends_with(bounds_name) && arrays.attribute(id, format_key))
      names.push_back(id.substr(0, id.size() - bounds_name.size()));
  return names;
}

namespace {

std::string chosen(const untyped_arrays& arrays, const std::string& wanted) {
  if (!wanted.empty()) {
    const std::string id = wanted + std::string(bounds_name);
    if (arrays.find(id) && arrays.attribute(id, format_key)) return wanted;
    throw error(errc::not_found, arrays.path().string() + " has no graph named \"" + wanted + '"');
  }
  const std::vector<std::string> names = graphs_of_ranks_in(arrays);
  if (names.size() == 1) return names.front();
  if (names.empty()) throw error(errc::not_found, arrays.path().string() + " has no graph");
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  throw error(errc::invalid_argument,
              arrays.path().string() + " has several graphs (" + list + "): name one");
}

void require_format(const untyped_arrays& arrays, const std::string& name) {
  const std::string id = name + std::string(bounds_name);
  const auto stored = arrays.attribute(id, format_key);
  std::uint64_t found = 0;
  if (stored && stored->type == data_type_of<std::uint64_t>() && stored->bytes.size() == sizeof found)
    std::copy_n(stored->bytes.data(), sizeof found, reinterpret_cast<char*>(&found));
  if (found > format)
    throw error(errc::too_new, "the graph \"" + name + "\" has format " + std::to_string(found) +
                                   ", and this version reads " + std::to_string(format));
  if (found != format) throw error(errc::damaged, "the graph \"" + name + "\" has no known format");
}

[[noreturn]] void throw_damaged(const std::string& name, const char* what) {
  throw error(errc::damaged, "the graph \"" + name + "\" is damaged: " + what);
}

/// Bounds of parts: ascending from 0.
std::vector<std::uint64_t> bounds_in(const untyped_arrays& arrays, const std::string& name,
                                     const std::string& what) {
  const extents dims = arrays.info(name + what).dims;
  // So many parts a set may have.
  if (dims.rank() != 1 || dims[0] < 2 || dims[0] > (std::uint64_t{1} << 31))
    throw_damaged(name, "its bounds are not those of parts");
  std::vector<std::uint64_t> bounds = read_elements<std::uint64_t>(arrays, name + what, 0, dims[0]);
  if (bounds.front() != 0 || !std::is_sorted(bounds.begin(), bounds.end()))
    throw_damaged(name, "its bounds are not in order");
  return bounds;
}

}  // namespace

set_graph::set_graph(std::shared_ptr<const untyped_arrays> arrays, const std::string& name)
    : arrays_(std::move(arrays)), name_(chosen(*arrays_, name)) {
  require_format(*arrays_, name_);
  bounds_ = bounds_in(*arrays_, name_, std::string(bounds_name));
  arc_bounds_ = bounds_in(*arrays_, name_, "/arc_bounds");
  ghost_bounds_ = bounds_in(*arrays_, name_, "/ghost_bounds");
  if (arc_bounds_.size() != bounds_.size() || ghost_bounds_.size() != bounds_.size())
    throw_damaged(name_, "its bounds are of different numbers of parts");
  for (std::size_t part = 0; part + 1 < bounds_.size(); ++part)
    if (bounds_[part + 1] - bounds_[part] > most_vertices)
      throw_damaged(name_, "a part has more vertices than it can number");
  require_length("/offsets", vertices() + static_cast<std::uint64_t>(parts()));
  require_length("/neighbours", arcs());
  require_length("/ghosts", ghost_bounds_.back());
  has_weights_ = arrays_->find(name_ + "/weights").has_value();
  if (has_weights_) require_length("/weights", arcs());
  has_ids_ = arrays_->find(name_ + "/ids").has_value();
  if (has_ids_) require_length("/ids", vertices());
}

void set_graph::require_length(const char* what, std::uint64_t length) const {
  const extents dims = arrays_->info(name_ + what).dims;
  if (dims.rank() != 1 || dims[0] != length)
    throw_damaged(name_, "an array has another number of elements than its bounds say");
}

/// Returns the first vertex before which there are so many arcs and vertices.
std::uint64_t set_graph::vertex_behind(std::uint64_t arcs_and_vertices) const {
  const auto before = [this](std::size_t part) { return bounds_[part] + arc_bounds_[part]; };
  std::size_t part = 0;
  while (part + 1 < bounds_.size() && before(part + 1) < arcs_and_vertices) ++part;
  if (part + 1 == bounds_.size() || before(part) >= arcs_and_vertices) return bounds_[part];
  const std::uint64_t own = bounds_[part + 1] - bounds_[part];
  const auto offsets =
      read_elements<std::uint64_t>(*arrays_, name_ + "/offsets", bounds_[part] + part, own + 1);
  std::uint64_t v = 0;
  while (v < own && before(part) + v + offsets[v] < arcs_and_vertices) ++v;
  return bounds_[part] + v;
}

std::vector<std::uint64_t> set_graph::bounds_for(int parts) const {
  if (parts < 1) throw error(errc::invalid_argument, "a graph is divided among one rank or more");
  if (parts == this->parts()) return bounds_;
  // The same ones as `bounds_by_arcs` finds.
  const std::uint64_t all = vertices() + arcs();
  std::vector<std::uint64_t> bounds{0};
  for (int rank = 1; rank < parts; ++rank) {
    const std::uint64_t wanted =
        portion(all, static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(parts));
    bounds.push_back(vertex_behind(wanted));
  }
  bounds.push_back(vertices());
  return bounds;
}

rank_graph set_graph::part(int part, int parts) const {
  rank_graph made;
  made.rows.bounds = bounds_for(parts);
  const std::uint64_t first = made.rows.bounds[static_cast<std::size_t>(part)];
  const std::uint64_t end = made.rows.bounds[static_cast<std::size_t>(part) + 1];
  made.rows.offsets.assign(1, 0);
  for (std::size_t old = 0; old + 1 < bounds_.size(); ++old) {
    const std::uint64_t begin = std::max(first, bounds_[old]);
    const std::uint64_t stop = std::min(end, bounds_[old + 1]);
    if (begin >= stop) continue;
    const std::vector<std::uint64_t> offsets =
        read_elements<std::uint64_t>(*arrays_, name_ + "/offsets", begin + old, stop - begin + 1);
    const std::uint64_t arcs = arc_bounds_[old + 1] - arc_bounds_[old];
    if (!std::is_sorted(offsets.begin(), offsets.end()) || offsets.back() > arcs)
      throw_damaged(name_, "its rows overlap, or are outside of a part's arcs");
    const std::uint64_t count = offsets.back() - offsets.front();
    const std::uint64_t arc = arc_bounds_[old] + offsets.front();
    const auto local = read_elements<vertex_handle>(*arrays_, name_ + "/neighbours", arc, count);
    const auto ghosts = read_elements<vertex_id>(*arrays_, name_ + "/ghosts", ghost_bounds_[old],
                                                 ghost_bounds_[old + 1] - ghost_bounds_[old]);
    const std::uint64_t own = bounds_[old + 1] - bounds_[old];
    if (!ghosts.empty() && *std::max_element(ghosts.begin(), ghosts.end()) >= vertices())
      throw_damaged(name_, "a ghost is no vertex");
    made.rows.targets.reserve(made.rows.targets.size() + count);
    for (const vertex_handle v : local) {
      if (v >= own + ghosts.size()) throw_damaged(name_, "an arc leads to no vertex");
      made.rows.targets.push_back(v < own ? bounds_[old] + v : ghosts[v - own]);
    }
    const std::uint64_t before = made.rows.offsets.back();
    for (std::size_t i = 1; i < offsets.size(); ++i)
      made.rows.offsets.push_back(before + offsets[i] - offsets.front());
    if (has_weights_) {
      const auto weights = read_elements<double>(*arrays_, name_ + "/weights", arc, count);
      made.rows.weights.insert(made.rows.weights.end(), weights.begin(), weights.end());
    }
    if (has_ids_) {
      const auto ids = read_elements<vertex_id>(*arrays_, name_ + "/ids", begin, stop - begin);
      made.ids.insert(made.ids.end(), ids.begin(), ids.end());
    }
  }
  return made;
}

}  // namespace perdure::graph
