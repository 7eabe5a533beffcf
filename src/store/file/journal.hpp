// The redo journals jrnl.0 and jrnl.1: after-images of pages that a checkpoint changes and the one before it
// needs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "os/file.hpp"
#include "store/file/checkpoint_identity.hpp"
#include "store/file/journal_image.hpp"
#include "store/file/layout.hpp"

namespace perdure::store {

/// One journal file, used for every second epoch. Not thread-safe.
class journal {
 public:
  /// Makes the file with an empty header, synced.
  static void create(const os::file& directory, unsigned parity, const layout::uuid_bytes& uuid);
  /// Throws `damaged` when the file is missing, has no header block, or belongs to another store.
  journal(const os::file& directory, unsigned parity, const layout::uuid_bytes& uuid, bool writable);

  /// Reads the header; nothing if it is torn or empty, or if its checkpoint is prepared and not decided on.
  std::optional<layout::journal_header> header() const;
  /// Reads the header of a checkpoint that is prepared and not decided on; nothing if there is none here.
  std::optional<layout::journal_header> undecided() const;
  /// The index of a journal whose header, index and payload are whole; nothing when any of it is torn.
  /// Every number in it has been checked against `capacity`.
  std::optional<std::vector<layout::journal_entry>> read_index(const layout::journal_header& header,
                                                               std::uint64_t capacity) const;
  /// The file as an image to be read.
  journal_image image() const noexcept { return {file_, 0}; }

  /// The file is used for the next epoch: what header it has is of an epoch before, and applied.
  void begin_epoch() noexcept { is_header_begun_ = false; }
  /// Returns whether the header of the epoch that was begun may be in the file.
  bool is_header_begun() const noexcept { return is_header_begun_; }
  /// Writes pages to the slots from `first` on.
  void write_payload(std::uint64_t first, std::size_t count, const std::byte* from);
  /// Whether the checkpoint counts as soon as its journal is durable, or only after `decide`.
  enum class decision { made, pending };
  /// Writes the index behind so many slots, and the header, and makes the whole journal durable. This is the
  /// commit, or all of it but the decision. `base` is where the segment is mapped.
  layout::journal_header commit(const known_checkpoint& next, std::uint64_t parent,
                                std::span<const layout::journal_entry> index, std::uint64_t payload_pages,
                                std::string_view label = {}, const std::byte* base = nullptr,
                                decision made = decision::made);
  /// Decides that the checkpoint with this header counts. The journal must hold it, durably.
  void decide(const layout::journal_header& header);

  /// Makes a journal that was found here durable, by writing it once more, and decided. It may be in this
  /// machine's page cache only: its writer may have been killed before its fdatasync, or after an fdatasync
  /// that failed.
  void make_durable(const layout::journal_header& header, std::span<const layout::journal_entry> index);

  /// Puts a new, empty file in the place of this one, durably. After a failed write or fdatasync it is not
  /// known what of the old file is on disk, and the kernel may never write its pages again.
  ///
  /// Takes over the given pages, which are nowhere else. Throws `io` if one of them is not as it was written;
  /// then the old file stays.
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
  bool is_header_begun_ = false;
};

}  // namespace perdure::store
