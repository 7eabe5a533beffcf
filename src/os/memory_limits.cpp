// Reads how much memory this process may use, from /proc and the control groups.
#include "os/memory_limits.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

namespace perdure::os {

namespace {

// Version 1 says "no limit" by a number near the largest 64-bit one, rounded to pages.
constexpr std::uint64_t no_limit_from = std::uint64_t{1} << 60;

std::optional<std::uint64_t> read_limit(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  if (!(file >> text) || text == "max") return std::nullopt;
  try {
    const std::uint64_t value = std::stoull(text);
    return value < no_limit_from ? std::optional(value) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// The value in a line "name value"; 0 where there is no such line.
std::uint64_t value_of(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string found;
  for (std::uint64_t value = 0; file >> found >> value;)
    if (found == name) return value;
  return 0;
}

/// The names that the two versions give to the files of a group.
struct group_files {
  const char* limit;
  const char* used;
  const char* droppable;  // a line of memory.stat
};
constexpr group_files version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr group_files version_2{"memory.max", "memory.current", "inactive_file"};

enum class wanted { limit, left };

std::optional<std::uint64_t> of_group(const std::string& directory, const group_files& files, wanted what) {
  const auto limit = read_limit(directory + "/" + files.limit);
  if (!limit || what == wanted::limit) return limit;
  const std::uint64_t used = read_limit(directory + "/" + files.used).value_or(0);
  const std::uint64_t droppable = value_of(directory + "/memory.stat", files.droppable);
  const std::uint64_t held = used - std::min(used, droppable);
  return *limit - std::min(*limit, held);
}

// A group is bound by its ancestors' limits too, so every directory up to the hierarchy's root counts.
// Strings: assigning a path frees it twice when memory runs out (libstdc++ 12).
std::optional<std::uint64_t> tightest_on_path(const std::string& root, std::string group,
                                              const group_files& files, wanted what) {
  std::optional<std::uint64_t> tightest;
  for (;;) {
    // In a container the group's path may lie outside what is mounted; the root then stands for it.
    const auto limit = of_group(root + group, files, what);
    if (limit) tightest = std::min(tightest.value_or(*limit), *limit);
    if (group.empty()) return tightest;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

bool lists_controller(const std::string& controllers, const std::string& name) {
  return ("," + controllers + ",").find("," + name + ",") != std::string::npos;
}

std::optional<std::uint64_t> tightest_of_groups(const std::filesystem::path& membership,
                                                const std::filesystem::path& hierarchy, wanted what) {
  std::optional<std::uint64_t> tightest;
  std::ifstream file(membership);
  // Lines are "id:controllers:path"; version 2 has id 0 and no controllers.
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    std::optional<std::uint64_t> found;
    if (controllers.empty()) {
      found = tightest_on_path(hierarchy.string(), group, version_2, what);
    } else if (lists_controller(controllers, "memory")) {
      found = tightest_on_path(hierarchy.string() + "/memory", group, version_1, what);
    }
    if (found) tightest = std::min(tightest.value_or(*found), *found);
  }
  return tightest;
}

}  // namespace

std::uint64_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long size = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) : 0;
}

std::optional<std::uint64_t> cgroup_memory_limit(const std::filesystem::path& membership,
                                                 const std::filesystem::path& hierarchy) {
  return tightest_of_groups(membership, hierarchy, wanted::limit);
}

std::optional<std::uint64_t> cgroup_memory_left(const std::filesystem::path& membership,
                                                const std::filesystem::path& hierarchy) {
  return tightest_of_groups(membership, hierarchy, wanted::left);
}

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::uint64_t available = physical_memory();
  // "MemAvailable:   23154632 kB"
  for (std::string line; std::getline(file, line);)
    if (line.rfind("MemAvailable:", 0) == 0) available = std::strtoull(line.c_str() + 13, nullptr, 10) * 1024;
  return std::min(available, cgroup_memory_left().value_or(available));
}

std::uint64_t usable_memory() {
  const std::uint64_t physical = physical_memory();
  return std::min(physical, cgroup_memory_limit().value_or(physical));
}

std::uint64_t anonymous_memory() {
  // In pages: size, resident, resident of files and shared memory.
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  std::uint64_t of_files = 0;
  if (!(file >> size >> resident >> of_files) || resident < of_files) return 0;
  return (resident - of_files) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace perdure::os
