// Kinds: creates them, and makes the calls that do not take the short way.
#include "perdure/kind.hpp"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>

#include "base/environment.hpp"
#include "kind/kind_state.hpp"
#include "os/clear_memory.hpp"
#include "os/memory_limits.hpp"
#include "perdure/detail/kind_slots.hpp"
#include "segment/growth.hpp"

namespace perdure {

using namespace detail;

namespace {

constexpr std::size_t most_bytes = std::numeric_limits<std::ptrdiff_t>::max();
// Below that, clearing memory is cheaper than giving its pages back and faulting them in again.
constexpr std::size_t least_cleared_by_kernel = std::size_t{32} << 20;
constexpr std::size_t gib = std::size_t{1} << 30;

bool checks_wanted(const kind_options& options) {
  const bool wanted = base::switch_in("PERDURE_KIND_CHECKS").value_or(false);
#ifndef NDEBUG
  static_cast<void>(options);
  static_cast<void>(wanted);
  return true;
#else
  return options.check_frees || wanted;
#endif
}

std::size_t reserved_by_kinds() {
  kind_list& list = every_kind();
  const std::lock_guard lock(list.mutex);
  std::size_t sum = 0;
  for (const kind* k : list.kinds)
    if (const auto& segment = kind_access::state_of(*k).segment) sum += segment->capacity();
  return sum;
}

/// The usual capacity: twice the machine's memory, as long as there is plenty of address space; after that
/// ever smaller parts of what is left, so that there is room for another kind.
std::size_t usual_capacity(std::size_t machine_bytes) {
  constexpr std::size_t least = 16 * gib;
  constexpr std::size_t budget = std::size_t{112} << 40;  // of the 128 TiB of a process
  const std::size_t left = budget - std::min(budget, reserved_by_kinds());
  const std::size_t share = std::max(left / 32 / gib * gib, least);
  return std::min(detail::round_up(std::max(2 * machine_bytes, least), gib), share);
}

void report_free(const kind_state& state, const void* block, const char* what) noexcept {
  std::fprintf(stderr, "perdure: kind %s: free(%p): %s\n", state.name.c_str(), block, what);
}

std::int64_t now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * std::int64_t{1000000000} + now.tv_nsec;
}

}  // namespace

// ---- the calls themselves

bool kind_state::holds(const void* address) const noexcept {
  return memory != nullptr ? heap::containing(address) == memory : allocation->owns(address);
}

void* kind_state::allocate(std::size_t bytes, std::size_t alignment) noexcept {
  void* block = nullptr;
  if (bytes <= most_bytes && !belongs_to_parent) {
    if (allocation != nullptr) {
      block = allocation->allocate(bytes, alignment);
    } else {
      try {
        block = alignment <= 16 ? memory->allocate(bytes) : memory->allocate(bytes, alignment);
      } catch (...) {  // std::bad_alloc, or a store's failure to grow
      }
    }
  }
  if (block == nullptr) errno = ENOMEM;
  return block;
}

void* kind_state::allocate_zeros(std::size_t count, std::size_t bytes) noexcept {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* const block = allocate(total, 16);
  if (block == nullptr) return nullptr;
  if (policy != nullptr && policy->drops_to_zero())
    os::clear_anonymous(block, total, least_cleared_by_kernel);
  else
    std::memset(block, 0, total);
  return block;
}

void* kind_state::reallocate(void* block, std::size_t bytes, bool& refused) noexcept {
  if (block == nullptr) return allocate(bytes, 16);
  if (!holds(block) || belongs_to_parent || (check_frees && memory != nullptr && !memory->owns(block))) {
    refused = true;
    if (check_frees) report_free(*this, block, "realloc of what is no block of this kind");
    errno = EINVAL;
    return nullptr;
  }
  if (bytes == 0) {
    refused = !deallocate(block);
    return nullptr;
  }
  void* resized = nullptr;
  if (bytes <= most_bytes) {
    if (allocation != nullptr) {
      resized = allocation->reallocate(block, bytes);
    } else {
      try {
        resized = memory->reallocate(block, bytes);
      } catch (...) {
      }
    }
  }
  if (resized == nullptr) errno = ENOMEM;
  return resized;
}

bool kind_state::deallocate(void* block) noexcept {
  if (block == nullptr) return true;
  if (!holds(block)) {
    if (check_frees) report_free(*this, block, "not in this kind's memory");
    return false;
  }
  if (belongs_to_parent) return false;
  if (check_frees && memory != nullptr && !memory->owns(block)) {
    report_free(*this, block, "no allocated block begins there (freed twice?)");
    return false;
  }
  if (allocation != nullptr)
    allocation->deallocate(block);
  else
    memory->deallocate(block);
  return true;
}

std::size_t kind_state::usable_size(const void* block) const noexcept {
  if (block == nullptr || !holds(block)) return 0;
  if (allocation != nullptr) return allocation->usable_size(block);
  if (check_frees && !memory->owns(block)) return 0;
  return memory->usable_size(block);
}

void* kind_allocation::reallocate(void* block, std::size_t bytes) noexcept {
  void* const moved = allocate(bytes, 16);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(bytes, usable_size(block)));
  deallocate(block);
  return moved;
}

