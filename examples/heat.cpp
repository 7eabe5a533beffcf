// A plate that cools at its edges: each run goes on where the last one ended, in place, and keeps what it
// found.
#include <iomanip>
#include <iostream>
#include <perdure/array_store.hpp>
#include <vector>

namespace {

constexpr std::size_t n = 32;

void step(const perdure::array_view<double, 2>& plate) {
  static std::vector<double> next(n * n);
  for (std::size_t i = 1; i < n - 1; ++i)
    for (std::size_t j = 1; j < n - 1; ++j)
      next[i * n + j] = plate(i, j) + 0.2 * (plate(i - 1, j) + plate(i + 1, j) + plate(i, j - 1) +
                                             plate(i, j + 1) - 4 * plate(i, j));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) plate(i, j) = next[i * n + j];
}

}  // namespace

int main() {
  perdure::array_store store(perdure::open_or_create, "heat.store");
  if (!store.contains("plate")) {
    store.create<double>("plate", {n, n},
                         {.layout = perdure::array_layout::contiguous, .dimensions = {"y", "x"}});
    store.array("plate").set_attribute("units", "degrees");
    const auto plate = store.view_to_write<double, 2>("plate");
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) plate(i, j) = 100;
    store.create<double>("middle", {0}, {.layout = perdure::array_layout::chunked});
  }
  {
    const auto plate = store.view_to_write<double, 2>("plate");  // where it lies in the store
    for (int i = 0; i < 50; ++i) {
      step(plate);
      if (i % 10 == 9) store.array("middle").append(std::vector<double>{plate(n / 2, n / 2)});
    }
  }
  std::cout << store.dims("middle").elements() << " states known, the last one " << std::fixed
            << std::setprecision(3) << store.load<std::vector<double>>("middle").back() << '\n';
  store.close();  // a checkpoint: all of this run, or nothing of it
}
