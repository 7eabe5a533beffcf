// Puts the parts of the pager together, and does with them what the program asks for.
#include "pager/budgeted_mapping.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/signals_blocked.hpp"
#include "pager/page_claims.hpp"

namespace perdure::pager::detail {

namespace {

// Aligned so that the kernel's page tables of the region are shared with nothing else.
os::reservation room_for(std::size_t pages, os::reservation place) {
  constexpr std::size_t unit = os::huge_page_bytes;
  if (place.base() != nullptr) return place;
  return os::reservation((pages * page_size + unit - 1) / unit * unit, unit);
}

std::size_t budget_of(const options& wanted, std::size_t pages) noexcept {
  return std::min(wanted.budget / page_size, std::max(pages, least_unpinned));
}

page_span pages_of(byte_range range) noexcept {
  const auto first = static_cast<page_number>(range.offset / page_size);
  const std::size_t end = (range.offset + range.bytes + page_size - 1) / page_size;
  return {first, range.bytes == 0 ? 0 : end - first};
}

}  // namespace

budgeted_mapping::budgeted_mapping(std::unique_ptr<page_source> source, std::size_t bytes,
                                   const options& wanted, std::unique_ptr<page_faults> faults,
                                   pager::tier tier, os::reservation place)
    : source_(std::move(source)),
      bytes_(bytes),
      mode_(wanted.mode),
      tier_(tier),
      memory_(room_for(source_->pages(), std::move(place))),
      faults_(std::move(faults)),
      pages_(*source_, *faults_, memory_.base(), wanted.mode != mode::read_only),
      budget_(budget_of(wanted, source_->pages())),
      order_(source_->pages(), budget_.most()),
      cleaner_(pages_),
      eviction_(pages_, cleaner_, order_, budget_),
      evictor_(pages_, eviction_, budget_),
      loader_(pages_, evictor_, budget_, order_),
      read_ahead_(pages_, loader_, budget_.most()),
      fault_handler_(pages_, loader_, read_ahead_, owner_, hand_over_),
      pins_(pages_, fault_handler_, budget_) {
  fault_handler_.start();
  const base::signals_blocked none_in_these_threads;
  evictor_.start();
  read_ahead_.start();
}

budgeted_mapping::~budgeted_mapping() {
  if (!owner_.is_here()) {
    memory_.forget();
    return;
  }
  stop_threads();
  if (hand_over_.is_done()) memory_.forget();
  if (mode_ == mode::write_back) {
    const base::signals_blocked quiet;
    if (const auto failed = cleaner_.clean_all()) pages_.log.announce(*failed);
  }
}

void budgeted_mapping::stop_threads() noexcept {
  if (!owner_.is_here()) return;
  // The readers may still wait for room that the evictor makes.
  read_ahead_.stop();
  evictor_.stop();
}

// In a child the descriptors still act on the memory of the parent.
void budgeted_mapping::require_this_process() const {
  if (!owner_.is_here())
    throw error(errc::invalid_argument, source_->name() +
                                            " was mapped by the parent process: a forked child has no "
                                            "region");
}

void budgeted_mapping::throw_failed(const failed_transfer& failed) {
  pages_.log.record(failed);
  throw error(code_of(failed), describe(failed, source_->name()));
}

void budgeted_mapping::require_sound_device() const {
  const int failed = sync_error_.load();
  if (failed != 0)
    throw error(errc::io, "cannot make " + source_->name() + " durable: the device failed (" +
                              std::generic_category().message(failed) +
                              ") after it had taken changes; what is on it is not known");
}

void budgeted_mapping::flush() {
  require_this_process();
  if (mode_ != mode::write_back) return;
  require_sound_device();
  std::optional<failed_transfer> failed;
  {
    const base::signals_blocked quiet;
    failed = cleaner_.clean_all();
  }
  if (failed) throw_failed(*failed);
  try {
    source_->sync();
  } catch (const std::system_error& e) {
    sync_error_.store(e.code().value());
    require_sound_device();
  }
}

void budgeted_mapping::prefetch(std::span<const byte_range> ranges) {
  require_this_process();
  if (hand_over_.is_done()) return;
  if (const auto failed = load(ranges)) throw_failed(*failed);
}

// Reads what is absent, in as few calls as there is room for, until half of the budget is used for that.
std::optional<failed_transfer> budgeted_mapping::load(std::span<const byte_range> ranges) noexcept {
  const base::signals_blocked quiet;
  const scratch_use own(pages_.scratches);
  const std::size_t most_together = std::clamp<std::size_t>(budget_.most() / 4, 1, most_pages_at_once);
  std::size_t left = std::max<std::size_t>(budget_.most() / 2, 1);
  std::optional<failed_transfer> failed;
  claimed_reads claimed;
  const auto load_claimed = [&] {
    left -= claimed.pages;
    failed = loader_.load_all({own->reads.data(), claimed.runs}, std::nullopt, os::touch::read, *own);
    if (failed && failed->error == EAGAIN) {
      failed.reset();
      left = 0;
    }
    claimed = {};
  };
  for (const byte_range& range : ranges) {
    page_span rest = pages_of(range);
    while (rest.count != 0 && left != 0 && !failed) {
      const std::size_t most = std::min(most_together, left);
      claim_absent(pages_, rest, most, most_pages_at_once, *own, claimed);
      if (claimed.pages == most) load_claimed();
    }
  }
  if (claimed.runs != 0) load_claimed();
  return failed;
}

void budgeted_mapping::pin(byte_range range, pin_for use) {
  require_this_process();
  if (hand_over_.is_done())
    throw error(errc::invalid_argument, source_->name() + " was handed over to the kernel");
  if (use == pin_for::writing && mode_ == mode::read_only)
    throw error(errc::read_only, source_->name() + " is mapped for reading: it cannot be pinned for writing");
  const os::touch how =
      fault_handler_.in_effect(use == pin_for::writing ? os::touch::write : os::touch::read);
  page_pins::result made;
  {
    const base::signals_blocked quiet;
    made = pins_.pin(pages_of(range), how);
  }
  if (made.what == page_pins::outcome::failed) throw_failed(*made.failed);
  if (made.what == page_pins::outcome::no_room)
    throw error(errc::out_of_capacity, "cannot pin " + std::to_string(range.bytes) + " bytes of " +
                                           source_->name() + ": four pages of the budget of " +
                                           std::to_string(budget_.most() * page_size) +
                                           " bytes must stay for what is not pinned");
}

void budgeted_mapping::unpin(byte_range range) noexcept {
  if (owner_.is_here()) pins_.unpin(pages_of(range));
}

void budgeted_mapping::advise(byte_range range, advice what) {
  require_this_process();
  if (hand_over_.is_done()) return;
  switch (what) {
    case advice::normal:
    case advice::random:
      read_ahead_.allow(what == advice::normal);
      return;
    case advice::will_need:
      prefetch({&range, 1});
      return;
    case advice::dont_need:
      break;
  }
  const eviction_result made = evict(pages_of(range));
  if (made.failed) throw_failed(*made.failed);
}

eviction_result budgeted_mapping::evict(page_span span) noexcept {
  const base::signals_blocked quiet;
  const scratch_use own(pages_.scratches);
  eviction_result result;
  std::size_t owned = 0;
  for (std::size_t i = 0; i < span.count; ++i) {
    const auto number = static_cast<page_number>(span.first + i);
    const page_word seen = pages_[number].read();
    if (seen.pins() == 0 && (seen.state() == page_state::clean || seen.state() == page_state::dirty) &&
        pages_[number].claim(seen,
                             seen.state() == page_state::clean ? page_state::evicting : page_state::writing))
      own->victims[owned++] = number;
    if (owned == own->victims.size() || i + 1 == span.count)
      eviction_.expel(std::exchange(owned, 0), *own, eviction_cause::advice, result);
  }
  return result;
}

void budgeted_mapping::hand_over(bool shared) {
  if (mode_ != mode::read_only)
    throw error(errc::invalid_argument,
                source_->name() + " is mapped for writing: what was changed cannot be handed over");
  if (owner_.is_here()) {
    hand_over_.run(pages_, memory_.size(), shared);
  } else {
    detail::hand_over::run_in_child(pages_, memory_.size(), shared);
  }
}

pager::statistics budgeted_mapping::statistics() const {
  pager::statistics all;
  pages_.scratches.for_each([&](const event_counters& one) { one.add_to(all); });
  all.resident_bytes = budget_.used() * page_size;
  all.most_resident_bytes = budget_.most_used() * page_size;
  return all;
}

}  // namespace perdure::pager::detail
