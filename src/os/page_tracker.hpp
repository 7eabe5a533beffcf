// Finds out which pages of a private mapping the program has written to.
//
// Three ways, in order of preference:
//   uffd      userfaultfd's asynchronous write protection, read and renewed by PAGEMAP_SCAN (Linux 6.7):
//             exact, about half a millisecond per GiB;
//   pagemap   /proc/self/pagemap: in a private file mapping a page that was written to is anonymous. Cannot
//             renew: the caller must make the pages the file's again (`rearms()` is false);
//   mprotect  write-protected memory and a SIGSEGV handler: works everywhere, 64 KiB at a time.
// A tracker that the kernel claims to have may still not work (soft-dirty bits that are never set are the
// known case), so each is tried on a scratch mapping before it is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "os/guarded_range.hpp"

namespace perdure::os {

/// A piece of the tracked range, in bytes from its base; whole pages.
struct byte_range {
  std::uint64_t offset;
  std::uint64_t bytes;
};

enum class tracker_kind { uffd, pagemap, mprotect };

/// Is told of the first write to a piece of memory before it happens, in the fault handler of the thread that
/// is about to write.
class write_witness {
 public:
  virtual ~write_witness() = default;

  /// `part` (whole granules) becomes writable after this, and is reported as written to; the witness may
  /// widen it, to open memory that follows. Called again for granules that have been collected since. Several
  /// threads may call it for one part at once, and none of them goes on before its call returns. False:
  /// nothing becomes writable, and errno says why. Must be async-signal-safe.
  virtual bool prepare(byte_range& part) noexcept = 0;
  /// Called after `prepare` failed. No lock is held, and the call need not return. If it does, the thread
  /// tries to write once more.
  virtual void refused(std::byte* address, int error) = 0;
};

class page_tracker {
 public:
  page_tracker(const page_tracker&) = delete;
  page_tracker& operator=(const page_tracker&) = delete;
  virtual ~page_tracker() = default;

  virtual tracker_kind kind() const noexcept = 0;
  /// Returns whether `collect` itself starts the next interval. If not, every page it reported is reported
  /// again until its private copy is dropped.
  virtual bool rearms() const noexcept = 0;
  /// Returns the access to an open page that is not dirty: less than everything where protection catches the
  /// first write.
  virtual access access_before_writes() const noexcept { return access::read_write; }

  /// Makes a mapped part of the range readable and writable, and watches it. No page in it is dirty.
  /// Thread-safe for ranges that are not yet open.
  virtual void open_range(std::size_t offset, std::size_t bytes) = 0;

  /// To be called when a held part has been mapped anew, before its writers are admitted. Its pages are not
  /// dirty then.
  virtual void remapped(const byte_range&) {}

  /// Appends the pages of this part that were written to since the last call that covered them (or their
  /// opening). May report more than was written to, the same page twice, and in any order; never less. No
  /// thread may write to the part meanwhile, unless its writers are held.
  virtual void collect(const byte_range& part, std::vector<byte_range>& dirty) = 0;

  /// From here to `admit_writers` threads that write to this part wait; one part at a time. A system call
  /// that writes there fails with EFAULT. Throws std::system_error; then nothing is held.
  virtual void hold_writers(const byte_range& part) = 0;
  virtual void admit_writers(const byte_range& part) noexcept = 0;

  /// Where first writes are faults, makes this part writable ahead of them: system calls that write there
  /// then do not fail with EFAULT, until the part is collected. 0, or the errno that tells why not.
  virtual int admit_ahead(const byte_range&) noexcept { return 0; }

  /// Ends tracking. Must be called before the range is unmapped.
  virtual void detach() noexcept {}

 protected:
  page_tracker() = default;
};

std::string_view name_of(tracker_kind kind) noexcept;
/// The kind that PERDURE_TRACKER names. Throws `invalid_argument` where it names none.
std::optional<tracker_kind> tracker_wanted();

/// Returns whether this kind passes its self-test on this system; tried once per process.
bool tracker_works(tracker_kind kind);

/// Kind of file that is mapped under a tracker.
enum class mapped_medium {
  page_cache,
  tmpfs,          ///< the page cache is all there is, and holes that are touched take pages
  direct_access,  ///< DAX. Only `mprotect` does here: a page that userfaultfd protected while it was not
                  ///< there is never mapped (Linux 6.12: the access faults forever), and pagemap takes pages
                  ///< of such files for private ones.
};

/// The kind that PERDURE_TRACKER names, if it works; else the first that works. Throws as `tracker_wanted`.
tracker_kind choose_tracker(mapped_medium medium = mapped_medium::page_cache);

/// Tracks a reservation into which files may already be mapped; nothing is accessible until `open_range`.
/// What is closed in the range afterwards is not dirty. Throws std::system_error when the kernel refuses.
std::unique_ptr<page_tracker> make_page_tracker(tracker_kind kind, guarded_range& memory);

// The three implementations, each in its own file.
std::unique_ptr<page_tracker> make_uffd_tracker(guarded_range& memory);
std::unique_ptr<page_tracker> make_pagemap_tracker(guarded_range& memory);
/// `granule` is a power of two, of at least a page of the kernel's. The witness may be null.
inline constexpr std::size_t default_granule = std::size_t{64} << 10;
std::unique_ptr<page_tracker> make_mprotect_tracker(guarded_range& memory,
                                                    std::size_t granule = default_granule,
                                                    write_witness* witness = nullptr);

}  // namespace perdure::os
