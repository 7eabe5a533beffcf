#include "crash/block/loop_device.hpp"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

#include "crash/block/not_possible.hpp"

namespace perdure::crash {

loop_device::loop_device(const std::filesystem::path& file) {
  const int backing = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (backing < 0) throw not_possible("the disk's file cannot be opened");
  const int control = ::open("/dev/loop-control", O_RDWR | O_CLOEXEC);
  // Another process may take the free device first.
  constexpr int patience = 20;
  for (int attempt = 0; control >= 0 && descriptor_ < 0 && attempt < patience; ++attempt) {
    const int number = ::ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) break;
    path_ = "/dev/loop" + std::to_string(number);
    const int device = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (device < 0) break;
    loop_config wanted{};
    wanted.fd = static_cast<unsigned>(backing);
    wanted.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    if (::ioctl(device, LOOP_CONFIGURE, &wanted) == 0) {
      descriptor_ = device;
    } else {
      ::close(device);
    }
  }
  if (control >= 0) ::close(control);
  ::close(backing);
  if (descriptor_ < 0) throw not_possible("loop devices are not allowed here");
}

loop_device::~loop_device() {
  ::close(descriptor_);
}

}  // namespace perdure::crash
