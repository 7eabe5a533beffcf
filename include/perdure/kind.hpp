// Kinds of memory: one heap interface over every memory a machine has. See docs/reference/kinds.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/error.hpp>
#include <perdure/heap.hpp>
#include <perdure/memory_policy.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure {

class kind;
namespace detail {
struct kind_state;
struct kind_access;
struct kind_cache_access;

/// The address of no heap: no block lies in it, no cache belongs to it.
inline heap* no_heap() noexcept {
  return reinterpret_cast<heap*>(std::uintptr_t{1});
}
}  // namespace detail

/// Which memory of the machine. docs/reference/kinds.md says what the tiers mean, and where the answer comes
/// from.
enum class memory_tier {
  any,                ///< all of it
  nodes,              ///< memory of `memory_request::nodes`
  regular,            ///< memory of nodes with processors
  memory_only,        ///< memory of nodes without
  device,             ///< hot-plugged by the kmem driver: persistent memory, CXL
  highest_bandwidth,  ///< memory of the nodes that are read fastest
  lowest_latency,     ///< memory of the nodes that answer soonest
  highest_capacity,   ///< memory of the nodes that have most
};

/// Which nodes of a tier.
enum class tier_scope {
  all,      ///< every one
  nearest,  ///< nodes nearest to the processor that needs memory
  local,    ///< the best of those that belong to that processor's node, however they compare with others
};

/// Which pages a kind's memory has.
enum class page_backing {
  ordinary,          ///< pages of the usual size
  transparent_huge,  ///< 2 MiB where the kernel finds them
  huge_2m,           ///< pages of the pool that the administrator set aside (hugetlbfs)
  huge_1g,           ///< the same, of 1 GiB
};

/// A request for memory: what a kind is made of.
struct memory_request {
  /// Which memory of the machine.
  memory_tier tier = memory_tier::any;
  /// Which nodes of that tier.
  tier_scope scope = tier_scope::all;
  /// How pages are spread over the nodes. `bind` takes these nodes or is an error. `preferred` takes others
  /// when they are full, and all nodes on a machine that has no such tier.
  numa_mode mode = numa_mode::none;
  /// Which pages the memory has.
  page_backing pages = page_backing::ordinary;
  bool pages_preferred = false;  ///< ordinary pages where there are no huge ones
  /// The nodes of `memory_tier::nodes`.
  node_set nodes{};
};

/// Kinds that need no more than a name. docs/reference/kinds.md says what each of them is.
enum class static_kind {
  standard,  ///< "default": ordinary memory
  huge_pages,
  huge_2m,
  huge_2m_preferred,
  huge_1g,
  huge_1g_preferred,
  interleave,
  weighted_interleave,
  regular,
  memory_only,
  memory_only_all,
  memory_only_preferred,
  memory_only_interleave,
  device,
  device_all,
  device_preferred,
  device_interleave,
  highest_bandwidth,
  highest_bandwidth_all,
  highest_bandwidth_preferred,
  highest_bandwidth_interleave,
  highest_bandwidth_local,
  highest_bandwidth_local_preferred,
  lowest_latency,
  lowest_latency_all,
  lowest_latency_preferred,
  lowest_latency_local,
  lowest_latency_local_preferred,
  highest_capacity,
  highest_capacity_all,
  highest_capacity_preferred,
  highest_capacity_local,
  highest_capacity_local_preferred,
};
/// The number of static kinds.
inline constexpr unsigned static_kind_count = 33;

/// Returns the name: "default", "huge_pages", …
std::string_view to_string(static_kind which) noexcept;
/// Returns the static kind of a name; nothing for a name that is none.
std::optional<static_kind> static_kind_named(std::string_view name) noexcept;
/// Returns what a static kind is made of.
memory_request request_of(static_kind which);

/// Options for making a kind.
struct kind_options {
  std::string name;          ///< for messages and lists; needs not be unique
  std::size_t capacity = 0;  ///< bytes of address space; 0: twice the memory of the machine, less if many
                             ///< kinds have taken most of the address space
  /// Whether every free is looked at, at some cost. What is no block of the kind, or free already, is refused
  /// and reported. Always in debug builds of the library, and where PERDURE_KIND_CHECKS is 1.
  bool check_frees = false;
};

