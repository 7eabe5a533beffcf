// The environment variables that any part of Perdure reads, in one table, and the one way to read them.
//
// docs/reference/environment.md shows the table, and a test holds the two together. A new variable is a row
// here and there; what reads it names it, and does not compile without its row. Reading needs no memory, so
// it may be done while a process's malloc is being made; only a value that is refused does.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace perdure::base {

/// A row of the table. One of `choices`, `unit` and `form` says what the variable may be.
struct environment_variable {
  const char* name;
  std::string_view purpose;     ///< one sentence
  std::string_view by_default;  ///< the value that holds if the variable is not set or empty
  std::string_view read_by;
  std::span<const std::string_view> choices = {};
  std::string_view unit = {};  ///< unit of a whole number from `least` to `most`
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::string_view form = "a directory";  ///< the value, where it has neither choices nor a unit
};

namespace detail {

inline constexpr std::array<std::string_view, 2> off_or_on{"0", "1"};
inline constexpr std::array<std::string_view, 4> backings{"private", "paged", "dax", "shared"};
inline constexpr std::array<std::string_view, 3> trackers{"uffd", "pagemap", "mprotect"};
inline constexpr std::array<std::string_view, 3> tiers{"uffd_sigbus", "guard", "plain"};
inline constexpr std::array<std::string_view, 3> checks{"journal", "open", "lazy"};
inline constexpr std::uint64_t most_mebibytes = std::uint64_t{1} << 40;

}  // namespace detail

inline constexpr std::array environment{
    environment_variable{.name = "PERDURE_BACKING",
                         .purpose = "The backing of stores for which the program chooses none.",
                         .by_default = "private",
                         .read_by = "stores",
                         .choices = detail::backings},
    environment_variable{
        .name = "PERDURE_MEMORY_BUDGET",
        .purpose = "Memory that changed pages of a store may take; with the backing paged, all of its pages.",
        .by_default = "half of the machine's memory, or of the control group's limit",
        .read_by = "stores",
        .unit = "MiB",
        .least = 1,
        .most = detail::most_mebibytes},
    environment_variable{
        .name = "PERDURE_WAIT",
        .purpose = "How long opening a store waits for other processes that have it open, unless the "
                   "program says.",
        .by_default = "0",
        .read_by = "stores",
        .unit = "seconds",
        .least = 0,
        .most = 1'000'000},
    environment_variable{
        .name = "PERDURE_TRACKER",
        .purpose = "The method by which stores find changed pages, if it works on this machine.",
        .by_default = "the first that works",
        .read_by = "stores",
        .choices = detail::trackers},
    environment_variable{
        .name = "PERDURE_HUGE_PAGES",
        .purpose = "Whether the first touch of memory of stores and of malloc maps a huge page.",
        .by_default = "0; a store still maps huge pages later, where most of their pages are in use",
        .read_by = "stores, libperdure-malloc.so",
        .choices = detail::off_or_on},
    environment_variable{.name = "PERDURE_KIND_CHECKS",
                         .purpose = "Whether kinds of memory check every address that is freed.",
                         .by_default = "0; in debug builds always 1",
                         .read_by = "kinds",
                         .choices = detail::off_or_on},
    environment_variable{
        .name = "PERDURE_PAGER_TIER",
        .purpose = "The method by which the pager notices accesses, unless the program says.",
        .by_default = "the first that works",
        .read_by = "the pager, libperdure-pager.so",
        .choices = detail::tiers},
    environment_variable{
        .name = "PERDURE_PAGER_PUBLISH",
        .purpose = "Whether a process shows its mapped files and paged stores to `perdure top`.",
        .by_default = "0",
        .read_by = "the pager, paged stores, libperdure-pager.so",
        .choices = detail::off_or_on},
    environment_variable{.name = "PERDURE_PAGER_BUDGET",
                         .purpose = "Memory that each mapping may take.",
                         .by_default = "a quarter of the machine's memory, or of the control group's limit",
                         .read_by = "libperdure-pager.so",
                         .unit = "MiB",
                         .least = 1,
                         .most = detail::most_mebibytes},
    environment_variable{.name = "PERDURE_PAGER_THRESHOLD",
                         .purpose = "The kernel keeps mappings shorter than this.",
                         .by_default = "64",
                         .read_by = "libperdure-pager.so",
                         .unit = "MiB",
                         .least = 0,
                         .most = detail::most_mebibytes},
    environment_variable{
        .name = "PERDURE_PAGER_WRITABLE",
        .purpose = "Whether the pager also takes mappings of files that are open for writing.",
        .by_default = "0",
        .read_by = "libperdure-pager.so",
        .choices = detail::off_or_on},
    environment_variable{.name = "PERDURE_PAGER_VERBOSE",
                         .purpose = "Whether a line on standard error describes each mapping when it ends.",
                         .by_default = "0",
                         .read_by = "libperdure-pager.so",
                         .choices = detail::off_or_on},
    environment_variable{.name = "PERDURE_VERIFY",
                         .purpose = "What opening a store checks, without the option `--verify`.",
                         .by_default = "journal",
                         .read_by = "perdure",
                         .choices = detail::checks},
    environment_variable{.name = "PERDURE_FORMAT_MODULES",
                         .purpose = "The directory of the modules for HDF5 and NetCDF files.",
                         .by_default = "beside the program and its libraries, and in its run path",
                         .read_by = "perdure::formats"},
    environment_variable{
        .name = "TMPDIR",
        .purpose =
            "Directory of temporary files for changed pages, if the mapped file's own cannot take them.",
        .by_default = "/tmp",
        .read_by = "the pager, paged stores"},
    environment_variable{.name = "NO_COLOR",
                         .purpose = "Any value switches colours and bold type off.",
                         .by_default = "colours on terminals only",
                         .read_by = "perdure, perdure-mpi",
                         .form = "any text"},
    environment_variable{.name = "COLUMNS",
                         .purpose = "Width of help texts.",
                         .by_default = "the width of the terminal, else 80",
                         .read_by = "perdure, perdure-mpi",
                         .form = "a number from 20 to 1000; other values are ignored"},
};

