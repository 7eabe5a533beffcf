// The arrays of a set: each rank stores its parts in its own store, and loads from all.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/detail/manager_core.hpp>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "array/store_queue.hpp"
#include "ranks/coverage.hpp"
#include "ranks/part_reader.hpp"
#include "ranks/part_record.hpp"

namespace perdure::detail {

/// The interface of the open set that the arrays use.
class set_access {
 public:
  virtual ~set_access() = default;
  virtual int rank() const noexcept = 0;
  virtual int ranks() const noexcept = 0;
  virtual const std::filesystem::path& path() const noexcept = 0;
  virtual const set_state& state() const noexcept = 0;
  /// The own part where it is open for writing, else null.
  virtual manager_core* writable_part() const noexcept = 0;
  /// Another part at the last checkpoint, or any where none is open for writing. `not_found` where it lies on
  /// another machine.
  virtual std::shared_ptr<part_reader> read_part(std::uint32_t rank) = 0;
  /// Records a failure of this rank, in case that it ends for this reason.
  virtual void note_failure(const char* what) noexcept = 0;
  /// Throws where the set is closed, or of no use any more.
  virtual void require_open() const = 0;
};

/// Thread safety: as documented at untyped_arrays, but other parts are read by one thread at a time.
class rank_arrays final : public untyped_arrays {
 public:
  explicit rank_arrays(set_access& set);

  const std::filesystem::path& path() const noexcept override { return set_.path(); }

  void store_whole(std::string_view id, const data_type& type, const const_untyped_view& from,
                   const array_options& options) override;
  void store_variable(std::string_view id, const data_type& type, const extents& dims,
                      const variable_elements& from, const array_options& options) override;
  void create(std::string_view id, const data_type& type, const extents& dims,
              const array_options& options) override;
  void write(std::string_view id, const data_type& type, const slab& where,
             const const_untyped_view& from) override;
  void read(std::string_view id, const data_type& type, const slab& where,
            const untyped_view& to) const override;
  void read_whole(std::string_view id, const data_type& type,
                  const std::function<untyped_view(const extents&)>& place) const override;
  variable_elements read_variable(std::string_view id, const data_type& type) const override;
  std::uint64_t read_held(std::string_view id, const slab& where, const untyped_view& to) const override;
  viewed_array view(std::string_view id, const data_type& type, bool to_write) const override;
  viewed_array view_part(std::string_view id, const data_type& type, const slab& where) const override;
  void resize(std::string_view id, const extents& dims) override;
  void append(std::string_view id, const data_type& type, const const_untyped_view& from) override;
  bool erase(std::string_view id) override;
  pending_store store_async(std::string_view id, const data_type& type, const const_untyped_view& from,
                            const array_options& options) override;
  pending_store write_async(std::string_view id, const data_type& type, const slab& where,
                            const const_untyped_view& from) override;

  std::optional<array_info> find(std::string_view id) const override;
  array_info info(std::string_view id) const override;
  std::vector<slab> parts(std::string_view id) const override;
  std::vector<std::string> list(std::string_view prefix) const override;
  std::size_t count() const override { return list({}).size(); }
  void prefetch(std::string_view id) const override;
  std::vector<std::string> check(std::string_view id) const override;

  void set_attribute(std::string_view id, std::string_view key, const data_type& type, const extents& dims,
                     std::span<const std::byte> value) override;
  std::optional<attribute_value> attribute(std::string_view id, std::string_view key) const override;
  std::vector<std::string> attributes(std::string_view id) const override;
  bool remove_attribute(std::string_view id, std::string_view key) override;

  // Of checkpoints. While the lock is held no array changes.

  /// Waits for what is stored in the background, as `store_queue::await_all`. Not to be called while changes
  /// are held: those stores wait for that.
  void complete_stores() { stores_.await_all(); }
  /// Ends what is stored in the background, as `store_queue::finish`.
  void finish_stores() noexcept { stores_.finish(); }
  std::unique_lock<std::shared_mutex> hold_changes() { return std::unique_lock(changing_); }
  /// Returns this rank's share of the sum that detects overlapping parts. Looks only at what has changed
  /// since it was last asked.
  std::uint64_t cover();
  /// Returns the data of this rank for a comparison on rank 0. Does not touch the store.
  std::string for_a_look() const;
  /// One has found nothing, at a checkpoint that counts.
  void looked_at();

 private:
  manager_core& store() override;

  class change;
  struct shape {
    array_layout layout;
    extents dims;
    extents chunk;
  };
  struct known_array {
    array_parts parts;
    std::uint64_t cover = 0;
  };
  /// An array as the first part that has it describes it: the own part, if it has it.
  struct found_array {
    array_info info;
    bool is_own = false;
  };

  void store_now(std::string_view id, const data_type& type, const const_untyped_view& from,
                 const array_options& options);
  void write_now(std::string_view id, const data_type& type, const slab& where,
                 const const_untyped_view& from);
  untyped_arrays& own_to_change() const;
  bool is_own(std::string_view id) const;
  /// Returns whether it is one of the set's, and this rank has made it.
  bool has_own(std::string_view id) const { return is_own(id) && own_->find(id).has_value(); }
  [[noreturn]] void throw_not_own(std::string_view id) const;
  void require_own(std::string_view id) const;
  shape shape_of_own(std::string_view id) const;
  std::optional<found_array> look_up(std::string_view id) const;
  array_info info_of_all_parts(std::string_view id, array_info first) const;
  template <class Has, class View>
  viewed_array view_in_other(std::string_view id, const Has& has, const View& view,
                             const char* refusal) const;
  found_array require_elements(std::string_view id, const data_type& type) const;
  void read_found(std::string_view id, const found_array& found, const slab& where,
                  const untyped_view& to) const;
  bool enter(std::string_view id);
  void leave(std::string_view id);
  bool mark_whole(std::string_view id, bool is_whole);
  void forbid_stray(std::string_view id) const;
  std::vector<std::uint32_t> other_parts() const;
  bool any_other(const std::function<bool(part_reader&)>& look) const;
  void forget_shape(std::string_view id) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = shapes_.find(id); found != shapes_.end()) shapes_.erase(found);
  }

  set_access& set_;
  std::shared_ptr<untyped_arrays> own_;  // of the own part where that is open for writing
  part_record* record_ = nullptr;        // its
  whole_arrays* whole_ = nullptr;        // its, or null
  mutable std::shared_mutex changing_;
  mutable std::mutex mutex_;              // of the record, and of what follows
  mutable std::recursive_mutex reading_;  // of other parts
  // Of arrays of this rank's that were written to.
  mutable std::map<std::string, shape, std::less<>> shapes_;
  std::map<std::string, known_array, std::less<>> known_;
  std::set<std::string, std::less<>> changed_;   // since `cover`
  std::set<std::string, std::less<>> unlooked_;  // since a closer look
  std::uint64_t sum_ = 0;                        // of what is known
  store_queue stores_;                           // ends first
};

}  // namespace perdure::detail
