// Virtual memory: address-space reservations and what is mapped into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace perdure::os {

/// Access to the bytes of a mapping.
enum class access { none, read, read_write };

/// An owned range of address space, inaccessible until something is mapped into it or it is opened with
/// `protect`. It costs no memory and is not counted against the commit limit.
class reservation {
 public:
  reservation() = default;
  /// Reserves `bytes` (a multiple of the page size) at a multiple of `alignment` (a power of two).
  reservation(std::size_t bytes, std::size_t alignment);
  /// Reserves exactly [address, address + bytes). Throws std::system_error with EEXIST when any part of
  /// it is in use.
  reservation(void* address, std::size_t bytes);
  reservation(reservation&& other) noexcept;
  reservation& operator=(reservation&& other) noexcept;
  ~reservation();

  std::byte* base() const noexcept { return base_; }
  std::size_t size() const noexcept { return size_; }

  /// Owns nothing from now on. For a forked child that does not have the range, and may have something else
  /// there.
  void forget() noexcept { base_ = nullptr, size_ = 0; }

 private:
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
};

/// Changes what may be done with mapped bytes. Throws std::system_error.
void protect(void* address, std::size_t bytes, access allowed);
/// The same; false with errno. Async-signal-safe.
bool try_protect(void* address, std::size_t bytes, access allowed) noexcept;

/// Replaces [address, address + bytes) by fresh zero memory that is not counted against the commit limit.
void map_anonymous(void* address, std::size_t bytes, access allowed);

/// Replaces [address, address + bytes) by a private (copy-on-write) or shared view of a file.
void map_private(void* address, std::size_t bytes, int file, std::uint64_t offset, access allowed);
void map_shared(void* address, std::size_t bytes, int file, std::uint64_t offset, access allowed);

/// Replaces [address, address + bytes) by a mapping with these bits of mmap(2), MAP_FIXED added. If that
/// fails, the former mapping is still there, or the range is taken and inaccessible. A caller that may well
/// be refused should try at another address first: there is an instant at which another thread may get the
/// range.
void map_as(void* address, std::size_t bytes, int protection, int flags, int file, std::uint64_t offset);
/// The same; false with errno. Async-signal-safe.
bool try_map_as(void* address, std::size_t bytes, int protection, int flags, int file,
                std::uint64_t offset) noexcept;

/// Has the kernel allocate the pages of a writable mapping now, so that a lack of memory is an error here and
/// no signal later.
void populate(void* address, std::size_t bytes, int protection);

/// The limits on this process's address space and memory, in words: "`ulimit -d` (200000 KiB)". Where no
/// limit of the process is set, what else there is.
std::string mapping_limits_in_words();

/// How many more mappings this process may have (vm.max_map_count). Takes a microsecond for each that it has
/// *(measured)*.
std::size_t mappings_left();

/// Returns whether the system would refuse so much more memory as an obvious overcommitment
/// (vm.overcommit_memory is 0). Reserved ranges are exempt from that check. Keeps `errno`.
bool is_obvious_overcommit(std::size_t bytes) noexcept;

/// Drops the pages of a private mapping: they read as the file's bytes, or zero, again.
void drop_pages(void* address, std::size_t bytes);

/// Asks for huge pages where memory is touched from now on. False if the kernel refuses or has none.
bool prefer_huge_pages(void* address, std::size_t bytes) noexcept;

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// Returns whether the kernel makes huge pages of small ones on demand (Linux 6.1).
bool can_collapse_pages() noexcept;
/// Asks the kernel to make one huge page of the small ones in its place. It may refuse; the bytes stay as
/// they are.
void collapse_pages(void* address, std::size_t bytes) noexcept;
/// Returns whether all pages of the range are in memory.
bool is_all_in_memory(const void* address, std::size_t bytes) noexcept;

/// Asks for small pages, also where the system makes huge ones without being asked. A hint.
void prefer_small_pages(void* address, std::size_t bytes) noexcept;

/// For a mapped file: a touch is to bring in its page, and not up to megabytes around it, as for a file that
/// is read from end to end.
void expect_scattered_touches(void* address, std::size_t bytes) noexcept;

/// Returns whether the system lets a program ask for transparent huge pages, read once from sysfs.
bool huge_pages_on_request() noexcept;

}  // namespace perdure::os
