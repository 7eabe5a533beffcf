#include <chrono>
#include <filesystem>
#include <future>
#include <perdure/pending_copy.hpp>
#include <perdure/store_maintenance.hpp>
#include <utility>

#include "base/signals_blocked.hpp"

namespace perdure {

/// Thread-safe. Its destructor waits, as that of a future of `std::async` does.
class pending_copy::outcome {
 public:
  outcome(std::filesystem::path from, std::filesystem::path to)
      : done_(std::async(std::launch::async, [from = std::move(from), to = std::move(to)] {
          store_maintenance::copy(from, to);
        })) {}

  const std::shared_future<void>& done() const noexcept { return done_; }

 private:
  std::shared_future<void> done_;
};

pending_copy::pending_copy(std::shared_ptr<const outcome> of) noexcept : outcome_(std::move(of)) {}

void pending_copy::wait() const {
  outcome_->done().get();
}

bool pending_copy::ready() const {
  return outcome_->done().wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

pending_copy store_maintenance::copy_async(const std::filesystem::path& from,
                                           const std::filesystem::path& to) {
  // The program's signal handlers must not run on a thread it does not know of.
  const base::signals_blocked blocked;
  return pending_copy(std::make_shared<const pending_copy::outcome>(from, to));
}

}  // namespace perdure
