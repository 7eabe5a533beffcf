// Allocation micro-benchmark: each thread allocates its blocks, then frees a random one and allocates
// another many times, then frees them all. Only the first bytes of a block are touched, so the figures are
// the allocator's; `--touch all` writes whole blocks, to weigh resident memory against what was asked for.
//
// The same program measures the process's malloc (put jemalloc, mimalloc or tcmalloc under it with
// LD_PRELOAD), a Perdure heap in anonymous memory (`--allocator heap`) and one in a datastore
// (`--allocator store`), Perdure's kinds (`kind`, `node-kind`, `file-kind`) and those of a library with
// memkind's interface (`memkind`, `memkind-pmem`, `--library FILE`), and libpmemobj (`pmemobj`). The measured
// loops are a template on the allocator, so its calls can inline.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <perdure/datastore.hpp>
#include <perdure/heap.hpp>
#include <perdure/kind.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "measure.hpp"
#include "peers/memkind_library.hpp"
#include "peers/pmemobj_pool.hpp"
#include "segment/volatile_segment.hpp"

namespace {

using namespace perdure::bench;

struct size_range {
  const char* name;
  std::size_t smallest;
  std::size_t largest;
};

constexpr size_range known_sizes[] = {
    {"128", 128, 128},
    {"32-512", 32, 512},
    {"8-4k", 8, 4096},
    {"8k", 8192, 8192},
    {"2m", std::size_t{2} << 20, std::size_t{2} << 20},
    {"1k-2m", 1024, std::size_t{2} << 20},
};

struct workload {
  size_range sizes{};
  std::size_t blocks = 0;      // live blocks per thread
  std::size_t operations = 0;  // free + allocate pairs per thread in the mixed phase
  unsigned threads = 1;
  bool touch_all = false;
};

// xorshift64*: a few cycles, so that the allocator and not the generator is measured.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) noexcept : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  std::uint64_t below(std::uint64_t bound) noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return ((state_ * 0x2545F4914F6CDD1DU >> 32) * bound) >> 32;
  }

 private:
  std::uint64_t state_;
};

