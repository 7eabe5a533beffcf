// A program's run on a disk, written down.
#pragma once

#include <vector>

#include "crash/block/block_image.hpp"
#include "crash/block/promise_log.hpp"
#include "crash/block/recording_disk.hpp"
#include "crash/workload.hpp"

namespace perdure::crash {

struct disk_run {
  block_image before;
  disk_log log{};
  promise_log told{{}};
  std::vector<attempt> attempts{};
};

}  // namespace perdure::crash
