// Checkpoints, and what a store remembers of them.
#include "perdure/c/checkpoint.h"

#include <exception>
#include <memory>
#include <string_view>
#include <utility>

#include "c/handles.hpp"
#include "perdure/datastore.hpp"
#include "perdure/store_maintenance.hpp"

using namespace perdure::c;

namespace {

std::string_view label_of(const char* label) noexcept {
  return label == nullptr ? std::string_view{} : std::string_view{label};
}

const perdure::pending_checkpoint& checkpoint_of(const perdure_pending_checkpoint* pending) {
  const perdure_pending_checkpoint& one = object_of(pending);
  // The thread that would settle it does not exist here, so waiting would never end.
  if (!one.owner.is_here())
    refuse(
        "the pending checkpoint belongs to the parent process: its outcome is not known in a forked child");
  return one.checkpoint;
}

}  // namespace

perdure_status perdure_checkpoint(perdure_store* store, const char* label) {
  return guarded([&] {
    const perdure_store& opened = object_of(store);
    const perdure::detail::messages_in order(opened.indices);
    if (opened.set != nullptr) {
      opened.set->checkpoint(label_of(label));
    } else if (opened.arrays != nullptr) {
      throw perdure::error(perdure::errc::read_only, opened.arrays->path().string() +
                                                         " is open for reading only: it has no checkpoints");
    } else {
      core_of(store).checkpoint(label_of(label));
    }
  });
}

perdure_status perdure_checkpoint_async(perdure_store* store, const char* label,
                                        perdure_pending_checkpoint** pending) {
  return guarded([&] {
    perdure_pending_checkpoint*& result = required_result(pending, "pending");
    auto made = std::make_unique<perdure_pending_checkpoint>(
        perdure_pending_checkpoint{core_of(store).checkpoint_async(label_of(label)), {}});
    result = new_handle(std::move(made));
  });
}

perdure_status perdure_begin_writing(perdure_store* store) {
  return guarded([&] {
    auto& core = core_of(store);
    core.require_writable();
    core.memory().begin_writing();
  });
}

perdure_status perdure_end_writing(perdure_store* store) {
  return guarded([&] { core_of(store).memory().end_writing(); });
}

perdure_status perdure_pending_checkpoint_wait(const perdure_pending_checkpoint* pending, uint64_t* epoch) {
  return guarded([&] {
    if (epoch != nullptr) *epoch = 0;
    const std::uint64_t made = checkpoint_of(pending).epoch();
    if (epoch != nullptr) *epoch = made;
  });
}

perdure_status perdure_pending_checkpoint_ready(const perdure_pending_checkpoint* pending, int* ready) {
  return guarded([&] {
    required(ready, "ready") = 0;
    *ready = checkpoint_of(pending).ready() ? 1 : 0;
  });
}

perdure_status perdure_pending_checkpoint_error(const perdure_pending_checkpoint* pending,
                                                perdure_status* outcome) {
  return guarded([&] {
    required(outcome, "outcome") = PERDURE_OK;
    const std::exception_ptr failure = checkpoint_of(pending).error();
    if (failure != nullptr) *outcome = guarded([&] { std::rethrow_exception(failure); });
  });
}

perdure_status perdure_pending_checkpoint_free(perdure_pending_checkpoint* pending) {
  return free_handle(pending);
}

perdure_status perdure_wait_applied(perdure_store* store) {
  return guarded([&] { core_of(store).store().wait_applied(); });
}

perdure_status perdure_checkpoint_log_read(const char* path, perdure_checkpoint_log** log) {
  return guarded([&] {
    perdure_checkpoint_log*& result = required_result(log, "log");
    auto made = std::make_unique<perdure_checkpoint_log>();
    made->records = perdure::store_maintenance::log(required_text(path, "path"));
    for (const perdure::checkpoint_record& one : made->records)
      made->items.push_back({one.epoch, one.time_ns, one.fresh_pages, one.overwritten_pages,
                             one.cleared_pages, one.segment_bytes, one.label.c_str(), one.kept ? 1 : 0});
    result = new_handle(std::move(made));
  });
}

perdure_status perdure_checkpoint_log_size(const perdure_checkpoint_log* log, size_t* size) {
  return guarded([&] { required(size, "size") = object_of(log).items.size(); });
}

perdure_status perdure_checkpoint_log_at(const perdure_checkpoint_log* log, size_t index,
                                         const perdure_checkpoint_record** record) {
  return guarded([&] {
    const perdure_checkpoint_record*& result = required_result(record, "record");
    result = &item_of(log, index);
  });
}

perdure_status perdure_checkpoint_log_free(perdure_checkpoint_log* log) {
  return free_handle(log);
}