struct process_malloc {
  void* allocate(std::size_t bytes) const {
    void* block = std::malloc(bytes);
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
  void deallocate(void* block) const noexcept { std::free(block); }
};

struct perdure_heap {
  perdure::heap* memory;
  void* allocate(std::size_t bytes) const { return memory->allocate(bytes); }
  void deallocate(void* block) const noexcept { memory->deallocate(block); }
};

struct perdure_kind {
  perdure::kind* memory;
  void* allocate(std::size_t bytes) const {
    void* block = memory->malloc(bytes);
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
  void deallocate(void* block) const noexcept { memory->free(block); }
};

struct block {
  void* address;
  std::uint32_t bytes;
  std::uint32_t mark;
};

enum phase : unsigned { allocate_phase, mixed_phase, free_phase, phases };
constexpr const char* phase_names[phases] = {"malloc", "mixed", "free"};

struct phase_cost {
  double wall = 0;          // seconds from the first thread's start to the last one's end
  double cpu = 0;           // seconds, all threads
  double instructions = 0;  // user mode, all threads; 0 where not available
};

struct outcome {
  phase_cost cost[phases];
  bool counted_instructions = true;
  std::uint64_t requested = 0;        // bytes asked for and live after the malloc phase
  std::uint64_t requested_mixed = 0;  // the same after the mixed phase
  std::uint64_t resident_before = 0;
  std::uint64_t resident_malloc = 0;
  std::uint64_t resident_mixed = 0;
};

template <class Allocator>
void fill(const Allocator& allocator, block& slot, std::size_t bytes, std::uint32_t mark, bool touch_all) {
  slot.address = allocator.allocate(bytes);
  slot.bytes = static_cast<std::uint32_t>(bytes);
  slot.mark = mark;
  if (touch_all) std::memset(slot.address, 0x5a, bytes);
  std::memcpy(slot.address, &mark, sizeof mark);
}

template <class Allocator>
void empty(const Allocator& allocator, block& slot) {
  std::uint32_t found;
  std::memcpy(&found, slot.address, sizeof found);
  if (found != slot.mark)
    throw std::runtime_error("a block lost its content: the allocator gave it out twice");
  allocator.deallocate(slot.address);
}

template <class Allocator>
outcome run(const Allocator& allocator, const workload& work) {
  outcome result;
  // The tables come from the system, not from the allocator under test, and are resident beforehand.
  std::vector<block*> tables(work.threads);
  const std::size_t table_bytes = work.blocks * sizeof(block);
  for (block*& table : tables) {
    void* memory = std::aligned_alloc(4096, (table_bytes + 4095) / 4096 * 4096);
    if (memory == nullptr) throw std::bad_alloc();
    table = static_cast<block*>(std::memset(memory, 0, table_bytes));
  }
  result.resident_before = resident_bytes();

  std::vector<phase_cost> costs(static_cast<std::size_t>(work.threads) * phases);
  std::vector<char> counted(work.threads, 1);
  std::vector<std::exception_ptr> failures(work.threads);
  double started = 0;
  unsigned current = 0;
  const auto live_bytes = [&] {
    std::uint64_t sum = 0;
    for (const block* table : tables) {
      for (std::size_t i = 0; i < work.blocks; ++i) sum += table[i].bytes;
    }
    return sum;
  };
  // Runs on one thread while the others wait, so between two phases everything is still.
  bool running = false;
  std::barrier phase_change(work.threads, [&]() noexcept {
    if (running) {
      result.cost[current].wall = wall_seconds() - started;
      if (current == allocate_phase) {
        result.resident_malloc = resident_bytes();
        result.requested = live_bytes();
      } else if (current == mixed_phase) {
        result.resident_mixed = resident_bytes();
        result.requested_mixed = live_bytes();
      }
      ++current;
    }
    running = !running;
    started = wall_seconds();
  });

  const auto measured = [&](unsigned thread, const instruction_counter& counter, unsigned which,
                            auto&& body) {
    phase_change.arrive_and_wait();
    const double cpu = thread_cpu_seconds();
    const std::uint64_t instructions = counter.read();
    if (!failures[thread]) {
      try {
        body();
      } catch (...) {
        failures[thread] = std::current_exception();
      }
    }
    phase_cost& cost = costs[static_cast<std::size_t>(thread) * phases + which];
    cost.instructions = static_cast<double>(counter.read() - instructions);
    cost.cpu = thread_cpu_seconds() - cpu;
    phase_change.arrive_and_wait();
  };

  const auto thread_body = [&](unsigned thread) {
    const instruction_counter counter;
    counted[thread] = counter.available();
    random_source random(thread + 1);
    const std::size_t spread = work.sizes.largest - work.sizes.smallest + 1;
    const auto next_size = [&] { return work.sizes.smallest + random.below(spread); };
    block* const table = tables[thread];
    std::uint32_t mark = thread << 24;

    measured(thread, counter, allocate_phase, [&] {
      for (std::size_t i = 0; i < work.blocks; ++i)
        fill(allocator, table[i], next_size(), ++mark, work.touch_all);
    });
    measured(thread, counter, mixed_phase, [&] {
      for (std::size_t i = 0; i < work.operations; ++i) {
        block& slot = table[random.below(work.blocks)];
        empty(allocator, slot);
        fill(allocator, slot, next_size(), ++mark, work.touch_all);
      }
    });
    measured(thread, counter, free_phase, [&] {
      for (std::size_t i = 0; i < work.blocks; ++i) empty(allocator, table[i]);
    });
  };

  {
    std::vector<std::jthread> threads;
    for (unsigned thread = 1; thread < work.threads; ++thread) threads.emplace_back(thread_body, thread);
    thread_body(0);
  }
  for (block* table : tables) std::free(table);
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
  for (unsigned thread = 0; thread < work.threads; ++thread) {
    result.counted_instructions = result.counted_instructions && counted[thread];
    for (unsigned which = 0; which < phases; ++which) {
      const phase_cost& cost = costs[static_cast<std::size_t>(thread) * phases + which];
      result.cost[which].cpu += cost.cpu;
      result.cost[which].instructions += cost.instructions;
    }
  }
  return result;
}

outcome run_allocator(const std::string& name, const std::string& directory, const std::string& library,
                      const workload& work) {
  if (name == "malloc") return run(process_malloc{}, work);
  if (name == "kind") return run(perdure_kind{&perdure::kind::get(perdure::static_kind::standard)}, work);
  if (name == "node-kind") return run(perdure_kind{&perdure::kind::of_node(0)}, work);
  const std::string memkind = library.empty() ? "libmemkind.so.0" : library;
  if (name == "memkind") return run(memkind_library(memkind).standard(), work);
  constexpr std::size_t capacity = std::size_t{64} << 30;
  if (name == "heap") {
    const auto memory = perdure::detail::make_volatile_segment(capacity);
    const auto heap = perdure::heap::format(*memory);
    return run(perdure_heap{heap.get()}, work);
  }
  if (name == "store" || name == "file-kind" || name == "memkind-pmem" || name == "pmemobj") {
    if (directory.empty()) throw std::runtime_error("--allocator " + name + " needs --store DIRECTORY");
    std::filesystem::remove_all(directory);
    outcome result;
    if (name == "store") {
      const auto store = perdure::datastore::create(directory, {.capacity = capacity});
      const auto heap = perdure::heap::format(store->memory());
      result = run(perdure_heap{heap.get()}, work);
    } else {
      std::filesystem::create_directories(directory);
      if (name == "file-kind") {
        result = run(perdure_kind{perdure::kind::create_file(directory, capacity).get()}, work);
      } else if (name == "memkind-pmem") {
        result = run(memkind_library(memkind).in_files(directory), work);
      } else {
        // Disk space is taken at once, so there is as much as the blocks need and not the same for all.
        const std::size_t room = (std::size_t{1} << 30) + 3 * work.threads * work.blocks *
                                                              std::max<std::size_t>(work.sizes.largest, 256);
        result =
            run(pmemobj_pool(library.empty() ? "libpmemobj.so.1" : library, directory + "/pool", room), work);
      }
    }
    std::filesystem::remove_all(directory);
    return result;
  }
  throw std::runtime_error("no allocator is called " + name);
}

void print_json(const std::string& allocator, const workload& work, const outcome& result) {
  std::printf(
      "{\"benchmark\":\"alloc\",\"allocator\":\"%s\",\"sizes\":\"%s\",\"threads\":%u,\"blocks\":%zu,"
      "\"operations\":%zu,\"touch\":\"%s\",\"phases\":{",
      allocator.c_str(), work.sizes.name, work.threads, work.blocks, work.operations,
      work.touch_all ? "all" : "first");
  for (unsigned which = 0; which < phases; ++which) {
    const phase_cost& cost = result.cost[which];
    const double count = static_cast<double>(work.threads) *
                         static_cast<double>(which == mixed_phase ? work.operations : work.blocks);
    std::printf("%s\"%s\":{\"wall_ns\":%.3f,\"cpu_ns\":%.3f,\"instructions\":", which == 0 ? "" : ",",
                phase_names[which], cost.wall * 1e9 / count, cost.cpu * 1e9 / count);
    if (result.counted_instructions) {
      std::printf("%.2f}", cost.instructions / count);
    } else {
      std::printf("null}");
    }
  }
  std::printf(
      "},\"requested_bytes\":%llu,\"requested_bytes_mixed\":%llu,\"resident_growth_malloc\":%lld,"
      "\"resident_growth_mixed\":%lld,\"peak_resident_bytes\":%zu}\n",
      static_cast<unsigned long long>(result.requested),
      static_cast<unsigned long long>(result.requested_mixed),
      static_cast<long long>(result.resident_malloc - result.resident_before),
      static_cast<long long>(result.resident_mixed - result.resident_before), peak_resident_bytes());
}

void print_text(const std::string& allocator, const workload& work, const outcome& result) {
  std::printf("%s, %s bytes, %u threads, %zu blocks a thread\n", allocator.c_str(), work.sizes.name,
              work.threads, work.blocks);
  for (unsigned which = 0; which < phases; ++which) {
    const phase_cost& cost = result.cost[which];
    const double count = static_cast<double>(work.threads) *
                         static_cast<double>(which == mixed_phase ? work.operations : work.blocks);
    std::printf("  %-7s %9.1f ns wall  %9.1f ns CPU", phase_names[which], cost.wall * 1e9 / count,
                cost.cpu * 1e9 / count);
    if (result.counted_instructions) std::printf("  %9.1f instructions", cost.instructions / count);
    std::printf("  an operation\n");
  }
  const double grown =
      static_cast<double>(result.resident_mixed) - static_cast<double>(result.resident_before);
  std::printf("  resident/requested after mixed %.3f\n", grown / static_cast<double>(result.requested_mixed));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Allocation micro-benchmark: malloc, mixed and free phases");
  std::string allocator = "malloc";
  std::string size_name = "128";
  std::string directory;
  std::string library;
  std::string touch = "first";
  workload work;
  std::size_t payload = std::size_t{32} << 20;
  bool json = false;
  bool quick = false;
  app.add_option("--allocator", allocator,
                 "malloc; heap (Perdure, volatile) or store (Perdure, in a datastore); kind, node-kind or "
                 "file-kind (Perdure's); memkind or memkind-pmem (a library's); "
                 "pmemobj");
  app.add_option("--sizes", size_name, "128, 32-512, 8-4k, 8k, 2m or 1k-2m");
  app.add_option("--threads", work.threads, "threads")->check(CLI::Range(1U, 255U));
  app.add_option("--payload", payload, "live bytes per thread, about");
  app.add_option("--operations", work.operations, "free + allocate pairs per thread in the mixed phase");
  app.add_option("--touch", touch, "first (bytes of each block) or all of them")
      ->check(CLI::IsMember({"first", "all"}));
  app.add_option("--store", directory,
                 "directory for store, file-kind, memkind-pmem and pmemobj; removed before and after");
  app.add_option("--library", library,
                 "the one measured by memkind and memkind-pmem (libmemkind.so.0), pmemobj (libpmemobj.so.1)");
  app.add_flag("--json", json, "print one line of JSON");
  app.add_flag("--quick", quick, "a run of well under a second, to see that everything works");
  CLI11_PARSE(app, argc, argv);

  try {
    bool known = false;
    for (const size_range& sizes : known_sizes) {
      if (size_name != sizes.name) continue;
      work.sizes = sizes;
      known = true;
    }
    if (!known) throw std::runtime_error("no size range is called " + size_name);
    if (quick) payload = std::size_t{4} << 20;
    const std::size_t mean = (work.sizes.smallest + work.sizes.largest) / 2;
    work.blocks = std::max<std::size_t>(payload / mean, quick ? 16 : 64);
    if (work.operations == 0) {
      work.operations =
          std::max<std::size_t>(std::min<std::size_t>(4 * work.blocks, 2'000'000), quick ? 1000 : 20'000);
    }
    work.touch_all = touch == "all";
    const outcome result = run_allocator(allocator, directory, library, work);
    if (json) {
      print_json(allocator, work, result);
    } else {
      print_text(allocator, work, result);
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench_alloc: %s\n", failure.what());
    return 1;
  }
  return 0;
}
