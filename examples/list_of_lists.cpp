// A sparse matrix as the GraphBLAS template library keeps one, a list of rows, with its allocator as an
// argument: the same template in ordinary memory and in a store, with not a line about persistence. Each run
// reads "from to" pairs, adds them to the matrix in the store, and prints how far every vertex is from the
// first one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>
#include <perdure/perdure.hpp>
#include <utility>

/// Entries are kept by row, ordered by column.
template <class Scalar, class Allocator>
class row_lists {
  template <class T>
  using list = perdure::vector<T, typename std::allocator_traits<Allocator>::template rebind_alloc<T>>;
  using entry = std::pair<std::uint64_t, Scalar>;
  using row = list<entry>;

 public:
  using allocator_type = Allocator;

  explicit row_lists(const Allocator& allocator) : rows_(allocator) {}

  std::uint64_t size() const { return rows_.size(); }
  void set(std::uint64_t i, std::uint64_t j, Scalar value) {
    while (rows_.size() <= std::max(i, j)) rows_.emplace_back();
    row& r = rows_[i];
    const auto at = std::lower_bound(r.begin(), r.end(), j,
                                     [](const entry& e, std::uint64_t column) { return e.first < column; });
    if (at != r.end() && at->first == j) {
      at->second = value;
    } else {
      r.insert(at, entry(j, value));
    }
  }
  template <class Visit>
  void each_of_row(std::uint64_t i, Visit&& visit) const {
    for (const entry& e : rows_[i]) visit(e.first, e.second);
  }

 private:
  list<row> rows_;
};

/// w = v A over a semiring: `add` of `multiply(v[i], A[i][j])`.
template <class Matrix, class Vector, class Add, class Multiply>
Vector multiplied(const Vector& v, const Matrix& a, typename Vector::value_type zero, Add add,
                  Multiply multiply) {
  Vector w(v.size(), zero);
  for (std::uint64_t i = 0; i < a.size(); ++i) {
    if (v[i] == zero) continue;
    a.each_of_row(i, [&](std::uint64_t j, const auto& value) { w[j] = add(w[j], multiply(v[i], value)); });
  }
  return w;
}

/// Shortest distances, by the semiring of minimum and sum.
template <class Matrix>
perdure::vector<double, std::allocator<double>> distances(const Matrix& a) {
  const double far = std::numeric_limits<double>::infinity();
  perdure::vector<double, std::allocator<double>> reached(a.size(), far);
  if (reached.empty()) return reached;
  reached[0] = 0;
  for (bool changed = true; changed;) {
    const auto next = multiplied(
        reached, a, far, [](double x, double y) { return std::min(x, y); },
        [](double x, double y) { return x + y; });
    changed = false;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      if (next[i] >= reached[i]) continue;
      reached[i] = next[i];
      changed = true;
    }
  }
  return reached;
}

int main() {
  perdure::manager store(perdure::open_or_create, "matrix.store");
  using stored_matrix = row_lists<double, perdure::allocator<std::byte>>;
  auto& kept = *store.find_or_construct<stored_matrix>("A")(store.get_allocator<std::byte>());
  for (std::uint64_t i, j; std::cin >> i >> j;) kept.set(i, j, 1);

  // And in ordinary memory.
  row_lists<double, std::allocator<std::byte>> copy{std::allocator<std::byte>()};
  for (std::uint64_t i = 0; i < kept.size(); ++i)
    kept.each_of_row(i, [&](std::uint64_t j, double value) { copy.set(i, j, value); });

  const auto found = distances(kept);
  if (distances(copy) != found) return 1;
  for (const double distance : found) std::cout << distance << ' ';
  std::cout << '\n';
  store.close();  // a checkpoint; throws if it cannot be made
}
