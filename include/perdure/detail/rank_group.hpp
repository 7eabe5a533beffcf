// The ranks of a parallel program, as far as stores that have their checkpoints together need them: one
// reduction and one broadcast of a few bytes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <perdure/error.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace perdure::detail {

/// A number some rank has said, and the lowest rank that has said it.
struct said_number {
  std::uint64_t number = 0;
  std::int64_t rank = 0;
};

/// The vote of a rank in an agreement, or of several ranks: votes are combined in any order and any
/// grouping. It is sent as bytes.
struct vote {
  std::int32_t failing = -1;   ///< the lowest rank that turns it down, of which is what follows; -1: none
  std::uint32_t code = 0;      ///< errc
  std::uint32_t has_left = 0;  ///< a rank takes part for the last time, so that there is no further agreement
  std::uint32_t parts = 0;     ///< how many are in `identities`
  said_number least_step;      ///< which agreement of which call the ranks are in: the same for all
  said_number most_step;
  said_number least_epoch;
  said_number most_epoch;
  std::uint64_t cover =
      0;  ///< of arrays: a sum modulo 2^61 - 1 that says whether ranks have overlapping parts
  std::uint64_t identities = 0;  ///< sum of those of the parts' checkpoints, modulo 2^64
  std::array<char, 408> why{};

  static constexpr std::uint64_t cover_modulus = (std::uint64_t{1} << 61) - 1;

  void add(const vote& other) noexcept {
    // A rank that has left is in no step.
    const bool is_first = least_step.number == 0;
    if (other.least_step.number != 0) {
      take_less(least_step, other.least_step, is_first);
      take_more(most_step, other.most_step, is_first);
      take_less(least_epoch, other.least_epoch, is_first);
      take_more(most_epoch, other.most_epoch, is_first);
    }
    cover = (cover + other.cover) % cover_modulus;
    identities += other.identities;
    parts += other.parts;
    has_left |= other.has_left;
    if (other.failing < 0 || (failing >= 0 && failing <= other.failing)) return;
    failing = other.failing;
    code = other.code;
    why = other.why;
  }

 private:
  static bool is_before(const said_number& a, const said_number& b) noexcept {
    return a.number == b.number && a.rank < b.rank;
  }
  static void take_less(said_number& into, const said_number& other, bool is_first) noexcept {
    if (is_first || other.number < into.number || is_before(other, into)) into = other;
  }
  static void take_more(said_number& into, const said_number& other, bool is_first) noexcept {
    if (is_first || other.number > into.number || is_before(other, into)) into = other;
  }
};
static_assert(std::is_trivially_copyable_v<vote> && sizeof(vote) <= 512);

/// Rank 0's decision about the votes, which all ranks get.
struct outcome {
  enum class verdict : std::uint32_t {
    counts,
    abandoned,
    in_doubt,     ///< it may count or not: what rank 0 did to make it count failed, and so did undoing that
    look_closer,  ///< before it is decided rank 0 needs more (`rank_group::gather`), and another agreement
  };
  verdict what = verdict::counts;
  std::uint32_t code = 0;     ///< errc, where it does not count
  std::uint32_t is_last = 0;  ///< a rank has left, and there is no further agreement
  std::uint32_t reserved = 0;
  std::array<std::byte, 72> payload{};
  std::array<char, 408> why{};
};
static_assert(std::is_trivially_copyable_v<outcome> && sizeof(outcome) <= 512);

/// Ranks 0 to `size` - 1 of one program, this process (or thread) being one of them. All call the same
/// members in the same order. After an error nothing more can be asked of it.
///
/// Throws `timed_out` when others do not come within the group's time, `io` when messages cannot be sent.
/// Used by one thread at a time.
class rank_group {
 public:
  /// Communication of this rank. Bytes are those that it sent or received.
  struct traffic {
    std::uint64_t reductions = 0;
    std::uint64_t broadcasts = 0;
    std::uint64_t gathers = 0;
    std::uint64_t bytes = 0;
  };

  rank_group() = default;
  rank_group(const rank_group&) = delete;
  rank_group& operator=(const rank_group&) = delete;
  virtual ~rank_group() = default;

  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  /// On rank 0 all votes together; elsewhere anything.
  virtual vote reduce(const vote& own) = 0;
  /// Rank 0's to all.
  virtual void broadcast(outcome& told) = 0;
  /// On rank 0 what each rank gave, in their order; elsewhere nothing.
  virtual std::vector<std::string> gather(const std::string& bytes) = 0;
  /// No rank may give more.
  virtual std::size_t most_gathered() const noexcept = 0;
  /// Waits a little for what another rank is about to do.
  virtual void pause() = 0;
  virtual traffic counted() const noexcept = 0;
};

}  // namespace perdure::detail
