// Opening, checkpointing and closing a set: what each rank does between one agreement and the next.
//
// A checkpoint, with what a crash of any rank right after each step leaves:
//
//     each rank   prepares its part ── votes ─┐                          the checkpoint before, on all
//     rank 0                                  └─ writes the manifest ─┐  the checkpoint before, or this one
//     each rank                                  decides on its part ─┘  this one, on all
//
// Whoever opens the set opens all parts with what the manifest says (store_options::last_decided).
#include "ranks/open_set.hpp"

#include <algorithm>
#include <perdure/error.hpp>
#include <utility>

#include "ranks/part_options.hpp"
#include "store/file/failure.hpp"
#include "store/file/super_block.hpp"

namespace perdure::detail {

namespace {

constexpr int most_looks = 20;  // for all parts at one checkpoint, beside a program that makes more of them

}  // namespace

open_set::open_set(std::unique_ptr<rank_group> group, set_options options)
    : group_(std::move(group)), options_(std::move(options)) {}

// ---- what others are told --------------------------------------------------------------------------------

void open_set::break_with(errc code, const std::string& why) noexcept {
  if (broken_) return;
  try {
    broken_.emplace(code, why);
  } catch (...) {
    broken_.emplace(code, "");
  }
}

// What fails there leaves the ranks at different places.
template <class Work>
void open_set::telling_if_it_breaks(Work&& work) {
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

outcome open_set::meet(const vote& own, const decider& decide) {
  outcome made;
  telling_if_it_breaks([&] { made = agree(*group_, own, decide); });
  if (made.is_last != 0) has_ended_ = true;
  return made;
}

std::vector<std::string> open_set::gather(const std::string& mine) {
  std::vector<std::string> all;
  telling_if_it_breaks([&] { all = group_->gather(mine); });
  return all;
}

void open_set::require_open() const {
  if (!is_open_) throw error(errc::invalid_argument, "this set of stores is closed: open it first");
}

void open_set::require_usable() const {
  require_open();
  if (broken_)
    throw error(broken_->code(),
                path().string() + " can only be closed and opened again: " + broken_->what());
}

void open_set::require_own_writable(const char* what) const {
  if (!is_read_only_) return;
  throw error(errc::read_only, path().string() + " is open for reading only: open it for writing to " + what);
}

void open_set::note_failure(const char* what) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    last_failure_ = what;
  } catch (...) {
    // Then the others hear less of it.
  }
}

// ---- opening ---------------------------------------------------------------------------------------------

