#include "ranks/lone_rank.hpp"

#include <chrono>
#include <limits>
#include <thread>

namespace perdure::detail {

namespace {

class lone_rank final : public rank_group {
 public:
  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return 1; }
  vote reduce(const vote& own) override { return own; }
  void broadcast(outcome&) override {}
  std::vector<std::string> gather(const std::string& bytes) override { return {bytes}; }
  std::size_t most_gathered() const noexcept override { return std::numeric_limits<std::size_t>::max(); }
  void pause() override { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
  traffic counted() const noexcept override { return {}; }
};

}  // namespace

std::unique_ptr<rank_group> make_lone_rank() {
  return std::make_unique<lone_rank>();
}

}  // namespace perdure::detail
