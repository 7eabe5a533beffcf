// Compares pages with their checksums when the program first touches them, in the handler of the touch.
#include "store/backing/lazy_verifier.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/owner_process.hpp"
#include "os/bus_error.hpp"
#include "os/standard_error.hpp"
#include "segment/growth.hpp"
#include "segment/page_runs.hpp"
#include "store/commit/checkpoint_plan.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/zero_bytes.hpp"
#include "store/offline/verify.hpp"

namespace perdure::store {

namespace {

constexpr std::uint64_t extent_pages = os::guarded_range::extent_bytes / page_size;
constexpr std::size_t scratch_pages = 16;
constexpr std::size_t scratches = 8;  // threads that read at once; more wait
constexpr std::size_t no_table = ~std::size_t{0};

std::atomic<damage_handler> installed_handler{nullptr};

/// A line for standard error, put together without allocating memory.
class line {
 public:
  line() = default;
  line(const line&) = delete;
  line& operator=(const line&) = delete;
  line& operator<<(const char* text) noexcept {
    add(text, std::strlen(text));
    return *this;
  }
  line& operator<<(std::uint64_t number) noexcept {
    char digits[24];
    add(digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, number).ptr - digits));
    return *this;
  }
  ~line() {
    add("\n", 1);
    write_out();
  }

 private:
  void add(const char* text, std::size_t bytes) noexcept {
    while (bytes != 0) {
      if (size_ == text_.size()) write_out();
      const std::size_t now = std::min(bytes, text_.size() - size_);
      std::memcpy(text_.data() + size_, text, now);
      size_ += now;
      text += now;
      bytes -= now;
    }
  }
  void write_out() noexcept {
    os::write_to_standard_error({text_.data(), size_});
    size_ = 0;
  }

  std::array<char, 1024> text_;  // small, as the handler's stack may be small
  std::size_t size_ = 0;
};

}  // namespace

struct lazy_verifier::scratch {
  std::atomic<base::owner_process> owner;  // in a forked child a scratch of another process counts as free
  std::size_t table_index;
  bool table_is_sound;
  alignas(64) layout::table_page table;
  alignas(64) std::byte bytes[scratch_pages * page_size];
};

class lazy_verifier::borrowed_scratch {
 public:
  explicit borrowed_scratch(scratch* all) noexcept {
    const base::owner_process mine;
    for (std::size_t i = 0;; i = (i + 1) % scratches) {
      base::owner_process seen = all[i].owner.load(std::memory_order_relaxed);
      if (seen != mine && all[i].owner.compare_exchange_strong(seen, mine, std::memory_order_acquire)) {
        use_ = all + i;
        use_->table_index = no_table;
        return;
      }
      if (i + 1 == scratches) ::sched_yield();
    }
  }
  borrowed_scratch(const borrowed_scratch&) = delete;
  borrowed_scratch& operator=(const borrowed_scratch&) = delete;
  ~borrowed_scratch() { use_->owner.store(base::owner_process::nobody(), std::memory_order_release); }
  scratch& operator*() const noexcept { return *use_; }

 private:
  scratch* use_;
};

lazy_verifier::lazy_verifier(const store_parts& parts, std::uint64_t committed_bytes)
    : parts_(parts),
      home_(parts.home.extents(committed_bytes)),
      path_(parts.path.string()),
      applied_pages_(parts.super.now().segment_bytes / page_size),
      pages_(committed_bytes / page_size),
      epoch_(parts.super.now().applied_epoch) {
  for (std::size_t i = 0; i < home_.size(); ++i) home_names_.push_back(home_files::name_of(i));
  const std::size_t bitmap_bytes = detail::round_up((pages_ + 63) / 64 * 8, layout::block);
  memory_ = os::reservation(detail::round_up(bitmap_bytes + scratches * sizeof(scratch), layout::chunk_size),
                            layout::chunk_size);
  os::protect(memory_.base(), memory_.size(), os::access::read_write);
  // Zero memory is a valid array of zero atomics on every platform this builds for.
  passed_over_ = reinterpret_cast<std::atomic<std::uint64_t>*>(memory_.base());
  scratch_ = reinterpret_cast<scratch*>(memory_.base() + bitmap_bytes);
}

void lazy_verifier::know(const std::vector<undo_log::batch>& saved) {
  for (const undo_log::batch& one : saved)
    for (const layout::journal_entry& entry : one.index)
      pass_over(std::array{detail::page_run{entry.page, is_run(entry) ? entry.value : 1}});
}

