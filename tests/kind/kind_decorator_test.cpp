// Hooks, and the decorators that the library brings.
#include "perdure/kind_decorator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "c/c_store.hpp"
#include "kind/small_kind.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace perdure {
namespace {

/// Writes "<name" before and ">name" after each call, with its operation.
class scribe : public kind_decorator {
 public:
  scribe(std::string name, std::vector<std::string>& log) : name_(std::move(name)), log_(log) {}
  void before(const kind_call& call) noexcept override {
    log_.push_back("<" + name_ + " " + std::string(to_string(call.operation)));
  }
  void after(const kind_call& call) noexcept override {
    log_.push_back(">" + name_ + " " + std::string(to_string(call.operation)));
  }

 private:
  std::string name_;
  std::vector<std::string>& log_;
};

using log_list = std::vector<std::string>;

TEST(KindDecorator, SeesEveryEntryPoint) {
  const auto k = make_small_kind();
  log_list log;
  const kind_decoration attached(*k, std::make_shared<scribe>("a", log));
  void* block = k->malloc(10);
  block = k->realloc(block, 100000);
  k->usable_size(block);
  k->free(block);
  block = k->calloc(2, 10);
  kind::free_anywhere(block);
  ASSERT_EQ(k->posix_memalign(&block, 64, 10), 0);
  k->free(block);
  EXPECT_EQ(log, (log_list{"<a malloc", ">a malloc", "<a realloc", ">a realloc", "<a usable_size",
                           ">a usable_size", "<a free", ">a free", "<a calloc", ">a calloc", "<a free",
                           ">a free", "<a posix_memalign", ">a posix_memalign", "<a free", ">a free"}));
}

TEST(KindDecorator, TellsSizesAndBlocks) {
  const auto k = make_small_kind();
  struct keeper : kind_decorator {
    std::vector<kind_call>& calls;
    explicit keeper(std::vector<kind_call>& c) : calls(c) {}
    void after(const kind_call& call) noexcept override { new (&calls) std::vector<kind_call>(1, call); }
  };
  // kind_call holds a reference, so a vector of them is replaced as a whole.
  alignas(std::vector<kind_call>) std::byte place[sizeof(std::vector<kind_call>)];
  auto& calls = *new (place) std::vector<kind_call>;
  const kind_decoration attached(*k, std::make_shared<keeper>(calls));
  void* const block = k->malloc(1000);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(&calls[0].memory, k.get());
  EXPECT_EQ(calls[0].bytes, 1000u);
  EXPECT_EQ(calls[0].result, block);
  EXPECT_GE(calls[0].result_bytes, 1000u);
  calls.~vector();
  k->free(block);
  EXPECT_EQ(calls[0].block, block);
  EXPECT_GE(calls[0].block_bytes, 1000u);
  EXPECT_FALSE(calls[0].refused);
  calls.~vector();
  int foreign = 0;
  EXPECT_FALSE(k->free(&foreign));
  EXPECT_TRUE(calls[0].refused);
  calls.~vector();
  EXPECT_EQ(k->malloc(std::size_t{1} << 60), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(calls[0].result, nullptr);
  calls.~vector();
}

TEST(KindDecorator, StacksAndComesOff) {
  const auto k = make_small_kind();
  log_list log;
  kind_decoration first(*k, std::make_shared<scribe>("1", log));
  {
    const kind_decoration second(*k, std::make_shared<scribe>("2", log));
    k->free(k->malloc(10));
    EXPECT_EQ(log, (log_list{"<1 malloc", "<2 malloc", ">2 malloc", ">1 malloc", "<1 free", "<2 free",
                             ">2 free", ">1 free"}));
    log.clear();
  }
  void* const block = k->malloc(10);
  EXPECT_EQ(log, (log_list{"<1 malloc", ">1 malloc"}));
  log.clear();
  {
    const kind_decoration moved = std::move(first);
    k->free(block);
    EXPECT_EQ(log, (log_list{"<1 free", ">1 free"}));
    log.clear();
  }
  k->free(k->malloc(10));
  EXPECT_TRUE(log.empty());
}

TEST(KindDecorator, MayBeOnAllKindsAlsoLaterOnes) {
  const auto k = make_small_kind();
  log_list log;
  {
    const kind_decoration all = kind_decoration::of_all(std::make_shared<scribe>("all", log));
    const auto later = make_small_kind();
    k->free(k->malloc(10));
    later->free(later->malloc(10));
    EXPECT_EQ(log.size(), 8u);
    log.clear();
  }
  k->free(k->malloc(10));
  EXPECT_TRUE(log.empty());
}

TEST(KindDecorator, MayAllocateItself) {
  const auto k = make_small_kind();
  struct allocating : kind_decorator {
    int calls = 0;
    void before(const kind_call& call) noexcept override {
      ++calls;
      call.memory.free(call.memory.malloc(100));
      EXPECT_TRUE(kind_decoration::inside_hook());
      EXPECT_EQ(code_of([&] { kind_decoration(call.memory, std::make_shared<accounting>()); }),
                errc::invalid_argument);
    }
  };
  const auto decorator = std::make_shared<allocating>();
  const kind_decoration attached(*k, decorator);
  k->free(k->malloc(10));
  EXPECT_EQ(decorator->calls, 2);
}

TEST(KindDecorator, ComesAndGoesWhileThreadsAllocate) {
  const auto k = make_small_kind();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      while (!stop) ASSERT_TRUE(k->free(k->malloc(100)));
    });
  for (int i = 0; i < 200; ++i) {
    auto counted = std::make_shared<accounting>();
    const kind_decoration attached(*k, counted);
  }
  stop = true;
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(k->stats().blocks, 0u);
}

