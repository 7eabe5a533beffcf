#include "c/called_ranks.hpp"

#include <array>
#include <climits>
#include <cstring>
#include <perdure/detail/rank_wait.hpp>
#include <utility>

#include "c/boundary.hpp"

namespace perdure::c {

called_ranks::called_ranks(const perdure_ranks* given, std::chrono::milliseconds timeout)
    : ranks_(options_from(&required(given, "ranks"), "ranks")), timeout_(timeout) {
  try {
    begin();
  } catch (...) {
    free();
    throw;
  }
}

called_ranks::~called_ranks() {
  free();
}

void called_ranks::begin() {
  if (ranks_.failure != nullptr) refuse(ranks_.failure);
  required(ranks_.reduce, "ranks->reduce");
  required(ranks_.broadcast, "ranks->broadcast");
  required(ranks_.gather, "ranks->gather");
  required(ranks_.test, "ranks->test");
  required(ranks_.explain, "ranks->explain");
  if (ranks_.size < 1 || ranks_.rank < 0 || ranks_.rank >= ranks_.size)
    refuse("ranks->rank is " + std::to_string(ranks_.rank) + " and ranks->size " +
           std::to_string(ranks_.size) + ": ranks are numbered from 0 to size - 1");
  if (ranks_.begin == nullptr) return;
  require_success(ranks_.begin(ranks_.context));
  wait();
}

void called_ranks::free() noexcept {
  if (ranks_.free != nullptr) ranks_.free(ranks_.context, is_left_ ? 1 : 0);
}

void called_ranks::require_running() {
  if (ranks_.has_ended == nullptr || ranks_.has_ended(ranks_.context) == 0) return;
  is_left_ = true;
  refuse("MPI has ended, and no rank can be asked: checkpoint and close a set of stores before MPI_Finalize");
}

void called_ranks::require_success(int code) {
  if (code == 0) return;
  is_left_ = true;
  std::array<char, 1024> text{};
  ranks_.explain(ranks_.context, code, text.data(), text.size());
  text.back() = '\0';
  throw error(errc::io, "a message to the other ranks failed: " + std::string(text.data()));
}

void called_ranks::wait() {
  const auto is_done = [this] {
    int done = 0;
    require_success(ranks_.test(ranks_.context, &done));
    return done != 0;
  };
  if (detail::wait_until_done(is_done, timeout_)) return;
  is_left_ = true;
  detail::throw_waited_in_vain(ranks_.rank, timeout_);
}

template <class Memory, class Start>
void called_ranks::exchange(std::unique_ptr<Memory>& memory, Start&& start) {
  require_running();
  require_success(start(*memory));
  try {
    wait();
  } catch (...) {
    static_cast<void>(memory.release());  // messages may still write there
    throw;
  }
}

detail::vote called_ranks::reduce(const detail::vote& own) {
  using votes = std::pair<detail::vote, detail::vote>;
  auto memory = std::make_unique<votes>(own, own);
  count(counted_.reductions, sizeof own);
  exchange(memory, [this](votes& both) {
    return ranks_.reduce(ranks_.context, &both.first, &both.second, sizeof both.first);
  });
  return memory->second;
}

void called_ranks::broadcast(detail::outcome& told) {
  auto memory = std::make_unique<detail::outcome>(told);
  count(counted_.broadcasts, sizeof told);
  exchange(memory,
           [this](detail::outcome& data) { return ranks_.broadcast(ranks_.context, &data, sizeof data); });
  told = *memory;
}

std::vector<std::string> called_ranks::gather(const std::string& bytes) {
  struct parts {
    std::string own;
    std::string all;
    std::vector<std::int32_t> sizes;
    std::vector<std::int32_t> offsets;
  };
  const auto collect = [this](std::string own, std::vector<std::int32_t> sizes) {
    auto memory = std::make_unique<parts>();
    memory->own = std::move(own);
    memory->sizes = std::move(sizes);
    std::int32_t end = 0;
    for (const std::int32_t size : memory->sizes) {
      memory->offsets.push_back(end);
      end += size;
    }
    memory->all.resize(static_cast<std::size_t>(end));
    exchange(memory, [this](parts& one) {
      return ranks_.gather(ranks_.context, one.own.data(), static_cast<std::int32_t>(one.own.size()),
                           one.all.data(), one.sizes.data(), one.offsets.data());
    });
    return std::move(*memory);
  };
  const auto ranks = static_cast<std::size_t>(ranks_.rank == 0 ? ranks_.size : 0);
  const auto size = static_cast<std::int32_t>(bytes.size());
  count(counted_.gathers, sizeof size + bytes.size());
  const parts lengths = collect(std::string(reinterpret_cast<const char*>(&size), sizeof size),
                                std::vector<std::int32_t>(ranks, sizeof size));
  std::vector<std::int32_t> sizes(ranks);
  if (ranks != 0) std::memcpy(sizes.data(), lengths.all.data(), lengths.all.size());
  const parts given = collect(bytes, std::move(sizes));
  std::vector<std::string> result;
  for (std::size_t i = 0; i < ranks; ++i)
    result.push_back(given.all.substr(static_cast<std::size_t>(given.offsets[i]),
                                      static_cast<std::size_t>(given.sizes[i])));
  return result;
}

std::size_t called_ranks::most_gathered() const noexcept {
  return static_cast<std::size_t>(INT_MAX / ranks_.size);
}

void called_ranks::pause() {
  require_running();
  if (ranks_.progress != nullptr) require_success(ranks_.progress(ranks_.context));
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace perdure::c
