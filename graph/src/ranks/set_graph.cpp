// Stores the rows of ranks as arrays, and makes rows for any number of ranks of them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <perdure/array/attribute_value.hpp>
#include <perdure/error.hpp>
#include <perdure/graph/detail/portion.hpp>
#include <perdure/graph/detail/rank_plan.hpp>
#include <perdure/graph/ranks/joint_call.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <span>
#include <utility>

#include "ranks/array_elements.hpp"
#include "ranks/joined_rows.hpp"
#include "ranks/numbered_rows.hpp"
#include "ranks/numbers_of_all.hpp"
#include "ranks/sound_rows.hpp"

namespace perdure::graph {
namespace {

using namespace detail;

constexpr std::string_view format_key = "graph of ranks";
constexpr std::uint64_t format = 1;
constexpr std::string_view order_key = "order";
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
  stored_parts(untyped_arrays& arrays, const std::string& name, int rank)
      : arrays_(arrays), name_(name), rank_(rank) {}

  template <class Value>
  void divided(const char* what, std::uint64_t all, std::uint64_t first, std::span<const Value> own) {
    const std::string id = name_ + what;
    arrays_.create(id, data_type_of<Value>(), {all}, {});
    write_elements(arrays_, id, {{first}, {own.size()}, {}}, own);
  }
  void pairs(const char* what, std::uint64_t all, std::uint64_t first,
             const std::vector<std::array<std::uint64_t, 2>>& own) {
    const std::string id = name_ + what;
    arrays_.create(id, data_type_of<std::uint64_t>(), {all, 2}, {});
    const std::uint64_t* const numbers = own.empty() ? nullptr : own.front().data();
    write_elements(arrays_, id, {{first, 0}, {own.size(), 2}, {}}, std::span(numbers, 2 * own.size()));
  }
  void whole(const std::string& what, const extents& dims, const std::vector<std::uint64_t>& values) {
    if (rank_ == 0)
      arrays_.store_whole(name_ + what, data_type_of<std::uint64_t>(),
                          const_untyped_view::row_major(values.data(), dims, sizeof(std::uint64_t)), {});
  }

 private:
  untyped_arrays& arrays_;
  const std::string& name_;
  int rank_;
};

/// The offsets of ghosts' rows. A lone rank has no plan.
std::span<const std::uint64_t> ghost_offsets_of(const rank_plan& plan) {
  static constexpr std::uint64_t none = 0;
  return plan.ghost_offsets.empty() ? std::span(&none, 1) : plan.ghost_offsets.span();
}

}  // namespace

part_bounds part_bounds::of(std::span<const std::uint64_t> lengths) {
  part_bounds bounds;
  for (std::vector<std::uint64_t>* const column : bounds.columns()) column->assign(1, 0);
  for (std::size_t first = 0; first < lengths.size(); first += columns_stored)
    for (std::size_t c = 0; c < columns_stored; ++c) {
      std::vector<std::uint64_t>& column = *bounds.columns()[c];
      column.push_back(column.back() + lengths[first + c]);
    }
  return bounds;
}

std::array<std::uint64_t, part_bounds::columns_stored> detail::lengths_of(const rank_graph& graph) {
  const rank_plan& plan = graph.plan();
  return {graph.arcs(), plan.ghosts.size(), plan.ghost_rows.size(), plan.seen.size(), plan.neighbours.size()};
}

