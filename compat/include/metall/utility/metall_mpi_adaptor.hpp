// One store for each process of an MPI program, under one directory. For programs that have MPI.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <metall/metall.hpp>
#include <metall/utility/metall_mpi_datastore.hpp>
#include <metall/utility/mpi.hpp>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace metall::utility {

/// Opens, copies and removes the stores of all processes together. Every function that takes a communicator,
/// the constructors, `snapshot` and the destructor are collective.
///
/// The stores are checkpointed one by one: a crash between two of them leaves processes at different
/// checkpoints.
class metall_mpi_adaptor {
 public:
  using manager_type = metall::manager;

  /// A path, or a function that returns one. Processes may name different directories: one on a disk of the
  /// machine each is on, say.
  class path_holder {
   public:
    template <class Path>
      requires(!std::is_same_v<std::remove_cvref_t<Path>, path_holder> &&
               std::is_constructible_v<std::filesystem::path, Path>)
    path_holder(Path&& path) : path_(std::forward<Path>(path)) {}
    template <class Make>
      requires(!std::is_constructible_v<std::filesystem::path, Make> &&
               std::is_invocable_r_v<std::filesystem::path, Make&>)
    path_holder(Make&& make) : path_(make()) {}

    std::filesystem::path get() const { return path_; }

   private:
    std::filesystem::path path_;
  };

  /// Ends the program with `MPI_Abort` unless the directory was made by as many processes.
  metall_mpi_adaptor(open_only_t, const path_holder& root_dir_prefix, const MPI_Comm& comm = MPI_COMM_WORLD)
      : comm_(comm), root_(root_dir_prefix.get().string()) {
    require_same_partitions(root_, comm_);
    local_ = std::make_unique<manager_type>(open_only, local_dir_path());
  }
  metall_mpi_adaptor(open_read_only_t, const path_holder& root_dir_prefix,
                     const MPI_Comm& comm = MPI_COMM_WORLD)
      : comm_(comm), root_(root_dir_prefix.get().string()) {
    require_same_partitions(root_, comm_);
    local_ = std::make_unique<manager_type>(open_read_only, local_dir_path());
  }
  /// Ends the program if something is at the path, unless `overwrite` is true and that was made by as many
  /// processes.
  metall_mpi_adaptor(create_only_t, const path_holder& root_dir_prefix, const MPI_Comm& comm = MPI_COMM_WORLD,
                     const bool overwrite = false)
      : metall_mpi_adaptor(create_only, root_dir_prefix, std::size_t{METALL_DEFAULT_CAPACITY}, comm,
                           overwrite) {}
  metall_mpi_adaptor(create_only_t, const path_holder& root_dir_prefix, const std::size_t capacity,
                     const MPI_Comm& comm = MPI_COMM_WORLD, const bool overwrite = false)
      : comm_(comm), root_(root_dir_prefix.get().string()) {
    set_up_root(root_, overwrite, comm_);
    local_ = std::make_unique<manager_type>(create_only, local_dir_path(), capacity);
  }
  metall_mpi_adaptor(const metall_mpi_adaptor&) = delete;
  metall_mpi_adaptor& operator=(const metall_mpi_adaptor&) = delete;
  /// Closes this process's store, and waits for the others to close theirs.
  ~metall_mpi_adaptor() {
    local_.reset();
    mpi::barrier(comm_);
  }

  manager_type& get_local_manager() { return *local_; }
  const manager_type& get_local_manager() const { return *local_; }
  std::filesystem::path root_datastore_path() const { return root_datastore_path(root_); }
  std::filesystem::path local_datastore_path() const {
    return local_datastore_path(root_, mpi::comm_rank(comm_));
  }
  static std::filesystem::path root_datastore_path(const path_holder& root_dir_prefix) {
    return root_dir_prefix.get();
  }
  static std::filesystem::path local_datastore_path(const path_holder& root_dir_prefix, const int mpi_rank) {
    return root_dir_prefix.get() / ("subdir-" + std::to_string(mpi_rank));
  }
  std::string root_dir_path() const { return mpi_datastore::make_root_dir_path(root_); }
  std::string local_dir_path() const { return local_dir_path(root_, mpi::comm_rank(comm_)); }
  static std::string local_dir_path(const path_holder& root_dir_prefix, const int mpi_rank) {
    return mpi_datastore::make_local_dir_path(root_dir_prefix.get().string(), mpi_rank);
  }