/// Amounts of memory that a kind has handed out and holds, in bytes. Blocks in threads' caches count as used.
struct kind_stats {
  std::uint64_t used_bytes = 0;       ///< in allocated blocks, as large as the heap made them
  std::uint64_t free_bytes = 0;       ///< in the used part, free for reuse
  std::uint64_t metadata_bytes = 0;   ///< the heap's bookkeeping
  std::uint64_t committed_bytes = 0;  ///< memory of the kind's sort, in use or kept for reuse
  std::uint64_t capacity_bytes = 0;   ///< address space reserved
  std::uint64_t blocks = 0;           ///< number of allocated blocks
};

/// An allocator that hands out memory wholly by itself. A kind may be made of it instead of a
/// `memory_policy`. Called from any thread at once.
class kind_allocation {
 public:
  kind_allocation() = default;
  kind_allocation(const kind_allocation&) = delete;
  kind_allocation& operator=(const kind_allocation&) = delete;
  virtual ~kind_allocation() = default;

  /// Aligned to `alignment`, a power of two (16 for malloc). Null for want of memory.
  virtual void* allocate(std::size_t bytes, std::size_t alignment) noexcept = 0;
  /// Only what `owns` says yes to.
  virtual void deallocate(void* block) noexcept = 0;
  /// Returns the bytes that may be used in a block.
  virtual std::size_t usable_size(const void* block) const noexcept = 0;
  /// Returns whether the address is (or may be: the address alone has to do) that of a block of this.
  virtual bool owns(const void* block) const noexcept = 0;
  /// Changes the size of a block, in place or by moving it. Returns null for want of memory; then the block
  /// is as it was. By default always moved.
  virtual void* reallocate(void* block, std::size_t bytes) noexcept;
  /// Returns how much memory there is; by default it is not known.
  virtual memory_size size() const { return {}; }
  /// Returns what was handed out; by default zeros.
  virtual kind_stats stats() const { return {}; }
  /// Gives free memory back to the system. Returns whether there was any; by default false.
  virtual bool trim() { return false; }
};

/// A heap over memory of one sort.
///
/// Thread safety: everything may be called from any thread at once, but for destruction, which needs the
/// others to be done with the kind and its blocks. In the child of a fork kinds go on, with a copy of the
/// memory; those whose memory is shared (files) only let the child read: it gets none, and what it frees is
/// refused.
class kind {
 public:
  /// Returns the static kind, which is made when it is asked for first and never destroyed. Throws
  /// `unsupported` with the reason where the machine has no such memory.
  static kind& get(static_kind which);
  /// Returns the kind of all memory of one node, strictly, as above. Throws `invalid_argument` for a node
  /// that is none.
  static kind& of_node(unsigned node);
  /// Returns why `get` or `create` would fail; nothing if it would not. Makes no kind.
  ///@{
  static std::optional<std::string> why_unavailable(static_kind which);
  static std::optional<std::string> why_unavailable(const memory_request& request);
  ///@}

  /// Makes a kind over memory of the machine. Throws `invalid_argument`, `out_of_memory` (no address space),
  /// and `unsupported` as `get`.
  static std::unique_ptr<kind> create(const memory_request& request, const kind_options& options = {});
  /// Makes a kind over an unlinked file in the directory, of up to `max_bytes` (0: as the file system has). A
  /// full disk is an allocation that fails. Throws `not_found`, `permission_denied`, `io`,
  /// `invalid_argument`, `out_of_memory`.
  static std::unique_ptr<kind> create_file(const std::filesystem::path& directory, std::uint64_t max_bytes,
                                           const kind_options& options = {});
  /// Makes a kind over a heap that is there, such as `manager::memory()`, and outlives the kind. Throws
  /// `already_exists` if there is a kind over it.
  static std::unique_ptr<kind> create_over(heap& memory, const kind_options& options = {});
  /// Makes a kind of a program's own policy or allocator. Throws `invalid_argument`, `out_of_memory`, and
  /// what those throw.
  ///@{
  static std::unique_ptr<kind> create(std::shared_ptr<memory_policy> policy,
                                      const kind_options& options = {});
  static std::unique_ptr<kind> create(std::shared_ptr<kind_allocation> allocation,
                                      const kind_options& options = {});
  ///@}

  kind(const kind&) = delete;
  kind& operator=(const kind&) = delete;
  /// Ends the kind with all its blocks: their memory is unmapped, whether they were freed or not. A heap
  /// that the kind was made over stays.
  ~kind();

