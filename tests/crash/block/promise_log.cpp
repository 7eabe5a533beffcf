#include "crash/block/promise_log.hpp"

namespace perdure::crash {

promise_log::expectation promise_log::after(std::size_t events) const {
  expectation now = at_first_;
  for (const mark& one : marks_) {
    if (one.is_promise) {
      if (one.events <= events) now = {{one.number}, false};
    } else if (one.events < events) {
      // Nothing of an attempt is on the disk before the first event after its beginning.
      now.allowed.push_back(one.number);
    }
  }
  return now;
}

std::vector<std::size_t> promise_log::moments() const {
  std::vector<std::size_t> all;
  for (const mark& one : marks_) {
    if (one.is_promise) all.push_back(one.events);
  }
  return all;
}

}  // namespace perdure::crash
