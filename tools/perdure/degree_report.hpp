// A report of the degrees of a graph.
#pragma once

#include <perdure/graph/degrees.hpp>
#include <string>

#include "command.hpp"

namespace perdure::cli {

/// `per_doubling`: bins of the distribution for each doubling of the degree.
json as_json(const graph::degree_distribution& degrees, unsigned per_doubling = 1);
/// A line with the largest, the mean and the median.
std::string in_words(const graph::degree_distribution& degrees);
/// Bars of how many vertices have how many neighbours.
std::string as_text(const graph::degree_distribution& degrees);

}  // namespace perdure::cli
