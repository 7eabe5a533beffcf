// The directory of a set, and where its parts lie.
//
//     ROOT/manifest                    which parts are the set
//     ROOT/set.0001/part.00000 …       a datastore for each rank
//     ROOT/set.0001/part.00000.where   or where it lies instead: the name of a machine, and a path there
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <perdure/store_set.hpp>
#include <string>
#include <utility>
#include <vector>

#include "os/file.hpp"
#include "ranks/set_manifest.hpp"

namespace perdure::detail {

class set_directory {
 public:
  set_directory() = default;
  explicit set_directory(const std::filesystem::path& root);

  const std::filesystem::path& root() const noexcept { return root_; }
  /// "set.0001".
  std::filesystem::path of_parts(std::uint64_t number) const;

  /// Makes what is missing of it, durably. `already_exists` where there is something else;
  /// `permission_denied` where it is an empty directory that every user may write to, unless they shall.
  os::file make(bool others_may_write = false) const;
  /// `not_found`, `not_a_store`.
  os::file open() const;
  /// The directory of parts; any rank may do this.
  void make_for_parts(std::uint64_t number) const;

  /// Where part `rank` lies. `damaged` where nothing is, `not_found` where it lies on another machine.
  std::filesystem::path part(std::uint64_t number, std::uint32_t rank) const;
  /// Has `part` return `copy` for part `rank`.
  void read_copy(std::uint32_t rank, std::filesystem::path copy) { copies_[rank] = std::move(copy); }
  /// Returns whether it can be reached from here; true also where nothing is.
  bool is_here(std::uint64_t number, std::uint32_t rank) const;
  /// A place where a part lies, or should.
  struct place {
    std::string host;  ///< empty: any, or none
    std::filesystem::path path;
    bool exists = false;  ///< true also for what lies on another machine

    bool is_here() const;
  };
  /// Finds the places of all parts, in the order of the ranks.
  std::vector<place> places(const set_state& set) const;
  /// Throws `damaged` if parts are missing, `not_found` if parts lie on other machines; names all of them.
  void require_all_here(const set_state& set) const;
  /// Where part `rank` of a set is to be made, durably noted: in `parts_directory` if there is one, and a
  /// file says so. What an unfinished attempt left there is removed.
  std::filesystem::path make_place_for_part(const set_state& set, std::uint32_t rank,
                                            const std::filesystem::path& parts_directory) const;

  /// Removes a part that is here, whole or not, with what says where. What cannot be removed stays.
  void remove_part(std::uint64_t number, std::uint32_t rank) const noexcept;
  /// Removes what the manifest does not name and can be reached from here: all directories of parts but that
  /// one, and in it parts from number `ranks` on. Parts of later directories stay if they have checkpoints
  /// that a set has decided on: then the manifest is an older one. Only for who holds the manifest's lock.
  void remove_left_over(std::uint64_t number, std::uint32_t ranks) const noexcept;
  /// Throws `already_exists` if a directory of parts after that one has a part with checkpoints that a set
  /// has decided on: its manifest is lost, or an older one has taken its place.
  void require_no_set_after(std::uint64_t number) const;

  /// Returns whether a set is there, or what is left of one.
  bool has_set() const;
  /// Throws before anything is removed: `not_found` if parts lie on other machines, unless they may be
  /// forgotten, and `in_use` if a part is open.
  void require_removable(parts_elsewhere others) const;
  /// Removes all parts, and the directory if nothing else is in it. For a set whose manifest has the name of
  /// an unfinished one, under its lock.
  void remove(parts_elsewhere others) const;

 private:
  /// A part that is in a directory of parts, whole or not.
  struct found_part {
    std::uint64_t number;
    std::uint32_t rank;
    place where;
  };
  std::vector<found_part> parts_found() const;
  bool is_decided(std::uint64_t number, std::uint32_t rank) const noexcept;
  void erase_part(std::uint64_t number, std::uint32_t rank) const;
  place find(std::uint64_t number, std::uint32_t rank) const;
  std::optional<place> read_place(std::uint64_t number, std::uint32_t rank) const;
  void note_place(const set_state& set, std::uint32_t rank, const std::filesystem::path& made) const;
  void remove_left_over_in(std::uint64_t directory_number, std::uint64_t number,
                           std::uint32_t ranks) const noexcept;

  std::filesystem::path root_;
  std::map<std::uint32_t, std::filesystem::path> copies_;  // of parts, which are read in their place
};

/// Reads the manifest of the set at the path and throws what `require_all_here` throws for it. Returns what
/// the manifest records.
set_state require_parts_here(const std::filesystem::path& path);

}  // namespace perdure::detail
