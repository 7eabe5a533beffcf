// Graph algorithms over the C API of GraphBLAS.
#include "graphblas_kernels.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <perdure/graph/graphblas.hpp>

namespace {

void require(GrB_Info info) {
  perdure::graph::require_graphblas(info, "go on");
}

struct freed {
  void operator()(GrB_Vector v) const noexcept { GrB_Vector_free(&v); }
  void operator()(GrB_Matrix m) const noexcept { GrB_Matrix_free(&m); }
};
using owned_vector = std::unique_ptr<GB_Vector_opaque, freed>;
using owned_matrix = std::unique_ptr<GB_Matrix_opaque, freed>;

owned_vector new_vector(GrB_Type type, GrB_Index size) {
  GrB_Vector made = nullptr;
  require(GrB_Vector_new(&made, type, size));
  return owned_vector(made);
}

owned_matrix new_matrix(GrB_Type type, GrB_Index size) {
  GrB_Matrix made = nullptr;
  require(GrB_Matrix_new(&made, type, size, size));
  return owned_matrix(made);
}

GrB_Index size_of(GrB_Matrix m) {
  GrB_Index size = 0;
  require(GrB_Matrix_nrows(&size, m));
  return size;
}

GrB_Index entries(const owned_vector& v) {
  GrB_Index count = 0;
  require(GrB_Vector_nvals(&count, v.get()));
  return count;
}

GrB_Index entries(const owned_matrix& m) {
  GrB_Index count = 0;
  require(GrB_Matrix_nvals(&count, m.get()));
  return count;
}

owned_vector filled(std::span<const double> values) {
  owned_vector made = new_vector(GrB_FP64, values.size());
  std::vector<GrB_Index> places(values.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  require(GrB_Vector_build_FP64(made.get(), places.data(), values.data(), values.size(), GrB_FIRST_FP64));
  return made;
}

/// The values of a vector of doubles, `missing` where it has none.
std::vector<double> values_of(const owned_vector& v, GrB_Index size, double missing) {
  GrB_Index count = entries(v);
  std::vector<GrB_Index> places(count);
  std::vector<double> values(count);
  require(GrB_Vector_extractTuples_FP64(places.data(), values.data(), &count, v.get()));
  std::vector<double> all(size, missing);
  for (std::size_t i = 0; i < count; ++i) all[places[i]] = values[i];
  return all;
}

/// An undirected graph without loops, with ones where it has edges.
owned_matrix without_loops(GrB_Matrix arcs) {
  owned_matrix made = new_matrix(GrB_BOOL, size_of(arcs));
  require(GrB_Matrix_select_INT64(made.get(), nullptr, nullptr, GrB_OFFDIAG, arcs, 0, nullptr));
  return made;
}

}  // namespace

std::vector<std::int32_t> levels_by_graphblas(GrB_Matrix arcs, GrB_Index source) {
  const GrB_Index size = size_of(arcs);
  const owned_vector levels = new_vector(GrB_INT32, size);
  const owned_vector frontier = new_vector(GrB_BOOL, size);
  require(GrB_Vector_setElement_BOOL(frontier.get(), true, source));
  for (std::int32_t level = 0; entries(frontier) != 0; ++level) {
    // levels<frontier> = level, then frontier<not levels> = frontier * arcs.
    require(GrB_Vector_assign_INT32(levels.get(), frontier.get(), nullptr, level, GrB_ALL, size, GrB_DESC_S));
    require(GrB_vxm(frontier.get(), levels.get(), nullptr, GxB_ANY_PAIR_BOOL, frontier.get(), arcs,
                    GrB_DESC_RSC));
  }
  GrB_Index count = entries(levels);
  std::vector<GrB_Index> places(count);
  std::vector<std::int32_t> values(count);
  require(GrB_Vector_extractTuples_INT32(places.data(), values.data(), &count, levels.get()));
  std::vector<std::int32_t> all(size, -1);
  for (std::size_t i = 0; i < count; ++i) all[places[i]] = values[i];
  return all;
}

ranks_by_graphblas pagerank_by_graphblas(GrB_Matrix incoming, std::span<const double> degrees,
                                         double tolerance, double damping) {
  const GrB_Index size = size_of(incoming);
  ranks_by_graphblas found;
  if (size == 0) return found;
  const auto vertices = static_cast<double>(size);
  // By vertex the part of its rank that goes along each of its arcs; no entry where it has none.
  const owned_vector degree = filled(degrees);
  const owned_vector part = new_vector(GrB_FP64, size);
  require(GrB_Vector_select_FP64(part.get(), nullptr, nullptr, GrB_VALUEGT_FP64, degree.get(), 0, nullptr));
  require(GrB_Vector_apply_BinaryOp1st_FP64(part.get(), nullptr, nullptr, GrB_DIV_FP64, damping, part.get(),
                                            nullptr));
  owned_vector ranks = new_vector(GrB_FP64, size);
  owned_vector next = new_vector(GrB_FP64, size);
  const owned_vector shares = new_vector(GrB_FP64, size);
  const owned_vector dangling = new_vector(GrB_FP64, size);
  require(GrB_Vector_assign_FP64(ranks.get(), nullptr, nullptr, 1 / vertices, GrB_ALL, size, nullptr));
  for (double change = 1; change > tolerance && found.iterations < 1000; ++found.iterations) {
    require(GrB_Vector_assign(dangling.get(), part.get(), nullptr, ranks.get(), GrB_ALL, size, GrB_DESC_RSC));
    double lost = 0;
    require(GrB_Vector_reduce_FP64(&lost, nullptr, GrB_PLUS_MONOID_FP64, dangling.get(), nullptr));
    require(GrB_Vector_eWiseMult_BinaryOp(shares.get(), nullptr, nullptr, GrB_TIMES_FP64, part.get(),
                                          ranks.get(), nullptr));
    require(GrB_Vector_assign_FP64(next.get(), nullptr, nullptr, (1 - damping + damping * lost) / vertices,
                                   GrB_ALL, size, nullptr));
    require(
        GrB_mxv(next.get(), nullptr, GrB_PLUS_FP64, GxB_PLUS_SECOND_FP64, incoming, shares.get(), nullptr));
    require(GrB_Vector_eWiseMult_BinaryOp(ranks.get(), nullptr, nullptr, GrB_MINUS_FP64, ranks.get(),
                                          next.get(), nullptr));
    require(GrB_Vector_apply(ranks.get(), nullptr, nullptr, GrB_ABS_FP64, ranks.get(), nullptr));
    require(GrB_Vector_reduce_FP64(&change, nullptr, GrB_PLUS_MONOID_FP64, ranks.get(), nullptr));
    std::swap(ranks, next);
  }
  found.ranks = values_of(ranks, size, 0);
  return found;
}

std::vector<double> distances_by_graphblas(GrB_Matrix arcs, GrB_Index source) {
  const GrB_Index size = size_of(arcs);
  constexpr double far = std::numeric_limits<double>::infinity();
  const owned_vector distances = new_vector(GrB_FP64, size);
  const owned_vector frontier = new_vector(GrB_FP64, size);
  const owned_vector nearer = new_vector(GrB_BOOL, size);
  require(GrB_Vector_assign_FP64(distances.get(), nullptr, nullptr, far, GrB_ALL, size, nullptr));
  require(GrB_Vector_setElement_FP64(distances.get(), 0, source));
  require(GrB_Vector_setElement_FP64(frontier.get(), 0, source));
  // Bellman and Ford's algorithm, along the arcs of what has become nearer only.
  while (entries(frontier) != 0) {
    require(GrB_vxm(frontier.get(), nullptr, nullptr, GxB_MIN_PLUS_FP64, frontier.get(), arcs, nullptr));
    require(GrB_Vector_eWiseMult_BinaryOp(nearer.get(), nullptr, nullptr, GrB_LT_FP64, frontier.get(),
                                          distances.get(), nullptr));
    require(
        GrB_Vector_assign(frontier.get(), nearer.get(), nullptr, frontier.get(), GrB_ALL, size, GrB_DESC_R));
    require(GrB_Vector_assign(distances.get(), frontier.get(), nullptr, frontier.get(), GrB_ALL, size,
                              GrB_DESC_S));
  }
  return values_of(distances, size, far);
}

std::uint64_t triangles_by_graphblas(GrB_Matrix arcs) {
  // Of each triangle a > b > c the entry at (a, c) counts b.
  const GrB_Index size = size_of(arcs);
  const owned_matrix lower = new_matrix(GrB_BOOL, size);
  const owned_matrix upper = new_matrix(GrB_BOOL, size);
  const owned_matrix counts = new_matrix(GrB_INT64, size);
  require(GrB_Matrix_select_INT64(lower.get(), nullptr, nullptr, GrB_TRIL, arcs, -1, nullptr));
  require(GrB_Matrix_select_INT64(upper.get(), nullptr, nullptr, GrB_TRIU, arcs, 1, nullptr));
  require(GrB_mxm(counts.get(), lower.get(), nullptr, GxB_PLUS_PAIR_INT64, lower.get(), upper.get(),
                  GrB_DESC_ST1));
  std::int64_t triangles = 0;
  require(GrB_Matrix_reduce_INT64(&triangles, nullptr, GrB_PLUS_MONOID_INT64, counts.get(), nullptr));
  return static_cast<std::uint64_t>(triangles);
}

std::uint64_t truss_edges_by_graphblas(GrB_Matrix arcs, std::uint32_t k) {
  const GrB_Index size = size_of(arcs);
  owned_matrix left = without_loops(arcs);
  for (;;) {
    const GrB_Index before = entries(left);
    // By edge the triangles that it is in, as far as there are any.
    owned_matrix counts = new_matrix(GrB_INT64, size);
    require(GrB_mxm(counts.get(), left.get(), nullptr, GxB_PLUS_PAIR_INT64, left.get(), left.get(),
                    GrB_DESC_RST1));
    require(GrB_Matrix_select_INT64(counts.get(), nullptr, nullptr, GrB_VALUEGE_INT64, counts.get(),
                                    static_cast<std::int64_t>(k) - 2, nullptr));
    if (entries(counts) == before) return before / 2;
    left = std::move(counts);
  }
}
