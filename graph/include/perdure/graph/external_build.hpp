// Makes a CSR that may be larger than memory. The work can be interrupted between its steps.
//
// Method: external sort. Arcs are drawn into memory of a given size, sorted, and stored as a run, until there
// are no more edges. The ids of all runs are merged into the list of vertices. Then the runs are merged piece
// by piece into the arrays of the CSR. Runs and the state of the build are an object beside the graph. In a
// store, with a checkpoint after each step, a build that was killed continues at its last checkpoint.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <perdure/allocator.hpp>
#include <perdure/container/vector.hpp>
#include <perdure/error.hpp>
#include <perdure/graph/build_csr.hpp>
#include <perdure/graph/csr.hpp>
#include <perdure/graph/detail/draw_batches.hpp>
#include <perdure/graph/detail/ranked_ids.hpp>
#include <perdure/graph/detail/sorted_runs.hpp>
#include <perdure/graph/edge_source.hpp>
#include <perdure/workload/parallel.hpp>
#include <span>
#include <utility>
#include <vector>

namespace perdure::graph {

/// Options of external builds.
struct external_options {
  /// Bytes of ordinary memory for arcs that are being sorted, for all threads together. Other memory grows
  /// with the vertices alone: 0.25 bytes for each number up to the largest id, or an eighth of a byte for
  /// each vertex.
  std::size_t memory = std::size_t{256} << 20;
  /// Called at points from which the build can continue; makes a checkpoint. Empty: no checkpoints.
  std::function<void()> checkpoint = {};
};

/// State of a build and its runs: an object for the store that the graph is in.
///
/// Thread safety: like a standard container.
template <class Allocator = perdure::allocator<std::byte>, class Weight = double>
class csr_build {
  template <class T>
  using array = perdure::vector<T, typename std::allocator_traits<Allocator>::template rebind_alloc<T>>;

 public:
  using allocator_type = Allocator;  ///< allocator of all parts

  /// Makes an empty build.
  csr_build()
    requires std::is_default_constructible_v<Allocator>
      : csr_build(Allocator()) {}
  /// Makes an empty build in the memory of `allocator`.
  explicit csr_build(const Allocator& allocator)
      : runs_(allocator), reversed_(allocator), ids_(allocator), arrays_(allocator) {}
  csr_build(const csr_build&) = delete;
  csr_build& operator=(const csr_build&) = delete;

  /// Returns the number of edges that are in runs.
  std::uint64_t drawn_edges() const noexcept { return edges_; }
  /// Returns whether all edges are in runs, so that a further call of `run` does not draw from its source.
  bool has_drawn_all() const noexcept { return stage_ != stage::drawing; }

  /// Continues until the arrays are filled; call `give_to` afterwards. `source` must hand out the same edges
  /// in the same batches each time, from the first one on; edges that are in runs are skipped. The graph is
  /// the one that `build_csr` makes. It does not depend on threads and memory, nor on where the build was
  /// interrupted.
  ///
  /// Throws `invalid_argument` if the options differ from those that the build was begun with, or if the
  /// source has other edges; `unsupported` for `vertex_order::by_degree` (use `degree_ordering` afterwards)
  /// and for more than 2^32 - 1 vertices; what the source throws; and `std::bad_alloc`. After an exception go
  /// back to the last checkpoint.
  void run(edge_source& source, const csr_options& options, const external_options& external) {
    begin(options);
    const auto checkpoint = [&] {
      if (external.checkpoint) external.checkpoint();
    };
    if (stage_ == stage::drawing) {
      if (options.with_weights) {
        draw_all<true>(source, external.memory, checkpoint);
      } else {
        draw_all<false>(source, external.memory, checkpoint);
      }
    }
    if (stage_ == stage::numbering) {
      number_vertices(external.memory);
      stage_ = stage::merging;
      begin_side(runs_, arrays_.offsets, arrays_.targets, external.memory);
      if (options.with_weights && !ids_.empty()) arrays_.weights.remake(runs_.arcs());
      checkpoint();
    }
    const detail::ranked_ids ranks(ids(), external.memory);
    if (stage_ == stage::merging) {
      if (options.with_weights) {
        merge_side<true>(runs_, ranks, arrays_.offsets, arrays_.targets, checkpoint);
      } else {
        merge_side<false>(runs_, ranks, arrays_.offsets, arrays_.targets, checkpoint);
      }
      arrays_.self_loops = loops_;
      arrays_.weights.truncate(arrays_.targets.size());
      runs_.clear();
      stage_ = stage::merging_incoming;
      begin_side(reversed_, arrays_.in_offsets, arrays_.in_targets, external.memory);
      checkpoint();
    }
    if (stage_ == stage::merging_incoming && options_.with_incoming)
      merge_side<false>(reversed_, ranks, arrays_.in_offsets, arrays_.in_targets, checkpoint);
    if (stage_ == stage::ready) return;
    if (!ranks.are_identical()) {
      arrays_.ids.remake(ids_.size());
      std::copy(ids_.begin(), ids_.end(), arrays_.ids.elements().begin());
    }
    arrays_.kind = options.kind;
    stage_ = stage::ready;
  }

