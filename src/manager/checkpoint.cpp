// Work for which the heap must stand still: checkpoints, snapshots, and examining all of it.
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "manager/manager_state.hpp"
#include "perdure/detail/manager_core.hpp"
#include "perdure/error.hpp"
#include "segment/segment.hpp"

namespace perdure::detail {

namespace {

/// Begins a checkpoint with the pages that `release` gives. The heap keeps what was freed lately for reuse
/// and gives it when asked again, which is done where the disk is full: their space may be what it lacks.
template <class Release, class Begin>
auto with_released_pages(Release&& release, Begin&& begin) {
  try {
    return begin(release());
  } catch (const error& failure) {
    if (failure.code() != errc::no_space) throw;
    const std::vector<page_run> more = release();
    if (more.empty()) throw;
    return begin(more);
  }
}

}  // namespace

void manager_core::checkpoint(std::string_view label) {
  // By the asynchronous call, as other threads then go on as soon as the pages are copied.
  checkpoint_async(label).wait();
}

void manager_core::require_checkpoints() const {
  require_writable();
  if (state_->store->read_only())
    throw error(errc::read_only, state_->path +
                                     ": the store is open with open_copy_on_write, so its changes are not "
                                     "kept; open it with open_only to keep them");
  require_not_writing("a checkpoint");
  state_->require_none_prepared();
}

// To be called while other threads are kept from the heap.
std::vector<page_run> manager_core::released_pages() {
  std::vector<page_run> released = state_->memory->release_free_memory();
  for (const page_run& run : released) state_->store->memory().discard(run);
  if (state_->listener) state_->listener->departing(released);
  return released;
}

void manager_core::make_checkpoints_joint() noexcept {
  state_->is_joint = true;
}

void manager_core::require_alone() const {
  if (state_->is_joint)
    throw error(errc::invalid_argument, state_->path +
                                            ": this store has its checkpoints together with those of other "
                                            "ranks: checkpoint or close all of them by their common manager");
}

pending_checkpoint manager_core::checkpoint_async(std::string_view label) {
  require_checkpoints();
  require_alone();
  complete_changes();
  // Without this lock another thread could begin a checkpoint in between, and this one would wait for its
  // application with all threads kept from allocating.
  const std::scoped_lock lock(state_->departing);
  await_application();
  const heap::standstill still(*state_->memory);
  require_no_failed_moves();
  return with_released_pages(
      [this] { return released_pages(); },
      [&](std::span<const page_run> released) { return state_->store->checkpoint_async(released, label); });
}

namespace {

/// Keeps other checkpoints of the manager from beginning until it is over.
class prepared_of_manager final : public prepared_checkpoint {
 public:
  prepared_of_manager(std::unique_lock<std::mutex> departing, std::atomic<std::thread::id>& prepared_by,
                      std::unique_ptr<prepared_checkpoint> of_store)
      : departing_(std::move(departing)), prepared_by_(prepared_by), of_store_(std::move(of_store)) {
    prepared_by_ = std::this_thread::get_id();
  }
  ~prepared_of_manager() override {
    of_store_.reset();
    prepared_by_ = std::thread::id();
  }

  std::uint64_t epoch() const noexcept override { return of_store_->epoch(); }
  std::uint64_t identity() const noexcept override { return of_store_->identity(); }
  void decide() override { of_store_->decide(); }
  void abandon() noexcept override { of_store_->abandon(); }
  void leave() noexcept override { of_store_->leave(); }

