// Keeps memory from forked children.
#include "os/withheld_memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "os/forks.hpp"
#include "os/standard_error.hpp"

namespace perdure::os {

namespace {

// A thread that holds it must not wait for another lock, such as an allocator's: a thread that forks may hold
// that lock, and then takes this one.
constinit std::mutex list_mutex;

}  // namespace

constinit withheld_memory* withheld_memory::first_ = nullptr;

withheld_memory::withheld_memory(std::byte* base, std::size_t bytes, std::string sentence)
    : base_(base), bytes_(bytes), sentence_(std::move(sentence)) {
  static constexpr fork_handlers handlers{&withheld_memory::before_fork,
                                          &withheld_memory::after_fork_in_parent,
                                          &withheld_memory::after_fork_in_child};
  watch_forks(fork_layer::withheld_memory, handlers);
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

// Memory that is not copied costs the fork nothing, and the parent no fault when it writes next. Parts may
// have been mapped since the last fork, so the kernel is asked for all of it again. Where it refuses, the
// child loses its copy in `take_away`.
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

// Takes the range, so that nothing else of the child comes to lie there: pointers into the memory would find
// it. But if another handler of forks has put something there already, that stays.
void withheld_memory::take_away() noexcept {
  const int flags =
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (is_left_out_ ? MAP_FIXED_NOREPLACE : MAP_FIXED);
  is_taken_ = ::mmap(base_, bytes_, PROT_NONE, flags, -1, 0) != MAP_FAILED;
  if (!is_taken_ && errno != EEXIST) {
    write_to_standard_error("perdure: the kernel has no room for the mappings of a forked child\n");
    std::abort();
  }
  is_gone_.store(true, std::memory_order_relaxed);
}

bool withheld_memory::on_touch(void* self, std::byte*, touch) noexcept {
  auto& memory = *static_cast<withheld_memory*>(self);
  if (!memory.is_gone()) return false;
  if (!memory.is_told_.exchange(true)) write_to_standard_error(memory.sentence_);
  return true;
}

}  // namespace perdure::os
