// A real file system on a recording disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "crash/block/block_image.hpp"
#include "crash/block/loop_device.hpp"
#include "crash/block/mounts.hpp"
#include "crash/block/recording_disk.hpp"

namespace perdure::crash {

class real_disk {
 public:
  /// Makes a file system: ext4, xfs, btrfs, or ext4-writeback. Throws
  /// `not_possible`.
  real_disk(const std::filesystem::path& scratch, const std::string& name);

  /// The file system as it was made.
  const block_image& blank() const { return blank_; }
  /// Where it is mounted.
  const std::filesystem::path& root() const { return root_; }

  /// Puts another content on the disk, with an empty log. It must not be mounted.
  void become(const block_image& image);
  /// Writes an image to a new file. It must not be mounted.
  void save(const block_image& image, const std::filesystem::path& file);
  /// Mounts it, which is the file system's own recovery.
  mounted mount() const { return {device_->path(), root_, kind_, options_}; }
  std::size_t events() const { return disk_.events(); }
  void refuse_writes(bool refuses) { disk_.refuse_writes(refuses); }
  /// What the disk was told since it became what it was made to be. It must not be mounted.
  disk_log take_log();

 private:
  std::string kind_;
  std::string options_;
  std::filesystem::path root_;
  recording_disk disk_;
  std::optional<loop_device> device_;
  block_image held_;
  block_image blank_;
};

}  // namespace perdure::crash