TEST(KindDecorator, GoesWithItsKind) {
  auto k = make_small_kind();
  log_list log;
  const kind_decoration attached(*k, std::make_shared<scribe>("a", log));
  k.reset();
  EXPECT_EQ(code_of([] { static_cast<void>(kind_decoration::of_all(nullptr)); }), errc::invalid_argument);
}

TEST(Accounting, CountsCallsAndBytes) {
  const auto k = make_small_kind();
  const auto counted = std::make_shared<accounting>();
  const kind_decoration attached(*k, counted);
  void* const a = k->malloc(1000);
  void* const b = k->malloc(100000);
  EXPECT_EQ(k->malloc(std::size_t{1} << 60), nullptr);
  accounting::totals t = counted->read();
  EXPECT_EQ(t.allocations, 2u);
  EXPECT_EQ(t.failures, 1u);
  EXPECT_EQ(t.live_bytes, k->usable_size(a) + k->usable_size(b));
  k->free(b);
  int foreign = 0;
  k->free(&foreign);
  t = counted->read();
  EXPECT_EQ(t.frees, 1u);
  EXPECT_EQ(t.failures, 2u);
  EXPECT_EQ(t.live_bytes, k->usable_size(a));
  EXPECT_GE(t.peak_bytes, 101000u);
  void* const moved = k->realloc(a, 5000);
  EXPECT_EQ(counted->read().live_bytes, k->usable_size(moved));
  EXPECT_EQ(k->realloc(moved, 0), nullptr);
  t = counted->read();
  EXPECT_EQ(t.live_bytes, 0u);
  EXPECT_EQ(t.allocated_bytes, t.freed_bytes);
}