void detail::store_graph_part(untyped_arrays& arrays, const std::string& name, const rank_graph& graph,
                              const stored_shape& shape) {
  const rank_plan& plan = graph.plan();
  part_bounds bounds = shape.bounds;
  const auto rank = static_cast<std::size_t>(graph.rank());
  const auto count = static_cast<std::uint64_t>(graph.ranks());
  const std::uint64_t first = graph.first();
  const std::uint64_t vertices = graph.vertices();
  stored_parts parts(arrays, name, graph.rank());
  parts.divided("/offsets", vertices + count, first + rank, graph.offsets());
  parts.divided("/neighbours", bounds.arcs.back(), bounds.arcs[rank], graph.targets());
  if (shape.has_weights) parts.divided("/weights", bounds.arcs.back(), bounds.arcs[rank], graph.weights());
  if (shape.has_ids) parts.divided("/ids", vertices, first, graph.ids());
  const std::uint64_t is_simple = graph.is_simple() ? 1 : 0;
  parts.divided("/is_simple", count, rank, std::span(&is_simple, 1));
  parts.divided("/ghosts", bounds.ghosts.back(), bounds.ghosts[rank], plan.ghosts.span());
  parts.divided("/ghost_offsets", bounds.ghosts.back() + count, bounds.ghosts[rank] + rank,
                ghost_offsets_of(plan));
  parts.divided("/ghost_rows", bounds.ghost_arcs.back(), bounds.ghost_arcs[rank], plan.ghost_rows.span());
  parts.divided("/seen", bounds.seen.back(), bounds.seen[rank], plan.seen.span());
  std::vector<std::array<std::uint64_t, 2>> partners;
  partners.reserve(plan.neighbours.size());
  for (const rank_plan::neighbour& one : plan.neighbours)
    partners.push_back({static_cast<std::uint64_t>(one.rank), one.seen.size()});
  parts.pairs("/partners", bounds.partners.back(), bounds.partners[rank], partners);
  std::vector<std::uint64_t> table;
  for (std::size_t row = 0; row <= count; ++row)
    for (const std::vector<std::uint64_t>* const column : bounds.columns()) table.push_back((*column)[row]);
  parts.whole("/part_bounds", {count + 1, bounds.columns().size()}, table);
  parts.whole(std::string(bounds_name), {count + 1}, graph.bounds());
  if (graph.rank() != 0) return;
  const std::string id = name + std::string(bounds_name);
  arrays.set_attribute(id, format_key, data_type_of<std::uint64_t>(), {},
                       std::as_bytes(std::span(&format, 1)));
  arrays.set_attribute(id, order_key, data_type(element_kind::text), {},
                       std::as_bytes(std::span(to_string(shape.order))));
}

namespace {

/// Collective. Creates and writes the arrays.
void write_rank_graph(untyped_arrays& arrays, const std::string& name, const rank_graph& graph,
                      rank_exchange& ranks, rank_order order) {
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(ranks.size()) * part_bounds::columns_stored);
  const auto own = lengths_of(graph);
  std::copy(own.begin(), own.end(), &lengths[static_cast<std::size_t>(ranks.rank()) * own.size()]);
  ranks.add_up(lengths);
  // A rank without arcs has no weights, and one without vertices no ids.
  std::uint64_t has[] = {graph.weights().empty() ? 0U : 1U, graph.ids().empty() ? 0U : 1U};
  ranks.add_up(has);
  joint_call(ranks, [&] {
    store_graph_part(arrays, name, graph, {part_bounds::of(lengths), has[0] != 0, has[1] != 0, order});
  });
}

}  // namespace

void store_rank_graph(untyped_arrays& arrays, const std::string& name, const rank_graph& graph,
                      rank_exchange& ranks, rank_order order) {
  require_part(graph, ranks);
  joint_call(ranks, [&] { require_new(arrays, name); });
  write_rank_graph(arrays, name, graph, ranks, order);
}

void replace_rank_graph(untyped_arrays& arrays, const set_graph& old, const rank_graph& graph,
                        rank_exchange& ranks, rank_order order) {
  require_part(graph, ranks);
  joint_call(ranks, [&] {
    for (const std::string& id : old.arrays()) arrays.erase(id);
  });
  write_rank_graph(arrays, old.name(), graph, ranks, order);
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

/// Returns how vertices are numbered. A graph without a word of it is one of an earlier version.
rank_order order_in(const untyped_arrays& arrays, const std::string& name) {
  const auto stored = arrays.attribute(name + std::string(bounds_name), order_key);
  if (!stored) return rank_order::none;
  for (const rank_order order : {rank_order::none, rank_order::hilbert, rank_order::louvain, rank_order::rcm})
    if (stored->bytes == to_string(order)) return order;
  throw error(errc::too_new, "the vertices of the graph \"" + name +
                                 "\" are in an order that this version does not know: " + stored->bytes);
}

[[noreturn]] void throw_damaged(const std::string& name, const char* what) {
  throw error(errc::damaged, "the graph \"" + name + "\" is damaged: " + what);
}

void require_bounds(const std::vector<std::uint64_t>& bounds, const std::string& name) {
  if (bounds.front() != 0 || !std::is_sorted(bounds.begin(), bounds.end()))
    throw_damaged(name, "its bounds are not in order");
}

/// Returns the first vertex of each part, and the number of all.
std::vector<std::uint64_t> bounds_in(const untyped_arrays& arrays, const std::string& name) {
  const std::string id = name + std::string(bounds_name);
  const extents dims = arrays.info(id).dims;
  // So many parts a set may have.
  if (dims.rank() != 1 || dims[0] < 2 || dims[0] > (std::uint64_t{1} << 31))
    throw_damaged(name, "its bounds are not those of parts");
  std::vector<std::uint64_t> bounds = read_elements<std::uint64_t>(arrays, id, {{0}, {dims[0]}, {}});
  require_bounds(bounds, name);
  return bounds;
}

part_bounds part_bounds_in(const untyped_arrays& arrays, const std::string& name, std::size_t rows) {
  part_bounds found;
  const auto columns = found.columns();
  const extents dims = arrays.info(name + "/part_bounds").dims;
  if (dims != extents{rows, columns.size()})
    throw_damaged(name, "its bounds are of different numbers of parts");
  const auto table = read_elements<std::uint64_t>(arrays, name + "/part_bounds", {{0, 0}, dims, {}});
  for (std::size_t i = 0; i < table.size(); ++i) columns[i % columns.size()]->push_back(table[i]);
  for (const std::vector<std::uint64_t>* const column : columns) require_bounds(*column, name);
  return found;
}

}  // namespace

