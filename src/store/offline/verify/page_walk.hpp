// Reads every page of a store, several threads at a time, and compares each with what it must look like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/verify.hpp>
#include <vector>

#include "os/file.hpp"
#include "store/file/layout.hpp"
#include "store/offline/verify/expectations.hpp"
#include "store/offline/verify/findings.hpp"
#include "store/offline/verify/home_file_check.hpp"

namespace perdure::store {

class page_walk {
 public:
  page_walk(const layout::super_slot& super, const std::vector<checked_home_file>& home,
            const os::file& table, const expectations& expected, const verify_options& options,
            findings& found)
      : super_(super), home_(home), table_(table), expected_(expected), options_(options), found_(found) {}

  /// Throws failed system calls other than reads.
  void run();

 private:
  struct scratch;

  std::uint64_t stretches() const;
  void check_stretch(std::uint64_t index, scratch& use);
  void check_home(std::uint64_t first, const std::vector<expectation>& expected, scratch& use);
  void check_bytes(std::size_t file, std::uint64_t page, std::uint64_t count, const expectation* expected,
                   scratch& use);
  void check_hole(std::size_t file, std::uint64_t page, std::uint64_t count, const expectation* expected);
  void check_page(std::size_t file, std::uint64_t page, const std::byte* bytes, const expectation& expected);
  void damaged_page(std::size_t file, std::uint64_t page, const expectation& expected, std::string what);

  const layout::super_slot& super_;
  const std::vector<checked_home_file>& home_;
  const os::file& table_;
  const expectations& expected_;
  const verify_options& options_;
  findings& found_;
};

}  // namespace perdure::store
