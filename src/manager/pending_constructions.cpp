// The objects whose constructors are running, and the threads that wait for them.
#include "manager/pending_constructions.hpp"

#include <algorithm>

#include "base/invariant.hpp"

namespace perdure::detail {

const void* pending_constructions::mark_of_this_thread() noexcept {
  static thread_local constinit char mark = 0;
  return &mark;
}

const object_construction* pending_constructions::find(instance_kind kind,
                                                       std::string_view key) const noexcept {
  for (const object_construction* one : pending_)
    if (one->kind_ == kind && one->key_ == key) return one;
  return nullptr;
}

bool pending_constructions::wait_for_me(const object_construction& goal) const noexcept {
  const void* const me = mark_of_this_thread();
  const void* owner = goal.owner_;
  for (std::size_t steps = 0; steps <= waiters_.size(); ++steps) {
    if (owner == me) return true;
    const auto next =
        std::find_if(waiters_.begin(), waiters_.end(), [&](const waiter& w) { return w.self == owner; });
    if (next == waiters_.end() || next->goal == nullptr) return false;
    owner = next->goal_owner;
  }
  return false;
}

void pending_constructions::wait_for(const object_construction& goal,
                                     std::unique_lock<std::shared_mutex>& held) {
  const void* const me = mark_of_this_thread();
  waiters_.push_back({me, &goal, goal.owner_});
  settled_.wait(held, [&] {
    const auto mine =
        std::find_if(waiters_.begin(), waiters_.end(), [&](const waiter& w) { return w.self == me; });
    PERDURE_INVARIANT(mine != waiters_.end());
    if (mine->goal != nullptr) return false;
    waiters_.erase(mine);
    return true;
  });
}

void pending_constructions::settle(const object_construction& done) noexcept {
  const std::size_t settled = std::erase(pending_, &done);
  PERDURE_INVARIANT(settled == 1);
  for (waiter& w : waiters_)
    if (w.goal == &done) w.goal = nullptr;
  if (!waiters_.empty()) settled_.notify_all();
}

}  // namespace perdure::detail
