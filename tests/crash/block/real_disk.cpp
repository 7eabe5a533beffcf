#include "crash/block/real_disk.hpp"

#include <array>
#include <cstdlib>

#include "crash/block/not_possible.hpp"

namespace perdure::crash {

namespace {

struct file_system {
  const char* kind;
  std::uint64_t mib;
  const char* maker;
};

// Without discards, which are no writes, and without work left for after the first mount, which would be
// noise in every log. The sizes are near the smallest that are allowed.
constexpr std::array<file_system, 3> known{{
    {"ext4", 96, "mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0"},
    {"xfs", 304, "mkfs.xfs -q -f -K"},
    {"btrfs", 256, "mkfs.btrfs -q -f -K"},
}};

const file_system& find(const std::string& kind) {
  for (const file_system& one : known) {
    if (kind == one.kind) return one;
  }
  throw std::runtime_error("no file system is called " + kind + " here (ext4, xfs, btrfs)");
}

std::filesystem::path fresh(const std::filesystem::path& directory) {
  std::filesystem::create_directory(directory);
  return directory;
}

}  // namespace

real_disk::real_disk(const std::filesystem::path& scratch, std::string kind)
    : kind_(std::move(kind)),
      root_(fresh(scratch / "mounted")),
      disk_(fresh(scratch / "fuse"), find(kind_).mib << 20),
      device_(disk_.file()) {
  const std::string command =
      std::string(find(kind_).maker) + ' ' + device_.path().string() + " >/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) throw not_possible("mkfs." + kind_ + " is missing or failed");
  take_log();
  blank_ = held_;
  try {
    mount().unmount();
  } catch (const std::system_error& failure) {
    throw not_possible(std::string("loop mounts are not allowed here: ") + failure.what());
  }
  take_log();
}

void real_disk::become(const block_image& image) {
  image.put_over(held_, disk_.content());
  held_ = image;
  disk_.forget_log();
  device_.forget_cached();
}

disk_log real_disk::take_log() {
  disk_log log = disk_.log();
  for (const disk_event& event : log) {
    if (!event.is_flush) held_.write(event.offset, event.data);
  }
  disk_.forget_log();
  return log;
}

}  // namespace perdure::crash
