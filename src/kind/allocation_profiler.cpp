// A sampled heap profile in the text form that gperftools began and pprof still reads: a header with totals,
// a line per sample, then the mappings, by which pprof finds the symbols.
#include <execinfo.h>

#include <array>
#include <atomic>
#include <fstream>
#include <map>
#include <mutex>
#include <random>
#include <unordered_map>
#include <vector>

#include "perdure/kind_decorator.hpp"

namespace perdure {

namespace {

constexpr int most_frames = 32;

using stack = std::vector<void*>;

/// The bytes until the next sample: exponentially distributed, so that each byte is as likely to be sampled
/// as any other.
std::int64_t next_gap(std::size_t mean) {
  static thread_local std::minstd_rand random{std::random_device{}()};
  return 1 + static_cast<std::int64_t>(
                 std::exponential_distribution<double>(1.0 / static_cast<double>(mean))(random));
}

}  // namespace

struct allocation_profiler::samples {
  struct counts {
    std::uint64_t live_blocks = 0, live_bytes = 0, blocks = 0, bytes = 0;
  };
  struct live_sample {
    std::size_t bytes;
    counts* of;
  };

  std::size_t mean;
  std::atomic<std::int64_t> until_next;
  mutable std::mutex mutex;
  std::map<stack, counts> by_stack;  // its nodes never move
  std::unordered_map<const void*, live_sample> live;
  // Most blocks that are freed were not sampled: a few bits tell that without the lock.
  std::array<std::atomic<std::uint32_t>, 4096> filter{};

  explicit samples(std::size_t bytes) : mean(bytes == 0 ? 1 : bytes), until_next(next_gap(mean)) {}

  static std::size_t place_of(const void* block) noexcept {
    return (reinterpret_cast<std::uintptr_t>(block) >> 4) * 0x9E3779B97F4A7C15ULL >> 52;
  }

  void freed(const void* block) {
    if (filter[place_of(block)].load(std::memory_order_relaxed) == 0) return;
    const std::lock_guard lock(mutex);
    const auto found = live.find(block);
    if (found == live.end()) return;
    --found->second.of->live_blocks;
    found->second.of->live_bytes -= found->second.bytes;
    filter[place_of(block)].fetch_sub(1, std::memory_order_relaxed);
    live.erase(found);
  }

  void allocated(const void* block, std::size_t bytes) {
    const auto size = static_cast<std::int64_t>(bytes);
    if (until_next.fetch_sub(size, std::memory_order_relaxed) >= size) return;
    until_next.store(next_gap(mean), std::memory_order_relaxed);
    void* frames[most_frames];
    const int depth = ::backtrace(frames, most_frames);
    // The innermost frames belong to this decorator.
    constexpr int own_frames = 2;
    const int skipped = depth > own_frames ? own_frames : 0;
    const std::lock_guard lock(mutex);
    counts& of = by_stack[stack(frames + skipped, frames + depth)];
    ++of.live_blocks;
    ++of.blocks;
    of.live_bytes += bytes;
    of.bytes += bytes;
    if (live.insert_or_assign(block, live_sample{bytes, &of}).second)
      filter[place_of(block)].fetch_add(1, std::memory_order_relaxed);
  }
};

allocation_profiler::allocation_profiler(std::size_t bytes_a_sample)
    : samples_(std::make_unique<samples>(bytes_a_sample)) {
  // The first backtrace of a program loads a library, which must not happen amid an allocation.
  void* frame = nullptr;
  static_cast<void>(::backtrace(&frame, 1));
}
allocation_profiler::~allocation_profiler() = default;

void allocation_profiler::after(const kind_call& call) noexcept {
  if (call.operation == kind_operation::usable_size || call.refused) return;
  try {
    const bool moved_or_freed =
        call.operation == kind_operation::free || call.result != nullptr || call.bytes == 0;
    if (call.block != nullptr && moved_or_freed) samples_->freed(call.block);
    if (call.result != nullptr) samples_->allocated(call.result, call.result_bytes);
  } catch (...) {  // this sample is lost
  }
}

void allocation_profiler::write(const std::filesystem::path& file) const {
  std::ofstream out(file);
  const auto line = [&](const samples::counts& c) {
    out << c.live_blocks << ": " << c.live_bytes << " [" << c.blocks << ": " << c.bytes << "] @";
  };
  {
    const std::lock_guard lock(samples_->mutex);
    samples::counts sum;
    for (const auto& [frames, c] : samples_->by_stack) {
      sum.live_blocks += c.live_blocks;
      sum.live_bytes += c.live_bytes;
      sum.blocks += c.blocks;
      sum.bytes += c.bytes;
    }
    out << "heap profile: ";
    line(sum);
    out << " heap_v2/" << samples_->mean << '\n';
    for (const auto& [frames, c] : samples_->by_stack) {
      line(c);
      for (void* frame : frames) out << ' ' << frame;
      out << '\n';
    }
  }
  out << "\nMAPPED_LIBRARIES:\n" << std::ifstream("/proc/self/maps").rdbuf();
  out.flush();
  if (!out) throw error(errc::io, file.string() + ": the profile cannot be written");
}

}  // namespace perdure
