// Directories for copies that are removed when the work is done. A process holds a lock on the file LOCK in
// its directory as long as it is at work: a directory without a lock was left by a process that was killed.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <perdure/error.hpp>
#include <perdure/stage_place.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "os/directory_names.hpp"
#include "os/file.hpp"
#include "store/file/failure.hpp"

namespace perdure {

namespace {

constexpr std::string_view prefix = "perdure-stage.";
constexpr const char* lock_name = "LOCK";

os::file open_parent(const std::filesystem::path& in) {
  try {
    return os::file::open_directory(in);
  } catch (const std::system_error& failure) {
    if (failure.code().value() != ENOENT && failure.code().value() != ENOTDIR) throw;
    throw error(errc::not_found,
                "cannot stage in " + in.string() +
                    ": there is no such directory; make it on each machine, or name another");
  }
}

bool is_missing(const std::system_error& failure) {
  return failure.code().value() == ENOENT;
}

/// Returns the file LOCK of a place, locked; no file if the place is gone, or another process has it.
os::file lock_of(const os::file& parent, const std::string& name) {
  try {
    const os::file place = os::file::open_directory(parent.path() / name);
    os::file lock = os::file::open_in(place, lock_name, O_RDWR | O_CREAT);
    // Who removes a place holds its lock until it is gone.
    if (lock.try_lock(os::lock_mode::exclusive) && lock.has_name()) return lock;
  } catch (const std::system_error& failure) {
    if (!is_missing(failure)) throw;
  }
  return {};
}

/// The beginning of the names of a process's places.
std::string beginning_of(const os::process_identity& process) {
  return std::string(prefix) + process.host + '.' + std::to_string(process.pid) + '.';
}

/// Returns whether a place has the name of a process of this machine that is there. It may be making the
/// place, which has no lock yet then; otherwise it holds the lock.
bool is_of_live_process(const std::string& name) {
  os::process_identity process = os::this_process();
  const std::string here = std::string(prefix) + process.host + '.';
  if (!name.starts_with(here)) return false;
  pid_t pid = 0;
  const auto parsed = std::from_chars(name.data() + here.size(), name.data() + name.size(), pid);
  process.pid = pid;
  return parsed.ec == std::errc() && pid > 0 && name.starts_with(beginning_of(process)) &&
         (::kill(pid, 0) == 0 || errno == EPERM);
}

bool is_of_this_user(const std::filesystem::path& directory) {
  struct stat status {};
  return ::lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

/// Removes a place whose lock this process holds. The lock goes last: until then nobody takes the place for
/// one that is being made.
void remove_place(const os::file& parent, const std::string& name) {
  const os::file place = os::file::open_directory(parent.path() / name);
  for (const std::string& inside : os::names_in(place.path())) {
    if (inside == lock_name) continue;
    const bool is_directory =
        std::filesystem::is_directory(std::filesystem::symlink_status(place.path() / inside));
    (is_directory ? os::remove_tree_in : os::remove_in)(place, inside);
  }
  os::remove_in(place, lock_name);
  os::remove_directory_in(parent, name);
}

}  // namespace

class stage_place::made_directory {
 public:
  explicit made_directory(const std::filesystem::path& in)
      : parent_(open_parent(std::filesystem::absolute(in))) {
    const std::string first = beginning_of(os::this_process());
    for (unsigned number = 0; !lock_; ++number) {
      name_ = first + std::to_string(number);
      try {
        os::make_directory(parent_.path() / name_);
      } catch (const std::system_error& failure) {
        if (failure.code().value() != EEXIST) throw;
        continue;
      }
      try {
        lock_ = lock_of(parent_, name_);
      } catch (const std::system_error&) {
        os::remove_if_empty(parent_.path() / name_);
        throw;
      }
    }
    path_ = parent_.path() / name_;
  }
  made_directory(const made_directory&) = delete;
  made_directory& operator=(const made_directory&) = delete;
  ~made_directory() {
    try {
      remove_place(parent_, name_);
    } catch (const std::exception&) {
      // The next process that looks for abandoned places removes it.
    }
  }

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  os::file parent_;
  std::string name_;
  std::filesystem::path path_;
  os::file lock_;
};

stage_place::stage_place(const std::filesystem::path& in) {
  store::reporting("stage in", in, [&] { made_ = std::make_unique<made_directory>(in); });
}

stage_place::stage_place(stage_place&&) noexcept = default;
stage_place& stage_place::operator=(stage_place&&) noexcept = default;
stage_place::~stage_place() = default;

const std::filesystem::path& stage_place::path() const noexcept {
  return made_->path();
}

std::vector<std::filesystem::path> remove_abandoned_stages(const std::filesystem::path& in) {
  return store::reporting("stage in", in, [&] {
    std::vector<std::filesystem::path> removed;
    const os::file parent = open_parent(std::filesystem::absolute(in));
    for (const std::string& name : os::names_in(parent.path())) {
      if (!name.starts_with(prefix) || is_of_live_process(name) || !is_of_this_user(parent.path() / name))
        continue;
      try {
        const os::file lock = lock_of(parent, name);
        if (!lock) continue;
        remove_place(parent, name);
        removed.push_back(parent.path() / name);
      } catch (const std::system_error&) {
        // It is in nobody's way, and the next process tries again.
      }
    }
    return removed;
  });
}

}  // namespace perdure
