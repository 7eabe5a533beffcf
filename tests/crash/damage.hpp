// What may happen to a store's files behind its back.
#pragma once

#include <cstdint>
#include <string>

#include "crash/store_files.hpp"
#include "support/random_stream.hpp"

namespace perdure::crash {

enum class harm {
  flip,         ///< one bit
  blank,        ///< a sector of zeros
  cut,          ///< the file ends earlier
  gone,         ///< the file is missing
  foreign,      ///< the same file of another store is in its place
  misdirected,  ///< a block was also written where another one is
  exchanged,    ///< two blocks are in each other's place
  moved,        ///< two pages are in each other's place, and so are their checksums
};
inline constexpr unsigned harm_kinds = 8;
const char* name_of(harm kind);

struct damage {
  harm kind;
  std::string file;
  std::uint64_t offset = 0;  ///< of the byte, the sector or the block; the new length
  unsigned bit = 0;
  std::uint64_t from = 0;  ///< where the other block is
};

std::string describe(const damage& one);

/// A flip, a blank sector, a cut, or blocks in the wrong place. Half of them lie where a file holds anything
/// but zeros.
damage random_damage(random_stream& random, const store_files& files);

/// `other` is the store that foreign files come from.
void inflict(const damage& one, store_files& files, const store_files& other);

}  // namespace perdure::crash
