// Threads that read pages ahead of those that touch them, a MiB at a time.
#include "pager/background_readers.hpp"

#include <algorithm>
#include <utility>

#include "base/signals_blocked.hpp"
#include "pager/page_claims.hpp"

namespace perdure::pager::detail {

namespace {

// Pages of one request to the device: several requests are faster than one, and what the first brings can be
// used before the last is done.
constexpr std::size_t pages_of_request = 64;

}  // namespace

background_readers::background_readers(region_pages& pages, page_loader& loader, std::size_t wanted)
    : pages_(pages), loader_(loader), wanted_(std::min(wanted, most)) {
  if (wanted_ == 0) return;
  // The device takes twice as many bytes a second for memory of one piece as for scattered pages.
  memory_ = os::reservation(wanted_ * bytes_of_buffer, os::huge_page_bytes);
  os::map_anonymous(memory_.base(), memory_.size(), os::access::read_write);
  static_cast<void>(os::prefer_huge_pages(memory_.base(), memory_.size()));
}

void background_readers::start() noexcept {
  while (count_ < wanted_ &&
         ::pthread_create(&threads_[count_], nullptr, &background_readers::run, this) == 0)
    ++count_;
}

void background_readers::stop() noexcept {
  {
    const base::signals_blocked quiet;
    pending_.end();
  }
  while (count_ != 0) ::pthread_join(threads_[--count_], nullptr);
}

void* background_readers::run(void* self) noexcept {
  static_cast<background_readers*>(self)->read_all_posted();
  return nullptr;
}

void background_readers::read_all_posted() noexcept {
  const scratch_use own(pages_.scratches);
  std::byte* const buffer = memory_.base() + buffers_taken_.fetch_add(1) * bytes_of_buffer;
  std::byte* const usual = std::exchange(own->buffer, buffer);
  for (page_span rest = pending_.take(most_pages_at_once); rest.count != 0;
       rest = pending_.take(most_pages_at_once)) {
    claimed_reads claimed;
    claim_absent(pages_, rest, most_pages_at_once, pages_of_request, *own, claimed);
    // What fails is met again by the thread that touches it.
    if (claimed.runs != 0)
      static_cast<void>(
          loader_.load_all({own->reads.data(), claimed.runs}, std::nullopt, os::touch::read, *own));
  }
  own->buffer = usual;
}

}  // namespace perdure::pager::detail
