// Stores of the ranks of an MPI program, checkpointed together: all of them or none.
//
//     perdure::mpi::array_store fields(perdure::open_or_create, MPI_COMM_WORLD, "run.set");
//     fields.create<double>("temperature", {rows, columns});
//     fields.store("temperature", perdure::array_view<const double, 2>(mine, {my_rows, columns}), {first,
//     0}); fields.checkpoint();
//
// Needs MPI 3, of any make, when the program is compiled; the library itself has nothing of MPI in it.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <perdure/array_store.hpp>
#include <perdure/detail/managed_part.hpp>
#include <perdure/detail/store_set.hpp>
#include <perdure/manager.hpp>
#include <perdure/mpi/communicator_group.hpp>
#include <string_view>
#include <utility>

namespace perdure::mpi {

/// Options of a set, the same on all ranks, but for the directories. All ranks give a `stage_directory`, or
/// none.
struct options {
  /// Options of each part; `keep_last` and `keep_full_copies` are of the set. Not the backings `shared_file`
  /// and `dax` for writing, which cannot prepare a checkpoint: `unsupported` on all ranks, though only one of
  /// them asks.
  store_options store = {};
  /// The directory in which this rank's part is made, on a device of its machine. The set's directory says on
  /// which machine and where, so it is found again. Empty: in the set's directory.
  std::filesystem::path parts_directory = {};
  /// Whether a set that is created is there from its first checkpoint on only. A crash before that, or
  /// `discard`, leaves no set; else it leaves an empty one.
  bool is_made_by_checkpoint = false;
  /// A directory on a fast device of this rank's machine, for `open_read_only` by as many ranks as the set
  /// has parts: this rank's part is copied there when the set is opened, and read from there. The program
  /// removes the copy when the set is closed, best by a `stage_place`. Empty: the part is read where it lies.
  std::filesystem::path stage_directory = {};
  /// How long a rank waits in a collective call for the others before it throws `timed_out`. It begins when
  /// the rank has done its own part.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);
};

/// Counts of messages that a rank has sent or been sent by calls of MPI.
using statistics = detail::rank_group::traffic;

// What is called `detail` in here is perdure::detail.
namespace detail_ {

inline std::unique_ptr<detail::rank_group> group_of(MPI_Comm communicator, const options& wanted) {
  return std::make_unique<communicator_group>(communicator, wanted.timeout);
}
inline detail::set_options set_options_of(const options& wanted) {
  return {.store = wanted.store,
          .parts_directory = wanted.parts_directory,
          .is_made_by_checkpoint = wanted.is_made_by_checkpoint,
          .stage_directory = wanted.stage_directory};
}

}  // namespace detail_

/// A copy of a set that a thread of each rank makes. Its destructor is as `finish`, and keeps errors to
/// itself.
class pending_copy {
 public:
  /// Takes over a copy that has begun; `snapshot_async` and `copy_async` do so.
  pending_copy(std::unique_ptr<detail::set_copy> copy, std::shared_ptr<detail::store_set> of)
      : of_(std::move(of)), copy_(std::move(copy)) {}

  /// Returns whether this rank's thread is done, with or without an error.
  bool ready() const { return copy_ == nullptr || copy_->ready(); }
  /// Waits for all ranks (collective); then the copy is there, durably. Throws what any of them met; then it
  /// is not there, or is the earlier one still.
  void finish() {
    if (copy_ == nullptr) return;
    copy_->finish();
    copy_.reset();
  }

 private:
  std::shared_ptr<detail::store_set> of_;
  std::unique_ptr<detail::set_copy> copy_;
};

/// A set of stores, one for each rank of a communicator, in one directory. Its checkpoint is one commit:
/// after a crash of any rank at any moment all of them are found at the same checkpoint.
///
/// Each rank has a part of its own, a manager like any other: objects in it are the rank's, and changing them
/// takes no communication. Members called collective are called by all ranks, in the same order, by one
/// thread of each. They throw the same error on all of them, which names the lowest rank that has met it, or
/// on none. After `timed_out`, `rank_failed` and `undecided` the set is of no further use: it is closed, by
/// its destructor at the latest, and opened again, and has its last checkpoint then, on all ranks.
///
/// Thread safety: as a manager's; collective members by one thread at a time.
template <class Placement>
class basic_manager {
  using mode = detail::store_set::mode;
  using part = detail::managed_part<Placement>;

