// Directories of a process's own in a fast place, for copies that are removed when the work is done.
//
//     for (const auto& left : perdure::remove_abandoned_stages("/scratch")) log("removed ", left);
//     const perdure::stage_place stage("/scratch");
//     perdure::store_maintenance::stage_in("run.store", stage.path() / "run.store");
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

namespace perdure {

/// A new directory `perdure-stage.HOST.PID.N` in a directory that exists. It is removed with all that is in
/// it when the object ends. If the process is killed it stays, and `remove_abandoned_stages` removes it.
///
/// Thread safety: as a standard container's.
class stage_place {
 public:
  /// Makes the directory. Throws `not_found` if there is no directory `in`, `permission_denied`, `no_space`,
  /// `io`.
  explicit stage_place(const std::filesystem::path& in);
  /// Takes over a directory. The one that this had is removed.
  ///@{
  stage_place(stage_place&&) noexcept;
  stage_place& operator=(stage_place&&) noexcept;
  ///@}
  /// Removes the directory. What cannot be removed stays, and is abandoned.
  ~stage_place();

  /// Returns the directory.
  const std::filesystem::path& path() const noexcept;

 private:
  class made_directory;
  std::unique_ptr<made_directory> made_;
};

/// Removes from a directory the places of this user's processes that were killed, on any machine that has the
/// directory. Places of processes that are at work stay, and so does what cannot be removed. Returns the
/// paths of what was removed. Throws `not_found` if there is no such directory, `permission_denied`, `io`.
std::vector<std::filesystem::path> remove_abandoned_stages(const std::filesystem::path& in);

}  // namespace perdure
