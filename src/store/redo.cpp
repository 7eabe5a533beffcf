#include "store/redo.hpp"

#include <algorithm>
#include <cstring>

#include "segment/page_runs.hpp"
#include "store/failure.hpp"

namespace perdure {

namespace {

using layout::entry_kind;
using layout::journal_entry;

bool contains(const std::vector<page_run>& runs, std::uint64_t page) {
  const auto after = std::upper_bound(runs.begin(), runs.end(), page,
                                      [](std::uint64_t p, const page_run& run) { return p < run.first; });
  return after != runs.begin() && page < (after - 1)->first + (after - 1)->count;
}

}  // namespace

void redo_at_home(const committed_journal& journal, home_files& home, checksum_table& table,
                  const std::vector<page_run>& newer) {
  for_payload(journal.file->image(), journal.header, journal.index,
              [&](std::uint64_t first, std::size_t count, const std::byte* bytes) {
                if (newer.empty()) return home.write(first, count, bytes);
                for (std::size_t i = 0; i < count; ++i) {
                  if (!contains(newer, first + i)) home.write(first + i, 1, bytes + i * page_size);
                }
              });
  for (const journal_entry& entry : journal.index) {
    if (!is_run(entry)) continue;
    for (const page_run& run : subtract({{entry.page, entry.value}}, newer)) home.punch(run);
  }
  // Entries after pages: a torn table page may have to be made from the pages first.
  for (const journal_entry& entry : journal.index) {
    const std::uint64_t count = is_run(entry) ? entry.value : 1;
    const std::uint32_t value = entry.kind == entry_kind::zero       ? layout::no_checksum
                                : entry.kind == entry_kind::released ? layout::any_content
                                                                     : entry.value;
    for (std::uint64_t page = entry.page; page < entry.page + count; ++page) {
      if (newer.empty() || !contains(newer, page)) table.set(page, value);
    }
  }
}

void redo_in_memory(const committed_journal& journal, std::byte* base, const std::vector<page_run>& newer) {
  for_payload(journal.file->image(), journal.header, journal.index,
              [&](std::uint64_t first, std::size_t count, const std::byte* bytes) {
                for (std::size_t i = 0; i < count; ++i) {
                  if (newer.empty() || !contains(newer, first + i))
                    std::memcpy(base + (first + i) * page_size, bytes + i * page_size, page_size);
                }
              });
  for (const journal_entry& entry : journal.index) {
    if (entry.kind != entry_kind::zero) continue;
    for (const page_run& run : subtract({{entry.page, entry.value}}, newer))
      std::memset(base + run.first * page_size, 0, run.count * page_size);
  }
}

std::vector<committed_journal> find_committed(const std::array<journal, 2>& journals,
                                              const layout::super_slot& super) {
  const std::uint64_t applied = super.applied_epoch;
  std::uint64_t length = super.segment_bytes;
  std::vector<committed_journal> found;
  for (std::uint64_t epoch = applied + 1; epoch <= applied + 2; ++epoch) {
    const journal& file = journals[epoch & 1];
    const auto header = file.header();
    if (!header || header->epoch != epoch) continue;
    auto index = file.read_index(*header, super.capacity);
    if (!index) continue;
    if (found.empty() && epoch == applied + 2) {
      throw_damaged(journals[(applied + 1) & 1].path(),
                    "checkpoint " + std::to_string(applied + 1) + " is missing beneath a later one");
    }
    if (header->segment_bytes < length) throw_damaged(file.path(), "its segment is shorter than before");
    length = header->segment_bytes;
    found.push_back({&file, *header, std::move(*index)});
  }
  return found;
}

std::vector<page_run> pages_of(const committed_journal& journal) {
  std::vector<page_run> runs;
  runs.reserve(journal.index.size());
  for (const journal_entry& entry : journal.index)
    runs.push_back({entry.page, is_run(entry) ? entry.value : 1});
  normalize(runs);
  return runs;
}

}  // namespace perdure
