// Where pages come to lie, on machines with several nodes. The virtual machine of tests/vm runs this program;
// with one node there is little to see, and the tests say so.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <perdure/kind.hpp>
#include <perdure/kind_allocator.hpp>
#include <perdure/tiered_kind.hpp>
#include <string>
#include <vector>

#include "kind/node_policy.hpp"
#include "kind/small_kind.hpp"
#include "kind/tier_selection.hpp"
#include "os/numa.hpp"
#include "os/numa_topology.hpp"

namespace perdure {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// How many of the block's pages lie on each node; under -1 those that are nowhere.
std::map<int, std::size_t> pages_by_node(void* block, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<void*> addresses;
  for (std::size_t at = 0; at < bytes; at += page) addresses.push_back(static_cast<std::byte*>(block) + at);
  std::map<int, std::size_t> counts;
  for (const int node : os::nodes_of(addresses)) ++counts[node < 0 ? -1 : node];
  return counts;
}

/// Allocates and touches memory of the kind, and checks that every page lies on one of the nodes.
void expect_on(kind& k, const node_set& allowed, std::size_t bytes = 8 * mib) {
  void* const block = k.malloc(bytes);
  ASSERT_NE(block, nullptr) << k.name();
  std::memset(block, 1, bytes);
  for (const auto& [node, count] : pages_by_node(block, bytes))
    EXPECT_TRUE(node >= 0 && allowed.contains(static_cast<unsigned>(node)))
        << k.name() << ": " << count << " pages on node " << node;
  EXPECT_TRUE(k.free(block));
}

const os::numa_topology& machine() {
  return os::machine_topology();
}

std::vector<unsigned> nodes_with_memory() {
  std::vector<unsigned> numbers;
  for (const os::numa_node& node : machine().nodes)
    if (node.bytes != 0) numbers.push_back(node.number);
  return numbers;
}

struct KindOnNodes : testing::Test {
  void SetUp() override {
    if (nodes_with_memory().size() < 2) GTEST_SKIP() << "this machine has one NUMA node with memory";
  }
};

TEST_F(KindOnNodes, EachNodeHasAKindWhosePagesLieThere) {
  for (const unsigned node : nodes_with_memory()) expect_on(kind::of_node(node), node_set::of(node));
}

TEST_F(KindOnNodes, SmallBlocksLieThereToo) {
  for (const unsigned node : nodes_with_memory()) {
    kind& k = kind::of_node(node);
    std::vector<void*> blocks;
    for (int i = 0; i < 1000; ++i) {
      blocks.push_back(k.malloc(600));
      ASSERT_NE(blocks.back(), nullptr);
      std::memset(blocks.back(), 1, 600);
    }
    for (const int found : os::nodes_of(blocks)) EXPECT_EQ(found, static_cast<int>(node));
    for (void* const block : blocks) k.free(block);
  }
}

TEST_F(KindOnNodes, ReusedMemoryStaysOnItsNode) {
  const unsigned last = nodes_with_memory().back();
  kind& k = kind::of_node(last);
  for (int i = 0; i < 5; ++i) {
    expect_on(k, node_set::of(last), 16 * mib);
    k.trim();
  }
}

TEST_F(KindOnNodes, StaticKindsLieWhereTheyShould) {
  for (unsigned i = 0; i < static_kind_count; ++i) {
    const auto which = static_cast<static_kind>(i);
    const memory_request request = request_of(which);
    if (request.pages != page_backing::ordinary || kind::why_unavailable(which)) continue;
    const numa_placement placement = detail::placement_for(machine(), request, os::current_node());
    if (placement.mode == numa_mode::none) continue;
    std::printf("kind %s: nodes", std::string(to_string(which)).c_str());
    placement.nodes.for_each([](unsigned node) { std::printf(" %u", node); });
    std::printf("\n");
    expect_on(kind::get(which), placement.nodes);
  }
}

TEST_F(KindOnNodes, TheBestNodesAreThoseTheFirmwareNames) {
  for (const auto& [which, tier] :
       {std::pair{static_kind::highest_bandwidth_all, memory_tier::highest_bandwidth},
        std::pair{static_kind::lowest_latency_all, memory_tier::lowest_latency},
        std::pair{static_kind::highest_capacity_all, memory_tier::highest_capacity}}) {
    if (const auto why = kind::why_unavailable(which)) {
      std::printf("%s: %s\n", std::string(to_string(which)).c_str(), why->c_str());
      continue;
    }
    // Independently of the selection: the extremes of what sysfs says.
    const os::numa_topology sysfs = os::read_numa_topology();
    node_set best;
    std::uint64_t most = 0;
    for (const os::numa_node& node : sysfs.nodes) {
      const std::uint64_t value = tier == memory_tier::highest_bandwidth ? node.bandwidth.value_or(0)
                                  : tier == memory_tier::lowest_latency
                                      ? 1'000'000 - node.latency.value_or(1'000'000)
                                      : node.bytes;
      if (node.bytes == 0 || value < most) continue;
      if (value > most) best = node_set();
      most = value;
      best.add(node.number);
    }
    expect_on(kind::get(which), best);
  }
}

TEST_F(KindOnNodes, InterleavesPageByPage) {
  kind& k = kind::get(static_kind::interleave);
  constexpr std::size_t bytes = 24 * mib;
  void* const block = k.malloc(bytes);
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, bytes);
  const auto counts = pages_by_node(block, bytes);
  const std::vector<unsigned> all = nodes_with_memory();
  const std::size_t pages = bytes / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t share = pages / all.size();
  for (const unsigned node : all) {
    const auto found = counts.find(static_cast<int>(node));
    const std::size_t count = found == counts.end() ? 0 : found->second;
    EXPECT_NEAR(static_cast<double>(count), static_cast<double>(share), static_cast<double>(share) * 0.02 + 2)
        << "node " << node;
  }
  EXPECT_TRUE(k.free(block));
}

