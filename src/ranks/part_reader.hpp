// Parts of other ranks, open for reading at the set's checkpoint.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/datastore.hpp>
#include <perdure/detail/manager_core.hpp>
#include <perdure/detail/rank_group.hpp>

#include "ranks/part_record.hpp"
#include "ranks/set_directory.hpp"

namespace perdure::detail {

/// One part. Its arrays must not be used after it.
class part_reader {
 public:
  /// At the set's checkpoint, unless a program beside it, or somebody else, has the part at another: to be
  /// compared. `conflict` where it is no part of the set, and what opening a store throws.
  part_reader(const set_directory& directory, const set_state& set, std::uint32_t rank,
              store_options options);

  std::uint32_t rank() const noexcept { return rank_; }
  std::uint64_t epoch() const noexcept { return store_->store().epoch(); }
  /// `conflict`.
  void require_epoch(const set_state& set) const { require_epoch_of(*store_, set, rank_); }
  manager_core& store() const noexcept { return *store_; }
  untyped_arrays& arrays() const noexcept { return *arrays_; }
  /// Returns whether this is one of the arrays of all ranks.
  bool has_array(std::string_view id) const;
  /// Returns whether this rank has stored it whole.
  bool has_whole(std::string_view id) const { return whole_ != nullptr && whole_->ids.contains(id); }

 private:
  std::uint32_t rank_;
  std::unique_ptr<manager_core> store_;
  std::shared_ptr<untyped_arrays> arrays_;
  const part_record* record_;
  const whole_arrays* whole_;  // or null
};

/// The parts of a set that does not change, a few of them open at a time: each takes the address space of its
/// whole capacity.
class part_readers {
 public:
  part_readers(set_directory directory, set_state set, const store_options& options)
      : directory_(std::move(directory)), set_(set), options_(options) {}

  const set_state& set() const noexcept { return set_; }
  /// Open while it is held, and for some time after that.
  std::shared_ptr<part_reader> get(std::uint32_t rank);
  void close() noexcept { open_.clear(); }

 private:
  static constexpr std::size_t most_open = 8;

  set_directory directory_;
  set_state set_;
  store_options options_;
  std::list<std::shared_ptr<part_reader>> open_;  // the last one used first
};

/// The same of a part that its rank has open for writing, which may not have heard yet that the set's last
/// checkpoint counts: waits for that, up to a minute. Beside a writer it is to be quick, as it holds that one
/// up.
std::shared_ptr<part_reader> read_beside_its_rank(rank_group& group, const set_directory& directory,
                                                  const set_state& set, std::uint32_t rank,
                                                  const store_options& options);

}  // namespace perdure::detail