  /// Returns the arrays that `run` has filled, for callers that add to them before `give_to`.
  csr_arrays<Allocator, Weight>& filled() noexcept { return arrays_; }
  /// Replaces `graph`, which is in the same memory, by the built one. The build is empty then.
  void give_to(csr<Allocator, Weight>& graph) {
    graph.replace(std::move(arrays_));
    clear();
  }

  /// Drops all that was built. The next `run` starts again.
  void clear() {
    runs_.clear();
    reversed_.clear();
    ids_.clear();
    ids_.shrink_to_fit();
    typename csr<Allocator, Weight>::arrays none(ids_.get_allocator());
    arrays_.swap(none);
    stage_ = stage::none;
    edges_ = batches_ = piece_ = written_ = loops_ = 0;
  }

 private:
  enum class stage : std::uint8_t { none, drawing, numbering, merging, merging_incoming, ready };
  /// The options of `csr_options` on which the result depends.
  struct wanted {
    direction kind = direction::directed;
    bool drop_loops = false;
    bool drop_duplicates = false;
    bool with_incoming = false;
    bool with_weights = false;
    bool operator==(const wanted&) const = default;
  };
  using runs = detail::sorted_runs<Allocator>;

  std::span<const vertex_id> ids() const noexcept { return {std::to_address(ids_.data()), ids_.size()}; }

  void begin(const csr_options& options) {
    if (options.order == vertex_order::by_degree)
      throw error(errc::unsupported,
                  "an external build orders vertices by id: give what it has built to a degree_ordering");
    const wanted now{options.kind, options.drop_loops, options.drop_duplicates,
                     options.with_incoming && options.kind == direction::directed, options.with_weights};
    if (stage_ != stage::none && !(now == options_))
      throw error(errc::invalid_argument,
                  "a build is under way with other options: go on with those, or begin anew");
    threads_ = std::max(1U, options.threads);
    if (stage_ != stage::none) return;
    options_ = now;
    stage_ = stage::drawing;
  }

  /// Arcs that one thread has read, until they are sorted and stored.
  template <bool Weighted>
  class run_maker {
   public:
    run_maker(csr_build& build, std::mutex& mutex, std::size_t memory) : build_(build), mutex_(mutex) {
      const std::size_t sides = build.options_.with_incoming ? 2 : 1;
      // Beside each run its ids are listed, at most one for each arc.
      capacity_ = std::max<std::size_t>(
          256, memory / sides / (sizeof(detail::sortable_arc<Weighted>) + sizeof(vertex_id)));
      packed_capacity_ = std::max<std::size_t>(
          256, memory / sides / (sizeof(detail::packed_arc<Weighted>) + sizeof(vertex_id)));
    }

    void take(const edge_batch& batch) {
      ++batches_;
      edges_ += batch.edges.size();
      for (std::size_t i = 0; i < batch.edges.size(); ++i) {
        const double weight = batch.values.empty() ? 0 : batch.values[i];
        put(batch.edges[i], weight);
      }
      vertices_.insert(vertices_.end(), batch.vertices.begin(), batch.vertices.end());
      if (vertices_.size() >= capacity_) flush_vertices();
    }
    void finish() {
      flush();
      flush_vertices();
      const std::lock_guard lock(mutex_);
      build_.batches_ += batches_;
      build_.edges_ += edges_;
    }

