// Reads the statistics that other processes publish. Any of these files may be damaged, or not be one of
// ours.
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
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

bool is_plausible(const publication_region& record) noexcept {
  return record.mode >= mode::read_only && record.mode <= mode::write_back &&
         record.tier >= tier::automatic && record.tier <= tier::guard;
}

published_region region_in(const publication_region& record) {
  return {record.id,
          {record.file.data(), ::strnlen(record.file.data(), record.file.size())},
          record.bytes,
          record.budget,
          record.mode,
          record.tier,
          static_cast<double>(record.nanoseconds) / 1e9,
          record.statistics};
}

/// Nothing if the file is no whole publication, or is being written.
std::optional<published_process> read_publication(int descriptor) {
  publication_header header{};
  if (os::try_read_at(descriptor, &header, sizeof header, 0) != sizeof header ||
      header.magic != publication_magic || header.region_bytes != sizeof(publication_region) ||
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
  process.age = std::max(0.0, static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9 -
                                  static_cast<double>(header.written) / 1e9);
  std::transform(records.begin(), records.end(), std::back_inserter(process.regions), region_in);
  return process;
}

std::optional<published_process> read_patiently(const std::filesystem::path& path) {
  // The descriptor may be another one by now: of a FIFO, say, whose writer nobody shall wait for.
  const os::file file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), path);
  struct stat status {};
  if (!file || ::fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  for (int i = 0; i < 20; ++i) {
    if (auto process = read_publication(file.descriptor())) return process;
    constexpr timespec moment{0, 1'000'000};
    ::nanosleep(&moment, nullptr);
  }
  return std::nullopt;
}

void add_from(const std::filesystem::path& directory, std::int64_t pid, std::vector<published_process>& all) {
  std::error_code problem;  // it has ended, or is another user's
  for (std::filesystem::directory_iterator i(directory / "fd", problem), end; !problem && i != end;
       i.increment(problem)) {
    std::error_code closed;
    if (std::filesystem::read_symlink(i->path(), closed) != publication_link) continue;
    std::optional<published_process> process = read_patiently(i->path());
    if (!process || process->regions.empty()) continue;
    process->pid = pid;
    std::ifstream command(directory / "comm");
    std::getline(command, process->command);
    all.push_back(std::move(*process));
  }
}

}  // namespace

std::vector<published_process> published() {
  std::vector<published_process> all;
  std::error_code problem;
  for (std::filesystem::directory_iterator i("/proc", problem), end; !problem && i != end;
       i.increment(problem)) {
    const std::string name = i->path().filename().string();
    std::int64_t pid = 0;
    const auto [stop, failed] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (failed == std::errc{} && stop == name.data() + name.size() && pid != ::getpid())
      add_from(i->path(), pid, all);
  }
  std::sort(all.begin(), all.end(),
            [](const published_process& a, const published_process& b) { return a.pid < b.pid; });
  return all;
}

}  // namespace perdure::pager
