// Lets a real file system fail to write back what a program wrote, at one moment of its run.
#pragma once

#include <atomic>
#include <cstdint>

#include "crash/block/real_disk.hpp"
#include "crash/faulty_run.hpp"
#include "os/file_observer.hpp"

namespace perdure::crash {

/// When a chosen number of writes has been made, the kernel is told to write back what is dirty of that file,
/// and the disk refuses. Then the disk works again, and the page cache is told to forget the file, memory
/// mapped from it included: what is read next is what the file system thinks right. Thread-safe.
class failing_write_back final : public fault_source, public os::file_observer {
 public:
  failing_write_back(real_disk& disk, std::uint64_t write);
  ~failing_write_back() override;
  bool struck() const override { return struck_; }
  void lift() override {}
  verdict before(const os::file_call&) override { return {}; }
  void after(const os::file_call& call, std::int64_t result, int error) override;

 private:
  real_disk& disk_;
  std::uint64_t write_;
  std::atomic<std::uint64_t> writes_{0};
  std::atomic<bool> struck_{false};
};

}  // namespace perdure::crash