   private:
    void put(const edge& e, double weight) {
      if (!is_wide_ && std::max(e.source, e.target) > 0xFFFF'FFFF) {
        flush();
        is_wide_ = true;
      }
      if (is_wide_ ? wide_.size() + 2 > capacity_ : packed_.size() + 2 > packed_capacity_) flush();
      put(wide_, packed_, e.source, e.target, weight);
      if (build_.options_.kind == direction::undirected && e.source != e.target)
        put(wide_, packed_, e.target, e.source, weight);
      if (build_.options_.with_incoming) put(wide_reversed_, packed_reversed_, e.target, e.source, 0);
    }
    template <class Wide, class Packed>
    void put(Wide& wide, Packed& packed, vertex_id from, vertex_id to, double weight) {
      constexpr bool weighted = requires(const typename Wide::value_type& arc) { arc.weight; };
      // Doubling would take up to three times the memory for a moment.
      if (is_wide_) {
        if (wide.capacity() == 0) wide.reserve(capacity_);
        if constexpr (weighted) {
          wide.push_back({from, to, weight});
        } else {
          wide.push_back({from, to});
        }
      } else {
        if (packed.capacity() == 0) packed.reserve(packed_capacity_);
        if constexpr (weighted) {
          packed.push_back({from << 32 | to, weight});
        } else {
          packed.push_back({from << 32 | to});
        }
      }
    }
    void flush_vertices() {
      if (vertices_.empty()) return;
      std::sort(vertices_.begin(), vertices_.end());
      vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
      const std::lock_guard lock(mutex_);
      build_.runs_.add_ids(vertices_);
      vertices_.clear();
    }
    void flush() {
      flush(wide_, build_.runs_,
            build_.options_.kind == direction::directed && !build_.options_.with_incoming);
      flush(packed_, build_.runs_,
            build_.options_.kind == direction::directed && !build_.options_.with_incoming);
      flush(wide_reversed_, build_.reversed_, false);
      flush(packed_reversed_, build_.reversed_, false);
    }
    template <class Arc>
    void flush(std::vector<Arc>& arcs, runs& to, bool targets_too) {
      if (arcs.empty()) return;
      const auto source_of = [](const Arc& arc) {
        if constexpr (requires { arc.source; }) {
          return arc.source;
        } else {
          return arc.ends >> 32;
        }
      };
      std::vector<vertex_id> ids;
      const auto add = [&ids](vertex_id id) {
        if (ids.empty() || ids.back() != id) ids.push_back(id);
      };
      if (targets_too) {
        // By target first: in memory that is there already.
        const auto target_of = [](const Arc& arc) {
          if constexpr (requires { arc.source; }) {
            return arc.target;
          } else {
            return arc.ends & 0xFFFF'FFFF;
          }
        };
        std::sort(arcs.begin(), arcs.end(),
                  [&](const Arc& a, const Arc& b) { return target_of(a) < target_of(b); });
        for (const Arc& arc : arcs) add(target_of(arc));
      }
      const auto targets = static_cast<std::ptrdiff_t>(ids.size());
      std::sort(arcs.begin(), arcs.end());
      for (const Arc& arc : arcs)
        if (static_cast<std::ptrdiff_t>(ids.size()) == targets || ids.back() != source_of(arc))
          ids.push_back(source_of(arc));
      std::inplace_merge(ids.begin(), ids.begin() + targets, ids.end());
      ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
      const std::lock_guard lock(mutex_);
      to.template add<Arc>(arcs, ids);
      arcs.clear();
    }

    csr_build& build_;
    std::mutex& mutex_;
    std::size_t capacity_;
    std::size_t packed_capacity_;
    bool is_wide_ = false;  // from the first id on that does not fit 32 bits
    std::vector<detail::sortable_arc<Weighted>> wide_;
    std::vector<detail::packed_arc<Weighted>> packed_;
    std::vector<detail::sortable_arc<false>> wide_reversed_;
    std::vector<detail::packed_arc<false>> packed_reversed_;
    std::vector<vertex_id> vertices_;  // that edges need not have
    std::uint64_t batches_ = 0;
    std::uint64_t edges_ = 0;
  };

  template <bool Weighted, class Checkpoint>
  void draw_all(edge_source& source, std::size_t memory, Checkpoint&& checkpoint) {
    pass_over(source);
    const std::size_t arcs = memory / (sizeof(detail::packed_arc<Weighted>) + sizeof(vertex_id));
    // So that of most threads a round makes one run: a little less than they have room for.
    const std::uint64_t edges = std::max<std::uint64_t>(1, arcs / 2 - arcs / 8);
    for (bool has_more = true; has_more;) {
      std::mutex mutex;
      has_more = !detail::draw_batches(source, threads_, edges,
                                       [&] { return run_maker<Weighted>(*this, mutex, memory / threads_); });
      if (!has_more) {
        add_declared(source.declared_vertices(), memory);
        stage_ = stage::numbering;
      }
      checkpoint();
    }
  }

