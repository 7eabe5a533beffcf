// A datastore is a directory that makes one segment durable. Most programs use it through `manager`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/detail/durations.hpp>
#include <perdure/pager.hpp>
#include <perdure/pending_checkpoint.hpp>
#include <perdure/prepared_checkpoint.hpp>
#include <perdure/store_info.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure {

namespace detail {
class segment;
struct page_run;
}  // namespace detail

/// Whole pages of a store that are copied out of it. All three numbers are multiples of 4096.
struct page_copy {
  /// The place that they are copied to.
  std::byte* to = nullptr;
  const void* from = nullptr;  ///< in the store
  std::size_t bytes = 0;       ///< how many
};

/// The place of the bytes of an open store; see docs/explanation/architecture.md. Any store may be opened
/// with any of them.
enum class backing {
  private_memory,  ///< private mapping of the home files: atomic checkpoints (default)
  shared_file,     ///< shared mapping: durable only after a clean close; for comparison and tmpfs
  /// At most `memory_budget` is in memory, the rest comes when it is touched and goes when room is needed:
  /// for stores larger than memory. Atomic checkpoints. What a program must know (system calls need
  /// `datastore::pin`; no forked child has a segment) is in docs/explanation/pager.md. Where the kernel lacks
  /// what it needs (`datastore::tracker` is not "pager" then) as `private_memory`.
  paged,
  /// Persistent memory: the program writes to the home files themselves, on a DAX file system, with no copy
  /// in ordinary memory. Atomic checkpoints. `unsupported` elsewhere. What a program must know:
  /// docs/explanation/dax.md.
  dax,
};

/// How much of a store is checked when it is opened. Super block, headers, lengths and the journals that are
/// still needed always are.
enum class verify_mode {
  journal,  ///< nothing more (default)
  open,     ///< every byte, before the open returns: `damaged` names the first that is wrong
  /// Each 2 MiB, when one of its bytes is first touched: the thread waits while they are read and checked,
  /// and nobody does later. A thread that touches damage does not see it: it gets SIGBUS, unless
  /// `set_damage_handler` (<perdure/damage.hpp>) says otherwise. *System calls* on memory that was not
  /// touched yet fail with EFAULT: call `datastore::require_sound` first. What is damaged on its way from the
  /// device later, when memory was short, is not noticed. Not for writers with the backings `shared_file` and
  /// `dax`: `unsupported`.
  lazy,
};

/// The way in which a reader opens a store that another process has open for writing, with atomic
/// checkpoints. The reader sees the last committed checkpoint, and goes on seeing that one. Beside a writer
/// with the backing `shared_file` or `dax` it is refused (`in_use`).
enum class reader_beside_writer {
  /// The reader reads files that share their blocks with the store's, made for it and without a name. So the
  /// writer goes on as if there were none. `in_use` where the file system cannot do that (XFS and btrfs can);
  /// `permission_denied` where the reader can make files neither in the store's directory nor beside it.
  /// `snapshot` is not to be had from such a reader, but `copy` is.
  share_blocks,
  /// The reader reads the store's own files, on any file system. Until it closes, no checkpoint can be
  /// written home: the first one is durable when it returns, but the one after it waits, as do `trim`,
  /// `close`, and threads that need a changed page to leave memory. For readers that are quick; and if the
  /// thread that writes is to read too, it would wait for itself.
  hold_writer,
};