void lazy_verifier::know(const committed_journal& journal) {
  const std::uint64_t last = journal.header.epoch;
  applied_pages_ =
      bytes_at_home(parts_.super.now(), last, parts_.journals[1 - (last & 1)].header()) / page_size;
  being_applied_ = pages_of(journal);
  pass_over(being_applied_);
  for (const layout::journal_entry& entry : journal.index) {
    if (entry.kind != layout::entry_kind::fresh) continue;
    fresh_.push_back({entry.page, entry.value, journal.header.epoch});
    set_passed_over(entry.page, false);
  }
}

void lazy_verifier::pass_over(std::span<const detail::page_run> pages) noexcept {
  for (const detail::page_run& run : pages)
    for (std::uint64_t page = run.first; page < std::min(run.first + run.count, pages_); ++page)
      set_passed_over(page, true);
}

bool lazy_verifier::is_passed_over(std::uint64_t page) const noexcept {
  return (passed_over_[page / 64].load() >> (page % 64) & 1) != 0;
}

void lazy_verifier::set_passed_over(std::uint64_t page, bool value) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (page % 64);
  if (value) {
    passed_over_[page / 64].fetch_or(bit);
  } else {
    passed_over_[page / 64].fetch_and(~bit);
  }
}

const lazy_verifier::fresh_page* lazy_verifier::fresh_at(std::uint64_t page) const noexcept {
  const auto found =
      std::lower_bound(fresh_.begin(), fresh_.end(), page,
                       [](const fresh_page& one, std::uint64_t wanted) { return one.page < wanted; });
  return found != fresh_.end() && found->page == page ? &*found : nullptr;
}

bool lazy_verifier::may_be_torn(std::size_t table_index) const noexcept {
  const std::uint64_t first = table_index * layout::entries_per_table_page;
  const auto after = std::lower_bound(
      being_applied_.begin(), being_applied_.end(), first,
      [](const detail::page_run& run, std::uint64_t page) { return run.first + run.count <= page; });
  return after != being_applied_.end() && after->first < first + layout::entries_per_table_page;
}

bool lazy_verifier::load_table(std::size_t index, scratch& use) const noexcept {
  if (use.table_index == index) return use.table_is_sound;
  // The worker may be writing the table page just now, for other entries.
  constexpr int most_attempts = 1000;
  use.table_is_sound = parts_.checksums.read_from_file(index, use.table);
  for (int attempt = 1; !use.table_is_sound && parts_.use == store_use::write && attempt < most_attempts;
       ++attempt) {
    ::sched_yield();
    use.table_is_sound = parts_.checksums.read_from_file(index, use.table);
  }
  use.table_index = index;
  return use.table_is_sound;
}

std::optional<lazy_verifier::fault> lazy_verifier::judge(std::uint64_t page, const std::byte* bytes,
                                                         scratch& use) const noexcept {
  using kind = decltype(fault::what);
  if (is_passed_over(page)) return std::nullopt;
  if (const fresh_page* const fresh = fresh_at(page)) {
    if (page_checksum(page, bytes) == fresh->checksum) return std::nullopt;
    return fault{kind::contradicted, page, fresh->epoch};
  }
  std::uint32_t entry = layout::no_checksum;
  if (page < applied_pages_) {
    const auto index = static_cast<std::size_t>(page / layout::entries_per_table_page);
    if (!load_table(index, use)) {
      // An interrupted application leaves torn table pages, which recovery makes anew from the pages.
      if (may_be_torn(index)) return std::nullopt;
      return fault{kind::bad_table, page, epoch_};
    }
    entry = use.table.entries[page % layout::entries_per_table_page];
  }
  if (entry == layout::any_content) return std::nullopt;
  if (entry == layout::no_checksum) {
    if (is_zero(bytes, page_size)) return std::nullopt;
    return fault{kind::not_empty, page, epoch_};
  }
  if (page_checksum(page, bytes) == entry) return std::nullopt;
  return fault{kind::contradicted, page, epoch_};
}

