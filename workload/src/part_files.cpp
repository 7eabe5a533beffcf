// No lock tells whether a part is being written: libraries that write some of them, as HDF5 does, take locks
// of their own, which on network file systems are the same ones.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <perdure/workload/part_files.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace perdure::workload {
namespace {

constexpr std::string_view mark = ".part";

/// Eight hexadecimal digits. Empty where boot or container cannot be known.
std::string token_of_this_boot() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat ids;
  if (boot.empty() || ::stat("/proc/self/ns/pid", &ids) != 0) return {};
  boot += '/' + std::to_string(ids.st_ino);
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : boot) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(hash));
  return digits;
}

const std::string& token() {
  static const std::string text = token_of_this_boot();
  return text;
}

/// The process in `.partPID-TOKEN.N`, where the token is that of this boot.
std::optional<::pid_t> process_in(std::string_view ending) {
  if (token().empty() || !ending.starts_with(mark)) return std::nullopt;
  ending.remove_prefix(mark.size());
  ::pid_t process = 0;
  const auto parsed = std::from_chars(ending.data(), ending.data() + ending.size(), process);
  if (parsed.ec != std::errc{} || process <= 0) return std::nullopt;
  ending.remove_prefix(static_cast<std::size_t>(parsed.ptr - ending.data()));
  const std::string behind = '-' + token() + '.';
  if (!ending.starts_with(behind)) return std::nullopt;
  ending.remove_prefix(behind.size());
  if (ending.empty() || ending.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return process;
}

bool has_ended(::pid_t process) {
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

}  // namespace

std::filesystem::path part_name(const std::filesystem::path& file) {
  static std::atomic<unsigned> made{0};
  std::filesystem::path name = file;
  name += std::string(mark) + std::to_string(::getpid()) + '-' + (token().empty() ? "unknown" : token()) +
          '.' + std::to_string(made.fetch_add(1));
  return name;
}

void remove_abandoned_parts(const std::filesystem::path& given) noexcept {
  try {
    const std::filesystem::path file = given.has_filename() ? given : given.parent_path();
    const std::string beginning = file.filename().string();
    if (beginning.empty()) return;
    const std::filesystem::path directory = file.has_parent_path() ? file.parent_path() : ".";
    std::vector<std::filesystem::path> abandoned;
    std::error_code failure;
    for (std::filesystem::directory_iterator at(directory, failure), end; !failure && at != end;
         at.increment(failure)) {
      const std::string name = at->path().filename().string();
      if (!name.starts_with(beginning)) continue;
      const std::optional<::pid_t> process = process_in(std::string_view(name).substr(beginning.size()));
      if (process && has_ended(*process)) abandoned.push_back(at->path());
    }
    for (const std::filesystem::path& one : abandoned) std::filesystem::remove_all(one, failure);
  } catch (const std::exception&) {
    // The next command tries again.
  }
}

}  // namespace perdure::workload
