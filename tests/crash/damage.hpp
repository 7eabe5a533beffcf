// What may happen to a store's files behind its back.
#pragma once

#include <cstdint>
#include <string>

#include "crash/random_stream.hpp"
#include "crash/store_files.hpp"

namespace perdure::crash {

enum class harm {
  flip,     ///< one bit
  blank,    ///< a sector of zeros
  cut,      ///< the file ends earlier
  gone,     ///< the file is missing
  foreign,  ///< the same file of another store is in its place
};
inline constexpr unsigned harm_kinds = 5;
const char* name_of(harm kind);

struct damage {
  harm kind;
  std::string file;
  std::uint64_t offset = 0;  ///< of the byte or the sector; the new length
  unsigned bit = 0;
};

std::string describe(const damage& one);

/// A flip, a blank sector or a cut. Half of them lie where a file holds anything but zeros.
damage random_damage(random_stream& random, const store_files& files);

/// `other` is the store that foreign files come from.
void inflict(const damage& one, store_files& files, const store_files& other);

}  // namespace perdure::crash
