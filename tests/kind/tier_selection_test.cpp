// Nodes and tiers, on machines that are folders: a sysfs tree made for the test.
#include "kind/tier_selection.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "kind/node_policy.hpp"
#include "os/numa_topology.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace perdure {
namespace {

using detail::select_nodes;

struct described_node {
  unsigned number;
  std::uint64_t mib;
  std::string cpus;       // "0-3"; "" for none
  std::string distances;  // "10 20"
  unsigned bandwidth = 0;
  unsigned latency = 0;
  std::vector<unsigned> initiators{};
  bool is_device = false;
};

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text << '\n';
}

struct TierSelection : testing::Test {
  std::filesystem::path sysfs() const { return scratch.directory() / "sys"; }

  os::numa_topology machine(const std::vector<described_node>& nodes) {
    for (const described_node& node : nodes) {
      const std::string name = "node" + std::to_string(node.number);
      const auto folder = sysfs() / "devices/system/node" / name;
      const std::string prefix = "Node " + std::to_string(node.number) + " ";
      write(folder / "meminfo", prefix + "MemTotal:       " + std::to_string(node.mib * 1024) + " kB\n" +
                                    prefix + "MemFree:        " + std::to_string(node.mib * 512) + " kB\n" +
                                    prefix + "Inactive(file):        1024 kB");
      write(folder / "cpulist", node.cpus);
      write(folder / "distance", node.distances);
      for (const char* direction : {"read", "write"}) {
        const std::string prefix_of = std::string("access0/initiators/") + direction;
        if (node.bandwidth != 0) write(folder / (prefix_of + "_bandwidth"), std::to_string(node.bandwidth));
        if (node.latency != 0) write(folder / (prefix_of + "_latency"), std::to_string(node.latency));
      }
      for (const unsigned initiator : node.initiators)
        std::filesystem::create_directories(folder / "access0/initiators" /
                                            ("node" + std::to_string(initiator)));
      if (node.is_device) {
        const auto device = sysfs() / "bus/dax/devices" / ("dax" + std::to_string(node.number) + ".0");
        write(device / "target_node", std::to_string(node.number));
        std::filesystem::create_directories(sysfs() / "bus/dax/drivers/kmem");
        std::filesystem::create_symlink("../../drivers/kmem", device / "driver");
      }
    }
    return os::read_numa_topology(sysfs());
  }

  /// Two sockets with DRAM (0, 1), fast memory beside each (2, 3), a large slow device beside the first (4).
  os::numa_topology rich() {
    return machine({{0, 16384, "0-3", "10 20 15 25 30", 100000, 80, {0}},
                    {1, 16384, "4-7", "20 10 25 15 40", 100000, 80, {1}},
                    {2, 4096, "", "15 25 10 30 40", 400000, 110, {0}},
                    {3, 4096, "", "25 15 30 10 50", 400000, 110, {1}},
                    {4, 65536, "", "30 40 40 50 10", 30000, 250, {0}, true}});
  }

  scratch_directory scratch;
};

node_set set_of(std::initializer_list<unsigned> numbers) {
  node_set set;
  for (const unsigned number : numbers) set.add(number);
  return set;
}

TEST_F(TierSelection, ReadsNodesFromSysfs) {
  const os::numa_topology t = rich();
  ASSERT_EQ(t.nodes.size(), 5u);
  EXPECT_STREQ(t.source, "sysfs");
  EXPECT_EQ(t.nodes[0].bytes, std::uint64_t{16384} << 20);
  EXPECT_TRUE(t.nodes[0].has_processors);
  EXPECT_FALSE(t.nodes[2].has_processors);
  EXPECT_EQ(t.nodes[2].bandwidth, 400000u);
  EXPECT_EQ(t.nodes[4].latency, 250u);
  EXPECT_TRUE(t.nodes[4].is_device);
  EXPECT_FALSE(t.nodes[2].is_device);
  EXPECT_EQ(t.nodes[3].initiators, std::vector<unsigned>{1});
  EXPECT_EQ(t.distance(0, 4), 30u);
  EXPECT_EQ(t.distance(0, 9), 0u);
  EXPECT_EQ(os::free_memory_of_node(2, sysfs()), (std::uint64_t{2048} << 20) + (1 << 20));
  EXPECT_FALSE(os::free_memory_of_node(9, sysfs()));
}

TEST_F(TierSelection, AMachineWithoutNumaHasOneNode) {
  const os::numa_topology t = os::read_numa_topology(sysfs());
  ASSERT_EQ(t.nodes.size(), 1u);
  EXPECT_GT(t.nodes[0].bytes, 0u);
  EXPECT_STREQ(t.source, "none");
}

