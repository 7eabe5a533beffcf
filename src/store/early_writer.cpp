#include "store/early_writer.hpp"

#include <algorithm>

#include "segment/page_runs.hpp"
#include "store/checked_block.hpp"
#include "store/zero_bytes.hpp"

namespace perdure {

namespace {

void add(std::vector<page_run>& runs, std::uint64_t page) {
  if (!runs.empty() && runs.back().first + runs.back().count == page) {
    ++runs.back().count;
  } else {
    runs.push_back({page, 1});
  }
}

}  // namespace

void early_writer::write(page_run part, changed_pages& all, write_brake& brake) {
  parts_.home.sync_names();
  parts_.home.extend((part.first + part.count) * page_size);
  changed_pages changed = all.extract(part);
  try {
    gather(part, changed, brake);
    save_needed(changed, brake);
    for (std::uint64_t first = part.first; first < part.first + part.count;
         first += early_pages::extent_pages) {
      const page_run extent{first, std::min(early_pages::extent_pages, part.first + part.count - first)};
      brake.check();
      if (brake.is_on()) {
        write_extent(extent, changed);
      } else {
        const write_pause pause(memory_, extent);
        write_extent(extent, changed);
      }
    }
  } catch (...) {
    all.put_back(part, std::move(changed), early_);
    throw;
  }
  all.put_back(part, std::move(changed), early_);
}

// Writers are held: a tracker may forget a store that comes while it collects.
void early_writer::gather(page_run part, changed_pages& changed, const write_brake& brake) {
  std::optional<write_pause> pause;
  if (!brake.is_on()) pause.emplace(memory_, part);
  changed.gather(memory_, part, early_);
}

void early_writer::save_needed(const changed_pages& changed, write_brake& brake) {
  std::vector<page_run> full;
  std::vector<page_run> empty;
  for (const page_run& run : changed.to_write()) {
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page) {
      if (!before_.needs(page) || early_.is_touched(page)) continue;
      add(before_.is_hole(page) ? empty : full, page);
    }
  }
  parts_.undo.save(epoch_, before_.pages * page_size, full, empty, parts_.home, [&brake] { brake.check(); });
  // Only now may home be written.
  for (const auto* runs : {&full, &empty})
    for (const page_run& run : *runs) early_.touch(run);
}

void early_writer::write_extent(page_run extent, changed_pages& changed) {
  changed.gather(memory_, extent, early_);
  std::vector<page_run> kept;
  std::vector<page_run> empty;
  std::vector<page_run> to_home;
  for (const page_run& run : intersect(changed.to_write(), extent)) {
    for (std::uint64_t page = run.first; page < run.first + run.count; ++page) {
      const bool touched = early_.is_touched(page);
      if (!touched && before_.needs(page)) {
        // Stored to since what home holds of its neighbours was saved.
        add(kept, page);
      } else if (!touched && before_.is_hole(page) && is_zero(memory_.base() + page * page_size, page_size)) {
        add(empty, page);
      } else {
        add(to_home, page);
      }
    }
  }
  changed.settle(empty);
  for (const page_run& run : to_home) write_home(run, changed);
  const std::vector<file_extent> home = parts_.home.extents(parts_.home.bytes());
  for (const page_run& run : subtract({extent}, kept)) memory_.replace_by_home(run, home);
}

void early_writer::write_home(page_run run, changed_pages& changed) {
  const std::byte* const bytes = memory_.base() + run.first * page_size;
  // Before the write, which may fail half way.
  early_.touch(run);
  parts_.home.write(run.first, run.count, bytes);
  // No page is ever both: a journal that names it twice would not be believed.
  changed.settle({run});
  for (std::uint64_t i = 0; i < run.count; ++i)
    early_.settle(run.first + i, page_checksum(run.first + i, bytes + i * page_size));
}

}  // namespace perdure
