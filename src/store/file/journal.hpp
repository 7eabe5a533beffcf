// The redo journals jrnl.0 and jrnl.1: what a checkpoint changes in pages that the one before it needs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "os/file.hpp"
#include "store/file/journal_image.hpp"
#include "store/file/layout.hpp"

namespace perdure {

/// One journal file, used for every second epoch. Not thread-safe.
class journal {
 public:
  /// Makes the file with an empty header, synced.
  static void create(const os::file& directory, unsigned parity, const layout::uuid_bytes& uuid);
  /// Throws `damaged` when the file is missing, has no header block, or belongs to another store.
  journal(const os::file& directory, unsigned parity, const layout::uuid_bytes& uuid, bool writable);

  /// Reads the header; nothing when it is torn or empty, or of a checkpoint that nobody has decided on.
  std::optional<layout::journal_header> header() const;
  /// The header of a checkpoint that is prepared and not decided on, if that is what is here.
  std::optional<layout::journal_header> undecided() const;
  /// The index of a journal whose header, index and payload are whole; nothing when any of it is torn.
  /// Every number in it has been checked against `capacity`.
  std::optional<std::vector<layout::journal_entry>> read_index(const layout::journal_header& header,
                                                               std::uint64_t capacity) const;
  /// What stands in the file.
  journal_image image() const noexcept { return {file_, 0}; }

  /// Writes pages to the slots from the `first`.
  void write_payload(std::uint64_t first, std::size_t count, const std::byte* from);
  /// Whether the checkpoint counts as soon as its journal is durable, or only after `decide`.
  enum class decision { made, pending };
  /// Writes the index behind so many slots, and the header, and makes all of the journal durable: this is the
  /// commit, or all of it but the decision. `base` is where the segment is mapped.
  layout::journal_header commit(std::uint64_t epoch, std::uint64_t segment_bytes,
                                std::span<const layout::journal_entry> index, std::uint64_t payload_pages,
                                std::string_view label = {}, const std::byte* base = nullptr,
                                decision made = decision::made);
  /// The checkpoint with this header, which is here and durable, counts from now on.
  void decide(const layout::journal_header& header);

  /// Makes a journal that was found here durable, by writing it once more, and decided. It may have been
  /// found in this machine's memory only: its writer was killed before its fdatasync, or after one that
  /// failed.
  void make_durable(const layout::journal_header& header, std::span<const layout::journal_entry> index);

  /// Puts a new, empty file in this one's place, durably. After a failed write or fdatasync nobody knows
  /// what of the old file is on disk, and its pages may never be written again.
  ///
  /// Pages that are nowhere else are taken over. Throws `io` when one is not as it was written; then the old
  /// file stays.
  struct kept_page {
    std::uint64_t page;
    std::uint64_t slot;
    std::uint32_t checksum;
  };
  void replace(std::span<const kept_page> keep = {});

  const std::filesystem::path& path() const noexcept { return file_.path(); }
  const os::file& opened() const noexcept { return file_; }
  std::uint64_t allocated_bytes() const { return file_.allocated_bytes(); }
  static std::string name_of(unsigned parity) { return "jrnl." + std::to_string(parity); }

 private:
  bool is_decided(const layout::journal_header& header) const;
  void take_over(std::span<const kept_page> keep, const os::file& to) const;

  os::file directory_;
  std::string name_;
  layout::uuid_bytes uuid_;
  os::file file_;
};

}  // namespace perdure