TEST_F(KindOnNodes, InterleavesByWeight) {
  if (const auto why = kind::why_unavailable(static_kind::weighted_interleave)) GTEST_SKIP() << *why;
  kind& k = kind::get(static_kind::weighted_interleave);
  std::map<unsigned, double> weights;
  double sum = 0;
  for (const unsigned node : nodes_with_memory()) {
    std::FILE* const file =
        std::fopen(("/sys/kernel/mm/mempolicy/weighted_interleave/node" + std::to_string(node)).c_str(), "r");
    unsigned weight = 1;
    if (file != nullptr) {
      if (std::fscanf(file, "%u", &weight) != 1) weight = 1;
      std::fclose(file);
    }
    weights[node] = weight;
    sum += weight;
  }
  constexpr std::size_t bytes = 24 * mib;
  void* const block = k.malloc(bytes);
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, bytes);
  const auto counts = pages_by_node(block, bytes);
  const double pages = static_cast<double>(bytes) / static_cast<double>(::sysconf(_SC_PAGESIZE));
  for (const auto& [node, weight] : weights) {
    const auto found = counts.find(static_cast<int>(node));
    const double count = found == counts.end() ? 0 : static_cast<double>(found->second);
    EXPECT_NEAR(count, pages * weight / sum, pages * 0.02 + 4) << "node " << node;
  }
  EXPECT_TRUE(k.free(block));
}

const os::numa_node* smallest_node() {
  const os::numa_node* smallest = nullptr;
  for (const os::numa_node& node : machine().nodes)
    if (node.bytes != 0 && (smallest == nullptr || node.bytes < smallest->bytes)) smallest = &node;
  return smallest;
}

std::unique_ptr<kind> kind_of_node(const os::numa_node& node, numa_mode mode) {
  memory_request request;
  request.tier = memory_tier::nodes;
  request.mode = mode;
  request.nodes = node_set::of(node.number);
  return kind::create(request, small_kind(mode == numa_mode::bind ? "strict" : "preferred"));
}

