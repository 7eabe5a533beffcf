// Findings of a verification so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <perdure/verify.hpp>
#include <string>
#include <utility>

namespace perdure::store {

/// All functions are thread-safe, but `set_epoch` and `take_report`.
class findings {
 public:
  explicit findings(std::size_t most) noexcept : most_(most) {}

  /// Which checkpoint findings without an epoch of their own are about: the one that home is at.
  void set_epoch(std::uint64_t applied) noexcept { epoch_ = applied; }

  void damage(store_section part, std::string file, std::uint64_t offset, std::string what) {
    add({part, true, std::move(file), offset, std::nullopt, epoch_, std::move(what)});
  }
  /// Adds a note about the remains of a crash, which the next opening clears away.
  void note(store_section part, std::string file, std::uint64_t offset, std::string what) {
    add({part, false, std::move(file), offset, std::nullopt, epoch_, std::move(what)});
  }
  void add(verify_finding finding);
  void add_bytes_read(std::uint64_t bytes);

  /// Returns the findings, by file and offset; the rest is for the caller to fill in.
  verify_report take_report();

 private:
  const std::size_t most_;
  std::uint64_t epoch_ = 0;
  std::mutex mutex_;
  verify_report report_;
};

}  // namespace perdure::store
