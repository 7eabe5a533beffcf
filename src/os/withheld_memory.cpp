#include "os/withheld_memory.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <utility>

namespace perdure::os {

namespace {

// Whoever has it must not wait for another lock, that of an allocator for one, which a thread may hold that
// forks and comes for this one.
constinit std::mutex list_mutex;

void tell(std::string_view line) noexcept {
  // There is nobody to tell of a failure.
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
}

}  // namespace

constinit withheld_memory* withheld_memory::first_ = nullptr;

withheld_memory::withheld_memory(std::byte* base, std::size_t bytes, std::string sentence)
    : base_(base), bytes_(bytes), sentence_(std::move(sentence)) {
  static const int registered =
      ::pthread_atfork(&withheld_memory::before_fork, &withheld_memory::after_fork_in_parent,
                       &withheld_memory::after_fork_in_child);
  static_cast<void>(registered);
  watch_.emplace(base_, bytes_, watched_touches::withheld, &withheld_memory::on_touch, this);
  const std::scoped_lock lock(list_mutex);
  next_ = std::exchange(first_, this);
}

withheld_memory::~withheld_memory() {
  watch_.reset();
  {
    const std::scoped_lock lock(list_mutex);
    withheld_memory** link = &first_;
    while (*link != this) link = &(*link)->next_;
    *link = next_;
  }
  if (is_taken_) ::munmap(base_, bytes_);
}

// What is not copied costs the fork nothing, and the parent no fault at its next store. Parts may have been
// mapped since the last fork, so all are asked for anew. Where the kernel refuses, the child still loses its
// copy below.
void withheld_memory::before_fork() {
  list_mutex.lock();
  for (withheld_memory* one = first_; one != nullptr; one = one->next_)
    one->is_left_out_ = ::madvise(one->base_, one->bytes_, MADV_DONTFORK) == 0;
}

void withheld_memory::after_fork_in_parent() {
  list_mutex.unlock();
}

void withheld_memory::after_fork_in_child() {
  for (withheld_memory* one = first_; one != nullptr; one = one->next_) one->take_away();
  list_mutex.unlock();
}

// Nothing else of the child's may come to lie there: pointers into the memory would find it. But what another
// handler of forks has put there before this one came stays.
void withheld_memory::take_away() noexcept {
  const int flags =
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (is_left_out_ ? MAP_FIXED_NOREPLACE : MAP_FIXED);
  is_taken_ = ::mmap(base_, bytes_, PROT_NONE, flags, -1, 0) != MAP_FAILED;
  if (!is_taken_ && errno != EEXIST) {
    tell("perdure: the kernel has no room for the mappings of a forked child\n");
    std::abort();
  }
  is_gone_.store(true, std::memory_order_relaxed);
}

bool withheld_memory::on_touch(void* self, std::byte*, touch) noexcept {
  auto& memory = *static_cast<withheld_memory*>(self);
  if (!memory.is_gone()) return false;
  if (!memory.is_told_.exchange(true)) tell(memory.sentence_);
  return true;
}

}  // namespace perdure::os