// ---- creation

kind_list& detail::every_kind() {
  static kind_list& list =
      *new kind_list;  // never destroyed: blocks are freed after every static destructor has run
  return list;
}

void kind_access::update_short_way(kind& k) noexcept {
  const kind_state& state = *k.state_;
  const bool shortly = state.memory != nullptr && !state.check_frees && !state.belongs_to_parent &&
                       !state.decorated.load(std::memory_order_relaxed);
  k.plain_.store(shortly ? state.memory : no_heap(), std::memory_order_release);
}

kind::kind(std::unique_ptr<kind_state> state) : plain_(no_heap()), state_(std::move(state)) {
  if (state_->memory == nullptr) return;
  cache_slot_ = state_->memory->cache_slot();
  state_->memory->set_owner(this);
}

std::unique_ptr<kind> kind_access::make(std::unique_ptr<kind_state> state) {
  std::unique_ptr<kind> made(new kind(std::move(state)));
  kind_state& s = *made->state_;
  kind_list& list = every_kind();
  const std::lock_guard lock(list.mutex);
  s.decorators = list.for_all;
  s.decorated.store(!s.decorators.empty());
  list.kinds.push_back(made.get());
  update_short_way(*made);
  return made;
}

std::unique_ptr<kind> kind_access::make(std::shared_ptr<memory_policy> policy, std::size_t machine_bytes,
                                        const kind_options& options) {
  if (policy == nullptr) throw error(errc::invalid_argument, "a kind needs a policy");
  watch_forks();
  auto state = std::make_unique<kind_state>();
  state->name = options.name;
  state->check_frees = checks_wanted(options);
  state->is_private = policy->is_private();
  state->policy = std::move(policy);
  const std::size_t capacity = options.capacity != 0 ? options.capacity : usual_capacity(machine_bytes);
  state->segment = make_policy_segment(*state->policy, capacity);
  try {
    state->own_heap = heap::format(*state->segment);
    state->own_heap->set_kept(false);
  } catch (const std::bad_alloc&) {
    throw error(errc::out_of_memory,
                "kind " + options.name + ": not even a little memory of this kind can be had");
  }
  state->memory = state->own_heap.get();
  return make(std::move(state));
}

std::unique_ptr<kind> kind::create(std::shared_ptr<memory_policy> policy, const kind_options& options) {
  return kind_access::make(std::move(policy), os::physical_memory(), options);
}

std::unique_ptr<kind> kind::create(std::shared_ptr<kind_allocation> allocation, const kind_options& options) {
  if (allocation == nullptr) throw error(errc::invalid_argument, "a kind needs something that allocates");
  auto state = std::make_unique<kind_state>();
  state->name = options.name;
  state->check_frees = checks_wanted(options);
  state->allocation = std::move(allocation);
  return kind_access::make(std::move(state));
}

std::unique_ptr<kind> kind::create_over(heap& memory, const kind_options& options) {
  if (memory.owner() != nullptr) throw error(errc::already_exists, "there is a kind over this heap already");
  watch_forks();
  auto state = std::make_unique<kind_state>();
  state->name = options.name;
  state->check_frees = checks_wanted(options);
  state->is_private = false;
  state->memory = &memory;
  return kind_access::make(std::move(state));
}

kind::~kind() {
  kind_list& list = every_kind();
  {
    const std::lock_guard lock(list.mutex);
    std::erase(list.kinds, this);
  }
  plain_.store(no_heap());
  if (state_->memory != nullptr) state_->memory->set_owner(nullptr);
}

void* kind::operator new(std::size_t) {
  return take_slot();
}
void kind::operator delete(void* place) noexcept {
  return_slot(place);
}

std::vector<kind*> kind::all() {
  kind_list& list = every_kind();
  const std::lock_guard lock(list.mutex);
  return list.kinds;
}

// ---- the slow way

void* kind::malloc_slow(std::size_t bytes) noexcept {
  if (!state_->decorated.load(std::memory_order_acquire)) return state_->allocate(bytes, 16);
  kind_call call{.memory = *this, .operation = kind_operation::malloc, .bytes = bytes};
  decorate(*state_, call, [](kind_state& s, kind_call& c) { c.result = s.allocate(c.bytes, 16); });
  return call.result;
}

void* kind::calloc(std::size_t count, std::size_t bytes) noexcept {
  if (!state_->decorated.load(std::memory_order_acquire)) return state_->allocate_zeros(count, bytes);
  kind_call call{.memory = *this, .operation = kind_operation::calloc, .count = count, .bytes = bytes};
  decorate(*state_, call, [](kind_state& s, kind_call& c) { c.result = s.allocate_zeros(c.count, c.bytes); });
  return call.result;
}

void* kind::realloc(void* block, std::size_t bytes) noexcept {
  if (!state_->decorated.load(std::memory_order_acquire)) {
    bool refused = false;
    return state_->reallocate(block, bytes, refused);
  }
  kind_call call{.memory = *this, .operation = kind_operation::realloc, .bytes = bytes, .block = block};
  decorate(*state_, call,
           [](kind_state& s, kind_call& c) { c.result = s.reallocate(c.block, c.bytes, c.refused); });
  return call.result;
}

