// Copies of sets: every rank makes its parts, then the manifest is given its name, or names the new parts.
#include "ranks/set_destination.hpp"

#include <chrono>
#include <cstring>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
#include <string>
#include <system_error>

#include "store/file/kept_name.hpp"

namespace perdure::detail {

void set_destination::begin(const set_state& source, bool may_replace) {
  const std::filesystem::path& root = directory_.root();
  store::require_no_kept_name(root);
  const bool is_there = std::filesystem::exists(root / set_manifest::name);
  if (is_there && may_replace) {
    manifest_ = set_manifest::open(directory_.open());
    const set_state& before = manifest_->now();
    if (before.uuid != source.uuid)
      throw error(errc::already_exists, root.string() + " holds another set, no earlier copy of this one");
    directory_.require_no_set_after(before.number);
    directory_.remove_left_over(before.number, before.ranks);
    replaced_ = before.number;
    number_ = before.number + 1;
  } else {
    manifest_ = set_manifest::begin(directory_.make());
    directory_.require_no_set_after(0);
    directory_.remove_left_over(0, 0);
    number_ = 1;
  }
  directory_.make_for_parts(number_);
}

std::filesystem::path set_destination::place(const set_state& source, std::uint32_t part) const {
  set_state copied = source;
  copied.number = number_;
  return directory_.make_place_for_part(copied, part, {});
}

void set_destination::require_copied(const set_state& source, std::uint32_t part) const {
  const store_info info = store_maintenance::inspect(directory_.part(number_, part));
  // What is prepared and not decided on in a copy is decided on by its manifest, as in the source.
  const bool is_at_it =
      info.epoch == source.epoch || (info.undecided_epoch == source.epoch && info.epoch + 1 == source.epoch);
  if (is_at_it) return;
  throw error(errc::conflict, "part " + std::to_string(part) + " was at checkpoint " +
                                  std::to_string(info.epoch) + " when it was copied, and the set at " +
                                  std::to_string(source.epoch) +
                                  ": a program has made a checkpoint meanwhile; copy the set again");
}

void set_destination::publish(const set_state& source) {
  set_state copied = source;
  copied.number = number_;
  if (replaced_ == 0) return manifest_->publish(copied);
  std::exception_ptr failure;
  switch (manifest_->store(copied, failure)) {
    case set_manifest::written::yes:
      return;
    case set_manifest::written::no:
      std::rethrow_exception(failure);
    case set_manifest::written::in_doubt:
      break;
  }
  throw error(errc::undecided, directory_.root().string() +
                                   " is the earlier copy still, or the new one: its manifest could not be "
                                   "written, nor put back. Open it to see");
}

void set_destination::remove_replaced(const set_state& source, int rank, int ranks) const noexcept {
  if (replaced_ == 0) return;
  for (auto part = static_cast<std::uint32_t>(rank); part < source.ranks;
       part += static_cast<std::uint32_t>(ranks))
    directory_.remove_part(replaced_, part);
  std::error_code is_not_empty;
  std::filesystem::remove(directory_.of_parts(replaced_), is_not_empty);
}

namespace {

struct payload {
  store::layout::uuid_bytes uuid;
  std::uint64_t number;
  std::uint64_t epoch;
  std::uint64_t epochs_before;
  std::uint64_t identities;
  std::uint32_t ranks;
  std::uint32_t is_new;
  std::uint64_t destination;
  std::uint64_t replaced;
};
static_assert(sizeof(payload) == sizeof(outcome::payload));

}  // namespace

void tell(outcome& made, const told_set& what) noexcept {
  const payload told{what.set.uuid,          what.set.number,     what.set.epoch,
                     what.set.epochs_before, what.set.identities, what.set.ranks,
                     what.is_new ? 1u : 0u,  what.number,         what.replaced};
  std::memcpy(made.payload.data(), &told, sizeof told);
}

told_set told_by(const outcome& made) noexcept {
  payload told;
  std::memcpy(&told, made.payload.data(), sizeof told);
  return {{told.uuid, told.number, told.ranks, told.epoch, told.epochs_before, told.identities},
          told.destination,
          told.replaced,
          told.is_new != 0};
}

running_copy::running_copy(rank_group& group, agreeing agree, set_destination destination,
                           const set_state& source, std::function<void(const set_destination&)> work)
    : group_(&group), agree_(std::move(agree)), destination_(std::move(destination)), source_(source) {
  const auto shared = std::make_shared<std::function<void(const set_destination&)>>(std::move(work));
  const auto run = [this, shared] {
    const std::function<void(const set_destination&)> once = std::move(*shared);
    once(destination_);
  };
  try {
    work_ = std::async(std::launch::async, run);
  } catch (const std::system_error&) {
    // There are no more threads: then before this returns.
    std::promise<void> done;
    try {
      run();
      done.set_value();
    } catch (...) {
      done.set_exception(std::current_exception());
    }
    work_ = done.get_future();
  }
}

running_copy::~running_copy() {
  try {
    finish();
  } catch (const std::exception&) {
    // The copy is not there, and was to be asked for.
  }
  if (work_.valid()) work_.wait();
}

bool running_copy::ready() const {
  return !work_.valid() || work_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

void running_copy::finish() {
  if (is_finished_) return;
  is_finished_ = true;
  std::exception_ptr failure;
  try {
    work_.get();
  } catch (...) {
    failure = std::current_exception();
  }
  if (ended_) ended_();
  if (group_ == nullptr)
    throw error(errc::invalid_argument, "the set was closed before its copy was finished: there is none");
  vote own = vote_for(*group_, step::copied);
  if (failure) turn_down(own, failure);
  const outcome made = agree_(own, [this](const vote&, outcome&) { destination_.publish(source_); });
  require_counts(made);
  destination_.remove_replaced(source_, group_->rank(), group_->size());
}

}  // namespace perdure::detail
