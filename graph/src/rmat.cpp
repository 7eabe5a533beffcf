// R-MAT with counter-based random numbers: each edge seeds its own SplitMix64 sequence from its index.
#include <algorithm>
#include <cmath>
#include <perdure/error.hpp>
#include <perdure/graph/rmat.hpp>
#include <string>

namespace perdure::graph {
namespace {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;

// The output function of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
constexpr std::uint64_t mix(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

std::uint64_t bound(double probability) {
  return static_cast<std::uint64_t>(std::ldexp(probability, 32));
}

}  // namespace

rmat_generator::rmat_generator(const rmat_parameters& p) : scale_(p.scale), scramble_(p.scramble) {
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
  mask_ = (std::uint64_t{1} << p.scale) - 1;
  seed_ = mix(p.seed + golden);
  bound_a_ = bound(p.a);
  bound_ab_ = bound(p.a + p.b);
  bound_abc_ = bound(p.a + p.b + p.c);
  for (unsigned round = 0; round < 3; ++round) multipliers_[round] = mix(seed_ + (round + 1) * golden) | 1;
  offset_ = mix(seed_ + 4 * golden);
}

// Each step (multiplying by an odd number, adding, folding high bits into low ones) is a bijection on
// numbers of `scale_` bits, hence so is the whole.
vertex_id rmat_generator::scramble(vertex_id v) const noexcept {
  const unsigned fold = (scale_ + 1) / 2;
  v = (v + offset_) & mask_;
  for (const std::uint64_t multiplier : multipliers_) {
    v = (v * multiplier) & mask_;
    v ^= v >> fold;
  }
  return v;
}

edge rmat_generator::operator()(std::uint64_t index) const noexcept {
  std::uint64_t state = mix(seed_ ^ mix(index + golden));
  std::uint64_t draw = 0;
  edge e{0, 0};
  for (unsigned level = 0; level < scale_; ++level) {
    if (level % 2 == 0) draw = mix(state += golden);
    const std::uint64_t u = draw & 0xFFFFFFFFu;
    draw >>= 32;
    const std::uint64_t beyond_a = u >= bound_a_;
    const std::uint64_t beyond_ab = u >= bound_ab_;
    const std::uint64_t beyond_abc = u >= bound_abc_;
    // Quadrants in the order (0,0), (0,1), (1,0), (1,1).
    e.source = e.source << 1 | beyond_ab;
    e.target = e.target << 1 | (beyond_a ^ beyond_ab ^ beyond_abc);
  }
  if (scramble_) e = {scramble(e.source), scramble(e.target)};
  return e;
}

void rmat_generator::generate(std::uint64_t first, std::uint64_t last, edge* out) const noexcept {
  for (std::uint64_t index = first; index < last; ++index) *out++ = (*this)(index);
}

bool rmat_source::next(edge_batch& batch) {
  batch.clear();
  // Not beyond the end, however often exhausted threads ask again.
  std::uint64_t first = position_.load(std::memory_order_relaxed);
  std::uint64_t last;
  do {
    if (first >= generator_.edges()) return false;
    last = std::min(first + batch_size_, generator_.edges());
  } while (!position_.compare_exchange_weak(first, last, std::memory_order_relaxed));
  batch.edges.resize(last - first);
  generator_.generate(first, last, batch.edges.data());
  return true;
}

workload::progress rmat_source::progress() const noexcept {
  return {position_.load(std::memory_order_relaxed), generator_.edges(), "edges"};
}

}  // namespace perdure::graph
