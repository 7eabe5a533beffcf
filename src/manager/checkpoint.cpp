// What needs the heap to stand still: checkpoints, snapshots, and looking at all of it.
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "manager/manager_state.hpp"
#include "perdure/detail/manager_core.hpp"
#include "perdure/error.hpp"
#include "segment/segment.hpp"

namespace perdure::detail {

void manager_core::checkpoint(std::string_view label) {
  // By the asynchronous call, as other threads then go on as soon as the pages are copied.
  checkpoint_async(label).wait();
}

pending_checkpoint manager_core::checkpoint_async(std::string_view label) {
  require_writable();
  if (state_->store->read_only())
    throw error(errc::read_only, state_->path +
                                     ": the store is open with open_copy_on_write, so its changes are not "
                                     "kept; open it with open_only to keep them");
  require_not_writing("a checkpoint");
  // Without this lock another thread could begin a checkpoint in between, and this one would wait for its
  // application with all threads kept from allocating.
  const std::scoped_lock lock(state_->departing);
  await_application();
  const heap::standstill still(*state_->memory);
  require_no_failed_moves();
  std::vector<page_run> released = state_->memory->release_free_memory();
  for (const page_run& run : released) state_->store->memory().discard(run);
  return state_->store->checkpoint_async(released, label);
}

void manager_core::snapshot(const std::filesystem::path& to) const {
  if (!state_->store->snapshot_copies_memory()) return state_->store->snapshot(to);
  require_writable();
  require_not_writing("a snapshot");
  const std::scoped_lock lock(state_->departing);
  const heap::standstill still(*state_->memory);
  require_no_failed_moves();
  state_->store->snapshot(to);
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
                  " containers that were moved into the store found no room for what they held, and are "
                  "empty. Nothing more is committed: discard what changed since the last checkpoint "
                  "(manager::discard), give the store more capacity, and begin again");
}

void manager_core::checkpoint_to_close() {
  require_not_writing("closing it");
  if (state_->store->read_only() || state_->store->memory().held() != possession::own) return;
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
