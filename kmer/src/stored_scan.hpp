// How far genomes were read for an index that is being built with a budget, as part of an object in its
// store.
#pragma once

#include <cstdint>
#include <perdure/container/vector.hpp>
#include <string_view>

#include "genome_scan.hpp"

namespace perdure::kmer::detail {

/// Stage of a build that is done next.
enum class build_stage : std::uint32_t { collecting, merging, filling };

struct stored_scan {
  std::uint64_t file = 0;     ///< number of files that were read to their end
  std::uint64_t records = 0;  ///< number of records of the next file
  std::uint64_t sequences = 0;
  std::uint64_t bases = 0;
  std::uint64_t skipped = 0;
  perdure::vector<char> names;  ///< names of all sequences, a line each

  build_result counts() const {
    build_result all;
    all.sequences = sequences;
    all.bases = bases;
    all.skipped = skipped;
    return all;
  }
  void add_name(std::string_view name) {
    names.insert(names.end(), name.begin(), name.end());
    names.push_back('\n');
  }
  /// Has a scan go on from there.
  void resume(genome_scan& scan) const {
    scan.resume({file, records}, counts(), {names.data(), names.size()});
  }
  void reach(const scan_position& place, const build_result& all) noexcept {
    file = place.file;
    records = place.records;
    sequences = all.sequences;
    bases = all.bases;
    skipped = all.skipped;
  }
};

}  // namespace perdure::kmer::detail
