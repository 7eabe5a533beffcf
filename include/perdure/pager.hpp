// A file in memory that holds only so much of it: mapping files larger than memory. See
// docs/explanation/pager.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/cxx20.hpp>
#include <perdure/error.hpp>
#include <span>
#include <string>
#include <string_view>

namespace perdure::pager {

/// The use that a program may make of the bytes, and the fate of its changes.
enum class mode {
  read_only,     ///< stores are a SIGSEGV
  private_copy,  ///< changes stay in the region; the file is never written
  write_back,    ///< changes go to the file: when their pages are evicted, at `flush`, and at the end
};

/// The technique. `automatic` takes the first that this kernel and user can do.
enum class tier {
  automatic = 0,
  uffd_sigbus = 1,  ///< the pager: pages come and go under its budget
  guard = 3,  ///< the same where userfaultfd is forbidden; every page touched in a writable region is written
  plain = 2,  ///< the kernel's own mapping, told that access is random; the budget is not kept
};

/// The way in which the file is read and written.
enum class transfer {
  automatic,  ///< past the page cache where the file system can
  buffered,   ///< through the page cache, for files that other programs keep there anyway
};

/// Options for mapping a file.
struct options {
  /// Bytes of the file that may be in memory at a time, at least `least_budget`. More than the file has
  /// counts as what it has.
  std::size_t budget = 0;
  /// The way in which the program may use the bytes.
  pager::mode mode = pager::mode::read_only;
  /// The technique. `automatic` takes PERDURE_PAGER_TIER (uffd_sigbus, guard, plain) if that is set.
  pager::tier tier = pager::tier::automatic;
  /// How the file is read and written.
  pager::transfer transfer = pager::transfer::automatic;
  /// Where changed pages of `private_copy` that do not fit the budget go, in a file without a name. Unset:
  /// the file's own directory, or else TMPDIR, or else /tmp.
  std::filesystem::path spill_directory;
  /// The part of the file that is mapped: where it begins, a multiple of 4096, and how long it is; 0: up to
  /// the end of the file.
  ///@{
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  ///@}
};

/// Four pages: what one instruction may touch at once. A thread that touches memory needs up to four pages of
/// the budget to get on. With fewer than that times the threads they are correct, but take turns.
inline constexpr std::size_t least_budget = std::size_t{4} * 4096;

/// Counts since the region was mapped. All but `resident_bytes` only grow.
struct statistics {
  std::uint64_t faults = 0;               ///< touches that had to be answered
  std::uint64_t loads = 0;                ///< pages brought in by them
  std::uint64_t read_ahead = 0;           ///< pages brought in before they were touched
  std::uint64_t first_stores = 0;         ///< clean pages that became writable in memory
  std::uint64_t hot_loads = 0;            ///< pages that came back so soon that they are kept longer
  std::uint64_t evictions = 0;            ///< pages that left memory
  std::uint64_t evictions_by_touch = 0;   ///< evictions by threads that had to make room for themselves
  std::uint64_t rescues = 0;              ///< pages written to while they were on their way out
  std::uint64_t bytes_read = 0;           ///< bytes from the file, or from the spill file
  std::uint64_t bytes_written = 0;        ///< to the file, or to the spill file
  std::uint64_t resident_bytes = 0;       ///< bytes of the file in memory now
  std::uint64_t most_resident_bytes = 0;  ///< the most that `resident_bytes` ever was
  /// Faults that brought pages in, by the time they took: place i counts those of 2^i to 2^(i+1) nanoseconds.
  std::array<std::uint64_t, 40> latency{};
};

/// The first thing that went wrong with a region's file behind the program's back.
struct failure {
  /// The uses of the file.
  enum class operation { read, write } what = operation::read;  ///< the use that failed
  std::uint64_t offset = 0;                                     ///< in the file
  int error = 0;                                                ///< errno; 0: the file has become shorter
  errc code = errc::io;                                         ///< meaning of `error`
  std::string message;                                          ///< one sentence, with the file's name
};

/// Part of a region.
struct byte_range {
  /// Where the part begins, from the region's first byte, and how long it is, in bytes.
  ///@{
  std::size_t offset = 0;
  std::size_t bytes = 0;
  ///@}
};

/// The use that a program is going to make of a part of a region.
enum class advice {
  normal,     ///< read ahead where pages are touched one after the other
  random,     ///< never read ahead
  will_need,  ///< will be touched soon: does what `prefetch` does
  dont_need,  ///< evict, after writing what is dirty; pinned pages stay
};

/// The use that system calls are going to make of pinned memory.
enum class pin_for { reading, writing };

class pin;

namespace detail {
class file_io;
class mapped_file;
class publication;
/// Takes over what was pinned.
pager::pin adopt_pin(mapped_file& owner, byte_range pinned) noexcept;
}  // namespace detail

/// Keeps pages in memory while it lives. Must not outlive its region.
class pin {
 public:
  /// Pins nothing, or takes over the pages of another pin. Assignment exchanges the pages of both.
  ///@{
  pin() = default;
  pin(pin&& other) noexcept;
  pin& operator=(pin&& other) noexcept;
  ///@}
  /// Lets go of the pages.
  ~pin();

