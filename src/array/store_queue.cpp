// The asynchronous stores of one open store's arrays.
#include "array/store_queue.hpp"

#include <algorithm>
#include <exception>
#include <perdure/detail/index_order.hpp>
#include <perdure/error.hpp>
#include <string>
#include <utility>

#include "array/array_name.hpp"

namespace perdure::detail {

namespace {

[[noreturn]] void refuse_closed(std::string_view id) {
  throw error(errc::invalid_argument,
              detail::quoted(id) + " is not stored: its store has been closed before");
}

/// Throws the failure, and says of which array it is.
[[noreturn]] void rethrow_for(const std::string& id, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const error& known) {
    throw error(known.code(), detail::quoted(id) + " was not stored in the background: " + known.what());
  }
}

}  // namespace

pending_store store_queue::begin(manager_core& store, std::string_view id, std::function<void()> work) {
  // In a forked child this throws before any lock is taken.
  store.require_writable();
  store.require_not_writing("the store of an array in the background");
  if (is_finished_) refuse_closed(id);
  const auto made = std::make_shared<running_store>(store, id);
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(begun_, [](const running& one) {
      return one->has_ended() && (one->is_told() || one->failure() == nullptr);
    });
    begun_.push_back(made);
    ++not_ended_;
  }
  const index_order messages = messages_in::now();
  try {
    worker_->post([this, made, messages, work = std::move(work)] {
      const messages_in order(messages);
      made->run([&] {
        if (is_finished_) refuse_closed(made->id());
        work();
      });
      --not_ended_;
    });
  } catch (...) {
    forget(made);
    throw;
  }
  return pending_store(made);
}

// Of a store that has not been posted.
void store_queue::forget(const running& one) noexcept {
  const std::scoped_lock lock(mutex_);
  std::erase(begun_, one);
  --not_ended_;
}

std::vector<store_queue::running> store_queue::begun() const {
  const std::scoped_lock lock(mutex_);
  return begun_;
}

void store_queue::await(std::string_view id) const {
  if (not_ended_ == 0 || !owner_.is_here()) return;
  for (const running& one : begun()) {
    if (one->id() != id) continue;
    one->require_may_wait();
    one->wait();
  }
}

void store_queue::await_all() {
  if (!owner_.is_here()) return;
  running failed;
  for (const running& one : begun()) {
    one->wait();
    if (one->is_told() || one->failure() == nullptr) continue;
    one->note_told();
    if (!failed) failed = one;
  }
  if (failed) rethrow_for(failed->id(), failed->failure());
}

void store_queue::finish() noexcept {
  if (!owner_.is_here()) {
    // The thread does not exist in a forked child, and its locks may be held for ever.
    static_cast<void>(worker_.release());
    return;
  }
  is_finished_ = true;
  worker_.reset();
}

}  // namespace perdure::detail
