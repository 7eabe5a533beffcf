// The group of one process that opens a set without MPI.
#pragma once

#include <memory>
#include <perdure/detail/rank_group.hpp>

namespace perdure::detail {

/// Makes a group of one rank: its votes are the outcome.
std::unique_ptr<rank_group> make_lone_rank();

}  // namespace perdure::detail
