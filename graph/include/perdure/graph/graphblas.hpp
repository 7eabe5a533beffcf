// A CSR as a matrix of SuiteSparse:GraphBLAS, without a copy. Programs that include it need GraphBLAS 7 or
// later (libgraphblas-dev); link them with -lgraphblas.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <perdure/error.hpp>
#include <perdure/graph/csr_view.hpp>
#include <perdure/graph/detail/graphblas_library.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <string>
#include <type_traits>

#if !defined(GxB_IMPLEMENTATION_MAJOR) || GxB_IMPLEMENTATION_MAJOR < 7
#error "perdure/graph/graphblas.hpp needs SuiteSparse:GraphBLAS 7 or later"
#endif

namespace perdure::graph {

/// Throws `errc::out_of_memory` or `errc::unsupported` if a call of GraphBLAS failed. `what` completes the
/// sentence "GraphBLAS could not …".
inline void require_graphblas(GrB_Info info, const char* what) {
  if (info == GrB_SUCCESS || info == GrB_NO_VALUE) return;
  const std::string failed =
      std::string("GraphBLAS could not ") + what + " (GrB_Info " + std::to_string(info) + ")";
  if (info == GrB_OUT_OF_MEMORY) throw error(errc::out_of_memory, failed + ": there is no more memory");
  if (info == GrB_PANIC) throw error(errc::unsupported, failed + ": call GrB_init before, and in one thread");
  throw error(errc::unsupported, failed);
}

/// Check of the neighbour lists that `graphblas_matrix` makes first.
enum class graphblas_check : std::uint8_t {
  rows,  ///< each list must be sorted, without parallel edges, as GraphBLAS relies on. O(arcs)
  none,  ///< no check: the graph was built with `drop_duplicates`
};

/// A graph as a square matrix of GraphBLAS with an entry for each arc. The arrays of the matrix are those of
/// the graph: nothing is copied or written, so the graph may lie in a store that is open for reading.
///
///     GrB_init(GrB_NONBLOCKING);
///     {
///       const graph::graphblas_matrix web = graph::graphblas_matrix::of_arcs(wide.view());
///       GrB_vxm(next, visited, nullptr, GxB_ANY_PAIR_BOOL, frontier, web.get(), GrB_DESC_RSC);
///     }
///     GrB_finalize();
///
/// GraphBLAS takes ownership of arrays and frees them with their matrix; this object takes them back before
/// that. So
/// - use the matrix only as an *input* of operations,
/// - do not change its options,
/// - destroy this object before `GrB_finalize`, while the graph's memory is mapped. Do not free the matrix.
///
/// Thread safety: like a matrix of GraphBLAS. Threads may use one as an input at the same time.
class graphblas_matrix {
 public:
  /// Makes a matrix of type GrB_BOOL in which every arc has the value true, stored once. Throws
  /// `errc::invalid_argument` for lists that are not sorted or have parallel edges (build the graph with
  /// `drop_duplicates`), and what `require_graphblas` throws. O(1), or O(arcs) with `graphblas_check::rows`.
  template <class Weight>
  static graphblas_matrix of_arcs(const basic_csr_view<Weight, std::uint64_t>& graph,
                                  graphblas_check check = graphblas_check::rows, unsigned threads = 1) {
    return {graph.offsets, graph.targets, nullptr, GrB_BOOL, 0, check, threads};
  }
  /// Makes the matrix of the graph with all arcs reversed; for an undirected graph the same as `of_arcs`.
  /// Also throws `errc::invalid_argument` if a directed graph does not have its incoming arcs.
  template <class Weight>
  static graphblas_matrix of_incoming_arcs(const basic_csr_view<Weight, std::uint64_t>& graph,
                                           graphblas_check check = graphblas_check::rows,
                                           unsigned threads = 1) {
    if (graph.symmetric()) return of_arcs(graph, check, threads);
    if (graph.in_offsets.empty() && graph.size() != 0)
      throw error(errc::invalid_argument,
                  "the graph does not know where its arcs come from: build it with with_incoming");
    return {graph.in_offsets, graph.in_targets, nullptr, GrB_BOOL, 0, check, threads};
  }
  /// Makes a matrix whose values are the arcs' weights, of type GrB_FP64, or GrB_FP32 for `float`. Also
  /// throws `errc::invalid_argument` if arcs have no weights.
  template <class Weight>
  static graphblas_matrix of_weights(const basic_csr_view<Weight, std::uint64_t>& graph,
                                     graphblas_check check = graphblas_check::rows, unsigned threads = 1) {
    static_assert(std::is_same_v<Weight, double> || std::is_same_v<Weight, float>,
                  "GraphBLAS gets weights that are double or float");
    if (!graph.has_weights() && graph.arcs() != 0)
      throw error(errc::invalid_argument, "the graph's arcs have no weights: build it with with_weights");
    GrB_Type type = GrB_FP64;
    if constexpr (std::is_same_v<Weight, float>) type = GrB_FP32;
    return {graph.offsets, graph.targets, graph.arc_weights.data(), type, sizeof(Weight), check, threads};
  }