/// Options for creating or opening a store. Options that the store itself records (capacity, file size,
/// pinning) are used at creation and read back at opening.
struct store_options {
  /// Bytes that the blocks in the store may take, at least 64 KiB; in whole GiB the bookkeeping counts too.
  /// Reserves address space for them, in whole GiB, and takes no disk.
  std::size_t capacity = std::size_t{1} << 40;
  std::size_t home_file_size = std::size_t{1} << 40;  ///< bytes per `heap.NNN`; a multiple of 2 MiB
  /// The environment's PERDURE_BACKING ("private", "paged", "dax" or "shared") is taken instead of the
  /// default.
  perdure::backing backing = perdure::backing::private_memory;
  bool pinned = false;      ///< record the base address and always map there, so plain pointers survive
  void* address = nullptr;  ///< base of a pinned store, a multiple of 1 GiB; null: chosen
  /// Whether a store that died while open as `shared_file` is opened, whatever state its pages are in.
  /// Otherwise such a store is refused as `damaged`.
  bool accept_unclean = false;
  /// How much of the store is checked when it is opened.
  verify_mode verify = verify_mode::journal;
  /// How a reader opens a store beside a writer.
  reader_beside_writer beside_writer = reader_beside_writer::share_blocks;
  /// The number of labelled checkpoints that are kept as read-only copies, the last ones, in `epochs/` inside
  /// the store; `find_kept_checkpoint` (<perdure/kept_checkpoint.hpp>) finds them, and readers open them as
  /// STORE@LABEL. They share their blocks with the store, so only what changes costs space. Where the file
  /// system cannot share blocks, labelled checkpoints fail (`unsupported`) unless `keep_full_copies` is set.
  unsigned keep_last = 0;
  /// Whether each kept checkpoint is a full copy of the store where the file system cannot share blocks. That
  /// costs the space and the time of one.
  bool keep_full_copies = false;
  /// Whether a store may be created in an empty directory that every user may write to, which is left so.
  /// Otherwise this is `permission_denied`: everyone could replace files of the store. A directory that a
  /// group may write to needs nothing of the kind.
  bool others_may_write = false;
  /// Whether the store refuses (`unsupported`) to construct, find and destroy objects of types of which it
  /// cannot tell that they have changed (`layout_is_known`). This holds for this opening, and is not kept
  /// with the store.
  bool known_layouts_only = false;
  /// Bytes of memory that an open writer's changed pages may take. Further ones are written home before their
  /// checkpoint, and their memory is given back (`datastore::trim` says how, and what a program must not do
  /// then). All memory of the process that no file backs is watched; what giving up pages does not make less
  /// is taken to be the program's own. 0: the environment's PERDURE_MEMORY_BUDGET in MiB, else half of the
  /// memory of the machine or of the control group's limit. With the `paged` backing, for readers too, what
  /// all pages in memory may take, at least 16 KiB.
  std::size_t memory_budget = 0;
  /// The epoch up to which a checkpoint counts that was prepared (`datastore::prepare`) and not decided on.
  /// Without this option a writer is refused (`undecided`), readers see the one before; `conflict` if a later
  /// one was decided on. A reader beside a writer sees what that one decided. Given at creation, it makes the
  /// store a part of a set (docs/reference/mpi.md), which no writer opens without it (`invalid_argument`).
  std::optional<std::uint64_t> last_decided = std::nullopt;
  /// How long an opening waits before it throws `in_use`. A writer waits until another writer has closed the
  /// store and, where blocks cannot be shared, until its readers have; no new reader gets in before it. A
  /// reader waits for a writer that waits, and for the end of one beside which it cannot read. Unset: the
  /// environment's PERDURE_WAIT in seconds, else not at all.
  std::optional<std::chrono::milliseconds> wait = std::nullopt;
};

/// An open datastore: one segment, made durable by `checkpoint`.
///
/// Thread safety: `checkpoint`, `checkpoint_async` and `close` need all threads that write to the segment to
/// be quiet until they return; everything else may be called from any thread.
///
/// After fork() the child of a reader reads on. The child of a writer has nothing of the segment: a touch
/// writes a line on the standard error stream and is a SIGSEGV. Calls that need the memory or change the
/// store throw `invalid_argument` there. The child may close the store, which does nothing to it. (With
/// `shared_file` it has the segment itself, and may only read.) Children that run another program are not
/// concerned.
class datastore {
 public:
  /// Creates the directory and an empty store in it, durable on return. `already_exists` if something is at
  /// the path, but for an empty directory, whose permissions the store gets
  /// (`store_options::others_may_write`).
  static std::unique_ptr<datastore> create(const std::filesystem::path& path,
                                           const store_options& options = {});
  /// Opens for reading and writing, at the last committed checkpoint. Only `backing`, `verify`, `wait` and
  /// the environment's settings are taken from `options`. One writer excludes other writers: `in_use` names
  /// the holder. So do readers that were there before, unless the file system shares blocks (XFS, btrfs):
  /// there the writer goes on with copies of the files, and its readers keep the files that they have open.
  /// That takes a time proportional to the files' extents, and later writes cost what shared blocks cost.
  static std::unique_ptr<datastore> open(const std::filesystem::path& path,
                                         const store_options& options = {});
  /// Opens for reading, also from read-only media; many processes may do so at once. The path may be the name
  /// of a kept checkpoint, STORE@LABEL (<perdure/kept_checkpoint.hpp>), as for `open_copy_on_write`
  /// and what `store_maintenance` only reads. While they have it open no writer can open it, unless the file
  /// system shares blocks (XFS, btrfs). Whatever a writer does then, readers see the checkpoint that they
  /// opened; `snapshot` is not to be had from a reader once a writer has opened the store after it.
  /// Beside a process that has it open for writing already: `store_options::beside_writer`.
  static std::unique_ptr<datastore> open_read_only(const std::filesystem::path& path,
                                                   const store_options& options = {});
  /// Opens as `open_read_only`, but the segment may be written to and may grow. The changes are this
  /// process's own and are dropped when the store is closed: `checkpoint` throws `read_only`.
  static std::unique_ptr<datastore> open_copy_on_write(const std::filesystem::path& path,
                                                       const store_options& options = {});
  virtual ~datastore() = default;

