// Opens a set: rank 0 reads or makes the manifest, then each rank opens or makes its part by what that says
// (store_options::last_decided).
#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/store_set.hpp>
#include <utility>

#include "ranks/opened_set.hpp"
#include "ranks/part_options.hpp"
#include "store/file/failure.hpp"
#include "store/file/super_block.hpp"

namespace perdure::detail {

namespace {

constexpr int most_looks = 20;  // for all parts at one checkpoint, beside a program that makes more of them

}  // namespace

void opened_set::begin(mode how, const std::filesystem::path& given, const part_opener& opener) {
  is_read_only_ = how == mode::open_read_only;
  if (is_read_only_) return open_for_reading(given, opener);
  vote own = vote_for(*group_, how == mode::create ? step::create
                               : how == mode::open ? step::open
                                                   : step::open_or_create);
  told_set found;
  try {
    require_part_options(options_, true);
    require_changeable_store(given);
    directory_ = set_directory(given);
    if (rank() == 0) store::reporting("open the set", path(), [&] { find_set(how, found); });
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
void opened_set::find_set(mode how, told_set& found) {
  const auto is_missing = [this] {
    std::error_code none;
    return !std::filesystem::exists(path() / set_manifest::name, none);
  };
  if (how == mode::create || (how == mode::open_or_create && is_missing())) {
    const os::file directory = directory_.make(options_.store.others_may_write);
    manifest_ = set_manifest::begin(directory);
    directory_.require_no_set_after(0);
    // Of an attempt that was not finished, which may have been one of more ranks.
    directory_.remove_left_over(0, 0);
    found = {{store::random_uuid(), 1, static_cast<std::uint32_t>(ranks()), 0, 0}, 0, 0, true};
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

void opened_set::create(const part_opener& opener) {
  vote own = vote_for(*group_, step::create_parts);
  const auto part = static_cast<std::uint32_t>(rank());
  try {
    store::reporting("create a part of", path(), [&] {
      const std::filesystem::path place =
          directory_.make_place_for_part(state_, part, options_.parts_directory);
      store_options options = options_.store;
      options.last_decided = 0;  // marks it as a part
      part_ = opener.open(mode::create, place, options);
      make_part_record(part_->core(), state_, part);
      part_->core().checkpoint();
    });
    own.least_epoch.number = own.most_epoch.number = part_->core().store().epoch();
    own.identities = part_->core().store().checkpoint_identity();
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  try {
    const outcome made = meet(own, [this](const vote& all, outcome& to) {
      if (all.least_epoch.number != all.most_epoch.number)
        throw error(errc::conflict, "new parts are at different checkpoints, which cannot be");
      set_state first = state_;
      first.epoch = all.least_epoch.number;
      first.identities = all.identities;
      tell(to, {first});
      if (options_.is_made_by_checkpoint) return;
      try {
        store::reporting("create the set", path(), [&] { manifest_->publish(first); });
      } catch (...) {
        turn_down_by_manifest(to, std::current_exception());
      }
    });
    require_counts(made);
    state_ = told_by(made).set;
  } catch (...) {
    let_go();
    throw;
  }
}

void opened_set::open_for_writing(const part_opener& opener) {
  vote own = vote_for(*group_, step::open_parts);
  const auto part = static_cast<std::uint32_t>(rank());
  try {
    store::reporting("open a part of", path(), [&] {
      store_options options = options_.store;
      options.last_decided = state_.epoch;
      part_ = opener.open(mode::open, directory_.part(state_.number, part), options);
      require_part_of(part_->core(), state_, part);
      require_epoch_of(part_->core(), state_, part);
    });
    own.identities = part_->core().store().checkpoint_identity();
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  try {
    require_counts(meet(own, [this](const vote& all, outcome&) { require_one_history(all); }));
  } catch (...) {
    let_go();
    throw;
  }
}

// Parts with the same number of checkpoints may still be of different times, if the set has been restored.
void opened_set::require_one_history(const vote& all) const {
  if (state_.identities == 0 || all.identities == state_.identities) return;
  throw error(errc::conflict,
              path().string() + " has a part that is at another checkpoint " + std::to_string(state_.epoch) +
                  " than the set: it comes from a copy, or is of another time; restore all of the set from "
                  "one snapshot");
}

void opened_set::open_for_reading(const std::filesystem::path& given, const part_opener& opener) {
  for (int looks = 1;; ++looks) {
    vote own = vote_for(*group_, step::open_read_only);
    told_set found;
    try {
      require_part_options(options_, false);
      directory_ = set_directory(resolve_set_name(given));
      if (rank() == 0)
        store::reporting("open the set", path(), [&] { found.set = set_manifest::read(directory_.open()); });
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

void opened_set::stage_part() {
  if (state_.ranks != static_cast<std::uint32_t>(ranks()))
    throw error(errc::invalid_argument,
                path().string() + " has " + std::to_string(state_.ranks) + " parts and is opened by " +
                    std::to_string(ranks()) +
                    " ranks, so none of them has a part of its own to stage: run as many, divide the set "
                    "(repartition), or do not stage it");
  const auto part = static_cast<std::uint32_t>(rank());
  const std::filesystem::path from = directory_.part(state_.number, part);
  const std::filesystem::path to = options_.stage_directory / from.filename();
  store::reporting("stage a part of the set in", options_.stage_directory, [&] {
    std::filesystem::remove_all(to);
    store_maintenance::stage_in(from, to);
  });
  directory_.read_copy(part, to);
}

// Each part by one rank. False where a program beside it makes checkpoints, and they are at different ones.
bool opened_set::look_at_parts(const part_opener& opener, bool is_last_try) {
  vote own = vote_for(*group_, step::look_at_parts);
  std::uint64_t least = state_.epoch;
  std::uint64_t most = state_.epoch;
  const auto look = [&](manager_core& part, std::uint32_t which) {
    require_part_of(part, state_, which);
    if (is_last_try) require_epoch_of(part, state_, which);
    least = std::min(least, part.store().epoch());
    most = std::max(most, part.store().epoch());
    own.identities += part.store().checkpoint_identity();
    ++own.parts;
  };
  const bool each_has_one = state_.ranks == static_cast<std::uint32_t>(ranks());
  try {
    if (!options_.stage_directory.empty()) stage_part();
    store::reporting("open a part of", path(), [&] {
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
    else if (all.parts == state_.ranks)
      require_one_history(all);
  });
  if (made.what == outcome::verdict::look_closer) return false;
  require_counts(made);
  return true;
}

std::unique_ptr<store_set> store_set::open(std::unique_ptr<rank_group> group, mode how,
                                           const std::filesystem::path& path, const set_options& options,
                                           const part_opener& opener) {
  auto set = std::make_unique<opened_set>(std::move(group), options);
  set->begin(how, path, opener);
  return set;
}

}  // namespace perdure::detail
