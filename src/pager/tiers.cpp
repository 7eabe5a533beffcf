// The tiers that keep a budget: whether the kernel allows them, and how a file is mapped in each.
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "os/mapping.hpp"
#include "os/memory_limits.hpp"
#include "pager/budgeted_mapping.hpp"
#include "pager/file_io.hpp"
#include "pager/guard_faults.hpp"
#include "pager/user_faults.hpp"

namespace perdure::pager::detail {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::unique_ptr<mapped_file> map_with(std::unique_ptr<file_io> file, const options& wanted,
                                      std::unique_ptr<page_faults> faults, pager::tier tier) {
  if (wanted.mode == mode::private_copy) file->open_spill(wanted.spill_directory);
  const auto bytes = static_cast<std::size_t>(file->size());
  return std::make_unique<budgeted_mapping>(std::move(file), bytes, wanted, std::move(faults), tier);
}

// Too many open files, say, tell nothing of the machine.
bool is_shortage(const std::error_code& failed) noexcept {
  for (const int shortage : {EMFILE, ENFILE, ENOMEM, EAGAIN})
    if (failed.value() == shortage) return true;
  return false;
}

template <class Faults>
const char* why_not(const char* reason) {
  if (::sysconf(_SC_PAGESIZE) != static_cast<long>(page_size)) return "pages are not 4 KiB here";
  try {
    os::reservation probe(page_size, page_size);
    Faults faults;
    faults.watch(probe.base(), probe.size(), true);
    return nullptr;
  } catch (const std::system_error& failed) {
    if (is_shortage(failed.code())) throw;
    return reason;
  }
}

}  // namespace

std::unique_ptr<mapped_file> map_with_user_faults(std::unique_ptr<file_io> file, const options& wanted) {
  return map_with(std::move(file), wanted, std::make_unique<user_faults>(), tier::uffd_sigbus);
}

std::unique_ptr<mapped_file> map_with_guards(std::unique_ptr<file_io> file, const options& wanted) {
  return map_with(std::move(file), wanted, std::make_unique<guard_faults>(), tier::guard);
}

const char* why_no_user_faults() {
  return why_not<user_faults>(
      "the kernel lacks userfaultfd with SIGBUS and write protection, or its settings forbid it");
}

const char* why_no_guards() {
  return why_not<guard_faults>("the kernel lacks guard regions for mapped files, which Linux 6.15 brought");
}

std::optional<std::string> why_no_guards_in(std::uint64_t bytes, mode wanted) {
  const std::uint64_t needed = guard_faults::page_table_bytes(bytes, wanted != mode::read_only);
  const std::uint64_t most = os::usable_memory() / 32;
  if (needed <= most) return std::nullopt;
  return "guards in " + std::to_string(bytes / mebibyte) + " MiB take " + std::to_string(needed / mebibyte) +
         " MiB of page tables, more than a 32nd of the memory that may be used (" +
         std::to_string(most / mebibyte) + " MiB); map parts of the file one after the other";
}

}  // namespace perdure::pager::detail
