// Which rows of a CSR have additions, and where those are.
#include <algorithm>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/graph/patched_csr.hpp>

#include "base/invariant.hpp"

namespace perdure::graph {
namespace detail {

row_table::row_table(std::span<const vertex_row> stored, const row_group& more, std::size_t first_new,
                     std::size_t vertices)
    : words_(vertices / 64 + 1) {
  const auto mark = [this](std::size_t v) { words_[v / 64].bits |= std::uint64_t{1} << (v % 64); };
  for (const vertex_row& one : stored) mark(one.vertex);
  for (const vertex_handle v : more.vertices) mark(v);
  for (std::size_t v = first_new; v < vertices; ++v) mark(v);
  std::uint64_t count = 0;
  for (added_rows::word& one : words_) {
    one.before = count;
    count += static_cast<std::uint64_t>(std::popcount(one.bits));
  }
  rows_.resize(count);
  for (const vertex_row& one : stored) at(one.vertex) = one.row;

  // Pointers into arrays: their lengths are known before anything is put there.
  std::size_t arcs = more.targets.size();
  for (const vertex_handle v : more.vertices) arcs += at(v).size;
  targets_.reserve(arcs);
  if (!more.weights.empty()) weights_.reserve(arcs);
  for (std::size_t i = 0; i < more.vertices.size(); ++i) {
    added_row& row = at(more.vertices[i]);
    const auto begin = static_cast<std::ptrdiff_t>(more.begin_of(i));
    const auto end = static_cast<std::ptrdiff_t>(more.ends[i]);
    const auto append = [&](auto& to, const auto* had, const auto& gets) {
      const std::size_t first = to.size();
      to.insert(to.end(), had, had + row.size);
      to.insert(to.end(), gets.begin() + begin, gets.begin() + end);
      return to.data() + first;
    };
    added_row joined;
    joined.targets = append(targets_, row.targets, more.targets);
    if (!more.weights.empty()) joined.weights = append(weights_, row.weights, more.weights);
    joined.size = row.size + static_cast<std::size_t>(end - begin);
    row = joined;
  }
  PERDURE_INVARIANT(targets_.size() == arcs);
}

}  // namespace detail

std::vector<vertex_handle> patched_csr_view::in_id_order() const {
  const std::vector<vertex_handle> old_order = base_.in_id_order();
  std::vector<vertex_handle> new_order(added_.size());
  std::iota(new_order.begin(), new_order.end(), static_cast<vertex_handle>(base_.size()));
  const auto before = [this](vertex_handle a, vertex_handle b) { return id(a) < id(b); };
  std::sort(new_order.begin(), new_order.end(), before);
  std::vector<vertex_handle> order(size());
  std::merge(old_order.begin(), old_order.end(), new_order.begin(), new_order.end(), order.begin(), before);
  return order;
}

bool patched_csr_view::ids_are_numbers() const noexcept {
  if (!base_.ids.empty()) return false;
  for (std::size_t i = 0; i < added_.size(); ++i)
    if (added_[i] != base_.size() + i) return false;
  return true;
}

void patched_csr::throw_other_base() {
  throw error(errc::invalid_argument, "the patch belongs to another CSR than this one");
}

void patched_csr::join(const csr_view& base, detail::delta_rows more) {
  const std::size_t stored = base.size() + stored_ids_.size();
  const std::size_t vertices = stored + more.added.size();
  tables_.reserve(2);
  tables_.emplace_back(stored_out_, more.out, base.size(), vertices);
  view_.out_ = tables_.back().view();
  if (detail::keeps_incoming(base)) {
    tables_.emplace_back(stored_in_, more.in, base.size(), vertices);
    view_.in_ = tables_.back().view();
  }
  // They are in the tables now.
  stored_out_ = {};
  stored_in_ = {};
  new_ids_ = std::move(more.added);
  view_.added_ = stored_ids_;
  if (!new_ids_.empty()) {
    ids_.reserve(vertices - base.size());
    ids_.assign(stored_ids_.begin(), stored_ids_.end());
    ids_.insert(ids_.end(), new_ids_.begin(), new_ids_.end());
    view_.added_ = ids_;
  }
  find_added_ = [this, stored](vertex_id id) {
    const auto at = std::lower_bound(new_ids_.begin(), new_ids_.end(), id);
    if (at != new_ids_.end() && *at == id)
      return static_cast<vertex_handle>(stored + static_cast<std::size_t>(at - new_ids_.begin()));
    return find_stored_ ? find_stored_(id) : no_vertex;
  };
  view_.find_added_ = &find_added_;
  view_.base_ = base;
  view_.arcs_ += base.arcs() + more.out.targets.size();
  view_.has_incoming_ = detail::keeps_incoming(base);
}

}  // namespace perdure::graph
