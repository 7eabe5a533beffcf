// Files whose every page says which page of which file it is.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <perdure/pager.hpp>
#include <string>
#include <vector>

#include "support/random_stream.hpp"
#include "support/scratch_test.hpp"

namespace perdure::pager {

inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t words_of_page = page_bytes / sizeof(std::uint64_t);

/// What a word of a fresh file is.
inline std::uint64_t pattern(std::uint64_t word) noexcept {
  return mix(word);
}

inline std::vector<std::uint64_t> patterned(std::size_t words) {
  std::vector<std::uint64_t> all(words);
  for (std::size_t i = 0; i < words; ++i) all[i] = pattern(i);
  return all;
}

inline void write_file(const std::filesystem::path& path, const void* bytes, std::size_t size) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

inline std::vector<std::uint64_t> words_in(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint64_t> all(std::filesystem::file_size(path) / sizeof(std::uint64_t));
  file.read(reinterpret_cast<char*>(all.data()),
            static_cast<std::streamsize>(all.size() * sizeof(std::uint64_t)));
  return all;
}

/// The words of a mapped file.
inline std::uint64_t* words_of(const region& mapped) {
  return reinterpret_cast<std::uint64_t*>(mapped.data());
}

/// The tier that tests are about which name none: each test runs for each that keeps the budget.
inline tier tier_under_test() {
  const char* const name = std::getenv("PERDURE_TEST_PAGER_TIER");
  return name != nullptr && name == to_string(tier::guard) ? tier::guard : tier::uffd_sigbus;
}

class pager_test : public scratch_test {
 protected:
  void SetUp() override {
    if (const auto reason = why_unavailable(tier_under_test())) GTEST_SKIP() << *reason;
  }
  std::filesystem::path make_file(std::size_t pages, const std::string& name = "data") {
    const std::vector<std::uint64_t> words = patterned(pages * words_of_page);
    write_file(path(name), words.data(), words.size() * sizeof(std::uint64_t));
    return path(name);
  }
};

inline options with_budget(std::size_t pages, mode wanted = mode::read_only,
                           tier forced = tier_under_test()) {
  options o;
  o.budget = pages * page_bytes;
  o.mode = wanted;
  o.tier = forced;
  return o;
}

}  // namespace perdure::pager