/// The row of a variable, by a name that the compiler sees. Without a row it does not compile.
class variable {
 public:
  consteval variable(const char* name)
      : row_(std::find_if(environment.begin(), environment.end(), [name](const environment_variable& one) {
          return std::string_view(one.name) == name;
        })) {
    if (row_ == environment.end()) throw "the table has no such variable";
  }
  constexpr const environment_variable& row() const noexcept { return *row_; }

 private:
  const environment_variable* row_;
};

/// Returns whether the choices of a variable are `names`, in this order. A caller that turns the number of a
/// choice into an enumerator asserts this.
consteval bool has_choices(variable of, std::span<const std::string_view> names) {
  return std::equal(of.row().choices.begin(), of.row().choices.end(), names.begin(), names.end());
}

/// Returns the value of a variable, possible or not; nothing if it is not set or empty.
std::optional<std::string_view> value_of(const environment_variable& of) noexcept;

/// Joins names: "private, paged or dax".
std::string listed(std::span<const std::string_view> names);

/// Describes the possible values: "private, paged, dax or shared", "a whole number of MiB from 1 to 1024",
/// "a directory".
std::string allowed_values(const environment_variable& of);

/// Returns why a variable cannot have this value; nothing if it can.
std::optional<std::string> why_refused(const environment_variable& of, std::string_view value);

// Each reads a variable: nothing where it is not set, or empty. Throws `invalid_argument`, which names the
// variable, its value and what it may be.

/// Returns the number of the choice. For a variable that is 0 or 1, that is its value.
std::optional<std::size_t> choice_in(variable of);
inline std::optional<bool> switch_in(variable of) {
  const auto choice = choice_in(of);
  return choice ? std::optional(*choice == 1) : std::nullopt;
}
std::optional<std::uint64_t> number_in(variable of);
std::optional<std::string_view> directory_in(variable of) noexcept;

}  // namespace perdure::base
