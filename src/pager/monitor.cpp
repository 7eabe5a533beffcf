// Reads the statistics that other processes publish. Any of these files may be damaged, or not be one of
// ours.
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "os/file.hpp"
#include "pager/publication_format.hpp"
#include "perdure/pager_monitor.hpp"

namespace perdure::pager {

namespace {

using namespace detail;

template <std::size_t size>
std::string text_in(const std::array<char, size>& from) {
  return {from.data(), ::strnlen(from.data(), size)};
}

published_region region_in(const publication_region& record) {
  published_region region;
  region.id = record.id;
  region.file = text_in(record.file);
  region.bytes = record.bytes;
  region.budget = record.budget;
  region.mode = static_cast<mode>(record.mode);
  region.tier = static_cast<tier>(record.tier);
  region.seconds = static_cast<double>(record.nanoseconds) / 1e9;
  statistics& s = region.statistics;
  std::uint64_t* const members[] = {
      &s.faults,     &s.loads,         &s.read_ahead,         &s.first_stores,
      &s.hot_loads,  &s.evictions,     &s.evictions_by_touch, &s.rescues,
      &s.bytes_read, &s.bytes_written, &s.resident_bytes,     &s.most_resident_bytes};
  static_assert(std::size(members) == std::tuple_size_v<decltype(record.counters)>);
  for (std::size_t i = 0; i < std::size(members); ++i) *members[i] = record.counters[i];
  s.latency = record.latency;
  return region;
}

bool is_plausible(const publication_region& record) noexcept {
  return record.mode <= static_cast<std::uint32_t>(mode::write_back) &&
         record.tier <= static_cast<std::uint32_t>(tier::guard);
}

/// Nothing if the file is no whole publication, or is being written.
std::optional<published_process> read_publication(int descriptor) {
  publication_header header{};
  if (os::try_read_at(descriptor, &header, sizeof header, 0) != sizeof header ||
      header.magic != publication_magic || header.version != publication_version ||
      header.header_bytes != sizeof header || header.region_bytes != sizeof(publication_region) ||
      header.regions > most_published_regions)
    return std::nullopt;
  std::vector<publication_region> records(header.regions);
  const std::size_t bytes = records.size() * sizeof(publication_region);
  if (os::try_read_at(descriptor, records.data(), bytes, sizeof header) !=
          static_cast<std::ptrdiff_t>(bytes) ||
      header.checksum != checksum_of(header, records.data()) ||
      !std::all_of(records.begin(), records.end(), is_plausible))
    return std::nullopt;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  published_process process;
  process.pid = header.pid;
  process.command = text_in(header.command);
  process.age = std::max(0.0, static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9 -
                                  static_cast<double>(header.written) / 1e9);
  process.regions.reserve(records.size());
  for (const publication_region& record : records) process.regions.push_back(region_in(record));
  return process;
}

std::optional<published_process> read_patiently(int descriptor) {
  for (int i = 0; i < 20; ++i) {
    if (auto process = read_publication(descriptor)) return process;
    constexpr timespec moment{0, 1'000'000};
    ::nanosleep(&moment, nullptr);
  }
  return std::nullopt;
}

void add_from(const std::filesystem::path& path, std::vector<published_process>& all) {
  // Not by other users; not through links; and never waiting for a FIFO's writer.
  const os::file file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), path);
  struct stat status {};
  if (!file || ::fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode) ||
      (status.st_uid != ::geteuid() && ::geteuid() != 0))
    return;
  struct flock holder {};
  holder.l_type = F_WRLCK;
  holder.l_whence = SEEK_SET;
  if (::fcntl(file.descriptor(), F_GETLK, &holder) != 0) return;
  if (holder.l_type == F_UNLCK) {
    // Its process has ended without removing it. A file of such a name that is no publication stays.
    std::uint64_t magic = 0;
    if (os::try_read_at(file.descriptor(), &magic, sizeof magic, 0) == sizeof magic &&
        magic == publication_magic)
      ::unlink(path.c_str());
    return;
  }
  std::optional<published_process> process = read_patiently(file.descriptor());
  if (!process || process->regions.empty()) return;
  // The number that the process has in this namespace, which may be another than its own.
  if (holder.l_pid > 0) process->pid = holder.l_pid;
  all.push_back(std::move(*process));
}

}  // namespace

std::vector<published_process> published() {
  std::vector<published_process> all;
  const std::string own = publication_prefix + std::to_string(::getpid()) + '.';
  for (const std::filesystem::path& directory : publication_directories()) {
    std::error_code problem;
    for (std::filesystem::directory_iterator i(directory, problem), end; !problem && i != end;
         i.increment(problem)) {
      const std::string name = i->path().filename().string();
      // This process's own file must not even be opened: closing it would release the lock on it.
      if (name.starts_with(publication_prefix) && !name.starts_with(own)) add_from(i->path(), all);
    }
  }
  std::sort(all.begin(), all.end(),
            [](const published_process& a, const published_process& b) { return a.pid < b.pid; });
  return all;
}

}  // namespace perdure::pager
