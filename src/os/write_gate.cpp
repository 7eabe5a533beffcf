// Holds up threads that write to a part of memory, and lets them go.
#include "os/write_gate.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/futex.hpp"
#include "os/mapping.hpp"

namespace perdure::os {

namespace {

const std::size_t system_page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

}  // namespace

void write_gate::shut(std::byte* begin, std::byte* end) noexcept {
  begin_ = begin;
  end_ = end;
  owner_ = base::owner_process();
  turns_.fetch_add(1);
  while (inside_.load() != 0) ::sched_yield();
}

void write_gate::open() noexcept {
  turns_.fetch_add(1);
  wake(turns_);
}

void write_gate::enter(std::byte* address) noexcept {
  for (;;) {
    inside_.fetch_add(1);
    const std::uint32_t turn = turns_.load();
    const bool shut = turn % 2 == 1 && address >= begin_.load() && address < end_.load();
    if (!shut || is_inherited()) return;
    inside_.fetch_sub(1);
    wait_while(turns_, turn);
  }
}

bool write_gate::is_inherited() const noexcept {
  return !owner_.load().is_here();
}

bool write_gate::is_shut_for(std::byte* begin, std::byte* end) const noexcept {
  return turns_.load() % 2 == 1 && !is_inherited() && begin < end_.load() && end > begin_.load();
}

// The opening that let this thread go may have failed to make the memory writable.
bool write_hold::on_write(void* hold, std::byte* address, touch) noexcept {
  auto& self = *static_cast<write_hold*>(hold);
  const auto offset = static_cast<std::size_t>(address - self.memory_.base());
  if (offset >= self.open_.load()) return false;
  return self.gate_.pass(address, [&self, offset] {
    return self.memory_.try_protect(offset - offset % system_page, system_page, access::read_write);
  });
}

void write_hold::opened(std::size_t end) noexcept {
  std::size_t open = open_.load();
  while (open < end && !open_.compare_exchange_weak(open, end)) {
  }
}

void write_hold::hold(std::size_t offset, std::size_t bytes) {
  if (!watch_)
    watch_.emplace(memory_.base(), memory_.size(), watched_touches::writes, &write_hold::on_write, this);
  gate_.shut(memory_.base() + offset, memory_.base() + offset + bytes);
  try {
    memory_.hold(offset, bytes);
  } catch (...) {
    release(offset, bytes);
    throw;
  }
}

void write_hold::release(std::size_t offset, std::size_t bytes) noexcept {
  memory_.release(offset, bytes);
  gate_.open();
}

}  // namespace perdure::os
