// Ranks that a C program reaches by functions of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "perdure/c/set.h"
#include "perdure/detail/rank_group.hpp"

namespace perdure::c {

/// Waits for messages by asking for them from time to time, so that a rank that waits leaves the processor to
/// those that compute. Memory of a message that never ends is left to it.
class called_ranks final : public detail::rank_group {
 public:
  /// Takes the ranks over, and frees them where it throws too. Collective. Throws `invalid_argument`,
  /// `timed_out`.
  called_ranks(const perdure_ranks* given, std::chrono::milliseconds timeout);
  ~called_ranks() override;

  int rank() const noexcept override { return ranks_.rank; }
  int size() const noexcept override { return ranks_.size; }
  detail::vote reduce(const detail::vote& own) override;
  void broadcast(detail::outcome& told) override;
  std::vector<std::string> gather(const std::string& bytes) override;
  std::size_t most_gathered() const noexcept override;
  void pause() override;
  traffic counted() const noexcept override { return counted_; }

 private:
  void begin();
  void free() noexcept;
  void require_running();
  void require_success(int code);
  void wait();
  /// Starts a message and waits for it. `memory` is what it reads and writes.
  template <class Memory, class Start>
  void exchange(std::unique_ptr<Memory>& memory, Start&& start);
  void count(std::uint64_t& what, std::size_t bytes) noexcept {
    ++what;
    counted_.bytes += bytes;
  }

  perdure_ranks ranks_;
  std::chrono::milliseconds timeout_;
  bool is_left_ = false;  // with something under way
  traffic counted_;
};

}  // namespace perdure::c