  /// Returns the segment: the memory that the store makes durable. For parts of the library.
  virtual detail::segment& memory() noexcept = 0;

  /// Makes the segment's present content the store's durable content, atomically: after a crash at any
  /// instant the store reopens either here or at the previous checkpoint. `released` are pages whose
  /// content is no longer needed; they are punched out of the files once this checkpoint is applied.
  /// On failure (`no_space`, `io`) the previous checkpoint stays the durable one, the segment keeps its
  /// content, and the call may be repeated. Cost is proportional to the pages changed since the last one.
  ///
  /// A `label` (up to 63 bytes) is kept in the log; a labelled checkpoint is made even if nothing changed.
  virtual void checkpoint(std::span<const detail::page_run> released = {}, std::string_view label = {}) = 0;

  /// Makes a checkpoint as `checkpoint` does, but returns as soon as the changed pages are copied, and makes
  /// them durable while the program goes on and changes them again. Throws only what is met until then; the
  /// handle tells the rest. A checkpoint that failed changes nothing but that: the next has its pages too.
  ///
  /// One is under way at a time: the call waits until the last checkpoint is durable and home. Synchronous
  /// where it cannot be otherwise: with the page tracker "pagemap" and the backings `shared_file` and `dax`.
  virtual pending_checkpoint checkpoint_async(std::span<const detail::page_run> released = {},
                                              std::string_view label = {}) = 0;

  /// Prepares a checkpoint: the first of two phases, for stores that must have a checkpoint all or none, as
  /// those of the ranks of an MPI program. Makes everything of it durable but the decision, also where
  /// nothing has changed, so that such stores stay at the same epoch. The object that is returned decides or
  /// abandons. Until then the program may go on with the store's memory, but no page that it changes can
  /// leave memory, and every other call that changes the store waits; by the same thread it is refused
  /// (`invalid_argument`). Throws as `checkpoint` does; then nothing is prepared. `unsupported` with the
  /// backings `shared_file` and `dax`; with the page tracker "pagemap", while it is undecided, threads that
  /// write or make the segment grow wait too.
  ///
  /// After a crash the store has to be told what was decided: `store_options::last_decided`.
  virtual std::unique_ptr<prepared_checkpoint> prepare(std::span<const detail::page_run> released = {},
                                                       std::string_view label = {});

  /// Waits until the last committed checkpoint is written home. Throws what its writing met.
  virtual void wait_applied() = 0;

  /// Gives the memory of all pages back to the system. Changed ones are written home first, where they take
  /// part in the next checkpoint; should that never come, opening finds the last one as it was. Threads may
  /// go on meanwhile: a thread that writes to 2 MiB that are being written home waits. They are held by
  /// SIGSEGV, so they must not block that signal; a *system call* that stores there fails with EFAULT; and
  /// direct I/O into the store is not safe. Done by itself when changed pages exceed
  /// `store_options::memory_budget`. `no_space`, `io`. Does nothing for readers and with the backings
  /// `shared_file` and `dax`.
  virtual void trim() = 0;

  /// Brings memory in and keeps it in while the pin lives; with the `paged` backing system calls need that,
  /// as they cannot wait for pages and fail with EFAULT. Memory that a call may write to is in every
  /// checkpoint until then, changed or not. An empty pin with other backings, where nothing is needed.
  /// Thread-safe. `out_of_capacity` when fewer than four pages of the budget would be left,
  /// `invalid_argument` for bytes that are not in the segment, `damaged`, `io`.
  [[nodiscard]] virtual pager::pin pin(const void* address, std::size_t bytes,
                                       pager::pin_for use = pager::pin_for::reading);
  /// Brings memory in, as much as fits in half of the budget, with many reads at a time. Nothing with other
  /// backings. Thread-safe. `invalid_argument`, `io`.
  virtual void prefetch(const void* address, std::size_t bytes);

  /// The bytes of whole pages from which on `copy_in` and `copy_out` go past memory. Fewer are copied by it,
  /// as system calls cost more than copying twice does.
  static constexpr std::size_t least_past_memory = std::size_t{64} * 4096;

