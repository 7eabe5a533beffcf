// The ranks of a communicator that Python has, as sets of stores need them.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <cstddef>
#include <perdure/detail/rank_group.hpp>
#include <string>
#include <vector>

namespace perdure::python {

/// Exchanges messages by the methods of a `perdure._ranks.Channel`, so the extension has nothing of MPI in
/// it. Members take Python's lock for each of them, and wait without it.
class python_ranks final : public detail::rank_group {
 public:
  /// Copies the communicator. Collective. Called without Python's lock. Throws `timed_out`, `io`.
  python_ranks(nanobind::handle channel, std::chrono::milliseconds timeout);
  ~python_ranks() override;

  int rank() const noexcept override { return rank_; }
  int size() const noexcept override { return size_; }
  detail::vote reduce(const detail::vote& own) override;
  void broadcast(detail::outcome& told) override;
  std::vector<std::string> gather(const std::string& bytes) override;
  std::size_t most_gathered() const noexcept override;
  void pause() override;
  traffic counted() const noexcept override { return counted_; }

 private:
  template <class Work>
  auto with_python(Work&& work);
  void require_running();
  /// Waits for the message that was started last, and returns what it brought.
  std::string wait();
  template <class... Arguments>
  std::string exchange(const char* method, Arguments&&... arguments);
  void count(std::uint64_t& what, std::size_t bytes) noexcept {
    ++what;
    counted_.bytes += bytes;
  }

  PyObject* channel_;
  std::chrono::milliseconds timeout_;
  int rank_ = 0;
  int size_ = 1;
  bool is_left_ = false;  // with a message under way
  traffic counted_;
};

/// Adds to the module what channels call.
void bind_ranks(nanobind::module_& module);

}  // namespace perdure::python