void open_set::begin(mode how, const std::filesystem::path& given, const part_opener& opener) {
  is_read_only_ = how == mode::open_read_only;
  if (is_read_only_) return open_for_reading(given, opener);
  vote own = vote_for(*group_, how == mode::create ? step::create
                               : how == mode::open ? step::open
                                                   : step::open_or_create);
  told_set found;
  try {
    require_part_options(options_, true);
    directory_ = set_directory(given);
    if (rank() == 0) reporting("open the set", path(), [&] { find_set(how, found); });
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  const outcome made = meet(own, [&](const vote&, outcome& to) { tell(to, found); });
  require_counts(made);
  const told_set told = told_by(made);
  state_ = told.set;
  if (told.is_new) {
    create(opener);
  } else {
    open_for_writing(opener);
  }
  part_->core().make_checkpoints_joint();
  is_open_ = true;
  // Those that are there already count from the first checkpoint on.
  if (!require_part_of(part_->core(), state_, static_cast<std::uint32_t>(rank())).arrays.empty()) arrays();
}

// Of rank 0.
void open_set::find_set(mode how, told_set& found) {
  const auto is_missing = [this] {
    std::error_code none;
    return !std::filesystem::exists(path() / set_manifest::name, none);
  };
  if (how == mode::create || (how == mode::open_or_create && is_missing())) {
    const os::file directory = directory_.make();
    manifest_ = set_manifest::begin(directory);
    // Of an attempt that was not finished, which may have been one of more ranks.
    directory_.remove_left_over(0, 0);
    found = {{random_uuid(), 1, static_cast<std::uint32_t>(ranks()), 0, 0}, 0, 0, true};
    directory_.make_for_parts(1);
    return;
  }
  manifest_ = set_manifest::open(directory_.open());
  found.set = manifest_->now();
  if (found.set.ranks != static_cast<std::uint32_t>(ranks())) {
    throw error(errc::invalid_argument, path().string() + " is a set of " + std::to_string(found.set.ranks) +
                                            " ranks and is opened by " + std::to_string(ranks()) +
                                            ": run as many, open it for reading, or divide it anew "
                                            "(repartition)");
  }
  directory_.remove_left_over(found.set.number, found.set.ranks);
}

void open_set::create(const part_opener& opener) {
  vote own = vote_for(*group_, step::create_parts);
  const auto part = static_cast<std::uint32_t>(rank());
  try {
    reporting("create a part of", path(), [&] {
      const std::filesystem::path place =
          directory_.make_place_for_part(state_, part, options_.parts_directory);
      part_ = opener.open(mode::create, place, options_.store);
      make_part_record(part_->core(), state_, part);
      part_->core().checkpoint();
    });
    own.least_epoch.number = own.most_epoch.number = part_->core().store().epoch();
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  try {
    const outcome made = meet(own, [this](const vote& all, outcome& to) {
      if (all.least_epoch.number != all.most_epoch.number)
        throw error(errc::conflict, "new parts are at different checkpoints, which cannot be");
      set_state first = state_;
      first.epoch = all.least_epoch.number;
      reporting("create the set", path(), [&] { manifest_->publish(first); });
      tell(to, {first});
    });
    require_counts(made);
    state_ = told_by(made).set;
  } catch (...) {
    let_go();
    throw;
  }
}

void open_set::open_for_writing(const part_opener& opener) {
  vote own = vote_for(*group_, step::open_parts);
  const auto part = static_cast<std::uint32_t>(rank());
  try {
    reporting("open a part of", path(), [&] {
      store_options options = options_.store;
      options.last_decided = state_.epoch;
      part_ = opener.open(mode::open, directory_.part(state_.number, part), options);
      require_part_of(part_->core(), state_, part);
      require_epoch_of(part_->core(), state_, part);
    });
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  try {
    require_counts(meet(own, [](const vote&, outcome&) {}));
  } catch (...) {
    let_go();
    throw;
  }
}

void open_set::open_for_reading(const std::filesystem::path& given, const part_opener& opener) {
  for (int looks = 1;; ++looks) {
    vote own = vote_for(*group_, step::open_read_only);
    told_set found;
    try {
      require_part_options(options_, false);
      directory_ = set_directory(given);
      if (rank() == 0)
        reporting("open the set", path(), [&] { found.set = set_manifest::read(directory_.open()); });
    } catch (...) {
      turn_down(own, std::current_exception());
    }
    const outcome made = meet(own, [&](const vote&, outcome& to) { tell(to, found); });
    require_counts(made);
    state_ = told_by(made).set;
    try {
      if (look_at_parts(opener, looks == most_looks)) break;
    } catch (...) {
      let_go();
      throw;
    }
    part_.reset();
    group_->pause();
  }
  readers_.emplace(directory_, state_, options_.store);
  is_open_ = true;
}

// Each part by one rank. False where a program beside it makes checkpoints, and they are at different ones.
bool open_set::look_at_parts(const part_opener& opener, bool is_last_try) {
  vote own = vote_for(*group_, step::look_at_parts);
  std::uint64_t least = state_.epoch;
  std::uint64_t most = state_.epoch;
  const auto look = [&](manager_core& part, std::uint32_t which) {
    require_part_of(part, state_, which);
    if (is_last_try) require_epoch_of(part, state_, which);
    least = std::min(least, part.store().epoch());
    most = std::max(most, part.store().epoch());
  };
  try {
    reporting("open a part of", path(), [&] {
      const bool each_has_one = state_.ranks == static_cast<std::uint32_t>(ranks());
      for (auto part = static_cast<std::uint32_t>(rank()); part < state_.ranks;
           part += static_cast<std::uint32_t>(ranks())) {
        // Who needs it will say so.
        if (!each_has_one && !directory_.is_here(state_.number, part)) continue;
        store_options options = options_.store;
        options.last_decided = state_.epoch;
        if (each_has_one) {
          part_ = opener.open(mode::open_read_only, directory_.part(state_.number, part), options);
          look(part_->core(), part);
        } else {
          look(part_reader(directory_, state_, part, options).store(), part);
        }
      }
    });
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  own.least_epoch.number = least;
  own.most_epoch.number = most;
  const outcome made = meet(own, [this](const vote& all, outcome& to) {
    if (all.least_epoch.number != state_.epoch || all.most_epoch.number != state_.epoch)
      to.what = outcome::verdict::look_closer;
  });
  if (made.what == outcome::verdict::look_closer) return false;
  require_counts(made);
  return true;
}

std::unique_ptr<store_set> store_set::open(std::unique_ptr<rank_group> group, mode how,
                                           const std::filesystem::path& path, const set_options& options,
                                           const part_opener& opener) {
  auto set = std::make_unique<open_set>(std::move(group), options);
  set->begin(how, path, opener);
  return set;
}

// ---- what there is of it ---------------------------------------------------------------------------------

opened_part& open_set::own() const {
  require_open();
  if (part_) return *part_;
  throw error(errc::invalid_argument,
              path().string() + " has " + std::to_string(state_.ranks) + " parts and is open on " +
                  std::to_string(ranks()) +
                  " ranks, so none of them has one of its own: open parts one by one");
}

std::filesystem::path open_set::path_of_part(std::uint32_t part) const {
  require_open();
  if (part >= state_.ranks)
    throw error(errc::invalid_argument, path().string() + " has " + std::to_string(state_.ranks) +
                                            " parts, and none with the number " + std::to_string(part));
  return directory_.part(state_.number, part);
}

std::unique_ptr<opened_part> open_set::open_part(std::uint32_t part, const part_opener& opener) const {
  store_options options = options_.store;
  options.last_decided = state_.epoch;
  auto opened = opener.open(mode::open_read_only, path_of_part(part), options);
  require_part_of(opened->core(), state_, part);
  require_epoch_of(opened->core(), state_, part);
  return opened;
}

std::shared_ptr<untyped_arrays> open_set::arrays() {
  require_open();
  if (!arrays_) arrays_ = std::make_shared<rank_arrays>(*this);
  return arrays_;
}

std::shared_ptr<part_reader> open_set::read_part(std::uint32_t rank) {
  require_open();
  if (readers_) return readers_->get(rank);
  store_options options = options_.store;
  options.beside_writer = reader_beside_writer::hold_writer;
  return read_beside_its_rank(*group_, directory_, state_, rank, options);
}

// ---- checkpoints -----------------------------------------------------------------------------------------

void open_set::checkpoint(std::string_view label) {
  require_usable();
  require_own_writable("checkpoint it");
  make_checkpoint(step::checkpoint, step::checkpoint_after_a_look, label);
}

void open_set::make_checkpoint(step first, step after_a_look, std::string_view label) {
  vote own = vote_for(*group_, first);
  std::unique_ptr<prepared_checkpoint> prepared;
  try {
    if (not_written_) throw error(*not_written_);
    if (copy_ != nullptr && first == step::close)
      throw error(errc::invalid_argument, "a snapshot of the set is being made: finish it before closing");
    std::unique_lock<std::shared_mutex> unchanging;
    if (arrays_) {
      unchanging = arrays_->hold_changes();
      own.cover = arrays_->cover();
    }
    prepared = part_->core().prepare(label);
    own.least_epoch.number = own.most_epoch.number = prepared->epoch();
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
        count_checkpoint(all.least_epoch.number, to);
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
        count_checkpoint(all.least_epoch.number, to);
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
void open_set::count_checkpoint(std::uint64_t epoch, outcome& made) {
  set_state next = state_;
  next.epoch = epoch;
  std::exception_ptr failure;
  switch (manifest_->store(next, failure)) {
    case set_manifest::written::yes:
      return;
    case set_manifest::written::no:
      return turn_down(made, failure);
    case set_manifest::written::in_doubt:
      turn_down(made, errc::undecided,
                "the manifest of " + path().string() +
                    " could not be written, nor put back: nobody knows whether the checkpoint counts. Close "
                    "the set and open it again");
      made.what = outcome::verdict::in_doubt;
  }
}

void open_set::settle(prepared_checkpoint& prepared, const outcome& made) {
  switch (made.what) {
    case outcome::verdict::counts:
      break;
    case outcome::verdict::in_doubt:
      return prepared.leave();
    default:
      return prepared.abandon();
  }
  state_.epoch = prepared.epoch();
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

// ---- closing ---------------------------------------------------------------------------------------------

void open_set::let_go() noexcept {
  arrays_.reset();
  readers_.reset();
  part_.reset();
  manifest_.reset();
  if (copy_ != nullptr) copy_->orphan();
  copy_ = nullptr;
  is_open_ = false;
}

void open_set::close() {
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
  arrays_.reset();
  readers_.reset();
  part_.reset();
  try {
    meet(own, [](const vote&, outcome&) {});
  } catch (const error&) {
    // All is durable.
  }
  let_go();
}

void open_set::discard() noexcept {
  if (!is_open_) return;
  arrays_.reset();
  readers_.reset();
  part_.reset();
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

void open_set::give_up() noexcept {
  if (!is_open_) return;
  arrays_.reset();
  readers_.reset();
  part_.reset();
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

// ---- copies ----------------------------------------------------------------------------------------------

std::optional<set_destination> open_set::begin_copy(const std::filesystem::path& to, bool may_replace) {
  require_usable();
  vote own = vote_for(*group_, step::snapshot);
  std::optional<set_destination> destination;
  try {
    require_own_writable("take a snapshot of it, or copy it");
    if (not_written_) throw error(*not_written_);
    if (copy_ != nullptr)
      throw error(errc::invalid_argument, "another snapshot of the set is being made: finish that first");
    destination.emplace(to);
    if (rank() == 0)
      reporting("make a copy of the set in", to, [&] { destination->begin(state_, may_replace); });
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  const outcome made = meet(own, [&](const vote&, outcome& into) {
    tell(into, {state_, destination->number(), destination->replaced()});
  });
  if (made.is_last != 0) break_with(static_cast<errc>(made.code), why_not(made));
  require_counts(made);
  const told_set told = told_by(made);
  destination->follow(told.number, told.replaced);
  return destination;
}

void open_set::snapshot(const std::filesystem::path& to) {
  set_destination destination = *begin_copy(to, false);
  vote own = vote_for(*group_, step::copied);
  const auto part = static_cast<std::uint32_t>(rank());
  try {
    reporting("make a copy of the set in", to, [&] {
      part_->core().snapshot(destination.place(state_, part));
      destination.require_copied(state_, part);
    });
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  const outcome made = meet(own, [&](const vote&, outcome&) {
    reporting("make a copy of the set in", to, [&] { destination.publish(state_); });
  });
  if (made.is_last != 0) break_with(static_cast<errc>(made.code), why_not(made));
  require_counts(made);
}

std::unique_ptr<set_copy> open_set::snapshot_async(const std::filesystem::path& to) {
  set_destination destination = *begin_copy(to, true);
  const auto part = static_cast<std::uint32_t>(rank());
  // It keeps the checkpoint as it is: later ones are held up from the second on.
  std::shared_ptr<part_reader> reader;
  std::exception_ptr failure;
  try {
    store_options options = options_.store;
    options.beside_writer = reader_beside_writer::hold_writer;
    reader = std::make_shared<part_reader>(directory_, state_, part, options);
    reader->require_epoch(state_);
  } catch (const error& not_read) {
    reader.reset();
    // A pinned store cannot be mapped twice: it is copied before this returns.
    failure = std::current_exception();
    if (not_read.code() == errc::address_taken) {
      try {
        reporting("make a copy of the set in", to,
                  [&] { part_->core().snapshot(destination.place(state_, part)); });
        failure = nullptr;
      } catch (...) {
        failure = std::current_exception();
      }
    }
  }
  const set_state source = state_;
  auto copy = std::make_unique<running_copy>(
      *group_, [this](const vote& own, const decider& decide) { return meet(own, decide); },
      std::move(destination), source,
      [reader = std::move(reader), failure, source, part, to](const set_destination& into) {
        if (failure) std::rethrow_exception(failure);
        reporting("make a copy of the set in", to, [&] {
          if (reader) reader->store().store().snapshot(into.place(source, part));
          into.require_copied(source, part);
        });
      });
  copy_ = copy.get();
  copy->when_ended([this] { copy_ = nullptr; });
  return copy;
}

}  // namespace perdure::detail
