// Copies of the last checkpoint of an opened set.
#include <perdure/error.hpp>
#include <utility>

#include "ranks/opened_set.hpp"
#include "store/file/failure.hpp"

namespace perdure::detail {

std::optional<set_destination> opened_set::begin_copy(const std::filesystem::path& to, bool may_replace,
                                                      const std::function<void()>& before) {
  require_usable();
  vote own = vote_for(*group_, step::snapshot);
  std::optional<set_destination> destination;
  try {
    require_own_writable("take a snapshot of it, or copy it");
    if (not_written_) throw error(*not_written_);
    const bool is_kept = before != nullptr;  // then it ends before this call does, whatever goes on beside it
    if (copy_ != nullptr && !is_kept)
      throw error(errc::invalid_argument, "another snapshot of the set is being made: finish that first");
    destination.emplace(to);
    if (rank() == 0)
      store::reporting("make a copy of the set in", to, [&] {
        if (before) before();
        destination->begin(state_, may_replace);
      });
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

void opened_set::snapshot(const std::filesystem::path& to) {
  copy_to(to, *begin_copy(to, false));
}

// The checkpoint counts, whatever is thrown here.
void opened_set::keep_checkpoint() {
  const std::filesystem::path to = path_of_kept_set(directory_, epoch());
  copy_to(to, *begin_copy(to, false, [this] { make_directory_of_kept(directory_); }),
          [this] { remove_old_kept(directory_, keep_); });
}

void opened_set::copy_to(const std::filesystem::path& to, set_destination destination,
                         const std::function<void()>& after) {
  vote own = vote_for(*group_, step::copied);
  const auto part = static_cast<std::uint32_t>(rank());
  try {
    store::reporting("make a copy of the set in", to, [&] {
      part_->core().snapshot(destination.place(state_, part));
      destination.require_copied(state_, part);
    });
  } catch (...) {
    turn_down(own, std::current_exception());
  }
  const outcome made = meet(own, [&](const vote&, outcome&) {
    store::reporting("make a copy of the set in", to, [&] {
      destination.publish(state_);
      if (after) after();
    });
  });
  if (made.is_last != 0) break_with(static_cast<errc>(made.code), why_not(made));
  require_counts(made);
}

std::unique_ptr<set_copy> opened_set::snapshot_async(const std::filesystem::path& to) {
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
        store::reporting("make a copy of the set in", to,
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
        store::reporting("make a copy of the set in", to, [&] {
          if (reader) reader->store().store().snapshot(into.place(source, part));
          into.require_copied(source, part);
        });
      });
  copy_ = copy.get();
  copy->when_ended([this] { copy_ = nullptr; });
  return copy;
}

}  // namespace perdure::detail
