// Agreement of the ranks of a set: the same outcome on each of them.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <perdure/detail/rank_group.hpp>
#include <string>

namespace perdure::detail {

/// Which agreement of which call. Ranks that meet in different ones have called different things.
enum class step : std::uint64_t {
  none = 0,
  create,
  open,
  open_read_only,
  open_or_create,
  create_parts,
  open_parts,
  look_at_parts,
  checkpoint,
  checkpoint_after_a_look,
  close,
  close_after_a_look,
  closed,
  discard,
  snapshot,
  copy,
  copied,
  repartition,
  plan_division,
  repartitioned,
  old_parts_removed,
};
/// "makes a checkpoint".
const char* doing(step what) noexcept;

/// Returns the vote of this rank: for the step, or its failure.
vote vote_for(const rank_group& group, step what);
void turn_down(vote& own, errc code, const std::string& why) noexcept;
/// Turns the vote into one against, with the exception that is being thrown.
void turn_down(vote& own, const std::exception_ptr& failure) noexcept;

/// Decision of rank 0 when all votes are for it. It may do the one thing by which it counts, or turn it down;
/// what it throws turns it down.
using decider = std::function<void(const vote& all, outcome& made)>;

/// One reduction, and one broadcast of what rank 0 made of the votes. Throws what the group throws.
outcome agree(rank_group& group, const vote& own, const decider& decide);

/// The reason, for people.
std::string why_not(const outcome& made);
/// Throws what all ranks throw where it does not count.
void require_counts(const outcome& made);

/// Turns an outcome down on rank 0, with the reason.
void turn_down(outcome& made, errc code, const std::string& why) noexcept;
void turn_down(outcome& made, const std::exception_ptr& failure) noexcept;

}  // namespace perdure::detail