set_graph::set_graph(std::shared_ptr<const untyped_arrays> arrays, const std::string& name)
    : arrays_(std::move(arrays)), name_(chosen(*arrays_, name)) {
  require_format(*arrays_, name_);
  order_ = order_in(*arrays_, name_);
  bounds_ = bounds_in(*arrays_, name_);
  part_bounds_ = part_bounds_in(*arrays_, name_, bounds_.size());
  for (std::size_t part = 0; part + 1 < bounds_.size(); ++part)
    if (bounds_[part + 1] - bounds_[part] > most_vertices)
      throw_damaged(name_, "a part has more vertices than it can number");
  const auto count = static_cast<std::uint64_t>(parts());
  require_length("/offsets", {vertices() + count});
  require_length("/neighbours", {arcs()});
  require_length("/is_simple", {count});
  require_length("/ghosts", {part_bounds_.ghosts.back()});
  require_length("/ghost_offsets", {part_bounds_.ghosts.back() + count});
  require_length("/ghost_rows", {part_bounds_.ghost_arcs.back()});
  require_length("/seen", {part_bounds_.seen.back()});
  require_length("/partners", {part_bounds_.partners.back(), 2});
  has_weights_ = arrays_->find(name_ + "/weights").has_value();
  if (has_weights_) require_length("/weights", {arcs()});
  has_ids_ = arrays_->find(name_ + "/ids").has_value();
  if (has_ids_) require_length("/ids", {vertices()});
}

std::vector<std::string> set_graph::arrays() const {
  std::vector<std::string> names;
  for (const char* const what : {"/bounds", "/part_bounds", "/is_simple", "/offsets", "/neighbours",
                                 "/ghosts", "/ghost_offsets", "/ghost_rows", "/partners", "/seen"})
    names.push_back(name_ + what);
  if (has_weights_) names.push_back(name_ + "/weights");
  if (has_ids_) names.push_back(name_ + "/ids");
  return names;
}

void set_graph::require_length(const char* what, const extents& dims) const {
  // Without what `info` counts in all parts.
  const auto found = arrays_->find(name_ + what);
  if (!found) throw error(errc::not_found, "the set has no array named \"" + name_ + what + '"');
  if (found->dims != dims)
    throw_damaged(name_, "an array has another number of elements than its bounds say");
}

/// Returns the first vertex before which there are so many arcs and vertices.
std::uint64_t set_graph::vertex_behind(std::uint64_t arcs_and_vertices) const {
  const auto before = [this](std::size_t part) { return bounds_[part] + part_bounds_.arcs[part]; };
  std::size_t part = 0;
  while (part + 1 < bounds_.size() && before(part + 1) < arcs_and_vertices) ++part;
  if (part + 1 == bounds_.size() || before(part) >= arcs_and_vertices) return bounds_[part];
  const std::uint64_t own = bounds_[part + 1] - bounds_[part];
  std::uint64_t first = 0;
  std::uint64_t end = own;
  while (first < end) {
    const std::uint64_t v = first + (end - first) / 2;
    const auto arcs =
        read_elements<std::uint64_t>(*arrays_, name_ + "/offsets", {{bounds_[part] + part + v}, {1}, {}});
    if (before(part) + v + arcs.front() < arcs_and_vertices) {
      first = v + 1;
    } else {
      end = v;
    }
  }
  return bounds_[part] + first;
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
    const std::uint64_t bound = vertex_behind(wanted);
    if (bound < bounds.back()) throw_damaged(name_, "its rows overlap, or are outside of a part's arcs");
    bounds.push_back(bound);
  }
  bounds.push_back(vertices());
  return bounds;
}