std::string read(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(AddressLogger, WritesALineForEachCall) {
  const scratch_directory scratch;
  const auto file = scratch.directory() / "log";
  const auto k = make_small_kind();
  {
    const kind_decoration attached(*k, std::make_shared<address_logger>(file));
    k->free(k->malloc(1234));
    std::thread([&] { k->free(k->calloc(3, 7)); }).join();
  }
  const std::string text = read(file);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_NE(text.find(" small malloc count=1 bytes=1234 "), std::string::npos) << text;
  EXPECT_NE(text.find(" calloc count=3 bytes=7 "), std::string::npos) << text;
  EXPECT_NE(text.find(" free "), std::string::npos);
  EXPECT_EQ(code_of([] { address_logger("/no/such/directory/log"); }), errc::io);
}

__attribute__((noinline)) void* allocate_here(kind& k) {
  void* const block = k.malloc(4096);
  asm volatile("" ::: "memory");
  return block;
}

TEST(AllocationProfiler, SamplesLiveBytesInProportion) {
  const scratch_directory scratch;
  const auto k = make_small_kind();
  const auto profiler = std::make_shared<allocation_profiler>(4096);
  const kind_decoration attached(*k, profiler);
  std::vector<void*> blocks;
  for (int i = 0; i < 4000; ++i) blocks.push_back(allocate_here(*k));
  for (int i = 0; i < 2000; ++i) k->free(blocks[i]);
  const auto file = scratch.directory() / "profile";
  profiler->write(file);
  const std::string text = read(file);
  unsigned long live = 0, live_bytes = 0, all = 0, all_bytes = 0, rate = 0;
  ASSERT_EQ(std::sscanf(text.c_str(), "heap profile: %lu: %lu [%lu: %lu] @ heap_v2/%lu", &live, &live_bytes,
                        &all, &all_bytes, &rate),
            5)
      << text.substr(0, 200);
  EXPECT_EQ(rate, 4096u);
  // One in e / (e - 1) blocks of the mean's size is sampled: about 2500.
  EXPECT_GT(all, 1000u);
  EXPECT_LT(all, 4001u);
  EXPECT_EQ(all_bytes, all * 4096);
  EXPECT_GT(live, all / 3);
  EXPECT_LT(live, all * 2 / 3);
  EXPECT_NE(text.find(" @ 0x"), std::string::npos);
  EXPECT_NE(text.find("MAPPED_LIBRARIES:"), std::string::npos);
  EXPECT_EQ(code_of([&] { profiler->write("/no/such/directory/profile"); }), errc::io);
}

// pprof reads: a header with the sums, a line of the same four numbers and a stack for each sample, and the
// mappings that hold the stacks' addresses.
TEST(AllocationProfiler, KeepsToTheRulesOfTheFormat) {
  const scratch_directory scratch;
  const auto k = make_small_kind();
  const auto profiler = std::make_shared<allocation_profiler>(1);
  const kind_decoration attached(*k, profiler);
  k->free(allocate_here(*k));
  void* const live = allocate_here(*k);
  const auto file = scratch.directory() / "profile";
  profiler->write(file);
  EXPECT_TRUE(k->free(live));

  struct counts {
    unsigned long live = 0, live_bytes = 0, all = 0, all_bytes = 0;
  };
  const auto parse = [](const std::string& line, const char* format, counts& c) {
    int used = 0;
    const int found = std::sscanf(line.c_str(), format, &c.live, &c.live_bytes, &c.all, &c.all_bytes, &used);
    return found == 4 && used != 0 ? line.substr(static_cast<std::size_t>(used)) : "no such line: " + line;
  };
  std::istringstream lines(read(file));
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  counts total;
  EXPECT_EQ(parse(line, "heap profile: %lu: %lu [%lu: %lu] @%n", total), " heap_v2/1");
  counts sum;
  std::vector<unsigned long> addresses;
  while (std::getline(lines, line) && !line.empty()) {
    counts c;
    std::istringstream stack(parse(line, "%lu: %lu [%lu: %lu] @%n", c));
    sum = {sum.live + c.live, sum.live_bytes + c.live_bytes, sum.all + c.all, sum.all_bytes + c.all_bytes};
    EXPECT_LE(c.live, c.all);
    for (std::string frame; stack >> frame;) {
      ASSERT_EQ(frame.substr(0, 2), "0x") << line;
      addresses.push_back(std::stoul(frame, nullptr, 16));
    }
  }
  EXPECT_EQ(total.live, 1u);
  EXPECT_EQ(total.all, 2u);
  EXPECT_EQ(sum.live, total.live);
  EXPECT_EQ(sum.live_bytes, total.live_bytes);
  EXPECT_EQ(sum.all, total.all);
  EXPECT_EQ(sum.all_bytes, total.all_bytes);
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "MAPPED_LIBRARIES:");
  std::vector<std::pair<unsigned long, unsigned long>> code;
  while (std::getline(lines, line)) {
    unsigned long begin = 0, end = 0;
    char rights[5] = "";
    ASSERT_EQ(std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights), 3) << line;
    if (rights[2] == 'x') code.emplace_back(begin, end);
  }
  EXPECT_FALSE(addresses.empty());
  for (const unsigned long address : addresses)
    EXPECT_TRUE(std::any_of(code.begin(), code.end(),
                            [&](const auto& m) { return address >= m.first && address < m.second; }))
        << std::hex << address;
}

