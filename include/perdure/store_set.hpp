// Sets of stores (docs/reference/mpi.md) in one process, without MPI: reading them, and looking after them as
// a whole.
//
//     const perdure::set_reader set("run.set");
//     const auto temperature = set.arrays().load<std::vector<double>>("temperature");
//     for (std::uint32_t i = 0; i < set.parts(); ++i) list_objects(set.open_part(i));
//
// MPI programs make and write sets: <perdure/mpi.hpp>.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/array_store.hpp>
#include <perdure/checkpoint_log.hpp>
#include <perdure/datastore.hpp>
#include <perdure/kept_checkpoint.hpp>
#include <perdure/manager.hpp>
#include <perdure/set_division.hpp>
#include <perdure/verify.hpp>
#include <string>
#include <vector>

namespace perdure {

namespace detail {
class store_set;
}

/// A part of a set: the store of one rank.
struct set_part {
  std::filesystem::path path;  ///< the store's, on the machine that has it
  std::string machine;         ///< the machine that has it; empty if all machines reach it
  bool is_here = true;         ///< whether this machine reaches it
  bool is_missing = false;     ///< nothing is at `path`; always false if the part is not here
};

/// Facts that the manifest of a set records.
struct set_info {
  /// Identity of the set.
  std::string uuid;
  std::uint64_t epoch = 0;  ///< the set's last checkpoint
  std::uint64_t part_epoch =
      0;  ///< the same checkpoint as the parts count, which are younger after a repartition
  std::vector<set_part> parts;  ///< in the order of the ranks
};

/// The outcome of `verify_set`.
struct set_verify_report {
  std::uint64_t epoch = 0;             ///< the set's epoch
  std::vector<verify_report> parts;    ///< in the order of the ranks
  std::optional<std::string> problem;  ///< why sound parts cannot be opened as a set

  /// Returns whether nothing is damaged, and the parts can be opened as a set.
  bool whole() const noexcept;
};

/// A set of stores that one process opens for reading, at the set's last checkpoint. Every part must be on
/// this machine or on a file system that it reaches.
///
/// Thread safety: all members may be called from any thread at once.
class set_reader {
 public:
  /// Opens the set. `options` apply to each part. Beside a program that writes the set, the reader behaves as
  /// `store_options::beside_writer` says; a part that is opened after that program's next checkpoint has
  /// another checkpoint than the set (`conflict`). Opens each part once to look at it.
  ///
  /// Throws `not_found` (nothing is at the path, or parts lie on other machines, which the message names),
  /// `not_a_store`, `damaged` (the manifest, or a part is missing), `conflict` (a part of another set or
  /// checkpoint), and what opening a store throws.
  explicit set_reader(const std::filesystem::path& path, const store_options& options = {});

  /// Number of parts.
  std::uint32_t parts() const noexcept;
  /// Number of the set's last checkpoint.
  std::uint64_t epoch() const noexcept;
  /// Returns the directory of the set.
  const std::filesystem::path& path() const noexcept;

  /// Opens one part for reading, with all objects of that rank. The reader need not live as long. Throws
  /// `invalid_argument` if there is no such part, and what the constructor throws.
  manager open_part(std::uint32_t part) const;
  /// Returns the arrays of the set: `load`, `read` and `view` take elements from all parts. They keep the
  /// reader open. Members that change arrays, and `checkpoint`, throw `read_only`. At most eight parts are
  /// open at a time.
  array_store arrays() const;

 private:
  friend std::shared_ptr<untyped_arrays> detail::open_arrays_of_set(const std::filesystem::path& path,
                                                                    const store_options& options);
  std::shared_ptr<untyped_arrays> shared_arrays() const;

  std::shared_ptr<detail::store_set> set_;
};

/// Returns whether a set is at the path: sound, damaged, or one whose making or removal was cut short.
/// Functions that read a set take SET@LABEL and SET@EPOCH for its kept checkpoints; `is_set` returns true for
/// such names, kept or not.
bool is_set(const std::filesystem::path& path);

/// Returns the checkpoints that the set keeps (`store_options::keep_last` of the program that writes it),
/// oldest first. `path` of each is that of a set. Throws what `inspect_set` throws.
std::vector<kept_checkpoint> kept_checkpoints_of_set(const std::filesystem::path& path);
/// Returns the directory to read: that of the kept checkpoint for SET@LABEL, or SET@EPOCH if no checkpoint
/// has that label; else the path itself. Throws `not_found` if the checkpoint is not kept.
std::filesystem::path resolve_set_name(const std::filesystem::path& name);

/// Reads the manifest and looks for the parts, without opening or locking anything. Throws `not_found`,
/// `not_a_store`, `damaged`, `too_new`.
set_info inspect_set(const std::filesystem::path& path);

/// Returns the checkpoints that the set remembers, oldest first, with the pages of all parts. Checkpoints
/// before the last repartition are forgotten. Throws what `set_reader` throws.
std::vector<checkpoint_record> log_of_set(const std::filesystem::path& path);

/// Checks every byte of every part as `manager::verify` does, then whether they are the parts of this set.
/// Changes nothing. `options.progress` counts one part after the other. Throws what `set_reader` throws for a
/// set of which a part or the manifest is missing.
set_verify_report verify_set(const std::filesystem::path& path, const verify_options& options = {});

/// Copies a set at its last checkpoint; all parts of the copy lie in the directory `to`. Files share their
/// blocks where the file system can do that. Durable on return; after a crash the copy is there as a whole,
/// or it is no set. Throws `already_exists`, `no_space`, `conflict` (a program made a checkpoint meanwhile),
/// and what `set_reader` throws.
void copy_set(const std::filesystem::path& from, const std::filesystem::path& to);

/// Parts of a set on devices of other machines, which this machine cannot delete.
enum class parts_elsewhere {
  refuse,  ///< throw `not_found`, and name them
  forget,  ///< delete the set, and leave them where they are: nothing tells of them afterwards
};

/// Deletes a set, sound or not, with its kept checkpoints. Returns false if nothing is at the path. A removal
/// that a crash ended leaves a directory that can be removed again, and no set. Throws `not_a_store`
/// (something else is there), `read_only` (the name of a kept checkpoint), `in_use`, `not_found` (parts lie
/// on other machines), `permission_denied`, `io`; then nothing has been deleted, except with `io`.
bool remove_set(const std::filesystem::path& path, parts_elsewhere others = parts_elsewhere::refuse);

/// Divides the arrays of a set among `parts` parts: along their first dimension, in shares as equal as
/// possible. Arrays that one rank has stored whole stay whole, in the part of the same number, or in part 0.
/// Nobody may have the set open. `options` apply to the new parts, which lie in the set's directory. After a
/// crash the set is divided or as before. `divider` divides arrays whose rows belong together, as those of
/// graphs (`graph::graph_divider`). Throws `unsupported` if parts hold anything but arrays of all ranks,
/// `invalid_argument` (no parts, or a division that the arrays cannot have), `in_use`, and what `set_reader`
/// and the divider throw; then the set is as before.
void repartition_set(const std::filesystem::path& path, std::uint32_t parts,
                     const store_options& options = {}, set_divider* divider = nullptr);

}  // namespace perdure
