// State of a kind, behind its public interface.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <perdure/kind.hpp>
#include <perdure/kind_decorator.hpp>
#include <shared_mutex>
#include <string>
#include <vector>

#include "segment/policy_segment.hpp"

namespace perdure::detail {

struct attached_decorator {
  std::uint64_t number = 0;  // in the order of attachment
  std::shared_ptr<kind_decorator> decorator;
};

struct kind_state {
  std::string name;
  bool check_frees = false;
  bool is_private = true;

  // Either a heap, mostly in a segment of the kind's own, or something in its place. Destroyed from the last
  // to the first: the heap before its segment, and the segment before its policy.
  std::shared_ptr<memory_policy> policy;
  std::unique_ptr<policy_segment> segment;
  std::unique_ptr<heap> own_heap;
  heap* memory = nullptr;
  std::shared_ptr<kind_allocation> allocation;

  /// Set in the child of a fork for a kind whose memory is the parent's too.
  bool belongs_to_parent = false;

  // Shared by calls that the decorators see; held exclusively by a thread that changes the list.
  std::shared_mutex decorating;
  std::vector<attached_decorator> decorators;
  std::atomic<bool> decorated{false};

  // What `size` found last, and when.
  mutable std::mutex sizing;
  mutable memory_size last_size;
  mutable std::int64_t last_sized_ns = 0;

  // The calls themselves, without decorators. `refused` reports a block that is not of this kind.
  void* allocate(std::size_t bytes, std::size_t alignment) noexcept;
  void* allocate_zeros(std::size_t count, std::size_t bytes) noexcept;
  void* reallocate(void* block, std::size_t bytes, bool& refused) noexcept;
  bool deallocate(void* block) noexcept;
  std::size_t usable_size(const void* block) const noexcept;
  /// Returns whether the address lies in memory of this kind.
  bool holds(const void* address) const noexcept;
};

/// The private parts of a kind.
struct kind_access {
  static kind_state& state_of(const kind& k) noexcept { return *k.state_; }
  /// Finds out again whether calls may take the short way.
  static void update_short_way(kind& k) noexcept;
  static std::unique_ptr<kind> make(std::unique_ptr<kind_state> state);
  static std::unique_ptr<kind> make(std::shared_ptr<memory_policy> policy, std::size_t machine_bytes,
                                    const kind_options& options);
};

/// All kinds, with the lock that keeps them from being made or destroyed.
struct kind_list {
  std::mutex mutex;
  std::vector<kind*> kinds;
  std::vector<attached_decorator> for_all;
  std::uint64_t last_number = 0;
};
kind_list& every_kind();

/// From now on a fork copies all kinds in one piece.
void watch_forks();

/// Runs `call` between the hooks of the kind's decorators.
void decorate(kind_state& state, kind_call& call, void (*run)(kind_state&, kind_call&));

}  // namespace perdure::detail