TEST_F(KindOnNodes, PreferredMemoryGoesElsewhereWhenTheNodeIsFull) {
  const os::numa_node* const smallest = smallest_node();
  if (smallest->bytes > 2048 * mib) GTEST_SKIP() << "the smallest node is too large to be filled";
  const auto k = kind_of_node(*smallest, numa_mode::preferred);
  expect_on(*k, node_set::of(smallest->number), 4 * mib);
  std::vector<void*> blocks;
  bool elsewhere = false;
  for (std::size_t taken = 0; taken < smallest->bytes + 64 * mib && !elsewhere; taken += 8 * mib) {
    if (k->size().free < 128 * mib) break;
    void* const block = k->malloc(8 * mib);
    ASSERT_NE(block, nullptr);
    std::memset(block, 1, 8 * mib);
    blocks.push_back(block);
    for (const auto& [node, count] : pages_by_node(block, 8 * mib))
      elsewhere = elsewhere || node != static_cast<int>(smallest->number);
  }
  EXPECT_TRUE(elsewhere);
  for (void* const block : blocks) EXPECT_TRUE(k->free(block));
}

TEST_F(KindOnNodes, AFullNodeIsAnAllocationThatFails) {
  const os::numa_node* const smallest = smallest_node();
  if (smallest->bytes > 2048 * mib) GTEST_SKIP() << "the smallest node is too large to be filled";
  const auto k = kind_of_node(*smallest, numa_mode::bind);
  std::vector<void*> blocks;
  std::size_t taken = 0;
  errno = 0;
  while (void* const block = k->malloc(4 * mib)) {
    std::memset(block, 1, 4 * mib);
    blocks.push_back(block);
    taken += 4 * mib;
    ASSERT_LE(taken, smallest->bytes) << "more than the node has";
  }
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_GT(taken, 8 * mib);
  for (void* const block : blocks) {
    for (const auto& [node, count] : pages_by_node(block, 4 * mib))
      ASSERT_EQ(node, static_cast<int>(smallest->number)) << count << " pages";
    EXPECT_TRUE(k->free(block));
  }
  // What came back serves again; what was trimmed is the node's.
  void* const again = k->malloc(4 * mib);
  EXPECT_NE(again, nullptr);
  EXPECT_TRUE(k->free(again));
  EXPECT_TRUE(k->trim());
  EXPECT_LT(k->stats().committed_bytes, taken);
}

// Nobody touches a block before the node is full: what was handed out must be there all the same.
TEST_F(KindOnNodes, AFullNodeHasWhatItGave) {
  const os::numa_node* const smallest = smallest_node();
  if (smallest->bytes > 2048 * mib) GTEST_SKIP() << "the smallest node is too large to be filled";
  const auto k = kind_of_node(*smallest, numa_mode::bind);
  std::vector<void*> blocks;
  while (void* const block = k->malloc(4 * mib)) {
    blocks.push_back(block);
    ASSERT_LE(blocks.size() * 4 * mib, smallest->bytes) << "more than the node has";
  }
  EXPECT_GT(blocks.size(), 2U);
  for (void* const block : blocks) std::memset(block, 1, 4 * mib);
  for (void* const block : blocks) {
    for (const auto& [node, count] : pages_by_node(block, 4 * mib))
      ASSERT_EQ(node, static_cast<int>(smallest->number)) << count << " pages";
    EXPECT_TRUE(k->free(block));
  }
}

TEST_F(KindOnNodes, TellsTheSizeOfItsNodes) {
  for (const unsigned node : nodes_with_memory()) {
    const memory_size size = kind::of_node(node).size();
    EXPECT_LE(size.total, machine().find(node)->bytes);
    EXPECT_LE(size.free, size.total);
    EXPECT_GT(size.total, 0u);
  }
}

TEST_F(KindOnNodes, TiersDivideBlocksBetweenNodes) {
  const std::vector<unsigned> all = nodes_with_memory();
  const memory_tier_share tiers[] = {{&kind::of_node(all[0]), 1}, {&kind::of_node(all[1]), 1}};
  const auto k = create_tiered(tiers, tiering::static_ratio);
  std::map<int, int> found;
  std::vector<void*> blocks;
  for (int i = 0; i < 64; ++i) {
    blocks.push_back(k->malloc(64 * 1024));
    ASSERT_NE(blocks.back(), nullptr);
    std::memset(blocks.back(), 1, 64 * 1024);
    ++found[os::nodes_of(std::span(&blocks.back(), 1))[0]];
  }
  EXPECT_EQ(found[static_cast<int>(all[0])], 32);
  EXPECT_EQ(found[static_cast<int>(all[1])], 32);
  for (void* const block : blocks) EXPECT_TRUE(k->free(block));
}

