// Whether a damaged store owns up to it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crash/damage.hpp"
#include "crash/stopped_store.hpp"

namespace perdure::crash {

enum class outcome {
  reported,     ///< by verification, which must not miss what changes anything
  harmless,     ///< the store holds what it must: the bytes do not matter, or there is a second source
  passed_over,  ///< a journal is torn, so its checkpoint is taken for one that never ended
  violation,
};

struct judgement {
  outcome result = outcome::violation;
  std::string problem;  ///< of a violation
};

/// Judges one store with one damage. Does not look at what kills the process.
class damage_judge {
 public:
  damage_judge(std::filesystem::path store, const stopped_store& original, const store_files& damaged,
               const damage& done);

  /// Verifies, opens for reading, reads the history. With `thorough` opens for writing and goes on, too, and
  /// repairs; that costs several times as much.
  judgement judge(bool thorough);

 private:
  judgement look();
  std::string check_log() const;
  std::string check_writing();
  std::string check_repair(bool accept_damage);
  // Empty when the open store holds exactly what it may. Pages that no program writes are looked at only
  // where the damage was done to pages or the judgement is thorough: the kernel makes memory for each.
  std::string compare(datastore& store);

  std::filesystem::path store_;
  const stopped_store& original_;
  const store_files& damaged_;
  const damage& done_;
  std::vector<attempt> allowed_;
  bool every_page_ = false;
  bool reported_ = false;
  bool noted_ = false;  // by verification, if nothing worse
  bool passed_over_ = false;
};

}  // namespace perdure::crash