  /// Draws what is in runs, so many batches: which of all those were is not known, but that they were the
  /// first ones.
  void pass_over(edge_source& source) {
    std::atomic<std::uint64_t> taken{0};
    std::atomic<std::uint64_t> edges{0};
    std::atomic<bool> ended{false};
    workload::run_threads(batches_ == 0 ? 1 : threads_, [&](unsigned) {
      edge_batch batch;
      while (taken.fetch_add(1, std::memory_order_relaxed) < batches_) {
        if (!source.next(batch)) {
          ended.store(true, std::memory_order_relaxed);
          return;
        }
        edges.fetch_add(batch.edges.size(), std::memory_order_relaxed);
      }
    });
    if (ended.load(std::memory_order_relaxed) || edges.load(std::memory_order_relaxed) != edges_)
      throw error(errc::invalid_argument,
                  "the edges are not those that the build was begun with: begin it anew");
  }

  void add_declared(const id_range& declared, std::size_t memory) {
    std::vector<vertex_id> some;
    const std::uint64_t most = std::max<std::uint64_t>(256, memory / sizeof(vertex_id));
    for (std::uint64_t at = 0; at < declared.count; at += some.size()) {
      some.resize(std::min(most, declared.count - at));
      std::iota(some.begin(), some.end(), declared.first + at);
      runs_.add_ids(some);
    }
  }

  /// Merges the ids of all runs, a range of numbers after the other.
  void number_vertices(std::size_t memory) {
    ids_.clear();
    std::vector<std::span<const vertex_id>> lists;
    for (const runs* side : {&runs_, &reversed_})
      for (std::size_t i = 0; i < side->size(); ++i)
        if (!side->ids(i).empty()) lists.push_back(side->ids(i));
    const std::size_t most = std::max<std::size_t>(256, memory / sizeof(vertex_id));
    std::vector<vertex_id> some;
    std::vector<std::uint64_t> present;
    while (!lists.empty()) {
      // Of each list no more than its share, up to where the shortest of these parts ends.
      const std::size_t share = std::max<std::size_t>(1, most / lists.size());
      vertex_id last = ~vertex_id{0};
      vertex_id first = ~vertex_id{0};
      for (const auto& list : lists) {
        last = std::min(last, list[std::min(share, list.size()) - 1]);
        first = std::min(first, list.front());
      }
      some.clear();
      // A bit for each number, where that takes no more than sorting would.
      const bool are_dense = (last - first) / 64 < most;
      if (are_dense) present.assign((last - first) / 64 + 1, 0);
      for (auto& list : lists) {
        std::size_t count = 0;
        for (; count < list.size() && list[count] <= last; ++count) {
          if (are_dense) {
            present[(list[count] - first) / 64] |= std::uint64_t{1} << ((list[count] - first) % 64);
          } else {
            some.push_back(list[count]);
          }
        }
        list = list.subspan(count);
      }
      std::erase_if(lists, [](const auto& list) { return list.empty(); });
      if (are_dense) {
        for (std::size_t i = 0; i < present.size(); ++i)
          for (std::uint64_t left = present[i]; left != 0; left &= left - 1)
            ids_.push_back(first + i * 64 + static_cast<unsigned>(std::countr_zero(left)));
      } else {
        std::sort(some.begin(), some.end());
        some.erase(std::unique(some.begin(), some.end()), some.end());
        ids_.insert(ids_.end(), some.begin(), some.end());
      }
      if (ids_.size() > most_vertices)
        throw error(errc::unsupported, "the edges have " + std::to_string(ids_.size()) +
                                           " vertices or more; a CSR has at most 2^32 - 1");
    }
  }

  void begin_side(const runs& from, array_for<std::uint64_t, Allocator>& offsets,
                  array_for<vertex_handle, Allocator>& targets, std::size_t memory) {
    piece_ = 0;
    written_ = 0;
    next_row_ = 0;
    loops_ = 0;
    most_in_piece_ = std::max<std::uint64_t>(
        1024,
        memory / threads_ /
            (options_.with_weights ? sizeof(detail::packed_arc<true>) : sizeof(detail::packed_arc<false>)));
    if (ids_.empty() || (stage_ == stage::merging_incoming && !options_.with_incoming)) return;
    offsets.remake(ids_.size() + 1);
    targets.remake(from.arcs());
  }

