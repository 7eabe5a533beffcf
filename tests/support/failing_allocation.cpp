// Takes the place of the program's operator new.
#include "support/failing_allocation.hpp"

#include <cstdlib>
#include <new>

namespace {

/// Of this thread's next allocations so many succeed; negative: all.
thread_local long allocations_left = -1;

void* allocate(std::size_t size, std::size_t alignment) {
  if (allocations_left == 0) return nullptr;
  if (allocations_left > 0) --allocations_left;
  return std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* const block = allocate(size, alignment);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate_or_throw(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, alignof(std::max_align_t));
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  std::free(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept {
  std::free(block);
}

namespace perdure {

failing_allocation::failing_allocation(long succeed) noexcept {
  allocations_left = succeed;
}

failing_allocation::~failing_allocation() {
  allocations_left = -1;
}

}  // namespace perdure