rank_graph set_graph::part(int part, int parts) const {
  if (parts < 1) throw error(errc::invalid_argument, "a graph is divided among one rank or more");
  return this->part(part, bounds_for(parts));
}

rank_graph set_graph::part(int part, const std::vector<std::uint64_t>& bounds) const {
  const int parts = static_cast<int>(bounds.size()) - 1;
  if (part < 0 || part >= parts)
    throw error(errc::invalid_argument, "a graph divided among " + std::to_string(parts) +
                                            (parts == 1 ? " rank" : " ranks") + " has no part " +
                                            std::to_string(part));
  if (bounds == bounds_) return stored_part(part);
  if (bounds.front() != 0 || bounds.back() != vertices() || !std::is_sorted(bounds.begin(), bounds.end()))
    throw error(errc::invalid_argument,
                "the bounds of a division do not ascend from 0 to the number of vertices");
  return divided_part(part, bounds);
}

rank_graph set_graph::stored_part(int part) const {
  const auto rank = static_cast<std::size_t>(part);
  const auto count = [rank](const std::vector<std::uint64_t>& bounds) {
    return bounds[rank + 1] - bounds[rank];
  };
  const auto elements = [&]<class Value>(held_span<Value>& to, const char* what, std::uint64_t first,
                                         std::uint64_t length) {
    to = elements_in_place<Value>(*arrays_, name_ + what, first, length);
  };
  rank_graph_parts found;
  rank_plan& plan = found.plan;
  plan.bounds = bounds_;
  plan.rank = part;
  const std::uint64_t own = count(bounds_);
  const std::uint64_t arcs = count(part_bounds_.arcs);
  const std::uint64_t ghosts = count(part_bounds_.ghosts);
  elements(found.offsets, "/offsets", bounds_[rank] + rank, own + 1);
  elements(found.targets, "/neighbours", part_bounds_.arcs[rank], arcs);
  if (has_weights_) elements(found.weights, "/weights", part_bounds_.arcs[rank], arcs);
  if (has_ids_) elements(found.ids, "/ids", bounds_[rank], own);
  found.is_simple = is_simple_part(rank);
  elements(plan.ghosts, "/ghosts", part_bounds_.ghosts[rank], ghosts);
  elements(plan.ghost_offsets, "/ghost_offsets", part_bounds_.ghosts[rank] + rank, ghosts + 1);
  elements(plan.ghost_rows, "/ghost_rows", part_bounds_.ghost_arcs[rank], count(part_bounds_.ghost_arcs));
  elements(plan.seen, "/seen", part_bounds_.seen[rank], count(part_bounds_.seen));

  const std::uint64_t partners = count(part_bounds_.partners);
  const auto pairs = read_elements<std::uint64_t>(*arrays_, name_ + "/partners",
                                                  {{part_bounds_.partners[rank], 0}, {partners, 2}, {}});
  std::size_t seen = 0;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const std::uint64_t before = plan.neighbours.empty() ? 0 : pairs[i - 2] + 1;
    if (pairs[i] < before || pairs[i] >= static_cast<std::uint64_t>(parts()) || pairs[i] == rank ||
        pairs[i + 1] > plan.seen.size() - seen)
      throw_damaged(name_, "its partners are not ranks of the graph, or see vertices that there are not");
    plan.neighbours.push_back({.rank = static_cast<int>(pairs[i]),
                               .seen = plan.seen.span().subspan(seen, pairs[i + 1]),
                               .first_ghost = 0,
                               .ghosts = 0});
    plan.find_ghosts(plan.neighbours.back());
    seen += pairs[i + 1];
  }
  require_rows(found.offsets.span(), arcs);
  require_rows(plan.ghost_offsets.span(), plan.ghost_rows.size());
  require_below(found.targets.span(), own + ghosts, "an arc leads to no vertex");
  require_below(plan.ghosts.span(), vertices(), "a ghost is no vertex");
  const auto require_ascending = [this](const auto& values, const char* fault) {
    if (std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) != values.end())
      throw_damaged(name_, fault);
  };
  require_ascending(plan.ghosts, "its ghosts are not in order");
  for (const rank_plan::neighbour& one : plan.neighbours)
    require_ascending(one.seen, "vertices that another rank sees are not in order");
  if (const auto at = std::lower_bound(plan.ghosts.begin(), plan.ghosts.end(), plan.first());
      at != plan.ghosts.end() && *at - plan.first() < own)
    throw_damaged(name_, "a ghost is a vertex of the rank itself");
  require_below(plan.ghost_rows.span(), own, "a ghost is next to no vertex");
  require_below(plan.seen.span(), own, "another rank sees a vertex that there is not");
  return rank_graph(std::move(found));
}