  /// Copies bytes into the store, as memcpy does. What is large goes straight to its place in the files,
  /// where the last checkpoint has no use for what is there: then it is copied once, takes no memory, and the
  /// next checkpoint need not write it. No other thread may use these bytes of the store meanwhile, nor
  /// change those that are given. Several threads may copy to different places. Whole pages may be copied
  /// while another thread makes a checkpoint, `least_past_memory` or more at a time; the rest is stored to
  /// memory, from which the program keeps checkpoints away as from all that it stores to. `invalid_argument`
  /// for bytes that are not in the segment, `read_only`, `no_space`, `io`: then what the store has there is
  /// anything.
  ///
  /// Until the next checkpoint such bytes are in the page cache alone, which forgets them where the device
  /// then fails to take them. `require_sound` and `copy_out` make them durable first and throw `io` if they
  /// cannot be; whoever reads them by plain pointers before the checkpoint calls `require_sound` once, or
  /// might read what was there before. (That checkpoint fails, and says that the store must be reopened.)
  ///
  /// Returns the checksum (CRC-32C) of what `checksum` is of, followed by what was copied: so that of what is
  /// copied piece by piece is known in the end, at no cost.
  std::uint32_t copy_in(void* to, std::span<const std::byte> from, std::uint32_t checksum = 0);
  /// Copies bytes of the store, as memcpy does; with large reads of the files where they are not in memory.
  /// `invalid_argument`, `damaged`, `io`.
  void copy_out(std::span<std::byte> to, const void* from);
  /// Copies whole pages that lie anywhere in the store. A reader with the `paged` backing reads them from the
  /// files past its memory, many at a time: the pages take no part of the budget. If a writer has died with a
  /// checkpoint that is not home yet, they come through memory. Thread-safe. `invalid_argument` for bytes
  /// that are not in the segment or no whole pages, `damaged`, `io`.
  void copy_out(std::span<const page_copy> copies);

  /// Returns what the pager did; nothing with other backings.
  virtual std::optional<pager::statistics> paging() const { return std::nullopt; }

  /// Checks now, in a store opened with `verify_mode::lazy`, those of these bytes that were not touched yet.
  /// Throws `damaged`, which names the page, where a touch would be a signal. Checks whole extents of 2 MiB.
  /// Then the bytes may be given to system calls. Returns at once otherwise. `invalid_argument` for bytes
  /// that are not in the segment. Thread-safe.
  void require_sound(const void* address, std::size_t bytes);

  /// Does now, with the `dax` backing, what the first write to these bytes would do in a signal handler. So a
  /// lack of disk space is an exception here (`no_space`) and no SIGBUS there, and system calls can store
  /// there, until the next checkpoint. Returns at once otherwise. `invalid_argument` for bytes that are not
  /// in the segment, `read_only`. Thread-safe.
  void make_writable(void* address, std::size_t bytes);

  /// Copies the store as of its last checkpoint, as `copy` does. What is written to the segment meanwhile is
  /// not in it, and need not wait for it; with the `dax` backing threads that write wait. A `shared_file`
  /// store is checkpointed first, so its writers must be quiet.
  virtual void snapshot(const std::filesystem::path& to) = 0;
  /// Returns whether `snapshot` copies the memory as it is then: with the backing `shared_file`.
  virtual bool snapshot_copies_memory() const noexcept { return false; }

  /// Releases the mapping, files and lock without a checkpoint, but waits for one that is under way: changes
  /// since the last one are dropped.
  /// The destructor does the same. For `shared_file` this is the clean close that makes changes durable.
  virtual void close() = 0;

  /// Returns the number of the last committed checkpoint.
  virtual std::uint64_t epoch() const noexcept = 0;
  /// Returns a random number that tells the checkpoint `epoch()` from those with the same number that copies
  /// of the store have made; 0 in a store in which earlier versions of the library made it. Not beside a call
  /// that makes one.
  virtual std::uint64_t checkpoint_identity() const noexcept = 0;
  /// Returns whether nothing can be made durable through this open store.
  virtual bool read_only() const noexcept = 0;
  /// Returns the store's directory.
  virtual const std::filesystem::path& path() const noexcept = 0;
  /// Returns what the super block records. Throws `invalid_argument` once the store is closed.
  virtual store_info info() const = 0;
  /// Returns which page tracker is in use: "uffd", "pagemap", "mprotect", "pager" (`paged`), or "none".
  virtual std::string tracker() const = 0;

 protected:
  /// Throws `invalid_argument` for bytes that are not in the segment.
  detail::page_run pages_of(const void* address, std::size_t bytes);

 private:
  virtual void admit_ahead(const detail::page_run&) {}
  /// Settles pages that were copied past memory: see `copy_in`.
  virtual void settle_written(const detail::page_run&) {}
  /// Whole pages of what is copied, which may be written to the files; false: the caller copies them.
  /// The last is an array for the checksum of each page's bytes.
  virtual bool write_pages(const detail::page_run&, const std::byte*, std::uint32_t*) { return false; }
  virtual bool read_pages(const detail::page_run&, std::byte*) { return false; }
  /// Copies pages that lie anywhere, each run to the place of the same number. False: the caller copies them.
  virtual bool read_scattered(std::span<const detail::page_run>, std::span<std::byte* const>) {
    return false;
  }
};

}  // namespace perdure