  /// True if all processes succeeded.
  static bool copy(const path_holder& source_dir_path, const path_holder& destination_dir_path,
                   const MPI_Comm& comm = MPI_COMM_WORLD, const bool overwrite = false) {
    if (!consistent(source_dir_path, comm)) return false;
    set_up_root(destination_dir_path.get(), overwrite, comm);
    const int rank = mpi::comm_rank(comm);
    return all(
        manager_type::copy(local_dir_path(source_dir_path, rank), local_dir_path(destination_dir_path, rank)),
        comm);
  }
  /// True if all processes succeeded.
  bool snapshot(const path_holder& destination_dir_path, const bool overwrite = false) {
    set_up_root(destination_dir_path.get(), overwrite, comm_);
    return all(local_->snapshot(local_dir_path(destination_dir_path, mpi::comm_rank(comm_))), comm_);
  }
  /// True if all processes succeeded, or there was nothing. A directory that is no such root, one made by
  /// another number of processes, and one with a store that is open are left alone.
  static bool remove(const path_holder& root_dir_prefix, const MPI_Comm& comm = MPI_COMM_WORLD) {
    namespace fs = std::filesystem;
    const fs::path root = root_dir_prefix.get();
    std::error_code ignored;
    if (!any(fs::exists(root, ignored), comm)) return true;
    if (!all(fs::exists(mark_path(root), ignored), comm)) return false;
    if (partitions(root, comm) != mpi::comm_size(comm)) return false;
    const bool removed = all(manager_type::remove(local_dir_path(root, mpi::comm_rank(comm))), comm);
    if (removed) {
      // Whoever comes first removes what they share; all that is left are these two files.
      fs::remove(partitions_path(root), ignored);
      fs::remove(mark_path(root), ignored);
      fs::remove(root, ignored);
    }
    mpi::barrier(comm);
    return removed;
  }
  /// How many processes made it; -1 where that cannot be read.
  static int partitions(const path_holder& root_dir_prefix,
                        [[maybe_unused]] const MPI_Comm& comm = MPI_COMM_WORLD) {
    int count = -1;
    std::ifstream(partitions_path(root_dir_prefix.get())) >> count;
    return count > 0 ? count : -1;
  }
  static bool consistent(const path_holder& root_dir_prefix, const MPI_Comm& comm = MPI_COMM_WORLD) {
    return all(manager_type::consistent(local_dir_path(root_dir_prefix, mpi::comm_rank(comm))), comm);
  }

 private:
  static std::filesystem::path mark_path(const std::filesystem::path& root) {
    return root / "metall_mpi_datastore";
  }
  static std::filesystem::path partitions_path(const std::filesystem::path& root) {
    return root / "metall_mpi_adaptor_partition_size";
  }
  static bool all(const bool local_value, const MPI_Comm& comm) {
    return mpi::global_logical_and(local_value, comm).second;
  }
  static bool any(const bool local_value, const MPI_Comm& comm) {
    return mpi::global_logical_or(local_value, comm).second;
  }
  static void give_up(const std::string& why, const MPI_Comm& comm) {
    logger::out(logger::level::error, __FILE__, __LINE__, why.c_str());
    ::MPI_Abort(comm, -1);
  }

  static void require_same_partitions(const std::string& root, const MPI_Comm& comm) {
    const int count = partitions(root, comm);
    if (!all(count == mpi::comm_size(comm), comm))
      give_up(root + ": made by " + std::to_string(count) + " processes, not by " +
                  std::to_string(mpi::comm_size(comm)),
              comm);
  }
  /// Each process makes what it does not see yet: processes may or may not share a file system.
  static void set_up_root(const std::filesystem::path& root, const bool overwrite, const MPI_Comm& comm) {
    namespace fs = std::filesystem;
    if (overwrite && !remove(root, comm)) give_up(root.string() + ": cannot be overwritten", comm);
    std::error_code failure;
    if (any(fs::exists(root, failure), comm))
      give_up(root.string() + ": there is something here already", comm);
    mpi::barrier(comm);
    fs::create_directories(root, failure);
    std::ofstream(mark_path(root)).flush();
    const bool written = bool(std::ofstream(partitions_path(root)) << mpi::comm_size(comm) << std::flush);
    if (!all(!failure && written, comm)) give_up(root.string() + ": cannot be written", comm);
  }

  MPI_Comm comm_;
  std::string root_;
  std::unique_ptr<manager_type> local_;
};

}  // namespace metall::utility
