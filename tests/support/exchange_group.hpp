// The ranks of a graph as the ranks of a set of stores.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstring>
#include <perdure/detail/rank_group.hpp>
#include <perdure/graph/ranks/rank_exchange.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace perdure::test {

/// Takes part in what sets of stores agree on by the messages of `ranks`, which must outlive it.
class exchange_group final : public detail::rank_group {
 public:
  explicit exchange_group(graph::rank_exchange& ranks) : ranks_(ranks) {}

  int rank() const noexcept override { return ranks_.rank(); }
  int size() const noexcept override { return ranks_.size(); }

  detail::vote reduce(const detail::vote& own) override {
    detail::vote all = own;
    for (const std::string& bytes : given_to_rank_0({reinterpret_cast<const char*>(&own), sizeof own})) {
      detail::vote one;
      std::memcpy(&one, bytes.data(), sizeof one);
      all.add(one);
    }
    return all;
  }
  void broadcast(detail::outcome& told) override {
    std::vector<graph::rank_message> messages;
    const auto* const bytes = reinterpret_cast<const std::byte*>(&told);
    if (rank() == 0)
      for (int other = 1; other < size(); ++other) messages.push_back({other, {bytes, bytes + sizeof told}});
    for (const graph::rank_message& one : ranks_.exchange(std::move(messages)))
      std::memcpy(&told, one.bytes.data(), sizeof told);
  }
  std::vector<std::string> gather(const std::string& bytes) override {
    std::vector<std::string> all = given_to_rank_0('x' + bytes);  // none is empty
    for (std::string& one : all) one.erase(0, 1);
    if (rank() == 0) all.insert(all.begin(), bytes);
    return all;
  }
  std::size_t most_gathered() const noexcept override { return std::size_t{1} << 30; }
  void pause() override { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }
  traffic counted() const noexcept override { return {}; }

 private:
  std::vector<std::string> given_to_rank_0(const std::string& bytes) {
    std::vector<graph::rank_message> messages;
    const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
    if (rank() != 0) messages.push_back({0, {first, first + bytes.size()}});
    std::vector<std::string> given;
    for (const graph::rank_message& one : ranks_.exchange(std::move(messages)))
      given.emplace_back(reinterpret_cast<const char*>(one.bytes.data()), one.bytes.size());
    return given;
  }

  graph::rank_exchange& ranks_;
};

}  // namespace perdure::test