 private:
  friend pager::pin detail::adopt_pin(detail::mapped_file& owner, byte_range pinned) noexcept;
  pin(detail::mapped_file* owner, byte_range range) noexcept : owner_(owner), range_(range) {}

  detail::mapped_file* owner_ = nullptr;
  byte_range range_;
};

/// A mapped file. Any number of threads may touch its memory, and any thread may call its functions. Nobody
/// may use the region while it is moved or destroyed. Every failure is thrown as perdure::error.
class region {
 public:
  /// Takes over a mapping. The one that this region had ends as by the destructor.
  ///@{
  region(region&& other) noexcept;
  region& operator=(region&& other) noexcept;
  ///@}
  /// Writes changed pages to the file (`write_back`) without making them durable. It cannot tell of a failure
  /// but on the standard error stream: `flush` first. In a forked child it only forgets the region, and other
  /// functions are `errc::invalid_argument` there.
  ~region();

  /// Returns the first byte.
  std::byte* data() const noexcept;
  /// Returns how many bytes are mapped. What follows up to the end of the page reads as zero, or as the
  /// file's next bytes.
  std::size_t size() const noexcept;

  /// Makes all changes that were made before the call durable in the file. Nothing for other modes. Where it
  /// fails, changed pages stay in memory and the call may be repeated, unless the device failed after it had
  /// taken them: then each further call fails too.
  void flush();

  /// Brings pages into memory, as many as fit in half of the budget. Throws `invalid_argument` for a range
  /// that is not within the region, `io`.
  ///@{
  void prefetch(std::span<const byte_range> ranges);
  void prefetch(byte_range range) { prefetch(std::span(&range, 1)); }
  ///@}

  /// Brings pages into memory and keeps them there. System calls cannot wait for the pager: what is given to
  /// them must be pinned, or they fail with EFAULT. `errc::out_of_capacity` when fewer than four pages of the
  /// budget would be left for others.
  [[nodiscard]] pager::pin pin(const void* address, std::size_t bytes, pin_for use = pin_for::reading);

  /// Tells how a part of the region is going to be used. Throws `invalid_argument` for a range that is not
  /// within the region, `io`.
  void advise(byte_range range, advice what);

  /// Replaces the region, at the same addresses and in one step, by the kernel's own mapping of the file,
  /// private or shared. That the caller may `munmap`, or do with it whatever else the region must not bear.
  /// Threads may touch it meanwhile. The object ends without it, and must outlive touches that began before;
  /// its functions need not do anything any more. Of `read_only` regions only: else `errc::invalid_argument`.
  /// In a forked child it puts the kernel's mapping where the region was: `errc::already_exists` if something
  /// else has come there.
  void hand_over(bool shared = false);

  /// Returns the counts. Thread-safe; they are read one after the other.
  pager::statistics statistics() const;
  /// Returns how it is done; never `automatic`.
  pager::tier tier() const noexcept;
  /// Returns whether the page cache is passed by.
  bool is_direct() const noexcept;
  /// Returns why a page could not be brought in or written; nothing if all is well. A thread that touches a
  /// page that cannot be brought in gets SIGBUS.
  std::optional<pager::failure> failure() const;

 private:
  friend region map(const std::filesystem::path& path, const options& wanted);
  friend region map(int descriptor, const options& wanted);
  static region over(std::unique_ptr<detail::file_io> file, const options& wanted);
  region(std::unique_ptr<detail::mapped_file> file, std::unique_ptr<detail::publication> shown) noexcept;

  byte_range part(const void* address, std::size_t bytes) const;

  std::unique_ptr<detail::mapped_file> file_;
  std::unique_ptr<detail::publication> shown_;  // ends before what it shows
};

/// Maps a regular file, or a part, as long as it is now. Throws `not_found`, `permission_denied`,
/// `invalid_argument` (an empty file, a directory, too small a budget, a part that it lacks), `unsupported`
/// (a tier that is not to be had), `out_of_memory`.
region map(const std::filesystem::path& path, const options& wanted);
/// Maps an open file, whose descriptor stays the caller's and may be closed. It must be open for reading, and
/// for writing where changes go to the file. Throws as above.
region map(int descriptor, const options& wanted);

/// Returns the name, "uffd_sigbus", …
std::string_view to_string(tier which) noexcept;
/// Returns why this kernel and user cannot do it; nothing if they can. Throws `io` where too many files are
/// open, and `out_of_memory`: that says nothing of them.
std::optional<std::string> why_unavailable(tier which);

}  // namespace perdure::pager
