// How long a fresh process needs from opening a store to its first found object.
#include <cstdint>
#include <cstring>
#include <perdure/manager.hpp>
#include <stdexcept>

#include "measure.hpp"
#include "store_cost.hpp"

namespace perdure::bench {

nlohmann::json prepare_attach(const store_workload& work) {
  constexpr std::size_t block_bytes = std::size_t{1} << 20;
  const std::filesystem::path path = work.directory / "attach";
  std::filesystem::remove_all(path);
  manager store(create_only, path);
  store.construct<std::uint64_t>("answer")(42U);
  for (std::size_t filled = 0; filled < work.bytes; filled += block_bytes) {
    std::memset(store.memory().allocate(block_bytes), static_cast<int>(filled >> 20 & 0x7f) + 1, block_bytes);
  }
  const stopwatch watch;
  store.close();
  return {{"store_bytes", work.bytes}, {"close_seconds", watch.wall()}};
}

nlohmann::json attach(const store_workload& work) {
  const stopwatch watch;
  manager store(open_only, work.directory / "attach");
  const double opened = watch.wall();
  const auto found = store.find<std::uint64_t>("answer");
  if (found.first == nullptr || *found.first != 42) throw std::runtime_error("the store lost its object");
  const double ready = watch.wall();
  nlohmann::json result = {{"open_seconds", opened}, {"ready_seconds", ready}};
  const stopwatch closing;
  store.close();
  result["close_seconds"] = closing.wall();
  return result;
}

}  // namespace perdure::bench
