// Writes changed pages home early, part by part, and gives up their memory.
#include "store/backing/early_writer.hpp"

#include <algorithm>

#include "segment/page_runs.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/zero_bytes.hpp"

namespace perdure::store {

namespace {

void add(std::vector<detail::page_run>& runs, std::uint64_t page) {
  if (!runs.empty() && runs.back().first + runs.back().count == page) {
    ++runs.back().count;
  } else {
    runs.push_back({page, 1});
  }
}

}  // namespace

void early_writer::write(detail::page_run part, changed_pages& all, write_brake& brake) {
  parts_.home.sync_names();
  parts_.home.extend((part.first + part.count) * page_size);
  changed_pages changed = all.extract(part);
  try {
    gather(part, changed, brake);
    save_needed(changed, brake);
    // A tracker that does not start again reports old changes after the sync too, so writers are held all the
    // time.
    std::optional<detail::write_pause> all_the_time;
    if (!memory_.rearms() && !brake.is_on()) all_the_time.emplace(memory_, part);
    is_held_ = all_the_time.has_value();
    for_extents(part, brake, [&](detail::page_run extent) { write_extent(extent, changed); });
    os::data_walk walk;
    parts_.home.sync();
    for_extents(part, brake, [&](detail::page_run extent) { give_up(extent, changed, walk); });
  } catch (...) {
    all.put_back(part, std::move(changed), early_);
    throw;
  }
  all.put_back(part, std::move(changed), early_);
}

// Calls `visit` for each extent of the part, with its writers held.
template <class Visit>
void early_writer::for_extents(detail::page_run part, write_brake& brake, Visit&& visit) {
  for (std::uint64_t first = part.first; first < part.first + part.count;
       first += early_pages::extent_pages) {
    const detail::page_run extent{first,
                                  std::min(early_pages::extent_pages, part.first + part.count - first)};
    // Not asked while the part is held, which ends soon by itself.
    if (!is_held_) brake.check();
    std::optional<detail::write_pause> pause;
    if (!brake.is_on() && !is_held_) pause.emplace(memory_, extent);
    visit(extent);
  }
}

// Writers are held, as a tracker may miss a write that comes while it collects.
void early_writer::gather(detail::page_run part, changed_pages& changed, const write_brake& brake) {
  std::optional<detail::write_pause> pause;
  if (!brake.is_on()) pause.emplace(memory_, part);
  changed.gather(memory_, part, early_);
}

void early_writer::save_needed(const changed_pages& changed, write_brake& brake) {
  std::vector<detail::page_run> full;
  std::vector<detail::page_run> empty;
  for (const detail::page_run& run : changed.to_write()) {
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page) {
      if (!before_.needs(page) || early_.is_touched(page)) continue;
      add(before_.is_hole(page) ? empty : full, page);
    }
  }
  parts_.undo.save(last_, full, empty, parts_.home, [&brake] { brake.check(); });
  // The before-images are durable; only now may home be written.
  for (const auto* runs : {&full, &empty})
    for (const detail::page_run& run : *runs) early_.touch(run);
}

void early_writer::write_extent(detail::page_run extent, changed_pages& changed) {
  changed.gather(memory_, extent, early_);
  std::vector<detail::page_run> to_home;
  for (const detail::page_run& run : detail::intersect(changed.to_write(), extent)) {
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page) {
      const bool touched = early_.is_touched(page);
      // A page that was changed after the before-images were taken, and has none, stays in memory.
      if (!touched && before_.needs(page)) continue;
      const bool is_hole = !touched && before_.is_hole(page);
      add(is_hole && is_zero(memory_.base() + page * page_size, page_size) ? empty_ : to_home, page);
    }
  }
  for (const detail::page_run& run : to_home) write_home(run);
}

void early_writer::write_home(detail::page_run run) {
  const std::byte* const bytes = memory_.base() + run.first * page_size;
  // Noted before the write, which may fail half way.
  early_.touch(run);
  parts_.home.write(run.first, run.count, bytes);
  for (std::uint64_t i = 0; i < run.count; ++i)
    written_[run.first + i] = page_checksum(run.first + i, bytes + i * page_size);
}

// The pages of the extent that were written are durable by now.
void early_writer::give_up(detail::page_run extent, changed_pages& changed, os::data_walk& walk) {
  const auto begin = written_.lower_bound(extent.first);
  const auto end = written_.lower_bound(extent.first + extent.count);
  std::vector<detail::page_run> at_home = detail::intersect(empty_, extent);
  for (auto one = begin; one != end; ++one) at_home.push_back({one->first, 1});
  detail::normalize(at_home);
  // No page is ever both dirty and early: recovery rejects a journal that names it twice.
  changed.settle(at_home);
  for (auto one = begin; one != end; ++one) early_.settle(one->first, one->second);
  // Then the pages that were written to since are added.
  if (memory_.rearms()) changed.gather(memory_, extent, early_);
  const std::vector<detail::file_extent> home = parts_.home.extents(parts_.home.bytes());
  for (const detail::page_run& run : detail::subtract({extent}, changed.to_write()))
    memory_.replace_by_home(run, home, walk);
}

}  // namespace perdure::store