// ---- the same from C

TEST(CKindDecorator, CallsHooks) {
  using namespace perdure::c;
  perdure_kind_options options{};
  options.struct_size = sizeof options;
  options.capacity = std::uint64_t{2} << 30;
  perdure_kind_request request{};
  request.struct_size = sizeof request;
  perdure_kind* kind = nullptr;
  ASSERT_OK(perdure_kind_create_memory(&request, &options, &kind));
  struct seen {
    int before = 0;
    int after = 0;
    perdure_kind_call last{};
    perdure_kind_decorator* own = nullptr;
    perdure_status detached_inside = PERDURE_OK;
  } s;
  perdure_kind_hooks hooks{};
  hooks.struct_size = sizeof hooks;
  hooks.context = &s;
  hooks.before = [](void* context, const perdure_kind_call*) { ++static_cast<seen*>(context)->before; };
  hooks.after = [](void* context, const perdure_kind_call* call) {
    auto& to = *static_cast<seen*>(context);
    ++to.after;
    to.last = *call;
    to.detached_inside = perdure_kind_detach(to.own);
  };
  perdure_kind_decorator* decorator = nullptr;
  ASSERT_OK(perdure_kind_attach(kind, &hooks, &decorator));
  s.own = decorator;
  void* const block = perdure_kind_malloc(kind, 77);
  EXPECT_EQ(s.before, 1);
  EXPECT_EQ(s.after, 1);
  EXPECT_EQ(s.last.kind, kind);
  EXPECT_EQ(s.last.operation, PERDURE_KIND_CALL_MALLOC);
  EXPECT_EQ(s.last.size, 77u);
  EXPECT_EQ(s.last.result, block);
  EXPECT_EQ(s.detached_inside, PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_kind_detach(decorator));
  EXPECT_EQ(perdure_kind_detach(decorator), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_kind_detach(nullptr));
  EXPECT_OK(perdure_kind_free(kind, block));
  EXPECT_EQ(s.after, 1);

  perdure_kind_decorator* account = nullptr;
  perdure_kind_decorator* logger = nullptr;
  perdure_kind_decorator* profiler = nullptr;
  const scratch_directory scratch;
  const std::string log = (scratch.directory() / "log").string();
  const std::string profile = (scratch.directory() / "profile").string();
  ASSERT_OK(perdure_kind_attach_accounting(kind, &account));
  ASSERT_OK(perdure_kind_attach_address_logger(kind, log.c_str(), &logger));
  ASSERT_OK(perdure_kind_attach_profiler(nullptr, 1, &profiler));
  EXPECT_OK(perdure_kind_free(kind, perdure_kind_malloc(kind, 100)));
  perdure_kind_account totals{};
  totals.struct_size = sizeof totals;
  EXPECT_OK(perdure_kind_account_get(account, &totals));
  EXPECT_EQ(totals.allocations, 1u);
  EXPECT_EQ(totals.frees, 1u);
  EXPECT_EQ(perdure_kind_account_get(logger, &totals), PERDURE_WRONG_TYPE);
  EXPECT_OK(perdure_kind_profile_write(profiler, profile.c_str()));
  EXPECT_EQ(perdure_kind_profile_write(account, profile.c_str()), PERDURE_WRONG_TYPE);
  EXPECT_EQ(perdure_kind_profile_write(profiler, "/no/such/directory/p"), PERDURE_IO);
  EXPECT_EQ(perdure_kind_attach_address_logger(kind, "/no/such/directory/l", &decorator), PERDURE_IO);
  EXPECT_EQ(perdure_kind_attach(garbage<perdure_kind>(), &hooks, &decorator), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_kind_attach(kind, nullptr, &decorator), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_kind_detach(account));
  EXPECT_OK(perdure_kind_detach(logger));
  EXPECT_OK(perdure_kind_detach(profiler));
  EXPECT_OK(perdure_kind_destroy(kind));
  EXPECT_FALSE(read(log).empty());
  EXPECT_FALSE(read(profile).empty());
}

}  // namespace
}  // namespace perdure
