// Random operations by several threads against a model: every block's content is a function of its serial
// number and verified when the block is freed, resized, or at the end; the heap checks itself each round.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "perdure/heap.hpp"
#include "segment/segment.hpp"
#include "segment/volatile_segment.hpp"

namespace perdure {
namespace {

struct block {
  unsigned char* data;
  std::size_t size;
  std::uint64_t serial;
};

unsigned char pattern(std::uint64_t serial, std::size_t i) {
  return static_cast<unsigned char>((serial * 0x9E3779B97F4A7C15ULL + i * 0x100000001B3ULL) >> 32);
}

// Large blocks are checked at both ends only, so that the test exercises the heap and not memset.
template <class F>
void each_checked_byte(std::size_t size, F f) {
  constexpr std::size_t edge = 256;
  for (std::size_t i = 0; i < std::min(size, edge); ++i) f(i);
  for (std::size_t i = std::max(edge, size - std::min(size, edge)); i < size; ++i) f(i);
}

void fill(const block& b) {
  each_checked_byte(b.size, [&](std::size_t i) { b.data[i] = pattern(b.serial, i); });
}
bool intact(const block& b) {
  bool good = true;
  each_checked_byte(b.size, [&](std::size_t i) { good &= b.data[i] == pattern(b.serial, i); });
  return good;
}

class worker {
 public:
  worker(heap& h, std::uint64_t seed) : heap_(h), random_(seed), serial_(seed << 40) {}

  void run(int operations, std::mutex& exchange_mutex, std::vector<block>& exchange) {
    for (int i = 0; i < operations && good; ++i) {
      const auto dice = random_() % 100;
      if (live_ > (std::size_t{96} << 20)) {
        release();
      } else if (blocks.empty() || dice < 48) {
        allocate(0);
      } else if (dice < 52) {
        allocate(std::size_t{1} << (random_() % 22));
      } else if (dice < 58) {
        resize();
      } else if (dice < 62) {  // blocks change threads, so that one frees what another allocated
        const std::lock_guard lock(exchange_mutex);
        exchange.push_back(take());
        if (exchange.size() > 100) {
          std::swap(exchange.front(), exchange[random_() % exchange.size()]);
          blocks.push_back(exchange.back());
          live_ += exchange.back().size;
          exchange.pop_back();
        }
      } else {
        release();
      }
    }
  }

  void adopt(std::vector<block> others) {
    for (const block& b : others) live_ += b.size;
    blocks = std::move(others);
  }

  std::vector<block> blocks;
  bool good = true;

 private:
  std::size_t random_size() {
    const auto kind = random_() % 1000;
    if (kind < 700) return random_() % 300;
    if (kind < 950) return random_() % 8000;
    if (kind < 998) return random_() % 200000;
    return random_() % 8000000;
  }
  void allocate(std::size_t alignment) {
    const std::size_t size = random_size();
    void* p = alignment == 0 ? heap_.allocate(size) : heap_.allocate(size, alignment);
    if (alignment != 0) good &= reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
    blocks.push_back({static_cast<unsigned char*>(p), size, ++serial_});
    good &= heap_.usable_size(p) >= size;
    fill(blocks.back());
    live_ += size;
  }
  void release() {
    const block b = take();
    good &= intact(b);
    heap_.deallocate(b.data);
  }
  void resize() {
    block& b = blocks[random_() % blocks.size()];
    good &= intact(b);
    const std::size_t size = random_size();
    live_ += size - b.size;
    if (heap_.try_expand(b.data, size)) {
      b.size = size;
    } else {
      b.size = std::min(b.size, std::size_t{256});  // beyond that only the ends were written
      auto* moved = static_cast<unsigned char*>(heap_.reallocate(b.data, size));
      b.data = moved;
      const std::size_t kept = std::min(b.size, size);
      for (std::size_t i = 0; i < kept; ++i) good &= b.data[i] == pattern(b.serial, i);
      b.size = size;
    }
    fill(b);
  }
  block take() {
    std::swap(blocks[random_() % blocks.size()], blocks.back());
    const block b = blocks.back();
    blocks.pop_back();
    live_ -= b.size;
    return b;
  }

  heap& heap_;
  std::mt19937_64 random_;
  std::uint64_t serial_;
  std::size_t live_ = 0;
};

TEST(HeapModel, RandomOperationsByManyThreadsKeepEveryByte) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  constexpr int operations = 20000;
#else
  constexpr int operations = 120000;
#endif
  auto memory = detail::make_volatile_segment(std::size_t{16} << 30);
  auto h = heap::format(*memory);
  std::vector<std::unique_ptr<worker>> workers;
  for (unsigned t = 0; t < 4; ++t) workers.push_back(std::make_unique<worker>(*h, t + 1));
  std::mutex exchange_mutex;
  std::vector<block> exchange;

  for (int round = 0; round < 8; ++round) {
    std::vector<std::thread> threads;
    for (auto& w : workers)
      threads.emplace_back(
          [&w, &exchange_mutex, &exchange] { w->run(operations, exchange_mutex, exchange); });
    for (auto& t : threads) t.join();
    for (auto& w : workers) ASSERT_TRUE(w->good);

    h->flush_caches();
    ASSERT_EQ(h->check(), std::vector<std::string>{});
    std::size_t live = exchange.size();
    for (auto& w : workers) live += w->blocks.size();
    ASSERT_EQ(h->stats().blocks, live);
    for (const detail::page_run& run : h->release_free_memory()) memory->discard(run);
    if (round % 3 == 2) {  // as after a restart
      h.reset();
      h = heap::attach(*memory);
      for (unsigned t = 0; t < 4; ++t) {
        auto next = std::make_unique<worker>(*h, (round + 2) * 100U + t);
        next->adopt(std::move(workers[t]->blocks));
        workers[t] = std::move(next);
      }
    }
  }
  for (auto& w : workers)
    for (const block& b : w->blocks) {
      ASSERT_TRUE(intact(b));
      h->deallocate(b.data);
    }
  for (const block& b : exchange) {
    ASSERT_TRUE(intact(b));
    h->deallocate(b.data);
  }
  h->flush_caches();
  EXPECT_EQ(h->check(), std::vector<std::string>{});
  EXPECT_EQ(h->stats().blocks, 0U);
  EXPECT_EQ(h->stats().used_bytes, 0U);
}

}  // namespace
}  // namespace perdure