// ---- huge pages, which need no second node

TEST(KindOfHugePages, ArePlainlyThereOrNot) {
  const auto pool = os::huge_pages(2 * mib);
  if (!pool || pool->free < 4) {
    EXPECT_TRUE(kind::why_unavailable(static_kind::huge_2m) || (pool && pool->total != 0));
    GTEST_SKIP() << "fewer than four huge pages of 2 MiB are free";
  }
  kind& k = kind::get(static_kind::huge_2m);
  std::vector<void*> blocks;
  errno = 0;
  while (void* const block = k.malloc(2 * mib)) {
    std::memset(block, 1, 2 * mib);
    blocks.push_back(block);
    ASSERT_LE(blocks.size(), pool->total);
  }
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_GE(blocks.size(), 3u);
  EXPECT_LT(os::huge_pages(2 * mib)->free, pool->free);
  for (void* const block : blocks) EXPECT_TRUE(k.free(block));
  EXPECT_TRUE(k.trim());
  EXPECT_GE(os::huge_pages(2 * mib)->free + 2, pool->free);
}

TEST(KindOfHugePages, PreferredOnesFallBack) {
  for (const auto which : {static_kind::huge_2m_preferred, static_kind::huge_1g_preferred}) {
    if (which == static_kind::huge_1g_preferred && machine().nodes[0].bytes < 4096 * mib) continue;
    kind& k = kind::get(which);
    for (int i = 0; i < 10; ++i) {
      auto* const block = static_cast<unsigned char*>(k.malloc(3 * mib));
      ASSERT_NE(block, nullptr) << to_string(which);
      block[0] = block[3 * mib - 1] = 1;
      EXPECT_TRUE(k.free(block));
    }
  }
}

TEST(KindOfHugePages, TransparentOnesServe) {
  if (const auto why = kind::why_unavailable(static_kind::huge_pages)) GTEST_SKIP() << *why;
  kind& k = kind::get(static_kind::huge_pages);
  void* const block = k.malloc(8 * mib);
  ASSERT_NE(block, nullptr);
  std::memset(block, 1, 8 * mib);
  EXPECT_TRUE(k.free(block));
}

TEST(KindOnOneNode, RegularInterleavedAndLargestMemoryServe) {
  for (const auto which : {static_kind::regular, static_kind::interleave, static_kind::highest_capacity}) {
    kind& k = kind::get(which);
    void* const block = k.malloc(4 * mib);
    ASSERT_NE(block, nullptr) << to_string(which);
    std::memset(block, 1, 4 * mib);
    EXPECT_EQ(pages_by_node(block, 4 * mib).count(-1), 0u);
    EXPECT_TRUE(k.free(block));
  }
  kind& first = kind::of_node(machine().nodes[0].number);
  void* const block = first.malloc(100);
  EXPECT_NE(block, nullptr);
  EXPECT_TRUE(kind::free_anywhere(block));
}

// Kinds whose pages may lie anywhere cannot look at what nodes have free; the system would not say no either,
// as their memory is reserved before.
TEST(KindOnOneNode, MoreThanTheSystemGivesIsAnAllocationThatFails) {
  struct sysinfo memory {};
  ASSERT_EQ(::sysinfo(&memory), 0);
  const std::size_t bytes = (memory.totalram + memory.totalswap) * memory.mem_unit / 4 * 5;
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped != MAP_FAILED) {
    ::munmap(mapped, bytes);
    GTEST_SKIP() << "this system refuses no overcommitment";
  }
  for (const auto which : {static_kind::interleave, static_kind::highest_capacity_preferred}) {
    kind& k = kind::get(which);
    errno = 0;
    void* const block = k.malloc(bytes);
    EXPECT_EQ(block, nullptr) << to_string(which);
    EXPECT_EQ(errno, ENOMEM) << to_string(which);
    if (block != nullptr) k.free(block);
    void* const less = k.malloc(128 * mib);
    EXPECT_NE(less, nullptr) << to_string(which);
    k.free(less);
  }
}

}  // namespace
}  // namespace perdure