  /// Allocates as in C: null, and errno ENOMEM, for want of memory. `bytes` 0 gives a unique pointer. Aligned
  /// to 16 (8 for up to 8 bytes). O(1).
  void* malloc(std::size_t bytes) noexcept {
    void* const block = take_cached(bytes);
    return block != nullptr ? block : malloc_slow(bytes);
  }
  /// Allocates zeros. Null if the product is more than there are addresses.
  void* calloc(std::size_t count, std::size_t bytes) noexcept;
  /// Changes the size of a block as in C: a null block allocates, and 0 bytes free. Returns null for want of
  /// memory (errno ENOMEM), or what is no block of this kind (EINVAL); then the block is as it was.
  void* realloc(void* block, std::size_t bytes) noexcept;
  /// Allocates as POSIX says, aligned to up to 2 MiB. Returns EINVAL (not a power of two, or not a multiple
  /// of a pointer's size) or ENOMEM; errno is left alone.
  int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) noexcept;
  /// Frees a block; null is ignored. Returns false for an address that is in none of this kind's memory;
  /// where frees are checked, also for what is no block or was freed.
  bool free(void* block) noexcept { return put_cached(block) || free_slow(block); }
  /// Returns the bytes that may be used in a block; 0 for null and for what is not this kind's.
  std::size_t usable_size(const void* block) const noexcept;

  /// Allocates as `malloc`, with another alignment (a power of two up to 2 MiB), and throws `std::bad_alloc`
  /// instead of null.
  void* allocate(std::size_t bytes, std::size_t alignment = 16);

  /// Returns the kind in whose memory the address lies; null for "not ours". O(1), for any address. (Only
  /// kinds made of a `kind_allocation` must be asked one after the other.)
  static kind* detect(const void* address) noexcept;
  /// Frees a block in the kind that `detect` finds. Null is ignored. Returns false for what is not ours.
  static bool free_anywhere(void* block) noexcept;

  /// Moves the block to memory that is used more densely, if that makes the kind smaller in the long run.
  /// Returns null if it stays where it is.
  void* defragment(void* block) noexcept;
  /// Gives memory back that is free. Returns whether there was any.
  bool trim();
  /// Returns how much memory of this sort there is, limits of control groups included. Up to 0.1 s old.
  memory_size size() const;
  /// Returns what the kind has handed out and holds.
  kind_stats stats() const;

  /// Returns the name that the kind was given.
  const std::string& name() const noexcept;
  /// Returns whether it is one of those that `get` and `of_node` gave.
  bool is_lasting() const noexcept;
  /// Returns the heap; null for a kind made of a `kind_allocation`.
  heap* memory() const noexcept;
  /// Returns what the kind is made of, for kinds that do most as this one; null if it is made of something
  /// else.
  ///@{
  std::shared_ptr<memory_policy> policy() const noexcept;
  std::shared_ptr<kind_allocation> allocation() const noexcept;
  ///@}
  /// Returns all kinds that there are now, static ones that were used included.
  static std::vector<kind*> all();

  /// Places kinds in a table, so that it is quick to tell whether an address is that of a kind. Throws
  /// `std::bad_alloc` for more than 65,536 kinds.
  ///@{
  static void* operator new(std::size_t bytes);
  static void operator delete(void* place) noexcept;
  ///@}

 private:
  friend struct detail::kind_access;
  friend struct detail::kind_cache_access;
  explicit kind(std::unique_ptr<detail::kind_state> state);

  // Null, or false, where the thread's cache is not enough.
  void* take_cached(std::size_t bytes) const noexcept {
    if (bytes > detail::max_small_size) [[unlikely]]
      return nullptr;
    const heap* const memory = plain_.load(std::memory_order_relaxed);
    if (memory == detail::no_heap()) [[unlikely]]
      return nullptr;
    return detail::take_cached(memory, cache_slot_, bytes);
  }
  bool put_cached(void* block) const noexcept {
    const heap* const memory = plain_.load(std::memory_order_relaxed);
    if (heap::containing(block) != memory) [[unlikely]]
      return false;
    const unsigned class_plus_one = detail::class_byte(block);
    return class_plus_one != 0 && detail::put_cached(memory, cache_slot_, class_plus_one - 1, block);
  }
  void* malloc_slow(std::size_t bytes) noexcept;
  bool free_slow(void* block) noexcept;

  // The heap, or a value that is the address of none: then every call goes the slow way, to decorators,
  // checks, or whatever stands for the heap.
  std::atomic<heap*> plain_;
  unsigned cache_slot_ = 0;
  std::unique_ptr<detail::kind_state> state_;
};

}  // namespace perdure