rank_graph set_graph::divided_part(int part, std::vector<std::uint64_t> bounds) const {
  const std::uint64_t first = bounds[static_cast<std::size_t>(part)];
  const std::uint64_t end = bounds[static_cast<std::size_t>(part) + 1];
  std::vector<std::uint64_t> offsets{0};
  offsets.reserve(end - first + 1);
  std::vector<part_rows> rows;
  std::vector<double> weights;
  std::vector<vertex_id> ids;
  bool is_simple = true;
  for (std::size_t old = 0; old + 1 < bounds_.size(); ++old) {
    const std::uint64_t begin = std::max(first, bounds_[old]);
    const std::uint64_t stop = std::min(end, bounds_[old + 1]);
    if (begin >= stop) continue;
    const auto elements = [&]<class Value>(Value, const char* what, std::uint64_t from, std::uint64_t count) {
      return elements_in_place<Value>(*arrays_, name_ + what, from, count);
    };
    const auto there = elements(std::uint64_t(), "/offsets", begin + old, stop - begin + 1);
    const std::uint64_t arcs = part_bounds_.arcs[old + 1] - part_bounds_.arcs[old];
    const std::uint64_t first_arc = there[0];
    const std::uint64_t last_arc = there[stop - begin];
    if (!std::is_sorted(there.begin(), there.end()) || last_arc > arcs)
      throw_damaged(name_, "its rows overlap, or are outside of a part's arcs");
    const std::uint64_t count = last_arc - first_arc;
    const std::uint64_t arc = part_bounds_.arcs[old] + first_arc;
    part_rows& piece = rows.emplace_back();
    piece.first = bounds_[old];
    piece.own = bounds_[old + 1] - bounds_[old];
    piece.ghosts = elements(vertex_id(), "/ghosts", part_bounds_.ghosts[old],
                            part_bounds_.ghosts[old + 1] - part_bounds_.ghosts[old]);
    piece.targets = elements(vertex_handle(), "/neighbours", arc, count);
    require_below(piece.ghosts.span(), vertices(), "a ghost is no vertex");
    require_below(piece.targets.span(), piece.places(), "an arc leads to no vertex");
    is_simple &= is_simple_part(old);
    const std::uint64_t before = offsets.back();
    for (std::uint64_t i = 1; i <= stop - begin; ++i) offsets.push_back(before + there[i] - first_arc);
    if (has_weights_) {
      const auto some = elements(double(), "/weights", arc, count);
      weights.insert(weights.end(), some.begin(), some.end());
    }
    if (has_ids_) {
      const auto some = elements(vertex_id(), "/ids", begin, stop - begin);
      ids.insert(ids.end(), some.begin(), some.end());
    }
  }
  rank_graph_parts made = joined_rows(std::move(bounds), part, std::move(offsets), rows);
  made.weights = std::move(weights);
  made.ids = std::move(ids);
  made.is_simple = is_simple || are_simple(made.offsets.span(), made.targets.span());
  return rank_graph(std::move(made));
}

bool set_graph::is_simple_part(std::size_t part) const {
  return read_elements<std::uint64_t>(*arrays_, name_ + "/is_simple", {{part}, {1}, {}}).front() == 1;
}

void set_graph::require_rows(std::span<const std::uint64_t> offsets, std::uint64_t arcs) const {
  if (offsets.front() != 0 || offsets.back() != arcs || !std::is_sorted(offsets.begin(), offsets.end()))
    throw_damaged(name_, "its rows overlap, or are outside of a part's arcs");
}

template <class Value>
void set_graph::require_below(std::span<const Value> values, std::uint64_t limit, const char* fault) const {
  if (values.empty()) return;
  Value largest = 0;
  for (const Value value : values) largest = std::max(largest, value);
  if (largest >= limit) throw_damaged(name_, fault);
}

}  // namespace perdure::graph