TEST_F(TierSelection, FindsEachTier) {
  const os::numa_topology t = rich();
  using enum memory_tier;
  using enum tier_scope;
  const auto selected = [&](memory_tier tier, tier_scope scope, unsigned from) {
    const auto found = select_nodes(t, tier, scope, {}, from);
    EXPECT_EQ(found.why_none, "");
    return found.nodes;
  };
  EXPECT_EQ(selected(any, all, 0), set_of({0, 1, 2, 3, 4}));
  EXPECT_EQ(selected(regular, all, 0), set_of({0, 1}));
  EXPECT_EQ(selected(regular, nearest, 1), set_of({1}));
  EXPECT_EQ(selected(memory_only, all, 0), set_of({2, 3, 4}));
  EXPECT_EQ(selected(memory_only, nearest, 1), set_of({3}));
  EXPECT_EQ(selected(device, all, 0), set_of({4}));
  EXPECT_EQ(selected(highest_bandwidth, all, 0), set_of({2, 3}));
  EXPECT_EQ(selected(highest_bandwidth, nearest, 0), set_of({2}));
  EXPECT_EQ(selected(highest_bandwidth, nearest, 1), set_of({3}));
  EXPECT_EQ(selected(highest_bandwidth, local, 1), set_of({3}));
  EXPECT_EQ(selected(lowest_latency, all, 0), set_of({0, 1}));
  EXPECT_EQ(selected(lowest_latency, local, 0), set_of({0}));
  EXPECT_EQ(selected(highest_capacity, all, 0), set_of({4}));
  EXPECT_EQ(selected(highest_capacity, all, 1), set_of({4}));
  EXPECT_EQ(selected(highest_capacity, local, 0), set_of({4}));
  EXPECT_EQ(selected(highest_capacity, local, 1), set_of({1}));
}

TEST_F(TierSelection, LocalMemoryIsToldByDistanceWhereFirmwareIsSilent) {
  const os::numa_topology t = machine({{0, 100, "0", "10 20 17 28"},
                                       {1, 100, "1", "20 10 28 17"},
                                       {2, 900, "", "17 28 10 30"},
                                       {3, 800, "", "28 17 30 10"}});
  const auto of = [&](unsigned from) {
    return select_nodes(t, memory_tier::highest_capacity, tier_scope::local, {}, from).nodes;
  };
  EXPECT_EQ(of(0), set_of({2}));
  EXPECT_EQ(of(1), set_of({3}));
}

TEST_F(TierSelection, OneTierIsAnErrorAndNeverAGuess) {
  const os::numa_topology alike =
      machine({{0, 100, "0", "10 20", 100, 80, {0}}, {1, 100, "1", "20 10", 100, 80, {1}}});
  for (const auto tier : {memory_tier::highest_bandwidth, memory_tier::lowest_latency}) {
    const auto found = select_nodes(alike, tier, tier_scope::all, {}, 0);
    EXPECT_TRUE(found.nodes.empty());
    EXPECT_NE(found.why_none.find("one tier only"), std::string::npos) << found.why_none;
  }
  EXPECT_EQ(select_nodes(alike, memory_tier::highest_capacity, tier_scope::all, {}, 0).nodes, set_of({0, 1}));
  EXPECT_FALSE(select_nodes(alike, memory_tier::memory_only, tier_scope::all, {}, 0).why_none.empty());
  EXPECT_FALSE(select_nodes(alike, memory_tier::device, tier_scope::all, {}, 0).why_none.empty());
}

TEST_F(TierSelection, WhatIsNotKnownIsAnErrorAndNeverAGuess) {
  const os::numa_topology t = machine({{0, 100, "0", "10 20", 100, 80, {0}}, {1, 200, "", "20 10"}});
  const auto found = select_nodes(t, memory_tier::highest_bandwidth, tier_scope::all, {}, 0);
  EXPECT_TRUE(found.nodes.empty());
  EXPECT_NE(found.why_none.find("node 1"), std::string::npos) << found.why_none;
}

TEST_F(TierSelection, PreferredKindsFallBackToAllMemory) {
  const os::numa_topology one = machine({{0, 100, "0", "10"}});
  for (unsigned i = 0; i < static_kind_count; ++i) {
    const auto which = static_cast<static_kind>(i);
    const memory_request request = request_of(which);
    if (request.mode != numa_mode::preferred) continue;
    EXPECT_FALSE(detail::why_unavailable_on(one, request)) << to_string(which);
    const numa_placement placement = detail::placement_for(one, request, 0);
    EXPECT_TRUE(placement.mode == numa_mode::none || placement.nodes == set_of({0})) << to_string(which);
  }
  for (const auto which : {static_kind::highest_bandwidth, static_kind::lowest_latency_all,
                           static_kind::memory_only, static_kind::device_interleave})
    EXPECT_TRUE(detail::why_unavailable_on(one, request_of(which))) << to_string(which);
  for (const auto which :
       {static_kind::standard, static_kind::regular, static_kind::interleave, static_kind::highest_capacity})
    EXPECT_FALSE(detail::why_unavailable_on(one, request_of(which))) << to_string(which);
}

