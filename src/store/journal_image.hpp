// A header block, an index and whole pages: how the redo journals and the batches of the undo log look.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "os/file.hpp"
#include "store/layout.hpp"

namespace perdure {

/// An image at some place of a file, read back. Nothing in it is believed before it has been checked.
class journal_image {
 public:
  journal_image(const os::file& file, std::uint64_t at) : file_(&file), at_(at) {}

  /// The header, if it is sound, of this kind and of this store.
  std::optional<layout::journal_header> header(const layout::magic& magic,
                                               const layout::uuid_bytes& uuid) const;
  /// The index, with every number in it checked against `capacity`; nothing when it or the header is torn.
  std::optional<std::vector<layout::journal_entry>> index(const layout::journal_header& header,
                                                          std::uint64_t capacity) const;
  /// Whether all pages are there and as the index says.
  bool is_whole(const layout::journal_header& header, std::span<const layout::journal_entry> index) const;
  /// Reads `count` pages from the `first`. Throws `damaged` when they are not there.
  void read_payload(const layout::journal_header& header, std::uint64_t first, std::size_t count,
                    std::byte* to) const;

  /// Where the pages begin and where the image ends, counted from its place.
  static std::uint64_t payload_offset(std::size_t entries);
  static std::uint64_t bytes(const layout::journal_header& header) {
    return header.payload_offset + header.payload_pages * page_size;
  }

 private:
  const os::file* file_;
  std::uint64_t at_;
};

/// A header for an index and its pages, complete but for what is of one kind of image only, and not sealed.
layout::journal_header make_header(const layout::magic& magic, const layout::uuid_bytes& uuid,
                                   std::span<const layout::journal_entry> index, std::uint64_t payload_pages);

inline bool is_run(const layout::journal_entry& entry) {
  return entry.kind == layout::entry_kind::zero || entry.kind == layout::entry_kind::released;
}

/// Calls `visit(first page, pages, bytes)` for the pages in an image, neighbours together.
template <class Visit>
void for_payload(const journal_image& image, const layout::journal_header& header,
                 std::span<const layout::journal_entry> index, Visit&& visit) {
  constexpr std::size_t batch_pages = 256;
  std::vector<std::byte> batch(std::min<std::uint64_t>(batch_pages, header.payload_pages) * page_size);
  std::vector<std::uint64_t> pages;
  std::uint64_t next = 0;
  const auto flush = [&] {
    if (pages.empty()) return;
    image.read_payload(header, next, pages.size(), batch.data());
    next += pages.size();
    for (std::size_t i = 0; i < pages.size();) {
      std::size_t end = i + 1;
      while (end < pages.size() && pages[end] == pages[end - 1] + 1) ++end;
      visit(pages[i], end - i, batch.data() + i * page_size);
      i = end;
    }
    pages.clear();
  };
  for (const layout::journal_entry& entry : index) {
    if (entry.kind != layout::entry_kind::overwrite) continue;
    pages.push_back(entry.page);
    if (pages.size() == batch_pages) flush();
  }
  flush();
}

}  // namespace perdure