int kind::posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept {
  if (block == nullptr || !std::has_single_bit(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int saved = errno;
  kind_call call{
      .memory = *this, .operation = kind_operation::posix_memalign, .bytes = bytes, .alignment = alignment};
  const auto run = [](kind_state& s, kind_call& c) { c.result = s.allocate(c.bytes, c.alignment); };
  if (state_->decorated.load(std::memory_order_acquire))
    decorate(*state_, call, run);
  else
    run(*state_, call);
  errno = saved;
  if (call.result == nullptr) return ENOMEM;
  *block = call.result;
  return 0;
}

bool kind::free_slow(void* block) noexcept {
  if (block == nullptr) return true;
  if (!state_->decorated.load(std::memory_order_acquire)) return state_->deallocate(block);
  kind_call call{.memory = *this, .operation = kind_operation::free, .block = block};
  decorate(*state_, call, [](kind_state& s, kind_call& c) { c.refused = !s.deallocate(c.block); });
  return !call.refused;
}

std::size_t kind::usable_size(const void* block) const noexcept {
  if (!state_->decorated.load(std::memory_order_acquire)) return state_->usable_size(block);
  kind_call call{.memory = const_cast<kind&>(*this),
                 .operation = kind_operation::usable_size,
                 .block = const_cast<void*>(block)};
  decorate(*state_, call, [](kind_state& s, kind_call& c) { c.result_bytes = s.usable_size(c.block); });
  return call.result_bytes;
}

void* kind::allocate(std::size_t bytes, std::size_t alignment) {
  void* block = nullptr;
  if (alignment <= 16)
    block = malloc(alignment > 8 ? std::max<std::size_t>(bytes, alignment) : bytes);
  else if (posix_memalign(&block, alignment, bytes) != 0)
    block = nullptr;
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

// ---- by address

kind* kind::detect(const void* address) noexcept {
  if (const heap* const memory = heap::containing(address)) return static_cast<kind*>(memory->owner());
  if (address == nullptr) return nullptr;
  kind_list& list = every_kind();
  const std::lock_guard lock(list.mutex);
  for (kind* k : list.kinds) {
    const kind_state& state = *k->state_;
    if (state.allocation != nullptr && state.allocation->owns(address)) return k;
  }
  return nullptr;
}

bool kind::free_anywhere(void* block) noexcept {
  if (block == nullptr) return true;
  kind* const owner = detect(block);
  return owner != nullptr && owner->free(block);
}

// ---- looking after the memory

void* kind::defragment(void* block) noexcept {
  kind_state& state = *state_;
  if (block == nullptr || state.memory == nullptr || !state.holds(block) || state.belongs_to_parent)
    return nullptr;
  if (state.check_frees && !state.memory->owns(block)) return nullptr;
  return state.memory->move_to_denser(block);
}

bool kind::trim() {
  kind_state& state = *state_;
  if (state.belongs_to_parent) return false;
  if (state.allocation != nullptr) return state.allocation->trim();
  // A store gives memory back at its checkpoints.
  if (state.own_heap == nullptr) return false;
  state.memory->flush_own_cache();
  // Twice, as memory is given back when it was found free twice.
  const bool first = state.memory->trim();
  return state.memory->trim() || first;
}

memory_size kind::size() const {
  constexpr std::int64_t fresh_for_ns = 100'000'000;
  const kind_state& state = *state_;
  const std::lock_guard lock(state.sizing);
  const std::int64_t now = now_ns();
  if (state.last_sized_ns == 0 || now - state.last_sized_ns > fresh_for_ns) {
    if (state.allocation != nullptr) {
      state.last_size = state.allocation->size();
    } else if (state.policy != nullptr) {
      state.last_size = state.policy->size();
    } else {
      const heap_stats stats = state.memory->stats();
      state.last_size = {stats.segment_bytes, stats.free_bytes};
    }
    state.last_sized_ns = now;
  }
  return state.last_size;
}

kind_stats kind::stats() const {
  const kind_state& state = *state_;
  if (state.allocation != nullptr) return state.allocation->stats();
  const heap_stats known = state.memory->stats();
  kind_stats stats;
  stats.used_bytes = known.used_bytes;
  stats.free_bytes = known.free_bytes;
  stats.metadata_bytes = known.metadata_bytes;
  stats.blocks = known.blocks;
  stats.committed_bytes = state.segment != nullptr ? state.segment->committed() : known.segment_bytes;
  stats.capacity_bytes = state.segment != nullptr ? state.segment->capacity() : known.segment_bytes;
  return stats;
}

const std::string& kind::name() const noexcept {
  return state_->name;
}
heap* kind::memory() const noexcept {
  return state_->memory;
}
std::shared_ptr<memory_policy> kind::policy() const noexcept {
  return state_->policy;
}
std::shared_ptr<kind_allocation> kind::allocation() const noexcept {
  return state_->allocation;
}

}  // namespace perdure
