// Where a copy of a set is made, or an earlier copy brought up to date: as a whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <perdure/detail/rank_group.hpp>
#include <perdure/detail/store_set.hpp>

#include "ranks/agreement.hpp"
#include "ranks/set_directory.hpp"
#include "ranks/set_manifest.hpp"

namespace perdure::detail {

/// Between `begin` and the agreement that ends with `publish` each rank makes its parts at `place`.
class set_destination {
 public:
  set_destination() = default;
  explicit set_destination(const std::filesystem::path& to) : directory_(to) {}

  /// Begins a copy, on rank 0. `already_exists`, unless an earlier copy of the same set is there and may be
  /// replaced.
  void begin(const set_state& source, bool may_replace);
  /// Returns the number of the directory of parts to be made, which rank 0 tells the others.
  std::uint64_t number() const noexcept { return number_; }
  std::uint64_t replaced() const noexcept { return replaced_; }
  void follow(std::uint64_t number, std::uint64_t replaced) noexcept {
    number_ = number;
    replaced_ = replaced;
  }

  /// Returns, on each rank, where a part is to be made.
  std::filesystem::path place(const set_state& source, std::uint32_t part) const;
  /// Checks, on each rank: throws `conflict` unless the part made there has the source's checkpoint.
  void require_copied(const set_state& source, std::uint32_t part) const;

  /// Completes the copy, on rank 0, when all parts are there. `undecided` if it may be the earlier copy or
  /// this one.
  void publish(const set_state& source);
  /// Removes, on each rank, the copy that was replaced.
  void remove_replaced(const set_state& source, int rank, int ranks) const noexcept;

 private:
  set_directory directory_;
  std::optional<set_manifest> manifest_;
  std::uint64_t number_ = 0;
  std::uint64_t replaced_ = 0;  // the number of the earlier copy, or 0
};

/// Data about a set that all ranks get in the payload of an outcome.
struct told_set {
  set_state set;
  std::uint64_t number = 0;    // of a destination
  std::uint64_t replaced = 0;  // there
  bool is_new = false;
};
void tell(outcome& made, const told_set& what) noexcept;
told_set told_by(const outcome& made) noexcept;

/// How a copy agrees: as `agree` with its group.
using agreeing = std::function<outcome(const vote&, const decider&)>;

/// A copy whose parts are made by a thread of each rank. The work is given the destination, and ends with
/// what it holds when it is done.
class running_copy final : public set_copy {
 public:
  running_copy(rank_group& group, agreeing agree, set_destination destination, const set_state& source,
               std::function<void(const set_destination&)> work);
  ~running_copy() override;
  bool ready() const override;
  void finish() override;

  /// Ends the agreement, as the set that is copied has been closed.
  void orphan() noexcept {
    group_ = nullptr;
    ended_ = nullptr;
  }
  /// To be told when it ends.
  void when_ended(std::function<void()> call) { ended_ = std::move(call); }

 private:
  rank_group* group_;
  agreeing agree_;
  set_destination destination_;
  set_state source_;
  std::future<void> work_;
  std::function<void()> ended_;
  bool is_finished_ = false;
};

}  // namespace perdure::detail
