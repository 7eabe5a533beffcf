// Arcs of one vertex, those to the same other vertex as one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace perdure::graph::detail {

/// Orders ends of arcs (`target`, `weight`) by their targets, and adds up the weights of those with the same
/// one, the smallest weight first: so both rows of an edge come to the same sum. Returns how many are left,
/// at the beginning.
template <class End>
std::size_t merge_ends(std::span<End> ends) {
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
    return a.target != b.target ? a.target < b.target : a.weight < b.weight;
  });
  std::size_t kept = 0;
  for (const End& one : ends) {
    if (kept != 0 && ends[kept - 1].target == one.target) {
      ends[kept - 1].weight += one.weight;
    } else {
      ends[kept++] = one;
    }
  }
  return kept;
}

}  // namespace perdure::graph::detail