  graphblas_matrix(const graphblas_matrix&) = delete;
  graphblas_matrix& operator=(const graphblas_matrix&) = delete;
  ~graphblas_matrix() { give_back(); }

  /// Returns the matrix, to be used as an input. It is valid as long as this object.
  GrB_Matrix get() const noexcept { return matrix_; }

 private:
  graphblas_matrix(std::span<const std::uint64_t> offsets, std::span<const std::uint64_t> targets,
                   const void* values, GrB_Type type, std::size_t value_bytes, graphblas_check check,
                   unsigned threads)
      : has_arcs_(!targets.empty()) {
    static_assert(std::is_same_v<GrB_Index, std::uint64_t> || sizeof(GrB_Index) == sizeof(std::uint64_t));
    if (check == graphblas_check::rows) require_ordered_rows(offsets, targets, threads);
    const GrB_Index size = offsets.empty() ? 0 : offsets.size() - 1;
    require_graphblas(GrB_Matrix_new(&matrix_, type, size, size), "make a matrix");
    if (!has_arcs_) return;
    try {
      // As it comes and no other way: what GraphBLAS converts it frees.
      require_graphblas(GxB_Matrix_Option_set(matrix_, GxB_FORMAT, GxB_BY_ROW), "set a matrix's format");
      require_graphblas(GxB_Matrix_Option_set(matrix_, GxB_SPARSITY_CONTROL, GxB_SPARSE),
                        "keep a matrix's form");
      auto* rows = reinterpret_cast<GrB_Index*>(const_cast<std::uint64_t*>(offsets.data()));
      auto* columns = reinterpret_cast<GrB_Index*>(const_cast<std::uint64_t*>(targets.data()));
      const bool all_alike = values == nullptr;
      void* entries = all_alike ? static_cast<void*>(&alike()) : const_cast<void*>(values);
      require_graphblas(
          GxB_Matrix_pack_CSR(matrix_, &rows, &columns, &entries, offsets.size_bytes(), targets.size_bytes(),
                              all_alike ? sizeof(bool) : targets.size() * value_bytes, all_alike, false,
                              nullptr),
          "take a graph's arrays");
    } catch (...) {
      GrB_Matrix_free(&matrix_);
      throw;
    }
  }

  static void require_ordered_rows(std::span<const std::uint64_t> offsets,
                                   std::span<const std::uint64_t> targets, unsigned threads) {
    if (offsets.empty()) return;
    std::atomic<bool> ordered{true};
    workload::parallel_for(threads, offsets.size() - 1, 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v)
        for (std::uint64_t i = offsets[v] + 1; i < offsets[v + 1]; ++i)
          if (targets[i - 1] >= targets[i]) ordered.store(false, std::memory_order_relaxed);
    });
    if (!ordered.load(std::memory_order_relaxed))
      throw error(errc::invalid_argument,
                  "a vertex's neighbours are not ordered, or one is there several times, which a matrix of "
                  "GraphBLAS cannot have: build the graph with drop_duplicates");
  }

  /// The value of all arcs of all graphs. GraphBLAS does not write to it.
  static bool& alike() noexcept {
    static bool value = true;
    return value;
  }

  void give_back() noexcept {
    if (has_arcs_) {
      GrB_Index* rows = nullptr;
      GrB_Index* columns = nullptr;
      void* entries = nullptr;
      GrB_Index row_bytes = 0;
      GrB_Index column_bytes = 0;
      GrB_Index entry_bytes = 0;
      bool all_alike = false;
      bool jumbled = false;
      GxB_Matrix_unpack_CSR(matrix_, &rows, &columns, &entries, &row_bytes, &column_bytes, &entry_bytes,
                            &all_alike, &jumbled, nullptr);
    }
    GrB_Matrix_free(&matrix_);
  }

  GrB_Matrix matrix_ = nullptr;
  bool has_arcs_;
};

}  // namespace perdure::graph
