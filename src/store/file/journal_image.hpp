// A header block, whole pages and their index: how the redo journals and the batches of the undo log look.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "os/file.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

/// Pages on their way to or from a journal go in pieces of 256 KiB, which stay in the second-level cache
/// between checksum and write: with 1 MiB a checkpoint of fresh pages takes 6 % longer where that cache has
/// 512 KiB.
inline constexpr std::size_t batch_pages = 64;

/// Reads an image at some place of a file. It believes nothing there before it has checked it.
class journal_image {
 public:
  journal_image(const os::file& file, std::uint64_t at) : file_(&file), at_(at) {}

  /// The header, if it is sound, of this kind and of this store.
  std::optional<layout::journal_header> header(const layout::magic& magic,
                                               const layout::uuid_bytes& uuid) const;
  /// The index, with every number in it checked against `capacity`; nothing when it or the header is torn.
  std::optional<std::vector<layout::journal_entry>> index(const layout::journal_header& header,
                                                          std::uint64_t capacity) const;
  /// Returns whether all pages are there and have the checksums in the index.
  bool is_whole(std::span<const layout::journal_entry> index) const;
  /// Reads the pages of `count` slots from `first` on. Throws `damaged` when they are not there.
  void read_payload(std::uint64_t first, std::size_t count, std::byte* to) const;

  /// Where a slot is, and the first multiple of the block size behind the whole image; both counted from the
  /// image's place.
  static std::uint64_t slot_offset(std::uint64_t slot) { return layout::block + slot * page_size; }
  static std::uint64_t bytes(const layout::journal_header& header);

 private:
  const os::file* file_;
  std::uint64_t at_;
};

/// Makes a header for an index and its slots, complete but for the fields that only one kind of image has,
/// and without its checksum.
layout::journal_header make_header(const layout::magic& magic, const layout::uuid_bytes& uuid,
                                   std::span<const layout::journal_entry> index, std::uint64_t payload_pages);

inline bool is_run(const layout::journal_entry& entry) {
  return entry.kind == layout::entry_kind::zero || entry.kind == layout::entry_kind::released;
}

/// Calls `visit(entries, bytes)` for the pages in an image, with the entries of neighbouring pages and their
/// content. In the order of their slots, so that the image is read from its start to its end.
template <class Visit>
void for_payload(const journal_image& image, std::span<const layout::journal_entry> index, Visit&& visit) {
  std::vector<layout::journal_entry> entries;
  for (const layout::journal_entry& entry : index)
    if (entry.kind == layout::entry_kind::overwrite) entries.push_back(entry);
  const auto comes_before = [](const layout::journal_entry& a, const layout::journal_entry& b) {
    return a.slot < b.slot;
  };
  if (!std::is_sorted(entries.begin(), entries.end(), comes_before))
    std::sort(entries.begin(), entries.end(), comes_before);
  std::vector<std::byte> batch(std::min(batch_pages, entries.size()) * page_size);
  for (std::size_t i = 0; i < entries.size();) {
    std::size_t count = 1;
    while (count < batch_pages && i + count < entries.size() &&
           entries[i + count].slot == entries[i].slot + count)
      ++count;
    image.read_payload(entries[i].slot, count, batch.data());
    for (std::size_t first = 0; first < count;) {
      std::size_t end = first + 1;
      while (end < count && entries[i + end].page == entries[i + end - 1].page + 1) ++end;
      visit(std::span<const layout::journal_entry>(entries).subspan(i + first, end - first),
            static_cast<const std::byte*>(batch.data() + first * page_size));
      first = end;
    }
    i += count;
  }
}

}  // namespace perdure::store
