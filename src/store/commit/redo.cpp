// Redo: finds the journal that still counts, and carries out what it says.
#include "store/commit/redo.hpp"

#include <algorithm>
#include <cstring>

#include "segment/page_runs.hpp"
#include "store/commit/carried_entries.hpp"
#include "store/file/failure.hpp"

namespace perdure::store {

namespace {

using layout::entry_kind;
using layout::journal_entry;

/// Epoch 0, which no checkpoint in a journal has, stands for no header.
layout::journal_header or_empty(const std::optional<layout::journal_header>& header) {
  return header.value_or(layout::journal_header{});
}

}  // namespace

void redo_at_home(const committed_journal& journal, home_files& home, checksum_table& table) {
  for_payload(journal.file->image(), journal.index,
              [&](std::span<const journal_entry> pages, const std::byte* bytes) {
                home.write(pages.front().page, pages.size(), bytes);
              });
  for (const journal_entry& entry : journal.index)
    if (is_run(entry) && entry.carried == 0) home.punch({entry.page, entry.value});
  // After the pages, as a torn table page may have to be made from them.
  enter_checksums(journal, table);
}

void enter_checksums(const committed_journal& journal, checksum_table& table) {
  for (const journal_entry& entry : journal.index) {
    const std::uint64_t count = is_run(entry) ? entry.value : 1;
    const std::uint32_t value = entry.kind == entry_kind::zero       ? layout::no_checksum
                                : entry.kind == entry_kind::released ? layout::any_content
                                                                     : entry.value;
    for (std::uint64_t page = entry.page; page < entry.page + count; ++page) table.set(page, value);
  }
}

void settle_redo(const committed_journal& journal, home_files& home, checksum_table& table,
                 super_block& super, checkpoint_log& log, table_use use) {
  if (journal.header.epoch > super.now().applied_epoch) log.append(journal.header, journal.index);
  const known_checkpoint done = checkpoint_in(journal.header);
  home.stamp(journal.index, done);
  if (use == table_use::write) {
    table.flush(journal.header.segment_bytes);
    table.stamp(done);
  }
  home.sync();
  if (use == table_use::write) table.sync();
  layout::super_slot next = super.now();
  next.home_stamps = home.stamps_at(done.epoch, done.segment_bytes).value_or(next.home_stamps);
  if (use == table_use::write) next.table_stamp = done.identity;
  next.epoch = next.applied_epoch = journal.header.epoch;
  next.segment_bytes = journal.header.segment_bytes;
  next.checkpoint = journal.header.checkpoint;
  next.parent = journal.header.parent;
  if (next.checkpoint != 0) next.incompat |= layout::incompat_identities;
  if (use == table_use::write) next.table_epoch = next.epoch;
  super.store(next);
}

void redo_in_memory(const committed_journal& journal, std::byte* base) {
  for_payload(journal.file->image(), journal.index,
              [&](std::span<const journal_entry> pages, const std::byte* bytes) {
                std::memcpy(base + pages.front().page * page_size, bytes, pages.size() * page_size);
              });
  for (const journal_entry& entry : journal.index) {
    if (entry.kind == entry_kind::zero && entry.carried == 0)
      std::memset(base + entry.page * page_size, 0, entry.value * page_size);
  }
}

std::optional<committed_journal> find_committed(const std::array<journal, 2>& journals,
                                                const layout::super_slot& super, epoch_ceiling ceiling) {
  const std::uint64_t applied = super.applied_epoch;
  // If the newer super slot is damaged, the last checkpoint is two ahead of the older slot.
  for (std::uint64_t epoch = std::min(applied + 2, ceiling.epoch); epoch > applied; --epoch) {
    const journal& file = journals[epoch & 1];
    layout::journal_header header = or_empty(file.header());
    const bool counts_by_verdict = header.epoch == 0 && ceiling.decides;
    if (counts_by_verdict) header = or_empty(file.undecided());
    if (header.epoch != epoch) continue;
    auto index = file.read_index(header, super.capacity);
    // Nobody decides on what is not known to be prepared.
    if (!index && counts_by_verdict)
      throw_damaged(file.path(),
                    "it has lost prepared checkpoint " + std::to_string(epoch) + ", which counts");
    if (!index) continue;
    if (!is_of_this_history(header, super, journals[1 - (epoch & 1)].header()))
      throw_damaged(file.path(), told_as_foreign("its checkpoint " + std::to_string(epoch)));
    if (header.segment_bytes < super.segment_bytes)
      throw_damaged(file.path(), "its segment is shorter than before");
    return committed_journal{&file, header, std::move(*index)};
  }
  if (super.table_epoch >= applied) return std::nullopt;
  const journal& file = journals[applied & 1];
  const layout::journal_header header = or_empty(file.header());
  auto index = header.epoch == applied && is_of_this_history(header, super, {})
                   ? file.image().index(header, super.capacity)
                   : std::optional<std::vector<journal_entry>>();
  if (!index)
    throw_damaged(file.path(), "it has lost the page checksums of checkpoint " + std::to_string(applied));
  mark_applied(*index);
  return committed_journal{&file, header, std::move(*index)};
}

bool is_of_this_history(const layout::journal_header& header, const layout::super_slot& super,
                        const std::optional<layout::journal_header>& other) {
  if (!has_identities(super)) return true;
  const std::uint64_t applied = super.applied_epoch;
  if (header.epoch == applied) return header.checkpoint == super.checkpoint;
  if (header.epoch == applied + 1) return header.parent == super.checkpoint;
  const layout::journal_header between = or_empty(other);
  return between.epoch == applied + 1 && between.parent == super.checkpoint &&
         header.parent == between.checkpoint;
}

std::string told_as_foreign(const std::string& checkpoint) {
  return checkpoint +
         " does not follow the one that the store is at: it comes from a copy, or is of another time";
}

std::uint64_t find_undecided(const std::array<journal, 2>& journals, const layout::super_slot& super,
                             const known_checkpoint& last) {
  const journal& file = journals[(last.epoch + 1) & 1];
  const layout::journal_header header = or_empty(file.undecided());
  // If it is not whole, its `prepare` has not returned.
  if (header.epoch != last.epoch + 1 || !file.read_index(header, super.capacity)) return 0;
  if (last.identity != 0 && header.parent != last.identity)
    throw_damaged(file.path(), told_as_foreign("its prepared checkpoint " + std::to_string(header.epoch)));
  return header.epoch;
}

std::uint64_t bytes_at_home(const layout::super_slot& super, std::uint64_t last_epoch,
                            const std::optional<layout::journal_header>& other) {
  const layout::journal_header between = or_empty(other);
  if (last_epoch <= super.applied_epoch + 1 || between.epoch != super.applied_epoch + 1)
    return super.segment_bytes;
  return std::max(super.segment_bytes, between.segment_bytes);
}

std::vector<detail::page_run> pages_of(const committed_journal& journal) {
  std::vector<detail::page_run> runs;
  runs.reserve(journal.index.size());
  for (const journal_entry& entry : journal.index)
    runs.push_back({entry.page, is_run(entry) ? entry.value : 1});
  detail::normalize(runs);
  return runs;
}

}  // namespace perdure::store
