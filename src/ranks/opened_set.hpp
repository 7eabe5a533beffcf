// An open set: what its ranks do together, and who is told what when one of them fails.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <perdure/detail/store_set.hpp>
#include <string>

#include "ranks/agreement.hpp"
#include "ranks/coverage.hpp"
#include "ranks/kept_sets.hpp"
#include "ranks/part_reader.hpp"
#include "ranks/rank_arrays.hpp"
#include "ranks/set_destination.hpp"
#include "ranks/set_directory.hpp"
#include "ranks/set_manifest.hpp"

namespace perdure::detail {

class opened_set final : public store_set, public set_access {
 public:
  opened_set(std::unique_ptr<rank_group> group, set_options options);
  ~opened_set() override { give_up(); }

  /// Opens a set on all ranks. If it throws, it throws on all of them.
  void begin(mode how, const std::filesystem::path& path, const part_opener& opener);

  int rank() const noexcept override { return group_->rank(); }
  int ranks() const noexcept override { return group_->size(); }
  std::uint32_t parts() const noexcept override { return state_.ranks; }
  std::uint64_t epoch() const noexcept override { return state_.epochs_before + state_.epoch; }
  bool read_only() const noexcept override { return is_read_only_; }
  bool is_open() const noexcept override { return is_open_; }
  const std::filesystem::path& path() const noexcept override { return directory_.root(); }
  rank_group::traffic counted() const noexcept override { return group_->counted(); }
  opened_part& own() const override;
  std::filesystem::path path_of_part(std::uint32_t part) const override;
  std::unique_ptr<opened_part> open_part(std::uint32_t part, const part_opener& opener) const override;
  std::shared_ptr<untyped_arrays> arrays() override;

  void checkpoint(std::string_view label) override;
  void close() override;
  void discard() noexcept override;
  void give_up() noexcept override;
  void snapshot(const std::filesystem::path& to) override;
  std::unique_ptr<set_copy> snapshot_async(const std::filesystem::path& to) override;

  const set_state& state() const noexcept override { return state_; }
  manager_core* writable_part() const noexcept override {
    return is_read_only_ || !part_ ? nullptr : &part_->core();
  }
  std::shared_ptr<part_reader> read_part(std::uint32_t rank) override;
  void note_failure(const char* what) noexcept override;
  void require_open() const override;

 private:
  template <class Work>
  void telling_if_it_breaks(Work&& work);
  outcome meet(const vote& own, const decider& decide);
  std::vector<std::string> gather(const std::string& mine);
  void break_with(errc code, const std::string& why) noexcept;
  void require_usable() const;
  void require_own_writable(const char* what) const;

  void create(const part_opener& opener);
  void open_for_writing(const part_opener& opener);
  void open_for_reading(const std::filesystem::path& path, const part_opener& opener);
  /// Copies the own part to the stage directory, and has it read there.
  void stage_part();
  bool look_at_parts(const part_opener& opener, bool is_last_try);
  void find_set(mode how, told_set& found);

  void make_checkpoint(step first, step after_a_look, std::string_view label);
  void require_one_history(const vote& all) const;
  void count_checkpoint(const vote& all, outcome& made);
  void create_by_checkpoint(const set_state& first, outcome& made);
  void turn_down_by_manifest(outcome& made, const std::exception_ptr& failure) const noexcept;
  void settle(prepared_checkpoint& prepared, const outcome& made);
  void keep_checkpoint();
  /// Rank 0 calls `before` first.
  std::optional<set_destination> begin_copy(const std::filesystem::path& to, bool may_replace,
                                            const std::function<void()>& before = {});
  /// Rank 0 calls `after` when the copy is there.
  void copy_to(const std::filesystem::path& to, set_destination destination,
               const std::function<void()>& after = {});
  /// Closes what uses the part first, then the part.
  void close_part() noexcept;
  void let_go() noexcept;

  std::unique_ptr<rank_group> group_;
  set_directory directory_;
  set_options options_;
  keeping_of_set keep_;
  std::optional<set_manifest> manifest_;  // of rank 0, open for writing
  set_state state_;
  std::unique_ptr<opened_part> part_;
  std::optional<part_readers> readers_;  // open for reading
  std::shared_ptr<rank_arrays> arrays_;
  cover_book book_;  // of rank 0
  running_copy* copy_ = nullptr;
  bool is_read_only_ = false;
  bool is_open_ = false;
  bool has_ended_ = false;            // the others cannot be asked any more
  std::optional<error> broken_;       // why only closing is left
  std::optional<error> not_written_;  // why this rank's part could not take down that a checkpoint counts
  mutable std::mutex mutex_;          // of what follows
  std::string last_failure_;          // of a call that this rank made alone
};

}  // namespace perdure::detail
