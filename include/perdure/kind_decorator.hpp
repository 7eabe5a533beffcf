// Hooks before and after every call of a kind, attached and detached while the program runs. A kind without
// any pays nothing for the possibility.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <perdure/kind.hpp>

namespace perdure {

/// Which function of a kind is called.
enum class kind_operation { malloc, calloc, realloc, posix_memalign, free, usable_size };

/// Returns the function's name, "malloc", …
std::string_view to_string(kind_operation operation) noexcept;

/// One call of a kind, as its hooks see it.
struct kind_call {
  kind& memory;                  ///< the kind that is called
  kind_operation operation;      ///< the function that is called
  std::size_t count = 1;         ///< calloc
  std::size_t bytes = 0;         ///< asked for (calloc: of one element)
  std::size_t alignment = 0;     ///< posix_memalign
  void* block = nullptr;         ///< given: realloc, free, usable_size
  std::size_t block_bytes = 0;   ///< usable bytes of that, before the call; 0 for what is no block
  void* result = nullptr;        ///< after: the block, or null
  std::size_t result_bytes = 0;  ///< after: its usable bytes, or what usable_size answers
  bool refused = false;          ///< after: free or realloc of what is not this kind's
};

/// Two hooks that run in the calling thread, from any thread at once. What they allocate and free from kinds
/// is not shown to hooks.
class kind_decorator {
 public:
  kind_decorator() = default;
  kind_decorator(const kind_decorator&) = delete;
  kind_decorator& operator=(const kind_decorator&) = delete;
  virtual ~kind_decorator() = default;
  /// Sees a call before it is made, and after it, with its result. By default they do nothing.
  ///@{
  virtual void before(const kind_call&) noexcept {}
  virtual void after(const kind_call&) noexcept {}
  ///@}
};

/// Keeps a decorator attached while it lives. Of several, the one attached first is called first before, and
/// last after.
class kind_decoration {
 public:
  /// Attaches to one kind, which must outlive the decoration or be destroyed with it attached.
  kind_decoration(kind& memory, std::shared_ptr<kind_decorator> decorator);
  /// Attaches to all kinds, and to those made later.
  static kind_decoration of_all(std::shared_ptr<kind_decorator> decorator);

  /// Takes over what the other one keeps attached.
  ///@{
  kind_decoration(kind_decoration&& other) noexcept;
  kind_decoration& operator=(kind_decoration&& other) noexcept;
  ///@}
  /// Returns whether this thread runs a hook.
  static bool inside_hook() noexcept;
  /// Waits for calls in other threads that the hooks see. Must not run inside a hook.
  ~kind_decoration();

 private:
  explicit kind_decoration(std::uint64_t number) noexcept : number_(number) {}
  std::uint64_t number_ = 0;
};

/// Counts what kinds hand out and take back.
class accounting : public kind_decorator {
 public:
  /// Counts of calls that allocate and free, in all kinds that the decorator is attached to.
  struct totals {
    std::uint64_t allocations = 0;      ///< calls that gave a block
    std::uint64_t frees = 0;            ///< calls that took a block back; a realloc is both
    std::uint64_t failures = 0;         ///< calls that gave null, and frees refused
    std::uint64_t allocated_bytes = 0;  ///< usable bytes, ever
    std::uint64_t freed_bytes = 0;      ///< usable bytes that were taken back, ever
    std::uint64_t live_bytes = 0;       ///< usable bytes allocated while attached, less those freed
    std::uint64_t peak_bytes = 0;       ///< the most that `live_bytes` ever was
  };
  /// Starts from zeros.
  accounting();
  ~accounting() override;
  /// Counts the call.
  void after(const kind_call& call) noexcept override;
  /// Returns the counts, each as it is at that moment. Thread-safe.
  totals read() const noexcept;

 private:
  struct counters;
  std::unique_ptr<counters> counters_;
};

/// Writes one line for each call: time, thread, kind, call, sizes, addresses. It serves replay, and finding
/// who allocated what.
class address_logger : public kind_decorator {
 public:
  /// Appends to the file. Throws `errc::io`.
  explicit address_logger(const std::filesystem::path& file);
  ~address_logger() override;
  /// Writes the line.
  void after(const kind_call& call) noexcept override;

 private:
  int file_;
};

/// Remembers the stacks of a sample of the allocations that are live: about one for each so many bytes.
class allocation_profiler : public kind_decorator {
 public:
  /// Samples one allocation for about each so many bytes.
  explicit allocation_profiler(std::size_t bytes_a_sample = 512 * 1024);
  ~allocation_profiler() override;
  /// Samples or forgets the block of the call.
  void after(const kind_call& call) noexcept override;
  /// Writes the heap profile that `pprof` and `go tool pprof` read. Throws `errc::io`.
  void write(const std::filesystem::path& file) const;

 private:
  struct samples;
  std::unique_ptr<samples> samples_;
};

}  // namespace perdure
