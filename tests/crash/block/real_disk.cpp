#include "crash/block/real_disk.hpp"

#include <array>
#include <cstdlib>

#include "crash/block/not_possible.hpp"

namespace perdure::crash {

namespace {

struct file_system {
  const char* name;
  const char* kind;
  std::uint64_t mib;
  const char* maker;
  const char* options;  // of the mount
};

// Without discards, which are no writes, and without work left for after the first mount, which would be
// noise in every log. The sizes are near the smallest that are allowed. With data=writeback, sizes may reach
// the disk before what they count.
constexpr std::array<file_system, 4> known{{
    {"ext4", "ext4", 96, "mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0", ""},
    {"ext4-writeback", "ext4", 96, "mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0",
     "data=writeback"},
    {"xfs", "xfs", 304, "mkfs.xfs -q -f -K", ""},
    {"btrfs", "btrfs", 256, "mkfs.btrfs -q -f -K", "nodiscard"},
}};

const file_system& find(const std::string& name) {
  for (const file_system& one : known) {
    if (name == one.name) return one;
  }
  throw std::runtime_error("no file system is called " + name + " here");
}

std::filesystem::path fresh(const std::filesystem::path& directory) {
  std::filesystem::create_directory(directory);
  return directory;
}

}  // namespace

real_disk::real_disk(const std::filesystem::path& scratch, const std::string& name)
    : kind_(find(name).kind),
      options_(find(name).options),
      root_(fresh(scratch / "mounted")),
      disk_(fresh(scratch / "fuse"), find(name).mib << 20),
      device_(std::in_place, disk_.file()) {
  const std::string command =
      std::string(find(name).maker) + ' ' + device_->path().string() + " >/dev/null 2>&1";
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
  // The kernel remembers blocks of the device beyond an unmount, and BLKFLSBUF leaves those that a file
  // system did not let go of: it takes another device.
  device_.reset();
  device_.emplace(disk_.file());
}

void real_disk::save(const block_image& image, const std::filesystem::path& file) {
  become(image);
  std::filesystem::copy_file(disk_.file(), file, std::filesystem::copy_options::overwrite_existing);
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
