// A checkpoint of a set, with what a crash of any rank right after each step leaves:
//
//     each rank   prepares its part ── votes ─┐                          the checkpoint before, on all
//     rank 0                                  └─ writes the manifest ─┐  the checkpoint before, or this one
//     each rank                                  decides on its part ─┘  this one, on all
#include <perdure/error.hpp>
#include <utility>

#include "ranks/opened_set.hpp"
#include "store/file/failure.hpp"

namespace perdure::detail {

void opened_set::checkpoint(std::string_view label) {
  require_usable();
  require_own_writable("checkpoint it");
  make_checkpoint(step::checkpoint, step::checkpoint_after_a_look, label);
  if (keep_.last != 0 && !label.empty()) keep_checkpoint();
}

void opened_set::make_checkpoint(step first, step after_a_look, std::string_view label) {
  vote own = vote_for(*group_, first);
  std::unique_ptr<prepared_checkpoint> prepared;
  try {
    if (not_written_) throw error(*not_written_);
    if (copy_ != nullptr && first == step::close)
      throw error(errc::invalid_argument, "a snapshot of the set is being made: finish it before closing");
    if (keep_.last != 0 && !label.empty())
      require_room_to_keep(directory_, part_->core().store().path(), static_cast<std::uint32_t>(rank()),
                           keep_);
    std::unique_lock<std::shared_mutex> unchanging;
    if (arrays_) {
      arrays_->complete_stores();
      unchanging = arrays_->hold_changes();
      own.cover = arrays_->cover();
    }
    prepared = part_->core().prepare(label);
    own.least_epoch.number = own.most_epoch.number = prepared->epoch();
    own.identities = prepared->identity();
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  // From here on to the decision nothing touches the memory of the store.
  outcome made;
  bool has_looked = false;
  try {
    made = meet(own, [this](const vote& all, outcome& to) {
      if (all.least_epoch.number != all.most_epoch.number) {
        throw error(errc::conflict, "rank " + std::to_string(all.least_epoch.rank) +
                                        " would make checkpoint " + std::to_string(all.least_epoch.number) +
                                        " of its part and rank " + std::to_string(all.most_epoch.rank) +
                                        " checkpoint " + std::to_string(all.most_epoch.number) +
                                        ": one of them has been checkpointed alone");
      }
      if (!book_.is_known(all.cover)) {
        to.what = outcome::verdict::look_closer;
      } else {
        count_checkpoint(all, to);
      }
    });
    if (made.what == outcome::verdict::look_closer) {
      has_looked = true;
      vote again = own;
      again.least_step.number = again.most_step.number = static_cast<std::uint64_t>(after_a_look);
      std::string mine;
      try {
        if (arrays_) mine = arrays_->for_a_look();
        if (mine.size() > group_->most_gathered())
          throw error(errc::out_of_capacity,
                      "it has written so many parts of arrays since the last look at them that their places "
                      "do not fit in a message: write fewer and larger parts");
      } catch (...) {
        mine.clear();
        turn_down(again, std::current_exception());
      }
      const std::vector<std::string> all_of_them = gather(mine);
      made = meet(again, [&](const vote& all, outcome& to) {
        book_.look(all_of_them);
        count_checkpoint(all, to);
        if (to.what == outcome::verdict::counts) book_.remember(all.cover);
      });
    }
  } catch (...) {
    // Nobody here knows whether it counts: rank 0 may have decided.
    if (prepared) prepared->leave();
    throw;
  }
  if (prepared) settle(*prepared, made);
  if (made.what != outcome::verdict::counts) {
    if (made.is_last != 0 || made.what == outcome::verdict::in_doubt)
      break_with(static_cast<errc>(made.code), why_not(made));
    require_counts(made);
  }
  if (has_looked && arrays_) arrays_->looked_at();
}

// Of rank 0: this is what makes it count.
void opened_set::count_checkpoint(const vote& all, outcome& made) {
  set_state next = state_;
  next.epoch = all.least_epoch.number;
  next.identities = all.identities;
  if (manifest_->is_of_set_to_come()) return create_by_checkpoint(next, made);
  std::exception_ptr failure;
  switch (manifest_->store(next, failure)) {
    case set_manifest::written::yes:
      return;
    case set_manifest::written::no:
      return turn_down_by_manifest(made, failure);
    case set_manifest::written::in_doubt:
      turn_down(made, errc::undecided,
                (ranks() > 1 ? "rank 0: " : "") + ("the manifest of " + path().string()) +
                    " could not be written, nor put back: nobody knows whether the checkpoint counts. Close "
                    "the set and open it again");
      made.what = outcome::verdict::in_doubt;
  }
}

// A failure leaves no set; or nobody knows, as where a manifest cannot be put back.
void opened_set::create_by_checkpoint(const set_state& first, outcome& made) {
  try {
    store::reporting("create the set", path(), [&] { manifest_->publish(first); });
  } catch (...) {
    turn_down_by_manifest(made, std::current_exception());
    if (manifest_->is_of_set_to_come()) return;
    turn_down(made, errc::undecided,
              why_not(made) + ": nobody knows whether the set is there. Close it and open it again");
    made.what = outcome::verdict::in_doubt;
  }
}

// Rank 0 alone writes the manifest, on a device that may be no other rank's.
void opened_set::turn_down_by_manifest(outcome& made, const std::exception_ptr& failure) const noexcept {
  turn_down(made, failure);
  try {
    if (ranks() > 1) turn_down(made, static_cast<errc>(made.code), "rank 0: " + why_not(made));
  } catch (...) {
    // Then it is said without the rank.
  }
}

void opened_set::settle(prepared_checkpoint& prepared, const outcome& made) {
  switch (made.what) {
    case outcome::verdict::counts:
      break;
    case outcome::verdict::in_doubt:
      return prepared.leave();
    default:
      return prepared.abandon();
  }
  state_.epoch = prepared.epoch();
  if (manifest_) state_.identities = manifest_->now().identities;
  // The manifest has decided. That this part could not take it down is for the next call of all ranks.
  for (int tries = 0;; ++tries) {
    try {
      return prepared.decide();
    } catch (const std::exception& failure) {
      if (tries == 0) continue;
      not_written_.emplace(
          errc::io, part_->core().store().path().string() + " could not take down that checkpoint " +
                        std::to_string(prepared.epoch()) +
                        " counts, which it does: close the set and open it again (" + failure.what() + ')');
    }
    return prepared.leave();
  }
}

}  // namespace perdure::detail
