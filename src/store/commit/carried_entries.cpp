// Which entries a journal carries on from the one before it.
#include "store/commit/carried_entries.hpp"

#include <algorithm>
#include <utility>

#include "store/file/journal_image.hpp"

namespace perdure::store {

namespace {

using layout::entry_kind;
using layout::journal_entry;

std::uint64_t end_of(const journal_entry& entry) {
  return entry.page + (is_run(entry) ? entry.value : 1);
}

}  // namespace

void mark_applied(std::vector<journal_entry>& index) noexcept {
  for (journal_entry& entry : index) {
    if (entry.kind == entry_kind::overwrite) entry.kind = entry_kind::fresh;
    entry.slot = 0;
    entry.carried = 1;
  }
}

void carry(const std::vector<journal_entry>& earlier, std::vector<journal_entry>& index) {
  std::vector<journal_entry> merged;
  merged.reserve(index.size() + earlier.size());
  auto own = index.begin();
  for (const journal_entry& old : earlier) {
    std::uint64_t page = old.page;
    const std::uint64_t end = end_of(old);
    while (page < end) {
      while (own != index.end() && end_of(*own) <= page) merged.push_back(*own++);
      const std::uint64_t stop = own == index.end() ? end : std::min(end, own->page);
      if (page < stop) {
        journal_entry part = old;
        part.page = page;
        if (is_run(old)) part.value = static_cast<std::uint32_t>(stop - page);
        merged.push_back(part);
      }
      page = own == index.end() ? end : std::max(stop, end_of(*own));
    }
  }
  merged.insert(merged.end(), own, index.end());
  index = std::move(merged);
}

}  // namespace perdure::store
