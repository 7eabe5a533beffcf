// What a program had been promised when its disk had been told so much.
#pragma once

#include <cstddef>
#include <vector>

namespace perdure::crash {

class promise_log {
 public:
  /// What may be found after a power cut: numbers of attempts, newest last; or no store at all.
  struct expectation {
    std::vector<std::size_t> allowed;
    bool may_be_absent = false;
  };

  explicit promise_log(expectation at_first) : at_first_(std::move(at_first)) {}

  /// `events` is how many the disk had been told by then.
  void attempting(std::size_t number, std::size_t events) { marks_.push_back({false, number, events}); }
  void promised(std::size_t number, std::size_t events) { marks_.push_back({true, number, events}); }

  expectation after(std::size_t events) const;
  /// The numbers of events at which something was promised.
  std::vector<std::size_t> moments() const;

 private:
  struct mark {
    bool is_promise;
    std::size_t number;
    std::size_t events;
  };

  expectation at_first_;
  std::vector<mark> marks_;
};

}  // namespace perdure::crash
