// An opened set: its messages to the other ranks, what it consists of, and its closing.
#include "ranks/opened_set.hpp"

#include <perdure/error.hpp>
#include <utility>

namespace perdure::detail {

opened_set::opened_set(std::unique_ptr<rank_group> group, set_options options)
    : group_(std::move(group)),
      options_(std::move(options)),
      keep_{options_.store.keep_last, options_.store.keep_full_copies} {
  // The set keeps checkpoints, and no part alone.
  options_.store.keep_last = 0;
}

// ---- what others are told --------------------------------------------------------------------------------

void opened_set::break_with(errc code, const std::string& why) noexcept {
  if (broken_) return;
  try {
    broken_.emplace(code, why);
  } catch (...) {
    broken_.emplace(code, "");
  }
}

// What fails there leaves the ranks at different places.
template <class Work>
void opened_set::telling_if_it_breaks(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const error& failure) {
    break_with(failure.code(), failure.what());
  } catch (...) {
    break_with(errc::io, "messages between its ranks failed");
  }
  has_ended_ = true;
  throw error(*broken_);
}

outcome opened_set::meet(const vote& own, const decider& decide) {
  outcome made;
  telling_if_it_breaks([&] { made = agree(*group_, own, decide); });
  if (made.is_last != 0) has_ended_ = true;
  return made;
}

std::vector<std::string> opened_set::gather(const std::string& mine) {
  std::vector<std::string> all;
  telling_if_it_breaks([&] { all = group_->gather(mine); });
  return all;
}

void opened_set::require_open() const {
  if (!is_open_) throw error(errc::invalid_argument, "this set of stores is closed: open it first");
}

void opened_set::require_usable() const {
  require_open();
  if (broken_)
    throw error(broken_->code(),
                path().string() + " can only be closed and opened again: " + broken_->what());
}

void opened_set::require_own_writable(const char* what) const {
  if (!is_read_only_) return;
  throw error(errc::read_only, path().string() + " is open for reading only: open it for writing to " + what);
}

void opened_set::note_failure(const char* what) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    last_failure_ = what;
  } catch (...) {
    // Then the others hear less of it.
  }
}

// ---- what there is of it ---------------------------------------------------------------------------------

opened_part& opened_set::own() const {
  require_open();
  if (part_) return *part_;
  throw error(errc::invalid_argument,
              path().string() + " has " + std::to_string(state_.ranks) + " parts and is open on " +
                  std::to_string(ranks()) +
                  " ranks, so none of them has one of its own: open parts one by one");
}

std::filesystem::path opened_set::path_of_part(std::uint32_t part) const {
  require_open();
  if (part >= state_.ranks)
    throw error(errc::invalid_argument, path().string() + " has " + std::to_string(state_.ranks) +
                                            " parts, and none with the number " + std::to_string(part));
  return directory_.part(state_.number, part);
}

std::unique_ptr<opened_part> opened_set::open_part(std::uint32_t part, const part_opener& opener) const {
  store_options options = options_.store;
  options.last_decided = state_.epoch;
  auto opened = opener.open(mode::open_read_only, path_of_part(part), options);
  require_part_of(opened->core(), state_, part);
  require_epoch_of(opened->core(), state_, part);
  return opened;
}

std::shared_ptr<untyped_arrays> opened_set::arrays() {
  require_open();
  if (!arrays_) arrays_ = std::make_shared<rank_arrays>(*this);
  return arrays_;
}

std::shared_ptr<part_reader> opened_set::read_part(std::uint32_t rank) {
  require_open();
  if (readers_) return readers_->get(rank);
  store_options options = options_.store;
  options.beside_writer = reader_beside_writer::hold_writer;
  return read_beside_its_rank(*group_, directory_, state_, rank, options);
}

// ---- closing ---------------------------------------------------------------------------------------------

void opened_set::close_part() noexcept {
  if (arrays_) arrays_->finish_stores();
  arrays_.reset();
  readers_.reset();
  part_.reset();
}

void opened_set::let_go() noexcept {
  close_part();
  manifest_.reset();
  if (copy_ != nullptr) copy_->orphan();
  copy_ = nullptr;
  is_open_ = false;
}

void opened_set::close() {
  if (!is_open_) return;
  if (broken_ || has_ended_) {
    const error why = broken_ ? error(broken_->code(),
                                      path().string() + " is closed without a checkpoint: " + broken_->what())
                              : error(errc::rank_failed, "another rank has closed " + path().string());
    let_go();
    throw why;
  }
  if (!is_read_only_) {
    make_checkpoint(step::close, step::close_after_a_look, {});
  }
  // Who opens the set next, on any rank, must not find it open on another.
  vote own = vote_for(*group_, step::closed);
  own.has_left = 1;
  close_part();
  try {
    meet(own, [](const vote&, outcome&) {});
  } catch (const error&) {
    // All is durable.
  }
  let_go();
}

void opened_set::discard() noexcept {
  if (!is_open_) return;
  close_part();
  if (!has_ended_) {
    try {
      vote own = vote_for(*group_, step::discard);
      own.has_left = 1;
      meet(own, [](const vote&, outcome&) {});
    } catch (...) {
      // Then the others have been waited for long enough.
    }
  }
  let_go();
}

void opened_set::give_up() noexcept {
  if (!is_open_) return;
  close_part();
  if (!has_ended_) {
    try {
      std::string why = "it has given up: an exception ended its part of " + path().string();
      {
        const std::scoped_lock lock(mutex_);
        if (!last_failure_.empty()) why += " (its last error: " + last_failure_ + ')';
      }
      vote own = vote_for(*group_, step::none);
      own.has_left = 1;
      turn_down(own, errc::rank_failed, why);
      meet(own, [](const vote&, outcome&) {});
    } catch (...) {
      // Then the others have been waited for long enough.
    }
  }
  let_go();
}

}  // namespace perdure::detail
