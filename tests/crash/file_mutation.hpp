// Changes of a file's bytes, as the script of a fuzzer decides.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "crash/fuzz_script.hpp"

namespace perdure::crash {

/// Returns a number at which readers may stumble, in either order of bytes.
inline std::string odd_bytes(fuzz_script& script) {
  static constexpr std::uint64_t numbers[] = {0,
                                              1,
                                              2,
                                              0x7f,
                                              0xff,
                                              0x7fff,
                                              0xffff,
                                              1U << 20,
                                              1U << 24,
                                              1U << 31,
                                              ~0U,
                                              std::uint64_t{1} << 32,
                                              std::uint64_t{1} << 40,
                                              ~0ULL >> 1,
                                              ~0ULL,
                                              ~0ULL - 1};
  const std::uint64_t number = numbers[script.below(std::size(numbers))];
  const std::uint8_t how = script.byte();
  std::string bytes(std::size_t{1} << (how % 4), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(number >> (8 * i));
  if ((how & 4) != 0) std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

/// Changes one place of a file that is not empty. `pieces` are what its format has a meaning for.
inline void mutate(fuzz_script& script, std::string& file, std::span<const std::string_view> pieces) {
  const std::size_t at = script.below(file.size());
  const std::size_t left = file.size() - at;
  const auto replace = [&](std::string_view bytes) { file.replace(at, std::min(bytes.size(), left), bytes); };
  switch (script.byte() % 10) {
    case 0:
      file.resize(at);
      return;
    case 1:
      file.insert(at, pieces[script.below(pieces.size())]);
      return;
    case 2:
      return replace(pieces[script.below(pieces.size())]);
    case 3:
      file.erase(at, script.byte());
      return;
    case 4:
      // What is elsewhere in the file, once more.
      file.insert(at, file.substr(script.below(file.size()), script.byte()));
      return;
    case 5:
    case 6:
      return replace(odd_bytes(script));
    case 7:
      file[at] = static_cast<char>(file[at] ^ (1 << (script.byte() % 8)));
      return;
    default:
      file[at] = static_cast<char>(script.byte());
  }
}

}  // namespace perdure::crash