 public:
  /// The manager of a part.
  using local_manager = perdure::basic_manager<Placement>;

  /// Makes the directory and in it a store for each rank. Collective, as all constructors. After a crash the
  /// set is there as a whole, or is no set and can be made again. Throws `already_exists`, and what a store's
  /// creation throws.
  basic_manager(create_only_t, MPI_Comm communicator, const std::filesystem::path& path,
                const options& wanted = {})
      : basic_manager(mode::create, communicator, path, wanted) {}
  /// Opens a set at its last checkpoint, on as many ranks as it was made by (`invalid_argument`). Throws
  /// `not_found`, `not_a_store`, `in_use`; `damaged`, `conflict` (a part is missing, another's, or at another
  /// checkpoint); `not_found` also where a part lies on another machine.
  basic_manager(open_only_t, MPI_Comm communicator, const std::filesystem::path& path,
                const options& wanted = {})
      : basic_manager(mode::open, communicator, path, wanted) {}
  /// Opens a set for reading, on any number of ranks: also a kept checkpoint, SET@LABEL or SET@EPOCH. Beside
  /// a program that writes it as `options::store.beside_writer` says; parts that are opened after that one's
  /// next checkpoint are then at another, which is a `conflict`. `invalid_argument` with a `stage_directory`
  /// on another number of ranks than the set has parts.
  basic_manager(open_read_only_t, MPI_Comm communicator, const std::filesystem::path& path,
                const options& wanted = {})
      : basic_manager(mode::open_read_only, communicator, path, wanted) {}
  /// Opens as `open_only`, or creates as `create_only` where there is no set.
  basic_manager(open_or_create_t, MPI_Comm communicator, const std::filesystem::path& path,
                const options& wanted = {})
      : basic_manager(mode::open_or_create, communicator, path, wanted) {}

  /// Takes over an open set. Assignment first closes the set that this manager had, as the destructor does
  /// (collective).
  ///@{
  basic_manager(basic_manager&&) noexcept = default;
  basic_manager& operator=(basic_manager&& other) noexcept {
    if (this == &other) return *this;
    end();
    set_ = std::move(other.set_);
    return *this;
  }
  ///@}
  /// Closes with a checkpoint (collective). A failure goes to the close failure handler (`manager`).
  ///
  /// When an exception ends it, its changes are dropped, and the next collective call of the other ranks
  /// throws `rank_failed` on all of them; this rank waits for that call as long as `options::timeout` says.
  /// So an exception on one rank takes the others along, and none is left waiting.
  ~basic_manager() {
    if (set_ && std::uncaught_exceptions() > exceptions_before_) set_->give_up();
    end();
  }

  /// Closes with a checkpoint, unless it is open for reading (collective). When it returns the set is closed
  /// on all ranks. Does nothing where it is closed already.
  void close() {
    if (set_) set_->close();
    set_.reset();
  }
  /// Closes without a checkpoint (collective).
  void discard() noexcept {
    if (set_) set_->discard();
    set_.reset();
  }
  /// Returns whether the set is open.
  bool is_open() const noexcept { return set_ != nullptr && set_->is_open(); }

  /// Makes the present state of all parts durable, all or none (collective): a reduction and a broadcast of
  /// half a KiB each, and a second of both with one gather after arrays were written in part.
  /// Then throws also `conflict` and `wrong_type`, if ranks have made different things of one array (its
  /// type, shape, layout, names of dimensions, the value of an attribute), or two of them have written the
  /// same elements. On failure the checkpoint before stays, and so does what is in memory. `invalid_argument`
  /// after MPI_Finalize.
  ///
  /// With `keep_last` in the options of all ranks, a labelled checkpoint is kept as a set in `epochs/EPOCH`
  /// in the set's directory. `unsupported` before anything is written if the file system cannot share blocks,
  /// or parts lie on other devices, and `keep_full_copies` is not set. If the copy fails, that is thrown and
  /// the checkpoint counts.
  void checkpoint(std::string_view label = {}) { set().checkpoint(label); }

