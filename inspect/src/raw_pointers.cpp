// Looks for addresses in the blocks of a store.
#include "perdure/inspect/raw_pointers.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <map>
#include <perdure/store_maintenance.hpp>
#include <utility>

namespace perdure::inspect {
namespace {

struct address_range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t epoch = 0;

  bool holds(std::uint64_t word) const noexcept { return word >= begin && word < end; }
};

/// Where this process's own kind of program, heap, libraries and stacks may be: Linux loads programs at two
/// thirds of the address space, and maps memory downwards from its end. (What is linked to a fixed address is
/// far below, among numbers of every other meaning.)
address_range places_of_processes() {
  const std::byte here{};
  const std::uint64_t top = std::bit_ceil(reinterpret_cast<std::uintptr_t>(&here));
  return {top / 3 * 2, top, 0};
}

bool is_text(std::uint64_t word) noexcept {
  for (; word != 0; word >>= 8)
    if ((word & 0xff) < 0x20 || (word & 0xff) > 0x7e) return false;
  return true;
}

class known_addresses {
 public:
  explicit known_addresses(const manager& store) : process_(places_of_processes()) {
    const store_info info = store.store().info();
    if (info.pinned) {
      right_ = {info.address, info.address + info.address_space, 0};
    } else {
      std::map<std::uint64_t, address_range> mapped;
      for (const checkpoint_record& one : store_maintenance::log(store.path())) {
        if (one.address == 0) continue;
        address_range& range = mapped[one.address];
        range = {one.address, std::max(range.end, one.address + one.segment_bytes), one.epoch};
      }
      for (const auto& [address, range] : mapped) mapped_.push_back(range);
    }
    all_ = process_;
    for (const address_range& one : mapped_) {
      all_.begin = std::min(all_.begin, one.begin);
      all_.end = std::max(all_.end, one.end);
    }
  }

  /// Nearly every word ends here.
  bool may_be(std::uint64_t word) const noexcept { return all_.holds(word) && !right_.holds(word); }

  /// The last checkpoint for which the store was mapped where the word leads; 0 if it was not.
  std::uint64_t epoch_of(std::uint64_t word) const noexcept {
    std::uint64_t epoch = 0;
    for (const address_range& one : mapped_)
      if (one.holds(word) && leads_to_blocks(word - one.begin)) epoch = std::max(epoch, one.epoch);
    return epoch;
  }

  /// Objects that are pointed to are aligned. Two numbers of 32 bits side by side have a small lower one more
  /// often than an address has.
  bool is_in_process(std::uint64_t word) const noexcept {
    return process_.holds(word) && word % 8 == 0 && (word & 0xffffffff) >> 24 != 0 && !is_text(word);
  }

 private:
  /// Each GiB of a heap begins with its bookkeeping, to which no program has pointers. Two numbers of 32 bits
  /// side by side, the lower one small, would lead there wherever a store is mapped at a multiple of 4 GiB.
  static bool leads_to_blocks(std::uint64_t offset) noexcept { return (offset & 0x3fffffff) >> 24 != 0; }

  address_range process_;
  address_range right_;
  std::vector<address_range> mapped_;
  address_range all_;
};

/// Bytes of which some number of words leads into the process: of one object, or of all blocks of a size.
struct suspicion {
  std::uint64_t words_read = 0;
  std::uint64_t words = 0;
  std::uint64_t places = 0;
  std::vector<pointing_bytes> first;

  /// By chance it would be one in three million.
  bool is_more_than_chance() const noexcept { return words > words_read >> 17; }
};

class pointer_search {
 public:
  explicit pointer_search(const manager& store) : known_(store) {}

  void look_at(const std::byte* from, pointing_bytes place) {
    std::uint64_t into_process = 0;
    std::uint64_t into_store = 0;
    for (std::uint64_t at = 0; at + sizeof(std::uint64_t) <= place.bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t word;
      std::memcpy(&word, from + at, sizeof word);
      if (!known_.may_be(word)) continue;
      const std::uint64_t epoch = known_.epoch_of(word);
      if (epoch == 0 && !known_.is_in_process(word)) continue;
      if (epoch != 0 ? into_store++ == 0 : into_process++ == 0 && into_store == 0) {
        place.offset = at;
        place.word = word;
        place.epoch = epoch;
      }
    }
    place.words = into_store + into_process;
    report_.bytes_read += place.bytes;
    // The name of an object is unlike those of others; blocks of a size are likely of one type.
    const bool is_block = place.type.empty();
    suspicion own;
    suspicion& all = is_block ? blocks_[place.bytes] : own;
    all.words_read += place.bytes / sizeof(std::uint64_t);
    if (place.words == 0) return;
    if (into_store != 0) {
      tell(std::move(place));
      return;
    }
    all.words += place.words;
    ++all.places;
    if (all.first.size() < most_listed) all.first.push_back(std::move(place));
    if (!is_block) settle(own);
  }

  pointer_report take() {
    for (auto& [bytes, all] : blocks_) settle(all);
    std::sort(
        report_.found.begin(), report_.found.end(),
        [](const pointing_bytes& a, const pointing_bytes& b) { return a.store_offset < b.store_offset; });
    return std::move(report_);
  }

  std::uint64_t bytes_read() const noexcept { return report_.bytes_read; }

 private:
  static constexpr std::size_t most_listed = 20;
  static constexpr std::size_t most_listed_in_all = 1000;

  void tell(pointing_bytes place) {
    ++report_.places;
    report_.words += place.words;
    if (report_.found.size() < most_listed_in_all) report_.found.push_back(std::move(place));
  }

  void settle(suspicion& all) {
    if (!all.is_more_than_chance()) return;
    report_.places += all.places;
    report_.words += all.words;
    for (pointing_bytes& one : all.first)
      if (report_.found.size() < most_listed_in_all) report_.found.push_back(std::move(one));
  }

  known_addresses known_;
  std::map<std::uint64_t, suspicion> blocks_;
  pointer_report report_;
};

}  // namespace

pointer_report find_raw_pointers(const manager& store, const std::function<void(std::uint64_t)>& progress) {
  std::vector<object_info> objects;
  for (const object_info& one : store.named_objects()) objects.push_back(one);
  for (const object_info& one : store.unique_objects()) objects.push_back(one);
  for (const object_info& one : store.anonymous_objects()) objects.push_back(one);
  std::sort(objects.begin(), objects.end(),
            [](const object_info& a, const object_info& b) { return a.offset() < b.offset(); });

  pointer_search search(store);
  auto next = objects.begin();
  store.memory().walk([&](const void* block, std::size_t bytes) {
    const std::uint64_t offset = store.get_handle_from_address(block);
    while (next != objects.end() && next->offset() < offset) ++next;
    pointing_bytes place;
    if (next != objects.end() && next->offset() - offset < bytes) {
      place.kind = next->kind();
      place.name = next->name();
      place.type = next->type_name();
      place.length = next->length();
      place.bytes = next->size();
      place.store_offset = next->offset();
      search.look_at(static_cast<const std::byte*>(next->value()), std::move(place));
    } else {
      place.bytes = bytes;
      place.store_offset = offset;
      search.look_at(static_cast<const std::byte*>(block), std::move(place));
    }
    if (progress) progress(search.bytes_read());
  });
  return search.take();
}

}  // namespace perdure::inspect
