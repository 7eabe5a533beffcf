// The objects behind a memkind_t, and a table of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/kind.hpp>
#include <string_view>

#include "memkind_1_0.h"

/// Static ones exist from the start and get their kind when it is asked for first.
struct memkind {
  std::atomic<perdure::kind*> live{nullptr};
  std::atomic<int> failure{MEMKIND_SUCCESS};  // why there is none
  int partition = -1;                         // of a static one
  bool trims_on_free = false;
  std::atomic<std::int64_t> tiered_bytes{0};  // allocated through memkind_memtier.h
  const memkind_ops* ops = nullptr;           // of memkind_create
  char name[MEMKIND_NAME_LENGTH] = "";
};

namespace perdure::memkind_compat {

/// Makes a static one's kind. Null, and `failure` says why, if it cannot be had.
kind* make_static(memkind& of) noexcept;

inline kind* kind_of(memkind& of) noexcept {
  kind* const live = of.live.load(std::memory_order_acquire);
  return live != nullptr ? live : make_static(of);
}

/// Whether it is a static one, or one that was created and not destroyed.
bool is_known(memkind_t one) noexcept;
/// Null: not one of these.
memkind_t find(const kind* live) noexcept;
memkind_t find(std::string_view name) noexcept;
/// Returns the request of a static kind, and whether it may be less than strictly its sort of memory.
memory_request request_of(const memkind& of);
memkind_t static_at(int partition) noexcept;
std::size_t count() noexcept;

/// One of that name, with no kind yet.
std::unique_ptr<memkind> make_named(std::string_view name);
/// Gives it the kind, and makes it known. Null for want of memory.
memkind_t enter(std::unique_ptr<memkind> one, std::unique_ptr<kind> live) noexcept;
/// Destroys one that was entered. False if it is none.
bool remove(memkind_t one) noexcept;
/// The most recent of those entered; null if there are none.
memkind_t last_entered() noexcept;

/// Whether some kind's `trims_on_free` is set; else frees need not look for it.
inline std::atomic<bool> any_trims{false};

/// MEMKIND_ERROR_… for the exception being handled.
int code_of_exception() noexcept;

}  // namespace perdure::memkind_compat