  /// Returns this rank's part. Its checkpoints are the set's: `checkpoint` and `close` of it are refused.
  /// Throws `invalid_argument` where the set is open for reading on another number of ranks.
  local_manager& local() const { return static_cast<part&>(set().own()).manager(); }
  /// Opens any part for reading at the set's last checkpoint: for sets that are open for reading.
  local_manager open_part(std::uint32_t which) const {
    const auto opened = set().open_part(which, detail::opener_of_managers<Placement>());
    return std::move(static_cast<part&>(*opened).manager());
  }

  /// Returns this process's rank, or the number of ranks.
  ///@{
  int rank() const { return set().rank(); }
  int ranks() const { return set().ranks(); }
  ///@}
  /// Returns the number of the set's parts; the same as `ranks` unless it is open for reading.
  std::uint32_t parts() const { return set().parts(); }
  /// Returns the number of the last checkpoint; it grows by one with each.
  std::uint64_t epoch() const { return set().epoch(); }
  /// Returns whether the set is open for reading.
  bool read_only() const { return set().read_only(); }
  /// Returns the set's directory.
  const std::filesystem::path& path() const { return set().path(); }
  /// Returns what this rank has sent and been sent.
  statistics counted() const { return set().counted(); }

  /// Makes a set of its own with the last checkpoint (collective); all its parts are in that directory.
  /// Throws `already_exists`.
  void snapshot(const std::filesystem::path& to) { set().snapshot(to); }
  /// Makes it by a thread of each rank, while the program goes on, for slow places (collective). `to` may be
  /// an earlier copy of this set: it is that one until `finish`, and then this one, whatever happens. From
  /// the second checkpoint after it on, checkpoints wait until the thread is done. (A pinned store is copied
  /// before this returns.)
  pending_copy snapshot_async(const std::filesystem::path& to) { return {set().snapshot_async(to), set_}; }
  /// Copies a set at its last checkpoint, by any number of ranks (collective). `copy_async` does so by a
  /// thread of each rank. Throws `already_exists`; `conflict` if a program makes a checkpoint meanwhile.
  ///@{
  static void copy(MPI_Comm communicator, const std::filesystem::path& from, const std::filesystem::path& to,
                   const options& wanted = {}) {
    detail::store_set::copy(detail_::group_of(communicator, wanted), from, to);
  }
  static pending_copy copy_async(MPI_Comm communicator, const std::filesystem::path& from,
                                 const std::filesystem::path& to, const options& wanted = {}) {
    return {detail::store_set::copy_async(detail_::group_of(communicator, wanted), from, to), nullptr};
  }
  ///@}

  /// Returns the set, for the library's own parts.
  const std::shared_ptr<detail::store_set>& shared_set() const {
    set();
    return set_;
  }

 private:
  basic_manager(mode how, MPI_Comm communicator, const std::filesystem::path& path, const options& wanted)
      : set_(detail::store_set::open(detail_::group_of(communicator, wanted), how, path,
                                     detail_::set_options_of(wanted),
                                     detail::opener_of_managers<Placement>())) {}

  detail::store_set& set() const {
    if (set_ == nullptr) throw error(errc::invalid_argument, "this set of stores is closed: open it first");
    return *set_;
  }

  void end() noexcept {
    if (set_ == nullptr) return;
    try {
      set_->close();
    } catch (const std::exception& failure) {
      detail::report_close_failure(set_->path(), failure.what());
      set_->give_up();
    }
    set_.reset();
  }

