// Hooks, and the decorators that the library brings.
#include "perdure/c/kind_decorator.h"

#include <utility>

#include "c/handles.hpp"
#include "c/kinds.hpp"

using namespace perdure::c;

static_assert(PERDURE_KIND_CALL_USABLE_SIZE == static_cast<int>(perdure::kind_operation::usable_size));

namespace {

class hooks_decorator final : public perdure::kind_decorator {
 public:
  explicit hooks_decorator(const perdure_kind_hooks& hooks) : hooks_(hooks) {}
  void before(const perdure::kind_call& call) noexcept override { show(hooks_.before, call); }
  void after(const perdure::kind_call& call) noexcept override { show(hooks_.after, call); }

 private:
  void show(void (*hook)(void*, const perdure_kind_call*), const perdure::kind_call& call) const noexcept {
    if (hook == nullptr) return;
    perdure_kind_call shown{};
    shown.struct_size = sizeof shown;
    shown.kind = handle_of(&call.memory);
    shown.operation = static_cast<int32_t>(call.operation);
    shown.refused = call.refused ? 1 : 0;
    shown.count = call.count;
    shown.size = call.bytes;
    shown.alignment = call.alignment;
    shown.block = call.block;
    shown.block_size = call.block_bytes;
    shown.result = call.result;
    shown.result_size = call.result_bytes;
    hook(hooks_.context, &shown);
  }
  const perdure_kind_hooks hooks_;
};

/// `make` gives the decorator, once the other arguments are found good.
template <class Make>
perdure_status attach(perdure_kind* kind, perdure_kind_decorator** decorator, Make&& make) noexcept {
  return guarded([&] {
    perdure_kind_decorator*& result = required_result(decorator, "decorator");
    perdure::kind* const target = kind != nullptr ? &kind_of(kind) : nullptr;
    std::shared_ptr<perdure::kind_decorator> made = make();
    auto attached = std::make_unique<perdure_kind_decorator>(
        perdure_kind_decorator{made, target != nullptr ? perdure::kind_decoration(*target, made)
                                                       : perdure::kind_decoration::of_all(made)});
    result = new_handle(std::move(attached));
  });
}

template <class Decorator>
const Decorator& decorator_of(const perdure_kind_decorator* handle, const char* what) {
  const auto* const found = dynamic_cast<const Decorator*>(object_of(handle).decorator.get());
  if (found == nullptr)
    throw perdure::error(perdure::errc::wrong_type, std::string("the decorator is no ") + what);
  return *found;
}

}  // namespace

perdure_status perdure_kind_attach(perdure_kind* kind, const perdure_kind_hooks* hooks,
                                   perdure_kind_decorator** decorator) {
  return attach(kind, decorator, [&] {
    return std::make_shared<hooks_decorator>(options_from(&required(hooks, "hooks"), "hooks"));
  });
}

perdure_status perdure_kind_detach(perdure_kind_decorator* decorator) {
  return guarded([&] {
    if (perdure::kind_decoration::inside_hook()) refuse("a hook must not detach decorators");
    take_object(decorator);
  });
}

perdure_status perdure_kind_attach_accounting(perdure_kind* kind, perdure_kind_decorator** decorator) {
  return attach(kind, decorator, [] { return std::make_shared<perdure::accounting>(); });
}

perdure_status perdure_kind_account_get(const perdure_kind_decorator* decorator,
                                        perdure_kind_account* account) {
  return guarded([&] {
    const auto totals = decorator_of<perdure::accounting>(decorator, "accounting").read();
    perdure_kind_account value{};
    value.allocations = totals.allocations;
    value.frees = totals.frees;
    value.failures = totals.failures;
    value.allocated_bytes = totals.allocated_bytes;
    value.freed_bytes = totals.freed_bytes;
    value.live_bytes = totals.live_bytes;
    value.peak_bytes = totals.peak_bytes;
    fill(account, value, "account");
  });
}

perdure_status perdure_kind_attach_address_logger(perdure_kind* kind, const char* path,
                                                  perdure_kind_decorator** decorator) {
  return attach(kind, decorator,
                [&] { return std::make_shared<perdure::address_logger>(required_text(path, "path")); });
}

perdure_status perdure_kind_attach_profiler(perdure_kind* kind, size_t sample_size,
                                            perdure_kind_decorator** decorator) {
  return attach(kind, decorator, [&] {
    return sample_size == 0 ? std::make_shared<perdure::allocation_profiler>()
                            : std::make_shared<perdure::allocation_profiler>(sample_size);
  });
}

perdure_status perdure_kind_profile_write(const perdure_kind_decorator* decorator, const char* path) {
  return guarded([&] {
    decorator_of<perdure::allocation_profiler>(decorator, "profiler").write(required_text(path, "path"));
  });
}
