// A decorator that counts the blocks and bytes of a kind.
#include <atomic>

#include "perdure/kind_decorator.hpp"

namespace perdure {

struct accounting::counters {
  std::atomic<std::uint64_t> allocations{0}, frees{0}, failures{0}, allocated{0}, freed{0}, peak{0};
  std::atomic<std::int64_t> live{0};

  void add(std::uint64_t bytes) noexcept {
    allocations.fetch_add(1, std::memory_order_relaxed);
    allocated.fetch_add(bytes, std::memory_order_relaxed);
    const std::int64_t now = live.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed) +
                             static_cast<std::int64_t>(bytes);
    std::uint64_t most = peak.load(std::memory_order_relaxed);
    while (now > 0 && static_cast<std::uint64_t>(now) > most &&
           !peak.compare_exchange_weak(most, static_cast<std::uint64_t>(now), std::memory_order_relaxed)) {
    }
  }
  void take(std::uint64_t bytes) noexcept {
    frees.fetch_add(1, std::memory_order_relaxed);
    freed.fetch_add(bytes, std::memory_order_relaxed);
    live.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }
};

accounting::accounting() : counters_(std::make_unique<counters>()) {}
accounting::~accounting() = default;

void accounting::after(const kind_call& call) noexcept {
  if (call.operation == kind_operation::usable_size) return;
  const bool frees = call.operation == kind_operation::free ||
                     (call.operation == kind_operation::realloc && call.block != nullptr && call.bytes == 0);
  if (call.refused || (!frees && call.result == nullptr)) {
    counters_->failures.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  if (call.block != nullptr) counters_->take(call.block_bytes);
  if (call.result != nullptr) counters_->add(call.result_bytes);
}

accounting::totals accounting::read() const noexcept {
  totals t;
  t.allocations = counters_->allocations.load(std::memory_order_relaxed);
  t.frees = counters_->frees.load(std::memory_order_relaxed);
  t.failures = counters_->failures.load(std::memory_order_relaxed);
  t.allocated_bytes = counters_->allocated.load(std::memory_order_relaxed);
  t.freed_bytes = counters_->freed.load(std::memory_order_relaxed);
  // Blocks that were allocated before the decorator was attached may have been freed since.
  const std::int64_t live = counters_->live.load(std::memory_order_relaxed);
  t.live_bytes = live > 0 ? static_cast<std::uint64_t>(live) : 0;
  t.peak_bytes = counters_->peak.load(std::memory_order_relaxed);
  return t;
}

}  // namespace perdure
