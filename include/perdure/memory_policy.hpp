// Where the memory of a kind comes from: which nodes, which pages, which file. Derive from it to make a kind
// of one's own; what is not overridden is as in ordinary memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <perdure/node_set.hpp>
#include <string>

namespace perdure {

/// How pages are spread over nodes. All but `none` and `local` need nodes.
enum class numa_mode {
  none,                 ///< by the thread's own policy
  bind,                 ///< on these nodes only
  preferred,            ///< on these nodes as long as they have memory (one node before Linux 5.15)
  interleave,           ///< page by page in turn
  weighted_interleave,  ///< in turn, as often as the system's weights say (Linux 6.9)
  local,                ///< on the node of the processor that touches the page first
};

/// On which nodes pages shall be.
struct numa_placement {
  /// How pages are spread over the nodes.
  numa_mode mode = numa_mode::none;
  /// The nodes; none for modes that need none.
  node_set nodes{};
};

/// A part of a file.
struct file_place {
  /// The file's descriptor; -1: no file, anonymous memory.
  int descriptor = -1;
  /// Where the part begins, in bytes.
  std::uint64_t offset = 0;
};

/// Amounts of memory, in bytes; 0 where not known.
struct memory_size {
  /// All there is, and what is free of it.
  ///@{
  std::uint64_t total = 0;
  std::uint64_t free = 0;
  ///@}
};

/// The source of a kind's memory. A kind reserves a range of addresses, and commits parts of it (multiples of
/// `granularity()`) when they are used first: `step` says how much, `commit` makes it readable and writable.
/// All calls for one kind come one at a time, and none of them on the way of an allocation that finds memory
/// the kind has already.
///
/// Functions must not allocate from the kind they serve. Those that fail throw: `std::bad_alloc` for want of
/// memory, `perdure::error` for what can be said in a sentence.
class memory_policy {
 public:
  memory_policy() = default;
  memory_policy(const memory_policy&) = delete;
  memory_policy& operator=(const memory_policy&) = delete;
  virtual ~memory_policy() = default;

  /// Returns where the range should be, at a multiple of 1 GiB; if that is taken it is elsewhere. Null:
  /// anywhere.
  virtual void* address_hint(std::size_t capacity);
  /// Returns the unit of what is committed at once: a power of two from 2 MiB to 1 GiB.
  virtual std::size_t granularity() const;
  /// Returns how many bytes to commit when `missing` are needed (rounded up to `granularity()` afterwards)
  /// and `committed` are there. Fewer than `missing` count as `missing`; if more cannot be had, `missing` is
  /// tried.
  virtual std::size_t step(std::size_t missing, std::size_t committed);

  /// Returns the arguments for mmap(2): by default PROT_READ | PROT_WRITE, and MAP_PRIVATE | MAP_ANONYMOUS
  /// (MAP_SHARED for a file).
  ///@{
  virtual int protection(std::uint64_t offset, std::size_t bytes);
  virtual int map_flags(std::uint64_t offset, std::size_t bytes);
  ///@}
  /// Returns the file that holds these bytes of the range.
  virtual file_place file(std::uint64_t offset, std::size_t bytes);
  /// Returns the placement of these bytes, which the thread that commits takes on.
  virtual numa_placement placement(std::uint64_t offset, std::size_t bytes);
  /// Advises the kernel about memory just mapped (madvise(2)).
  virtual void advise(void* address, std::size_t bytes);
  /// Returns whether pages are taken when they are committed, so that a lack of them is an error and no
  /// signal.
  virtual bool populates() const;

  /// Makes sure of the memory before it is mapped: takes disk space, looks whether there is enough. Throws
  /// `std::bad_alloc`.
  virtual void prepare(std::uint64_t offset, std::size_t bytes);
  /// Undoes `prepare`, when the memory could not be mapped or was given back.
  virtual void forget(std::uint64_t offset, std::size_t bytes) noexcept;
  /// Returns other flags to try when those of `map_flags` give no memory.
  virtual std::optional<int> map_flags_otherwise(std::uint64_t offset, std::size_t bytes);

  /// Prepares and maps the memory as the functions above say. Throws `std::bad_alloc`; then nothing is
  /// committed.
  virtual void commit(void* address, std::size_t bytes, std::uint64_t offset);
  /// Gives memory back that holds nothing any more (not that of a kind that goes: it is only unmapped).
  /// Returns true if it must be committed before it is used again.
  virtual bool decommit(void* address, std::size_t bytes, std::uint64_t offset) noexcept;

  /// Returns whether pages are zero, and as sure as before, when they were dropped by madvise(MADV_DONTNEED).
  /// Large blocks are then cleared in that way.
  virtual bool drops_to_zero() const;

  /// Returns whether a child of fork() has memory of its own in this kind; where not it may only read.
  virtual bool is_private() const;
  /// Returns how much there is of such memory, and how much of it is free. May read files: the caller keeps
  /// the answer for a while.
  virtual memory_size size() const;

 protected:
  /// Does what `commit` does after `prepare`. With `take` the pages are taken at once.
  void map_pages(void* address, std::size_t bytes, std::uint64_t offset, bool take);
};

}  // namespace perdure