  /// Merges the arcs of all runs, as many pieces at a time as there are threads.
  template <bool Weighted, class Checkpoint>
  void merge_side(const runs& from, const detail::ranked_ids& ranks,
                  array_for<std::uint64_t, Allocator>& offsets, array_for<vertex_handle, Allocator>& targets,
                  Checkpoint&& checkpoint) {
    if (ids_.empty()) return;
    const std::vector<edge> cuts = from.cuts(most_in_piece_);
    std::vector<std::vector<detail::packed_arc<Weighted>>> pieces(threads_);
    while (piece_ <= cuts.size()) {
      const std::size_t count = std::min<std::size_t>(threads_, cuts.size() + 1 - piece_);
      workload::parallel_for(threads_, count, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const std::size_t at = piece_ + i;
          fill<Weighted>(pieces[i], from, ranks, at == 0 ? nullptr : &cuts[at - 1],
                         at == cuts.size() ? nullptr : &cuts[at]);
        }
      });
      // Where each piece goes, and which row is the first that begins in it.
      std::vector<std::uint64_t> places;
      std::vector<std::uint64_t> rows;
      for (std::size_t i = 0; i < count; ++i) {
        places.push_back(written_);
        rows.push_back(next_row_);
        written_ += pieces[i].size();
        if (!pieces[i].empty()) next_row_ = (pieces[i].back().ends >> 32) + 1;
      }
      std::atomic<std::uint64_t> loops{0};
      workload::parallel_for(threads_, count, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          std::uint64_t row = rows[i];
          std::uint64_t place = places[i];
          std::uint64_t loops_here = 0;
          for (const auto& arc : pieces[i]) {
            const std::uint64_t source = arc.ends >> 32;
            const auto target = static_cast<vertex_handle>(arc.ends);
            for (; row <= source; ++row) offsets.elements()[row] = place;
            loops_here += source == target ? 1U : 0U;
            if constexpr (Weighted) arrays_.weights.elements()[place] = static_cast<Weight>(arc.weight);
            targets.elements()[place++] = target;
          }
          loops.fetch_add(loops_here, std::memory_order_relaxed);
        }
      });
      loops_ += loops.load(std::memory_order_relaxed);
      piece_ += count;
      if (piece_ <= cuts.size()) checkpoint();
    }
    for (; next_row_ <= ids_.size(); ++next_row_) offsets.elements()[next_row_] = written_;
    targets.truncate(written_);
  }

  template <bool Weighted>
  void fill(std::vector<detail::packed_arc<Weighted>>& piece, const runs& from,
            const detail::ranked_ids& ranks, const edge* begin, const edge* end) const {
    piece.clear();
    if (piece.capacity() == 0) piece.reserve(most_in_piece_);
    vertex_id last = 0;
    std::uint64_t row = 0;
    bool is_known = false;
    from.each_arc(begin, end, [&](vertex_id source, vertex_id target, double weight) {
      if (options_.drop_loops && source == target) return;
      if (!is_known || source != last) row = std::uint64_t{ranks.rank(source)} << 32;
      last = source;
      is_known = true;
      if constexpr (Weighted) {
        piece.push_back({row | ranks.rank(target), weight});
      } else {
        piece.push_back({row | ranks.rank(target)});
      }
    });
    std::sort(piece.begin(), piece.end());
    if (!options_.drop_duplicates) return;
    piece.erase(std::unique(piece.begin(), piece.end(),
                            [](const auto& a, const auto& b) { return a.ends == b.ends; }),
                piece.end());
  }

  stage stage_ = stage::none;
  wanted options_;
  unsigned threads_ = 1;
  std::uint64_t edges_ = 0;
  std::uint64_t batches_ = 0;
  runs runs_;
  runs reversed_;
  array<vertex_id> ids_;
  csr_arrays<Allocator, Weight> arrays_;
  std::uint64_t most_in_piece_ = 0;
  std::uint64_t piece_ = 0;     // how many pieces are in the arrays
  std::uint64_t written_ = 0;   // how many arcs of them
  std::uint64_t next_row_ = 0;  // the first vertex whose row has not begun
  std::uint64_t loops_ = 0;
};

/// A build in a relocatable store.
using stored_csr_build = csr_build<>;

}  // namespace perdure::graph
