// Claims absent pages, so that one thread reads what lies side by side in one call.
#include "pager/page_claims.hpp"

#include <algorithm>

namespace perdure::pager::detail {

namespace {

bool claim(region_pages& pages, page_number number, bool spilled) noexcept {
  const page_word seen = pages[number].read();
  return seen.state() == page_state::absent && seen.is_spilled() == spilled &&
         pages[number].claim(seen, page_state::loading);
}

}  // namespace

std::size_t claim_absent_after(region_pages& pages, page_number first, std::size_t most) noexcept {
  const std::size_t end = pages.source.open_pages();
  most = first + 1 < end ? std::min(most, end - first - 1) : 0;
  const bool spilled = pages[first].read().is_spilled();
  std::size_t claimed = 0;
  while (claimed < most && claim(pages, static_cast<page_number>(first + 1 + claimed), spilled)) ++claimed;
  return claimed;
}

std::size_t claim_absent_before(region_pages& pages, page_number last, std::size_t most) noexcept {
  const bool spilled = pages[last].read().is_spilled();
  std::size_t claimed = 0;
  while (claimed < most && claim(pages, static_cast<page_number>(last - 1 - claimed), spilled)) ++claimed;
  return claimed;
}

void claim_absent(region_pages& pages, page_span& rest, std::size_t most, std::size_t longest, scratch& own,
                  claimed_reads& claimed) noexcept {
  while (rest.count != 0 && claimed.pages < most) {
    const page_number number = rest.first;
    const page_word seen = pages[number].read();
    std::size_t count = 1;
    if (seen.state() == page_state::absent && pages[number].claim(seen, page_state::loading)) {
      count += claim_absent_after(pages, number, std::min({rest.count, most - claimed.pages, longest}) - 1);
      own.reads[claimed.runs++] = {number, count, seen.is_spilled()};
      claimed.pages += count;
    }
    rest = {static_cast<page_number>(number + count), rest.count - count};
  }
}

}  // namespace perdure::pager::detail
