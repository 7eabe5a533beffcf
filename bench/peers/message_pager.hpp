// The pager's rival by messages, as UMap is set up when nothing is set: the thread that touches a page
// sleeps, a manager reads the kernel's message of it, one of several fillers reads the page and copies it in,
// and evictors drop the oldest pages one by one when nine tenths of the budget are used, until seven are.
#pragma once

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace perdure::bench {

/// A read-only mapping of a file, read past the page cache. As many fillers and evictors as processors.
class message_pager {
 public:
  message_pager(const std::filesystem::path& path, std::uint64_t bytes, std::uint64_t budget)
      : bytes_(bytes), budget_(budget / page_bytes) {
    file_ = ::open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
    if (file_ < 0) fail(path.string());
    base_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base_ == MAP_FAILED) fail("mmap");
    ::madvise(base_, bytes_, MADV_NOHUGEPAGE);
    faults_ = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
    if (faults_ < 0) fail("userfaultfd");
    uffdio_api api{};
    api.api = UFFD_API;
    uffdio_register range{};
    range.range = {reinterpret_cast<std::uintptr_t>(base_), bytes_};
    range.mode = UFFDIO_REGISTER_MODE_MISSING;
    if (::ioctl(faults_, UFFDIO_API, &api) != 0 || ::ioctl(faults_, UFFDIO_REGISTER, &range) != 0)
      fail("userfaultfd");
    threads_.emplace_back([this] { manage(); });
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
      threads_.emplace_back([this] { fill(); });
      threads_.emplace_back([this] { evict(); });
    }
  }
  message_pager(const message_pager&) = delete;
  message_pager& operator=(const message_pager&) = delete;
  ~message_pager() {
    {
      const std::scoped_lock lock(lock_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& one : threads_) one.join();
    ::munmap(base_, bytes_);
    ::close(faults_);
    ::close(file_);
  }

  const std::uint64_t* data() const noexcept { return static_cast<const std::uint64_t*>(base_); }

 private:
  static constexpr std::size_t page_bytes = 4096;

  [[noreturn]] static void fail(const std::string& what) {
    throw std::system_error(errno, std::generic_category(), what);
  }

  void manage() {
    std::array<uffd_msg, 64> messages;
    while (!ends_) {
      pollfd ready{faults_, POLLIN, 0};
      if (::poll(&ready, 1, 100) <= 0) continue;
      const ssize_t got = ::read(faults_, messages.data(), sizeof messages);
      if (got <= 0) continue;
      const std::scoped_lock lock(lock_);
      for (std::size_t i = 0; i < static_cast<std::size_t>(got) / sizeof(uffd_msg); ++i)
        wanted_.push_back(messages[i].arg.pagefault.address / page_bytes * page_bytes);
      changed_.notify_all();
    }
  }

  void fill() {
    const std::unique_ptr<void, decltype(&std::free)> page(std::aligned_alloc(page_bytes, page_bytes),
                                                           &std::free);
    for (;;) {
      std::unique_lock lock(lock_);
      changed_.wait(lock, [this] { return ends_ || (!wanted_.empty() && there_.size() < budget_); });
      if (ends_) return;
      const std::uint64_t address = wanted_.front();
      wanted_.pop_front();
      there_.push_back(address);
      if (there_.size() * 10 >= budget_ * 9) changed_.notify_all();
      lock.unlock();
      const auto offset = static_cast<off_t>(address - reinterpret_cast<std::uintptr_t>(base_));
      if (::pread(file_, page.get(), page_bytes, offset) != static_cast<ssize_t>(page_bytes)) std::abort();
      uffdio_copy copy{};
      copy.dst = address;
      copy.src = reinterpret_cast<std::uintptr_t>(page.get());
      copy.len = page_bytes;
      // Two threads may have touched it before either was answered.
      if (::ioctl(faults_, UFFDIO_COPY, &copy) == 0 || errno != EEXIST) continue;
      uffdio_range awake{address, page_bytes};
      ::ioctl(faults_, UFFDIO_WAKE, &awake);
    }
  }

  void evict() {
    for (;;) {
      std::unique_lock lock(lock_);
      changed_.wait(lock, [this] { return ends_ || there_.size() * 10 >= budget_ * 9; });
      if (ends_) return;
      while (!ends_ && there_.size() * 10 > budget_ * 7) {
        const std::uint64_t address = there_.front();
        there_.pop_front();
        lock.unlock();
        ::madvise(reinterpret_cast<void*>(address), page_bytes, MADV_DONTNEED);
        lock.lock();
      }
      changed_.notify_all();
    }
  }

  const std::uint64_t bytes_;
  const std::size_t budget_;  // pages
  int file_ = -1;
  int faults_ = -1;
  void* base_ = nullptr;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::uint64_t> wanted_;  // addresses of pages
  std::deque<std::uint64_t> there_;   // oldest first
  std::atomic<bool> ends_{false};
  std::vector<std::thread> threads_;
};

}  // namespace perdure::bench
