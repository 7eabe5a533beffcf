#include "machine.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "base/environment.hpp"

namespace perdure::cli {
namespace {

using json = nlohmann::ordered_json;

/// A new directory inside another, gone afterwards.
class trial_directory {
 public:
  explicit trial_directory(const std::filesystem::path& parent) {
    std::string name = (parent / ".perdure-doctor-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot make a directory");
    path_ = name;
  }
  trial_directory(const trial_directory&) = delete;
  trial_directory& operator=(const trial_directory&) = delete;
  ~trial_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// The environment's variable is as it was afterwards.
class forced_tracker {
 public:
  explicit forced_tracker(const char* name) {
    if (const auto value = base::value_of(base::variable(variable).row())) before_ = *value;
    ::setenv(variable, name, 1);
  }
  forced_tracker(const forced_tracker&) = delete;
  forced_tracker& operator=(const forced_tracker&) = delete;
  ~forced_tracker() {
    if (before_) {
      ::setenv(variable, before_->c_str(), 1);
    } else {
      ::unsetenv(variable);
    }
  }

 private:
  static constexpr const char* variable = "PERDURE_TRACKER";
  std::optional<std::string> before_;
};

/// Returns the tracker that a store in this place would use, with the present environment.
std::string tracker_in(const std::filesystem::path& store) {
  store_options options;
  options.capacity = std::size_t{1} << 30;
  options.backing = backing::private_memory;
  const auto opened = datastore::create(store, options);
  std::string used = opened->tracker();
  opened->close();
  store_maintenance::remove(store);
  return used;
}

class descriptor {
 public:
  explicit descriptor(const std::filesystem::path& path)
      : number_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (number_ < 0) throw std::system_error(errno, std::generic_category(), "cannot make a file");
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() { ::close(number_); }
  int number() const noexcept { return number_; }

 private:
  int number_;
};

json limit_of(__rlimit_resource resource) {
  struct rlimit limit {};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return nullptr;
  return limit.rlim_cur;
}

json number_in(const char* file) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  return in >> value ? json(value) : json(nullptr);
}

}  // namespace

json page_trackers(const std::filesystem::path& directory) {
  json rows = json::array();
  try {
    const trial_directory trial(directory);
    for (const char* const name : {"uffd", "pagemap", "mprotect"}) {
      bool available = false;
      try {
        const forced_tracker choice(name);
        available = tracker_in(trial.path() / "store") == name;
      } catch (const error&) {
        // The tracker was asked for and is not to be had.
      }
      rows.push_back({{"name", name}, {"available", available}, {"used", false}});
    }
    const std::string used = tracker_in(trial.path() / "store");
    for (json& row : rows) row["used"] = row["name"] == used;
  } catch (const std::exception& failure) {
    // The environment may ask for what is not to be had, where others are. Else nothing could be tried.
    const bool found_some =
        std::any_of(rows.begin(), rows.end(), [](const json& row) { return row["available"].get<bool>(); });
    if (!found_some) rows.clear();
    rows.push_back({{"why_not", failure.what()}});
  }
  return rows;
}

json shared_blocks(const std::filesystem::path& directory) {
  json row{{"directory", directory.string()}, {"available", false}};
  try {
    const trial_directory trial(directory);
    const descriptor from(trial.path() / "from");
    const descriptor to(trial.path() / "to");
    const std::string block(1 << 16, 'x');
    if (::pwrite(from.number(), block.data(), block.size(), 0) != static_cast<ssize_t>(block.size()))
      throw std::system_error(errno, std::generic_category(), "cannot write");
    if (::ioctl(to.number(), FICLONE, from.number()) != 0)
      throw std::system_error(errno, std::generic_category(), "the file system cannot");
    row["available"] = true;
  } catch (const std::exception& failure) {
    row["why_not"] = failure.what();
  }
  return row;
}

std::string huge_pages() {
  std::ifstream in("/sys/kernel/mm/transparent_hugepage/enabled");
  for (std::string word; in >> word;)
    if (word.size() > 2 && word.front() == '[' && word.back() == ']') return word.substr(1, word.size() - 2);
  return "unknown";
}

json limits() {
  return {{"address_space_bytes", limit_of(RLIMIT_AS)},
          {"data_bytes", limit_of(RLIMIT_DATA)},
          {"file_size_bytes", limit_of(RLIMIT_FSIZE)},
          {"open_files", limit_of(RLIMIT_NOFILE)},
          {"locked_memory_bytes", limit_of(RLIMIT_MEMLOCK)},
          {"mappings", number_in("/proc/sys/vm/max_map_count")},
          {"overcommit_memory", number_in("/proc/sys/vm/overcommit_memory")},
          {"unprivileged_userfaultfd", number_in("/proc/sys/vm/unprivileged_userfaultfd")}};
}

}  // namespace perdure::cli
