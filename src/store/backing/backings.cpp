// Properties of each backing, and whether it is available.
#include "store/backing/backings.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <limits>
#include <perdure/error.hpp>
#include <perdure/pager.hpp>
#include <perdure/store_maintenance.hpp>
#include <vector>

#include "base/environment.hpp"
#include "os/system_error.hpp"
#include "segment/segment.hpp"
#include "store/backing/open_stores.hpp"
#include "store/file/home_files.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

namespace {

constexpr std::uint64_t any_number = layout::most_capacity / page_size;

// tests/backings.cmake reads names and abilities here: each on a line of its own.
constexpr std::array rows{
    backing_row{
        .which = backing::private_memory,
        .name = "private",
        .enumerator = "private_memory",
        .memory = "private copies of changed pages, and the page cache",
        .atomic_checkpoints = true,
        .prepares = true,
        .verifies_lazily = true,
        .readers_beside = true,
        .opens_without_room = true,
        .memory_in_child = false,
        .budget = budget_of::changed_pages,
        .needs = backing_needs::nothing,
        .most_pages = any_number,
        .otherwise = std::nullopt,
        .open = make_journaled_store,
    },
    backing_row{
        .which = backing::paged,
        .name = "paged",
        .enumerator = "paged",
        .memory = "pages that are read when touched, and evicted to make room",
        .atomic_checkpoints = true,
        .prepares = true,
        .verifies_lazily = true,
        .readers_beside = true,
        .opens_without_room = true,
        .memory_in_child = false,
        .budget = budget_of::all_pages,
        .needs = backing_needs::user_faults,
        // The number that is left stands for none.
        .most_pages = std::numeric_limits<std::uint32_t>::max() - 1,
        .otherwise = backing::private_memory,
        .open = make_journaled_store,
    },
    backing_row{
        .which = backing::dax,
        .name = "dax",
        .enumerator = "dax",
        .memory = "the files themselves, in persistent memory",
        .atomic_checkpoints = true,
        .prepares = false,
        .verifies_lazily = false,
        .readers_beside = false,
        .opens_without_room = false,
        .memory_in_child = false,
        .budget = budget_of::nothing,
        .needs = backing_needs::persistent_memory,
        .most_pages = any_number,
        .otherwise = std::nullopt,
        .open = make_dax_store,
    },
    backing_row{
        .which = backing::shared_file,
        .name = "shared",
        .enumerator = "shared_file",
        .memory = "the page cache, which the kernel writes when it likes",
        .atomic_checkpoints = false,
        .prepares = false,
        .verifies_lazily = false,
        .readers_beside = false,
        .opens_without_room = false,
        .memory_in_child = true,
        .budget = budget_of::nothing,
        .needs = backing_needs::nothing,
        .most_pages = any_number,
        .otherwise = std::nullopt,
        .open = make_shared_store,
    },
};

constexpr auto names = [] {
  std::array<std::string_view, rows.size()> all;
  std::transform(rows.begin(), rows.end(), all.begin(), [](const backing_row& row) { return row.name; });
  return all;
}();
static_assert(base::has_choices("PERDURE_BACKING", names),
              "what PERDURE_BACKING may be is in base/environment.hpp");

}  // namespace

std::span<const backing_row> all_backings() noexcept {
  return rows;
}

const backing_row& row_of(backing which) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [which](const backing_row& row) { return row.which == which; });
  if (found != rows.end()) return *found;
  throw error(errc::invalid_argument,
              "store_options::backing is " + std::to_string(static_cast<int>(which)) + ", which is none");
}

const backing_row& chosen_backing(const store_options& options) {
  if (options.backing != store_options().backing) return row_of(options.backing);
  const auto choice = base::choice_in("PERDURE_BACKING");
  return choice ? all_backings()[*choice] : row_of(options.backing);
}

std::optional<std::string> why_not(const backing_row& wanted, const os::file& file, std::uint64_t capacity,
                                   const std::filesystem::path& store) {
  if (capacity / page_size > wanted.most_pages)
    return store.string() + " has a capacity of " + std::to_string(capacity / page_size) +
           " pages, and the backing " + std::string(wanted.name) + " is for " +
           std::to_string(wanted.most_pages) + " at most";
  switch (wanted.needs) {
    case backing_needs::nothing:
      break;
    case backing_needs::user_faults:
      return pager::why_unavailable(pager::tier::uffd_sigbus);
    case backing_needs::persistent_memory:
      return why_not_persistent_memory(file, store);
  }
  return std::nullopt;
}

std::optional<std::string> why_not_in(const backing_row& wanted, const std::filesystem::path& directory) {
  try {
    os::file probe;
    if (wanted.needs == backing_needs::persistent_memory) {
      probe = os::file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), directory);
      if (!probe) os::throw_errno("make a file in", directory.string());
      probe.resize(page_size);
    }
    return why_not(wanted, probe, store_options().capacity, directory);
  } catch (const std::exception& failure) {
    return failure.what();
  }
}

std::optional<std::string> why_not_of(const backing_row& wanted, const std::filesystem::path& store,
                                      std::uint64_t capacity) {
  try {
    const os::file home =
        os::file::open_in(os::file::open_directory(store), home_files::name_of(0), O_RDONLY);
    return why_not(wanted, home, capacity, store);
  } catch (const std::exception& failure) {
    return failure.what();
  }
}

std::string names_of_those_with(bool backing_row::*ability) {
  std::vector<std::string_view> able;
  for (const backing_row& row : rows)
    if (row.*ability) able.push_back(row.name);
  return base::listed(able);
}

}  // namespace perdure::store

namespace perdure {

std::optional<std::string> store_maintenance::why_not_persistent(const std::filesystem::path& directory) {
  return store::why_not_in(store::row_of(backing::dax), directory);
}

}  // namespace perdure
