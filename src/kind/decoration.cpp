// Attaching decorators, and calling them.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "kind/kind_state.hpp"

namespace perdure {

using namespace detail;

namespace {

__thread bool in_hook = false;

kind_state& state_of(kind& k) {
  return kind_access::state_of(k);
}

/// To be called with the list of kinds locked.
void put_on(kind& k, const attached_decorator& attached) {
  kind_state& state = state_of(k);
  {
    const std::unique_lock lock(state.decorating);
    state.decorators.push_back(attached);
    state.decorated.store(true, std::memory_order_release);
  }
  kind_access::update_short_way(k);
}

void take_off(kind& k, std::uint64_t number) {
  kind_state& state = state_of(k);
  {
    const std::unique_lock lock(state.decorating);
    std::erase_if(state.decorators, [&](const attached_decorator& a) { return a.number == number; });
    state.decorated.store(!state.decorators.empty(), std::memory_order_release);
  }
  kind_access::update_short_way(k);
}

void require_decorator(const std::shared_ptr<kind_decorator>& decorator) {
  if (decorator == nullptr) throw error(errc::invalid_argument, "there is no decorator to attach");
  if (in_hook) throw error(errc::invalid_argument, "a hook must not attach decorators");
}

}  // namespace

std::string_view to_string(kind_operation operation) noexcept {
  switch (operation) {
    case kind_operation::malloc:
      return "malloc";
    case kind_operation::calloc:
      return "calloc";
    case kind_operation::realloc:
      return "realloc";
    case kind_operation::posix_memalign:
      return "posix_memalign";
    case kind_operation::free:
      return "free";
    case kind_operation::usable_size:
      return "usable_size";
  }
  return "unknown";
}

bool kind_decoration::inside_hook() noexcept {
  return in_hook;
}

void detail::decorate(kind_state& state, kind_call& call, void (*run)(kind_state&, kind_call&)) {
  if (in_hook) return run(state, call);
  const std::shared_lock lock(state.decorating);
  if (call.operation == kind_operation::free || call.operation == kind_operation::realloc)
    call.block_bytes = state.usable_size(call.block);
  in_hook = true;
  for (const attached_decorator& attached : state.decorators) attached.decorator->before(call);
  in_hook = false;
  run(state, call);
  if (call.operation != kind_operation::usable_size) call.result_bytes = state.usable_size(call.result);
  const int saved = errno;
  in_hook = true;
  for (auto attached = state.decorators.rbegin(); attached != state.decorators.rend(); ++attached)
    attached->decorator->after(call);
  in_hook = false;
  errno = saved;
}

kind_decoration::kind_decoration(kind& memory, std::shared_ptr<kind_decorator> decorator) {
  require_decorator(decorator);
  kind_list& list = every_kind();
  const std::lock_guard lock(list.mutex);
  number_ = ++list.last_number;
  put_on(memory, {number_, std::move(decorator)});
}

kind_decoration kind_decoration::of_all(std::shared_ptr<kind_decorator> decorator) {
  require_decorator(decorator);
  kind_list& list = every_kind();
  const std::lock_guard lock(list.mutex);
  const attached_decorator attached{++list.last_number, std::move(decorator)};
  list.for_all.push_back(attached);
  for (kind* k : list.kinds) put_on(*k, attached);
  return kind_decoration(attached.number);
}

kind_decoration::kind_decoration(kind_decoration&& other) noexcept
    : number_(std::exchange(other.number_, 0)) {}

kind_decoration& kind_decoration::operator=(kind_decoration&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

kind_decoration::~kind_decoration() {
  if (number_ == 0) return;
  kind_list& list = every_kind();
  const std::lock_guard lock(list.mutex);
  std::erase_if(list.for_all, [&](const attached_decorator& a) { return a.number == number_; });
  for (kind* k : list.kinds) take_off(*k, number_);
}

}  // namespace perdure
