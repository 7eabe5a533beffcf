// A program that uses a store, small and thorough, and the knowledge of what its store must hold.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <perdure/datastore.hpp>
#include <string>
#include <vector>

#include "segment/segment.hpp"
#include "support/random_stream.hpp"

namespace perdure::crash {

/// Exactly what a segment holds.
struct content {
  static constexpr std::uint64_t any = ~std::uint64_t{0};

  std::size_t size = 0;
  std::map<std::uint64_t, std::uint64_t> pages;  // page -> number of its pattern, or `any`; the rest is zero
};

/// One call of checkpoint: what it was to make durable, as which epoch.
struct attempt {
  std::uint64_t epoch;
  content what;
};

/// Small home files and few pages, so that a state has few bytes; pages at all kinds of boundaries.
store_options small_store(backing chosen = backing::private_memory);

/// Whether stores are paged ones. A page that left memory and was lost on its way must not be read as
/// something else: the thread gets a SIGBUS.
bool pages_leave_memory();

/// Changes some pages of a store, and `what` with them. Returns the pages it released. What it does follows
/// from `random` and `what` alone; without a store only `what` changes.
std::vector<detail::page_run> mutate(random_stream random, content& what, detail::segment* memory,
                                     bool may_grow = true);

/// What the workload does to its content for attempt `number`, as epoch `epoch`; `what` is that of attempt
/// `base`. Where that one was to be the same epoch, and thus failed, it first uses again some of the pages
/// that were released, as an allocator does. In some runs it copies pages past the store's memory. Returns
/// the pages released; without a store only `what` changes.
std::vector<detail::page_run> prepare(std::uint64_t seed, std::size_t number, std::uint64_t epoch,
                                      const attempt& base, content& what, datastore* store);

/// The page with a pattern's number.
const std::byte* pattern(std::uint64_t number);

/// Empty when the store holds exactly that, else what is wrong. Pages the workload never writes are looked
/// at too if `every_page`.
std::string difference(datastore& store, const attempt& expected, bool every_page);

/// The first of `allowed` (numbers of attempts, newest last) that the store holds, or an explanation.
struct finding {
  std::size_t number = 0;
  std::string problem;
};
finding find_attempt(datastore& store, const std::vector<attempt>& attempts,
                     const std::vector<std::size_t>& allowed, bool every_page);

/// What a run tells of itself, as it goes.
class witness {
 public:
  virtual ~witness() = default;
  /// Attempt `number` is about to be made; it was built upon the content of attempt `base`.
  virtual void attempting(std::size_t number, std::size_t base, std::uint64_t epoch) = 0;
  virtual void promised(std::size_t number, std::uint64_t epoch) = 0;
  /// Whether some attempts are made in two phases: then they are `preparing`, `prepared`, and from
  /// `attempting` on as others, or `abandoning` and `abandoned`.
  virtual bool takes_two_phases() const { return false; }
  virtual void preparing(std::size_t) {}
  virtual void prepared(std::size_t) {}
  virtual void abandoning() {}
  virtual void abandoned() {}
  /// The decision could not be written.
  virtual void left_undecided(const std::string&) {}
  /// A call on the store failed. Throws to end the run.
  virtual void failed(const std::string& what) = 0;
  /// Whether memory is compared with what the program left there, again and again.
  virtual bool compares_memory() const { return false; }
  /// Whether the store is to be opened again after a failure, as its message may ask for.
  virtual bool reopens() const { return false; }
};

/// Creates a store and makes `steps` attempts on it, with closing and opening in between. `attempts[0]` is
/// the empty store.
void run_workload(const std::filesystem::path& path, std::uint64_t seed, std::size_t steps,
                  std::vector<attempt>& attempts, witness& told, backing chosen = backing::private_memory);

}  // namespace perdure::crash