TEST_F(TierSelection, EachProcessorGetsWhatIsNearestToIt) {
  const os::numa_topology t = rich();
  const memory_request request = request_of(static_kind::highest_bandwidth);
  EXPECT_EQ(detail::placement_for(t, request, 0).nodes, set_of({2}));
  EXPECT_EQ(detail::placement_for(t, request, 1).nodes, set_of({3}));
  EXPECT_EQ(detail::placement_for(t, request, 0).mode, numa_mode::bind);
}

TEST_F(TierSelection, GivenNodesMustExist) {
  const os::numa_topology t = rich();
  EXPECT_EQ(select_nodes(t, memory_tier::nodes, tier_scope::all, set_of({1, 4}), 0).nodes, set_of({1, 4}));
  EXPECT_FALSE(select_nodes(t, memory_tier::nodes, tier_scope::all, set_of({1, 7}), 0).why_none.empty());
  memory_request request;
  request.tier = memory_tier::nodes;
  EXPECT_EQ(code_of([&] { detail::make_node_policy(t, request); }), errc::invalid_argument);
  request.nodes = set_of({7});
  EXPECT_EQ(code_of([&] { detail::make_node_policy(t, request); }), errc::invalid_argument);
  request.nodes = set_of({1});
  request.mode = numa_mode::local;
  EXPECT_EQ(code_of([&] { detail::make_node_policy(t, request); }), errc::invalid_argument);
}

TEST_F(TierSelection, CountsHugePages) {
  const auto pool = sysfs() / "kernel/mm/hugepages/hugepages-2048kB";
  EXPECT_FALSE(os::huge_pages(2 << 20, {}, sysfs()));
  write(pool / "nr_hugepages", "10");
  write(pool / "free_hugepages", "7");
  write(pool / "resv_hugepages", "3");
  write(pool / "nr_overcommit_hugepages", "0");
  const auto count = os::huge_pages(2 << 20, {}, sysfs());
  ASSERT_TRUE(count);
  EXPECT_EQ(count->total, 10u);
  EXPECT_EQ(count->free, 4u);
}

TEST_F(TierSelection, TakesWhatHwlocKnows) {
  // The processors that hwloc looks for, beside the nodes.
  os::numa_topology t =
      machine({{0, 1024, "0", "10 20", 100, 80, {0}}, {1, 1024, "", "20 10", 400, 110, {0}}});
  const auto cpu = sysfs() / "devices/system/cpu";
  for (const char* name : {"online", "present", "possible"}) write(cpu / name, "0");
  for (const char* name : {"core_cpus", "thread_siblings", "package_cpus", "core_siblings"})
    write(cpu / "cpu0/topology" / name, "1");
  write(cpu / "cpu0/topology/core_id", "0");
  write(cpu / "cpu0/topology/physical_package_id", "0");
  write(sysfs() / "devices/system/node/node0/cpumap", "1");
  write(sysfs() / "devices/system/node/node1/cpumap", "0");
  for (const char* name : {"online", "possible", "has_memory"})
    write(sysfs() / "devices/system/node" / name, "0-1");
  write(scratch.directory() / "proc/cpuinfo", "processor : 0");
  write(scratch.directory() / "proc/self/mounts", "");
  for (os::numa_node& node : t.nodes) node.bandwidth = node.latency = std::nullopt;
  if (!os::add_hwloc_attributes(t, scratch.directory()))
    GTEST_SKIP() << "libhwloc is not there, was not built against, or does not read this folder";
  EXPECT_STREQ(t.source, "hwloc");
  EXPECT_EQ(t.nodes[1].bandwidth, 400u);
  EXPECT_EQ(t.nodes[0].latency, 80u);
  EXPECT_EQ(select_nodes(t, memory_tier::highest_bandwidth, tier_scope::all, {}, 0).nodes, set_of({1}));
}

TEST(StaticKind, NamesGoBothWays) {
  for (unsigned i = 0; i < static_kind_count; ++i) {
    const auto which = static_cast<static_kind>(i);
    EXPECT_EQ(static_kind_named(to_string(which)), which);
  }
  EXPECT_FALSE(static_kind_named("no such kind"));
}

}  // namespace
}  // namespace perdure