  std::shared_ptr<detail::store_set> set_;
  int exceptions_before_ = std::uncaught_exceptions();
};

/// The managers of sets of usual stores, and of pinned ones.
///@{
using manager = basic_manager<relocatable>;
using pinned_manager = basic_manager<pinned>;
///@}

/// Divides the arrays of a set among the ranks along their first dimension. Collective, on as many ranks as
/// the set shall have. What one rank has stored whole (`store(id, value)`) stays whole: it is the same
/// rank's, or rank 0's where there is no such rank any more. An attribute goes to those ranks that had it.
/// Nobody may have the set open. `conflict` where parts differ in the layout, the names or an attribute of an
/// array, as those of earlier versions may. `unsupported` where parts hold anything but arrays of all ranks,
/// which only their program could divide; then, and on any other failure, the set is as before.
///
/// `divider`, on all ranks or on none, divides arrays whose rows belong together, as those of graphs
/// (`graph::graph_divider`).
inline void repartition(MPI_Comm communicator, const std::filesystem::path& path, const options& wanted = {},
                        set_divider* divider = nullptr) {
  detail::store_set::repartition(detail_::group_of(communicator, wanted), path,
                                 detail_::set_options_of(wanted), 0, divider);
}

namespace detail_ {

/// Objects that an array_store has open, made before the store itself.
struct open_arrays {
  std::unique_ptr<manager> own;  // or null: somebody else's
  std::shared_ptr<detail::store_set> set;
};

}  // namespace detail_

/// Arrays of which each rank stores parts, and any rank loads any part.
///
///   - `create(id, dims)` is called by all ranks that will write the array, with the same type and the
///     dimensions of the whole. `store(id, view, offset)` and `array(id).write` store this rank's elements,
///     in its own part: neither takes any communication. No two ranks may write the same element: the next
///     checkpoint throws `conflict`. Who divides an array otherwise than before erases it on all ranks first.
///   - `store(id, value)` stores all of an array, by one rank: numbers, strings, tables.
///   - `load`, `array(id).read` give elements of this rank's as it has written them, and of others as of the
///     last checkpoint, which they read from the others' parts. Elements that nobody has written are zero.
///   - Chunked arrays: each chunk is written by one rank, as a whole. Contiguous ones: `store`d only.
///   - `list`, `size`, `contains` and `info` of what other ranks have: as of the last checkpoint. `info`
///     returns the blocks and stored bytes of one part; of all parts, where one rank reads the set.
///
/// What is wrong with a call throws on the rank that made it; let go by that rank it takes the others along
/// (`basic_manager::~basic_manager`).
///
/// Thread safety: as perdure::array_store's; collective members by one thread at a time.
class array_store : private detail_::open_arrays, private perdure::array_store {
  using arrays = perdure::array_store;

 public:
  /// Opens or makes a set, as the manager's constructor with the same tag does (collective).
  template <class Mode>
    requires std::is_constructible_v<manager, Mode, MPI_Comm, std::filesystem::path, options>
  array_store(Mode tag, MPI_Comm communicator, const std::filesystem::path& path, const options& wanted = {})
      : array_store(std::make_unique<manager>(tag, communicator, path, wanted)) {}
  /// Gives the arrays of a manager's set. Closing that ends them.
  template <class Placement>
  explicit array_store(basic_manager<Placement>& store)
      : open_arrays{nullptr, store.shared_set()}, arrays(set->arrays()) {}

  using arrays::array;
  using arrays::check;
  using arrays::contains;
  using arrays::create;
  using arrays::dims;
  using arrays::erase;
  using arrays::info;
  using arrays::list;
  using arrays::load;
  using arrays::prefetch;
  using arrays::size;
  using arrays::store;
  using arrays::store_async;
  using arrays::untyped;
  using arrays::view;
  using arrays::view_to_write;
  using arrays::operator[];

  // Collective, as those of the manager.

  /// Makes everything stored so far durable, as `basic_manager::checkpoint` (collective).
  void checkpoint(std::string_view label = {}) { set->checkpoint(label); }
  /// Closes a set that this has opened, with a checkpoint (collective).
  void close() {
    if (own) own->close();
  }
  /// Closes a set that this has opened, without a checkpoint (collective).
  void discard() noexcept {
    if (own) own->discard();
  }
  /// Copies the set as the manager's function of that name does (collective).
  ///@{
  void snapshot(const std::filesystem::path& to) { set->snapshot(to); }
  pending_copy snapshot_async(const std::filesystem::path& to) { return {set->snapshot_async(to), set}; }
  ///@}

  /// Returns this process's rank, or the number of ranks.
  ///@{
  int rank() const { return set->rank(); }
  int ranks() const { return set->ranks(); }
  ///@}
  /// Returns the number of the last checkpoint.
  std::uint64_t epoch() const { return set->epoch(); }
  /// Returns the set's directory.
  const std::filesystem::path& path() const { return set->path(); }
  /// Returns what this rank has sent and been sent.
  statistics counted() const { return set->counted(); }

 private:
  explicit array_store(std::unique_ptr<manager> store)
      : open_arrays{std::move(store), nullptr}, arrays((set = own->shared_set())->arrays()) {}
};

}  // namespace perdure::mpi
