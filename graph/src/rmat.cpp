// R-MAT with counter-based random numbers: each edge seeds its own SplitMix64 sequence from its index.
#include <cmath>
#include <perdure/error.hpp>
#include <perdure/graph/rmat.hpp>
#include <perdure/workload/counted_random.hpp>
#include <string>

namespace perdure::graph {
namespace {

std::uint64_t bound(double probability) {
  return static_cast<std::uint64_t>(std::ldexp(probability, 32));
}

}  // namespace

rmat_generator::rmat_generator(const rmat_parameters& p) : scale_(p.scale) {
  if (p.scale < 1 || p.scale > max_scale)
    throw error(errc::invalid_argument,
                "R-MAT scale " + std::to_string(p.scale) + " is outside 1.." + std::to_string(max_scale));
  if (p.edge_factor < 1 || p.edge_factor > (std::uint64_t{1} << (63 - p.scale)))
    throw error(errc::invalid_argument, "R-MAT edge factor " + std::to_string(p.edge_factor) +
                                            " is outside 1..2^" + std::to_string(63 - p.scale) +
                                            " at scale " + std::to_string(p.scale));
  if (!(p.a >= 0 && p.b >= 0 && p.c >= 0 && p.a + p.b + p.c <= 1))
    throw error(errc::invalid_argument,
                "R-MAT probabilities a, b, c must not be negative and their sum must not exceed 1");
  edges_ = p.edge_factor << p.scale;
  seed_ = workload::mixed(p.seed + workload::golden_step);
  bound_a_ = bound(p.a);
  bound_ab_ = bound(p.a + p.b);
  bound_abc_ = bound(p.a + p.b + p.c);
  if (p.scramble) scramble_.emplace(p.scale, seed_);
}

edge rmat_generator::operator()(std::uint64_t index) const noexcept {
  std::uint64_t state = workload::random_number(seed_, index);
  std::uint64_t draw = 0;
  edge e{0, 0};
  for (unsigned level = 0; level < scale_; ++level) {
    if (level % 2 == 0) draw = workload::mixed(state += workload::golden_step);
    const std::uint64_t u = draw & 0xFFFFFFFFu;
    draw >>= 32;
    const std::uint64_t beyond_a = u >= bound_a_;
    const std::uint64_t beyond_ab = u >= bound_ab_;
    const std::uint64_t beyond_abc = u >= bound_abc_;
    // Quadrants in the order (0,0), (0,1), (1,0), (1,1).
    e.source = e.source << 1 | beyond_ab;
    e.target = e.target << 1 | (beyond_a ^ beyond_ab ^ beyond_abc);
  }
  if (scramble_) e = {(*scramble_)(e.source), (*scramble_)(e.target)};
  return e;
}

void rmat_generator::generate(std::uint64_t first, std::uint64_t last, edge* out) const noexcept {
  for (std::uint64_t index = first; index < last; ++index) *out++ = (*this)(index);
}

bool rmat_source::next(edge_batch& batch) {
  batch.clear();
  const auto taken = edges_.take();
  if (!taken) return false;
  batch.edges.resize(taken->last - taken->first);
  generator_.generate(taken->first, taken->last, batch.edges.data());
  return true;
}

workload::progress rmat_source::progress() const noexcept {
  return {edges_.taken(), edges_.all(), "edges"};
}

}  // namespace perdure::graph
