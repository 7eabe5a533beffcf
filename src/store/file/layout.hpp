// Every byte the store writes: the structures of its files, in one place.
//
// All numbers are little-endian. Structures have explicit padding (`reserved`, written as zero, ignored
// when read unless a feature bit gives it a meaning), and each ends in or carries a CRC-32C over itself.
// In every structure of every format to come, the magic, the format version and the place of the checksum
// of the super slots stay where they are, so that an old library can tell "too new" from "damaged".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "segment/segment.hpp"

namespace perdure::store::layout {

static_assert(std::endian::native == std::endian::little,
              "the format is read and written without conversion");

inline constexpr std::uint32_t format_version = 2;
inline constexpr std::uint32_t oldest_readable_format = 2;
inline constexpr std::uint32_t byte_order_mark = 0x01020304;

/// The size of the heap's chunks, and the step in which segments and home files grow.
inline constexpr std::size_t chunk_size = std::size_t{2} << 20;

/// Limits of every store. Opening relies on them: tables in memory grow with the capacity, and loops with the
/// number of home files.
inline constexpr std::uint64_t most_capacity = std::uint64_t{1} << 46;
inline constexpr std::uint64_t most_home_files = 4096;

using magic = std::array<char, 8>;
using uuid_bytes = std::array<std::uint8_t, 16>;

inline constexpr magic super_magic = {'P', 'E', 'R', 'D', 'U', 'R', 'E', 'S'};
inline constexpr magic stamp_magic = {'P', 'E', 'R', 'D', 'U', 'R', 'E', 'A'};
inline constexpr magic home_magic = {'P', 'E', 'R', 'D', 'U', 'R', 'E', 'H'};
inline constexpr magic checksum_magic = {'P', 'E', 'R', 'D', 'U', 'R', 'E', 'C'};
inline constexpr magic journal_magic = {'P', 'E', 'R', 'D', 'U', 'R', 'E', 'J'};
inline constexpr magic prepared_magic = {'P', 'E', 'R', 'D', 'U', 'R', 'E', 'P'};
inline constexpr magic decision_magic = {'P', 'E', 'R', 'D', 'U', 'R', 'E', 'D'};
inline constexpr magic undo_magic = {'P', 'E', 'R', 'D', 'U', 'R', 'E', 'U'};
inline constexpr magic log_magic = {'P', 'E', 'R', 'D', 'U', 'R', 'E', 'L'};

inline constexpr std::size_t block = 4096;
static_assert(block == page_size);

// ---- super: slot 0, slot 1, ABI stamp; one block each ------------------------------------------------

/// Features a library must know to open at all (incompat), to write (ro_compat), or need not know.
/// Reserved for what is planned: incompat bit 1 two epochs in flight; ro_compat bit 0 snapshot bookkeeping.
inline constexpr std::uint64_t compat_copied = 1;  ///< a copy: `copied_epoch` and what follows it count
/// Read-only-compatible bit of a store that is a part of a set. Only its set opens the store for writing, and
/// decides which checkpoint counts. Libraries that do not know the bit read the store and do not write it.
inline constexpr std::uint64_t read_only_compat_joint = 2;
inline constexpr std::uint64_t compat_limited = 2;  ///< `limit` counts, and not `capacity`
inline constexpr std::uint64_t known_compat = compat_copied | compat_limited;
inline constexpr std::uint64_t known_read_only_compat = 0;
inline constexpr std::uint64_t incompat_identities =
    1;  ///< checkpoints have identities, by which files are matched
inline constexpr std::uint64_t known_incompat = incompat_identities;

inline constexpr std::uint64_t flag_open_dirty = 1;       ///< open with the shared backing, or died so
inline constexpr std::uint64_t flag_checksums_stale = 2;  ///< written through the shared backing since
inline constexpr std::uint64_t flag_pinned = 4;           ///< always mapped at `address`

/// In the place of an inode: the store is a copy of one that was not known to be sound.
inline constexpr std::uint64_t unchecked_inode = ~std::uint64_t{0};

struct super_slot {
  layout::magic magic;
  std::uint32_t format;
  std::uint32_t byte_order;
  std::uint64_t compat;
  std::uint64_t read_only_compat;
  std::uint64_t incompat;
  uuid_bytes uuid;
  std::uint32_t page_bytes;
  std::uint32_t pointer_bytes;
  std::uint64_t chunk_bytes;
  std::uint64_t sequence;         ///< counts super writes; the valid slot with the higher one counts
  std::uint64_t epoch;            ///< last checkpoint committed when this slot was written
  std::uint64_t applied_epoch;    ///< last checkpoint whose pages are all home
  std::uint64_t segment_bytes;    ///< length of the segment at `applied_epoch`
  std::uint64_t capacity;         ///< bytes of address space, in whole GiB
  std::uint64_t home_file_bytes;  ///< segment bytes per home file
  std::uint64_t address;          ///< base of a pinned store, else 0
  std::uint64_t flags;
  std::uint64_t created_ns;  ///< Unix time
  std::uint64_t written_ns;
  std::uint64_t table_epoch;    ///< checkpoint that `crc` describes; what came since is in the last journal
  std::uint64_t copied_epoch;   ///< epoch of the original with which the copy agreed last
  std::uint64_t copied_ns;      ///< when that was, Unix time
  std::uint64_t staging_epoch;  ///< epoch of the original that a write-back meant to make, else 0
  std::uint64_t staging_token;  ///< in the label of that epoch
  std::uint64_t checkpoint;     ///< identity of the checkpoint that home is at, of `applied_epoch`
  std::uint64_t parent;         ///< identity of the one before it
  std::uint64_t copied_checkpoint;  ///< identity of the original's checkpoint `copied_epoch`
  std::uint64_t home_stamps;        ///< sum of what home files say up to `applied_epoch`
  std::uint64_t table_stamp;        ///< identity in the stamp of `crc` up to `table_epoch`
  std::uint64_t inode;              ///< inode of this file when its pages were known to be sound; or 0
  std::uint64_t born_ns;            ///< when that file was made, Unix time; or 0
  std::uint64_t limit;              ///< bytes that blocks may take, if that is less than `capacity`
  std::array<std::uint8_t, 3836> reserved;
  std::uint32_t crc;  ///< CRC of all bytes before it
};
static_assert(sizeof(super_slot) == block && offsetof(super_slot, crc) == block - 4);

/// Properties that two builds must share for one to use the other's objects.
struct abi_stamp {
  layout::magic magic;
  std::uint32_t byte_order;
  std::uint32_t page_bytes;
  std::uint64_t chunk_bytes;
  std::uint8_t pointer_bytes;
  std::uint8_t long_bytes;
  std::uint8_t long_double_bytes;
  std::uint8_t wide_char_bytes;
  std::uint8_t size_bytes;
  std::uint8_t most_alignment;
  std::uint8_t char_is_signed;
  std::uint8_t reserved0;
  std::array<char, 128> text;  ///< the same for people, zero-terminated
  std::array<std::uint8_t, 3932> reserved;
  std::uint32_t crc;
};
static_assert(sizeof(abi_stamp) == block && offsetof(abi_stamp, crc) == block - 4);

inline constexpr std::uint64_t super_file_bytes = 3 * block;

// ---- stamps: in the header blocks of heap.NNN and crc ----------------------------------------------------

/// Says which checkpoint changed the file last. Each of the two is a sector of its own, so that one torn
/// while it is written leaves the other, and the header, as they are. Zeros: none.
struct stamp_sector {
  std::uint64_t epoch;
  std::uint64_t checkpoint;  ///< its identity
  std::array<std::uint8_t, 492> reserved;
  std::uint32_t crc;
};
static_assert(sizeof(stamp_sector) == 512 && offsetof(stamp_sector, crc) == 508);

inline constexpr std::size_t stamps_offset = 512;

// ---- heap.NNN: a header block, then, at a huge-page boundary, page i of the file's part at i * 4096 -----

/// The header ties the file to its store: without it a file of another store or another place in the same
/// store would be taken for this one. The gap behind the header is a hole.
inline constexpr std::uint64_t home_data_offset = std::uint64_t{2} << 20;

struct home_header {
  layout::magic magic;
  std::uint32_t format;
  std::uint32_t index;
  uuid_bytes uuid;
  std::uint64_t home_file_bytes;
  std::array<std::uint8_t, 472> reserved;
  std::array<stamp_sector, 2> stamps;
  std::array<std::uint8_t, 2556> reserved1;
  std::uint32_t crc;  ///< computed as if there were no stamps
};
static_assert(sizeof(home_header) == block && offsetof(home_header, crc) == block - 4);
static_assert(offsetof(home_header, stamps) == stamps_offset);

// ---- crc: a header block, then table pages of 1020 entries ----------------------------------------------

/// Entry values with a meaning of their own; a page whose checksum is one of them has it remapped.
inline constexpr std::uint32_t no_checksum = 0;  ///< reads as zero
inline constexpr std::uint32_t any_content = 1;  ///< content of no consequence
inline constexpr std::uint32_t first_checksum = 2;

inline constexpr std::size_t entries_per_table_page = 1020;

struct checksum_header {
  layout::magic magic;
  std::uint32_t format;
  std::uint32_t reserved0;
  uuid_bytes uuid;
  std::array<std::uint8_t, 480> reserved;
  std::array<stamp_sector, 2> stamps;
  std::array<std::uint8_t, 2556> reserved1;
  std::uint32_t crc;  ///< computed as if there were no stamps
};
static_assert(sizeof(checksum_header) == block && offsetof(checksum_header, crc) == block - 4);
static_assert(offsetof(checksum_header, stamps) == stamps_offset);

/// A table page of nothing but zeros is valid too: none of its pages was ever written.
struct table_page {
  std::uint32_t crc;  ///< CRC of all bytes after it
  std::uint32_t index;
  std::array<std::uint8_t, 8> store;  ///< first half of the UUID
  std::array<std::uint32_t, entries_per_table_page> entries;
};
static_assert(sizeof(table_page) == block);

// ---- jrnl.0, jrnl.1: a header block, whole pages, then the index -----------------------------------------
//
// The index comes last, because pages may be written before it is known how many there will be.
//
// The header of a checkpoint that is only prepared has `prepared_magic`. It counts once the block behind the
// index says so; that is not the header, which must be there whole even if the power fails while the decision
// is written.

enum class entry_kind : std::uint8_t {
  overwrite = 1,  ///< one page; its bytes are the payload's page `slot`, `value` is their checksum
  fresh = 2,      ///< one page; its bytes are home already, `value` is their checksum
  zero = 3,       ///< `value` pages that now read as zero
  released = 4,   ///< `value` pages whose content is of no consequence
};

struct journal_entry {
  std::uint64_t page;
  std::uint32_t value;
  entry_kind kind;
  std::uint8_t carried = 0;  ///< 1 where an earlier checkpoint did it, which `crc` does not tell of yet
  std::array<std::uint8_t, 2> reserved = {};
  std::uint64_t slot = 0;  ///< slot of an `overwrite`; no two are the same, and some may belong to no page
};
static_assert(sizeof(journal_entry) == 24);

struct journal_header {
  layout::magic magic;
  std::uint32_t format;
  std::uint32_t flags;  ///< number of batches before this one, in a batch of the undo log
  uuid_bytes uuid;
  std::uint64_t epoch;
  std::uint64_t segment_bytes;
  std::uint64_t entries;
  std::uint64_t payload_pages;  ///< slots
  std::uint64_t index_offset;   ///< from the header
  std::uint32_t index_crc;
  std::uint32_t reserved0;
  std::uint64_t committed_ns;  ///< Unix time
  std::array<char, 64> label;  ///< label of a named checkpoint, zero-terminated
  std::uint64_t address;       ///< at which its writer had the segment; 0 where that is not known
  std::uint64_t checkpoint;    ///< its identity; of a batch of the undo log, of the checkpoint that it saves
  std::uint64_t parent;        ///< identity of the checkpoint before it
  std::array<std::uint8_t, 3916> reserved;
  std::uint32_t crc;
};
static_assert(sizeof(journal_header) == block && offsetof(journal_header, crc) == block - 4);

/// In the first whole block behind the index, counted from the header.
struct journal_decision {
  layout::magic magic;
  std::uint64_t epoch;
  std::uint32_t header_crc;  ///< CRC of the header whose checkpoint counts
  std::array<std::uint8_t, 4072> reserved;
  std::uint32_t crc;
};
static_assert(sizeof(journal_decision) == block && offsetof(journal_decision, crc) == block - 4);

// ---- undo: batches, each like a journal, of the epoch whose content they save ----------------------------
//
// Only `overwrite` (a page as it was) and `zero` (pages that were empty) occur; `flags` counts the batches.

// ---- log: a header block, then a ring of records, the one of epoch e in place e % log_records -----------

inline constexpr std::size_t log_records = 4096;

struct log_header {
  layout::magic magic;
  std::uint32_t format;
  std::uint32_t reserved0;
  uuid_bytes uuid;
  std::array<std::uint8_t, 4060> reserved;
  std::uint32_t crc;
};
static_assert(sizeof(log_header) == block && offsetof(log_header, crc) == block - 4);

/// Never synced for its own sake: what is torn or lost is forgotten.
struct log_record {
  std::uint32_t crc;  ///< CRC of all bytes after it
  std::uint32_t reserved0;
  std::uint64_t epoch;
  std::uint64_t committed_ns;
  std::uint64_t fresh_pages;
  std::uint64_t overwritten_pages;
  std::uint64_t cleared_pages;
  std::uint64_t segment_bytes;
  std::uint64_t address;  ///< address of the segment, like in the journal's header
  std::array<char, 64> label;
};
static_assert(sizeof(log_record) == 128);

}  // namespace perdure::store::layout