 private:
  std::unique_lock<std::mutex> departing_;  // ends last
  std::atomic<std::thread::id>& prepared_by_;
  std::unique_ptr<prepared_checkpoint> of_store_;
};

}  // namespace

std::unique_ptr<prepared_checkpoint> manager_core::prepare(std::string_view label) {
  require_checkpoints();
  complete_changes();
  std::unique_lock departing(state_->departing);
  await_application();
  std::unique_ptr<prepared_checkpoint> of_store;
  {
    const heap::standstill still(*state_->memory);
    require_no_failed_moves();
    of_store = with_released_pages(
        [this] { return released_pages(); },
        [&](std::span<const page_run> released) { return state_->store->prepare(released, label); });
  }
  return std::make_unique<prepared_of_manager>(std::move(departing), state_->prepared_by,
                                               std::move(of_store));
}

std::shared_ptr<checkpoint_listener> manager_core::listener(
    std::shared_ptr<checkpoint_listener> (*make)(manager_core&)) {
  require_memory();
  const std::scoped_lock lock(state_->making_listener);
  if (state_->listener) return state_->listener;
  std::shared_ptr<checkpoint_listener> made = make(*this);
  // With this lock held no checkpoint looks whether there is a listener.
  const std::scoped_lock no_checkpoint(state_->departing);
  state_->listener = std::move(made);
  if (state_->shown) state_->shown->show_arrays(dynamic_cast<const void*>(state_->listener.get()));
  return state_->listener;
}

void manager_core::snapshot(const std::filesystem::path& to) const {
  if (!state_->store->snapshot_copies_memory()) return state_->store->snapshot(to);
  require_writable();
  require_not_writing("a snapshot");
  state_->require_none_prepared();
  complete_changes();
  const std::scoped_lock lock(state_->departing);
  const heap::standstill still(*state_->memory);
  require_no_failed_moves();
  state_->store->snapshot(to);
}

// Without a lock: what is waited for may itself wait for a checkpoint.
void manager_core::complete_changes() const {
  std::shared_ptr<checkpoint_listener> listener;
  {
    const std::scoped_lock lock(state_->departing);
    listener = state_->listener;
  }
  if (listener) listener->complete();
}

// Waits until the last checkpoint is home. The store would wait for that too, but then all threads are kept
// from allocating.
void manager_core::await_application() const {
  try {
    state_->store->wait_applied();
  } catch (const error&) {
    // The next checkpoint tries to apply it again, and throws if it cannot.
  }
}

void manager_core::require_not_writing(const char* what) const {
  if (state_->memory->is_writing())
    throw error(errc::invalid_argument,
                state_->path + ": this thread is inside a write_guard of the store, for whose end " + what +
                    " waits: end the guard first");
}

void manager_core::require_no_failed_moves() const {
  const unsigned empty = state_->memory->failed_moves();
  if (empty == 0) return;
  throw error(errc::out_of_capacity,
              state_->path + ": " + std::to_string(empty) +
                  " containers that were moved into the store, or swapped with others by moves, found no "
                  "room for what they held, and have lost it. Nothing more is committed: discard what "
                  "changed since the last checkpoint "
                  "(manager::discard), give the store more capacity, and begin again");
}

void manager_core::checkpoint_to_close() {
  require_not_writing("closing it");
  if (state_->store->read_only() || state_->store->memory().held() != possession::own) return;
  require_alone();
  checkpoint();
}

std::vector<std::string> manager_core::check() const {
  require_memory();
  std::optional<heap::standstill> still;
  if (state_->writable) {
    require_not_writing("a check");
    still.emplace(*state_->memory);
  }
  std::vector<std::string> wrong = state_->memory->check();
  const std::shared_lock held(state_->lock);
  for (std::string& one : state_->directory->check()) wrong.push_back(std::move(one));
  return wrong;
}

bool manager_core::all_memory_deallocated() const {
  require_memory();
  std::optional<heap::standstill> still;
  if (state_->writable) {
    require_not_writing("counting what is allocated");
    still.emplace(*state_->memory);
  }
  const std::shared_lock held(state_->lock);
  const name_directory& directory = *state_->directory;
  for (const instance_kind kind : {instance_kind::named, instance_kind::unique, instance_kind::anonymous})
    if (directory.count(kind) != 0) return false;
  return state_->memory->stats().blocks == directory.own_blocks();
}

void manager_core::zero_free_memory() {
  require_writable();
  require_not_writing("clearing free memory");
  state_->memory->zero_free_memory();
}

}  // namespace perdure::detail