std::optional<lazy_verifier::fault> lazy_verifier::find_fault(std::uint64_t first, std::uint64_t end,
                                                              scratch& use) const noexcept {
  using kind = decltype(fault::what);
  for (std::uint64_t page = first; page < end;) {
    // An extent lies in one file: their sizes are multiples of it.
    std::uint64_t offset = page * page_size;
    auto file = home_.begin();
    for (; offset >= file->bytes; ++file) offset -= file->bytes;
    const std::uint64_t count = std::min<std::uint64_t>(scratch_pages, end - page);
    const std::ptrdiff_t got =
        os::try_read_at(file->descriptor, use.bytes, count * page_size, file->offset + offset);
    if (got < 0 && count > 1) {
      for (std::uint64_t i = 0; i < count; ++i)
        if (auto found = find_fault(page + i, page + i + 1, use)) return found;
    } else if (got < 0) {
      if (!is_passed_over(page)) return fault{kind::unreadable, page, epoch_};
    } else {
      for (std::uint64_t i = 0; i < count; ++i) {
        if (static_cast<std::uint64_t>(got) < (i + 1) * page_size)
          return fault{kind::cut_short, page + i, epoch_};
        auto found = judge(page + i, use.bytes + i * page_size, use);
        // Not if the page was passed over, and changed, since it was read.
        if (found && !is_passed_over(page + i)) return found;
      }
    }
    page += count;
  }
  return std::nullopt;
}

std::optional<lazy_verifier::fault> lazy_verifier::find_fault(std::uint64_t first,
                                                              std::uint64_t end) const noexcept {
  const borrowed_scratch use(scratch_);
  return find_fault(first, end, *use);
}

std::uint64_t lazy_verifier::end_of(std::size_t extent) const noexcept {
  return std::min((extent + 1) * extent_pages, pages_);
}

bool lazy_verifier::is_fit(std::size_t extent) noexcept {
  return !find_fault(extent * extent_pages, end_of(extent));
}

page_damage lazy_verifier::describe(const fault& found, void* touched) const noexcept {
  using kind = decltype(fault::what);
  if (found.what == kind::bad_table) {
    const std::uint64_t index = found.page / layout::entries_per_table_page;
    return {path_.c_str(), "crc",       (index + 1) * layout::block,
            found.page,    found.epoch, "the table page with its checksum has no valid checksum itself",
            touched};
  }
  const char* const what = found.what == kind::not_empty      ? "it was never written and yet is not empty"
                           : found.what == kind::contradicted ? "its bytes contradict its checksum"
                           : found.what == kind::unreadable   ? "it cannot be read"
                                                              : "the file is cut short";
  std::uint64_t offset = found.page * page_size;
  std::size_t file = 0;
  for (; offset >= home_[file].bytes; ++file) offset -= home_[file].bytes;
  return {
      path_.c_str(), home_names_[file].c_str(), home_[file].offset + offset, found.page, found.epoch, what,
      touched};
}

bool lazy_verifier::refused(std::size_t extent, std::byte* address) {
  bool any = false;
  const std::uint64_t end = end_of(extent);
  for (std::uint64_t page = extent * extent_pages; page < end; ++page) {
    const auto found = find_fault(page, end);
    if (!found) break;
    any = true;
    page = found->page;
    if (found->what == fault::kind::bad_table)
      page = (page / layout::entries_per_table_page + 1) * layout::entries_per_table_page - 1;
    const page_damage damage = describe(*found, address);
    if (const damage_handler handler = installed_handler.load()) {
      handler(damage);
      continue;
    }
    line() << "perdure: " << damage.store << " is damaged: " << damage.file << " at byte " << damage.offset
           << ", page " << damage.page << ", epoch " << damage.epoch << ": " << damage.what;
    os::raise_bus_error(address);
    return false;
  }
  return any;
}

void lazy_verifier::kept_closed(std::size_t, std::byte* address, int error) {
  line() << "perdure: " << path_.c_str() << ": mprotect failed with error "
         << static_cast<std::uint64_t>(error) << " when a page was first touched; see vm.max_map_count";
  os::raise_bus_error(address);
}

void lazy_verifier::report(std::size_t extent) {
  const auto found = find_fault(extent * extent_pages, end_of(extent));
  if (!found) return;
  const page_damage damage = describe(*found, nullptr);
  throw_damaged_store(parts_.path, {store_section::home_page, true, damage.file, damage.offset, damage.page,
                                    damage.epoch, damage.what});
}

}  // namespace perdure::store

namespace perdure {

damage_handler set_damage_handler(damage_handler handler) noexcept {
  return store::installed_handler.exchange(handler);
}

}  // namespace perdure
