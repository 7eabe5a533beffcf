#include "crash/block/mounts.hpp"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "crash/block/not_possible.hpp"

namespace perdure::crash {

void keep_mounts_private() {
  if (::geteuid() != 0) throw not_possible("mounting needs root");
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    throw not_possible("a mount namespace of its own is not allowed here");
}

mounted::mounted(const std::filesystem::path& device, std::filesystem::path place, const std::string& kind,
                 const std::string& options)
    : place_(std::move(place)) {
  if (::mount(device.c_str(), place_.c_str(), kind.c_str(), MS_NOATIME, options.c_str()) != 0)
    throw std::system_error(errno, std::generic_category(), "mount " + kind);
}

mounted::~mounted() {
  if (is_mounted_) ::umount2(place_.c_str(), MNT_DETACH);
}

void mounted::unmount() {
  if (::umount2(place_.c_str(), 0) != 0)
    throw std::system_error(errno, std::generic_category(), "unmount " + place_.string());
  is_mounted_ = false;
}

}  // namespace perdure::crash
