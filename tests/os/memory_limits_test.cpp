#include "os/memory_limits.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "support/scratch_test.hpp"

namespace perdure::os {
namespace {

class memory_limits : public scratch_test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(path(name).parent_path());
    std::ofstream(path(name)) << text << "\n";
  }
  std::optional<std::uint64_t> limit() { return cgroup_memory_limit(path("cgroup"), path("sys")); }
};

TEST_F(memory_limits, of_this_machine_make_sense) {
  EXPECT_GT(physical_memory(), std::uint64_t{1} << 26);
  EXPECT_LE(usable_memory(), physical_memory());
  EXPECT_GT(usable_memory(), 0u);
}

TEST_F(memory_limits, of_version_2_are_the_tightest_on_the_way_up) {
  write("cgroup", "0::/a/b/c");
  write("sys/a/memory.max", "1000000");
  write("sys/a/b/memory.max", "max");
  write("sys/a/b/c/memory.max", "5000000");
  EXPECT_EQ(limit(), 1000000u);
  write("sys/a/b/memory.max", "900000");
  EXPECT_EQ(limit(), 900000u);
}

TEST_F(memory_limits, of_a_container_stand_at_the_root_of_what_is_mounted) {
  write("cgroup", "0::/../../system.slice/x");
  write("sys/memory.max", "4242");
  EXPECT_EQ(limit(), 4242u);
}

TEST_F(memory_limits, of_version_1_come_from_the_memory_controller) {
  write("cgroup", "5:cpu,cpuacct:/fast\n4:memory:/jobs/7\n1:name=systemd:/");
  write("sys/memory/memory.limit_in_bytes", "9223372036854771712");
  write("sys/memory/jobs/7/memory.limit_in_bytes", "123456");
  write("sys/memory/fast/memory.limit_in_bytes", "1");
  EXPECT_EQ(limit(), 123456u);
}

TEST_F(memory_limits, are_none_where_there_are_none_or_only_nonsense) {
  EXPECT_EQ(limit(), std::nullopt);
  write("cgroup", "nonsense\n0::/a");
  EXPECT_EQ(limit(), std::nullopt);
  write("sys/a/memory.max", "many");
  EXPECT_EQ(limit(), std::nullopt);
  write("sys/a/memory.max", "99999999999999999999999999");
  EXPECT_EQ(limit(), std::nullopt);
}

}  // namespace
}  // namespace perdure::os
