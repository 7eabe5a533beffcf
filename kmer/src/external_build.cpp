// By external sort. Each thread fills a buffer with minimizers, and puts it away as a sorted run in the
// store. Then runs are merged, a range of hashes after the other, so that each minimizer is there once: only
// then it is known how many pages the table has. The table is filled from front to back, as the place of a
// hash grows with the hash.
//
// Runs and merged minimizers are written past the store's memory, and what else changes is given up after
// each step: neither is in memory for long.
#include "external_build.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <perdure/workload/parallel.hpp>
#include <utility>

#include "genome_scan.hpp"
#include "layer_table.hpp"
#include "minimizer_sets.hpp"
#include "page_filler.hpp"

namespace perdure::kmer::detail {
namespace {

constexpr std::uint64_t least_thread_memory = std::uint64_t{1} << 18;
constexpr unsigned range_shift = 64 - stored_run::range_bits;

std::uint64_t range_of(std::uint64_t hash) noexcept {
  return hash >> range_shift;
}

/// Returns where each range of a run begins, and its end.
std::vector<std::uint32_t> starts_of(std::span<const packed_minimizer> run) {
  std::vector<std::uint32_t> starts;
  starts.reserve(stored_run::ranges + 1);
  for (std::uint32_t i = 0; i < run.size(); ++i)
    while (starts.size() <= range_of(run[i].hash())) starts.push_back(i);
  starts.resize(stored_run::ranges + 1, static_cast<std::uint32_t>(run.size()));
  return starts;
}

template <class T>
void drop(perdure::vector<T>& all) {
  all.clear();
  all.shrink_to_fit();
}

}  // namespace

external_build::external_build(manager& store, stored_build& build, const taxonomy_view& taxonomy,
                               const build_options& options, std::function<void()> checkpoint)
    : store_(store),
      build_(build),
      taxonomy_(taxonomy),
      options_(options),
      make_checkpoint_(std::move(checkpoint)),
      hash_(options.scheme),
      memory_(options.budget / 4 * 3),
      threads_(static_cast<unsigned>(
          std::clamp<std::uint64_t>(options.threads, 1, memory_ / least_thread_memory))),
      // A quarter is for what was scanned and is not in buffers yet.
      capacity_(std::min<std::uint64_t>(memory_ / threads_ / 4 * 3 / sizeof(packed_minimizer),
                                        std::uint64_t{1} << 31)) {}

build_result external_build::run(const std::vector<std::filesystem::path>& genomes,
                                 const sequence_taxa& taxa) {
  if (build_.stage == build_stage::collecting) collect(genomes, taxa);
  if (build_.stage == build_stage::merging) merge();
  require_minimizers(build_.merged.size, options_.scheme);
  fill();
  build_.layer.sequences = build_.sequences;
  build_.layer.bases = build_.bases;
  return {build_.sequences, build_.bases, build_.skipped, build_.merged.size, build_.layer.bytes()};
}

bool external_build::is_checkpoint_due() const {
  return std::chrono::steady_clock::now() - last_checkpoint_ >= options_.checkpoint_interval;
}

void external_build::checkpoint() {
  make_checkpoint_();
  last_checkpoint_ = std::chrono::steady_clock::now();
}

void external_build::report(std::uint64_t done, std::uint64_t total, std::string_view unit) const {
  if (options_.on_progress) options_.on_progress({done, total, unit});
}

// ---- collecting ------------------------------------------------------------------------------------------

void external_build::collect(const std::vector<std::filesystem::path>& genomes, const sequence_taxa& taxa) {
  build_options how = options_;
  how.threads = threads_;
  const std::size_t piece =
      std::clamp<std::size_t>(memory_ / threads_ / 4 / sizeof(minimizer_run), 4096, scan_sizes().piece_bases);
  genome_scan scan(taxonomy_, taxa, how, "",
                   {std::min<std::size_t>(memory_ / 4, scan_sizes().batch_bytes), piece});
  build_result before;
  before.sequences = build_.sequences;
  before.bases = build_.bases;
  before.skipped = build_.skipped;
  scan.resume({build_.file, build_.records}, before, {build_.names.data(), build_.names.size()});
  counts_ = &scan.counts();
  buffers_.resize(threads_);
  for (buffer& one : buffers_) one.reserve(capacity_);
  idle_.resize(threads_);
  std::iota(idle_.begin(), idle_.end(), std::size_t{0});
  scan.read(genomes, *this);
  empty_buffers();
  buffers_.clear();
  build_.stage = build_stage::merging;
  build_.used.resize(taxonomy_.size());
  std::uint64_t total = 0;
  for (const stored_run& run : build_.runs) total += run.minimizers.size;
  build_.merged.room.reserve(total);
  checkpoint();
}

void external_build::add_name(std::string_view name) {
  build_.names.insert(build_.names.end(), name.begin(), name.end());
  build_.names.push_back('\n');
}

void external_build::add(std::span<const minimizer_run> runs, taxon_node node) {
  std::size_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = idle_.back();
    idle_.pop_back();
  }
  buffer& to = buffers_[number];
  for (const minimizer_run& run : runs) {
    if (run.minimizer == no_minimizer) continue;
    if (to.size() == capacity_) {
      compact(to);
      if (to.size() > capacity_ / 2) put_away(to);
    }
    to.emplace_back(hash_(run.minimizer), node);
  }
  const std::lock_guard lock(mutex_);
  idle_.push_back(number);
}

void external_build::compact(buffer& full) const {
  sort_by_hash(full, 0, ~std::uint64_t{0});
  full.resize(keep_each_once(std::span(full), taxonomy_));
}

/// Makes a run of a sorted buffer.
void external_build::put_away(buffer& full) {
  if (full.empty()) return;
  const std::vector<std::uint32_t> starts = starts_of(full);
  packed_minimizer* to = nullptr;
  {
    const std::lock_guard lock(mutex_);
    stored_run& run = build_.runs.emplace_back();
    run.starts = starts;
    run.minimizers.room.reserve(full.size());
    to = run.minimizers.extend(full.size());
    in_runs_ += full.size();
  }
  store_.store().copy_in(to, std::as_bytes(std::span(full)));
  full.clear();
}

void external_build::end_batch(const scan_position& reached) {
  build_.file = reached.file;
  build_.records = reached.records;
  build_.sequences = counts_->sequences;
  build_.bases = counts_->bases;
  build_.skipped = counts_->skipped;
  if (!is_checkpoint_due()) return;
  // Few minimizers would make a short run.
  std::uint64_t collected = in_runs_;
  for (const buffer& one : buffers_) collected += one.size();
  if (collected < capacity_ * threads_ / 4) return;
  empty_buffers();
  in_runs_ = 0;
  checkpoint();
}

void external_build::empty_buffers() {
  workload::parallel_for(threads_, buffers_.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      compact(buffers_[i]);
      put_away(buffers_[i]);
    }
  });
}

// ---- merging ---------------------------------------------------------------------------------------------

void external_build::merge() {
  // Added up once: reading it of all runs for each range would bring in pages of each.
  std::vector<std::uint64_t> sizes(stored_run::ranges);
  for (const stored_run& run : build_.runs)
    for (std::uint64_t range = 0; range < stored_run::ranges; ++range)
      sizes[range] += run.starts[range + 1] - run.starts[range];
  const std::uint64_t total = std::accumulate(
      sizes.begin() + static_cast<std::ptrdiff_t>(build_.merged_ranges), sizes.end(), std::uint64_t{0});
  std::uint64_t done = 0;
  std::vector<buffer> pieces(threads_);
  while (build_.merged_ranges < stored_run::ranges) {
    const std::vector<std::uint64_t> cuts = next_cuts(sizes);
    for (std::uint64_t range = cuts.front(); range < cuts.back(); ++range) done += sizes[range];
    pieces.resize(cuts.size() - 1);
    workload::parallel_for(threads_, pieces.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) gather(pieces[i], cuts[i], cuts[i + 1]);
    });
    append_merged(pieces);
    store_.trim();  // What was read of runs is in memory.
    build_.merged_ranges = cuts.back();
    report(done, total, "minimizers");
    if (build_.merged_ranges < stored_run::ranges && is_checkpoint_due()) checkpoint();
  }
  drop(build_.runs);
  drop(build_.names);
  build_.stage = build_stage::filling;
  checkpoint();
}

/// Divides the next ranges into pieces, one for each thread, that fit in memory.
std::vector<std::uint64_t> external_build::next_cuts(const std::vector<std::uint64_t>& sizes) const {
  const std::uint64_t most = memory_ / threads_ / sizeof(packed_minimizer);
  std::vector<std::uint64_t> cuts{build_.merged_ranges};
  while (cuts.size() <= threads_ && cuts.back() < stored_run::ranges) {
    std::uint64_t end = cuts.back();
    std::uint64_t size = sizes[end];
    while (++end < stored_run::ranges && size + sizes[end] <= most) size += sizes[end];
    cuts.push_back(end);
  }
  return cuts;
}

/// Copies the minimizers of ranges from all runs, and merges them.
void external_build::gather(buffer& piece, std::uint64_t first_range, std::uint64_t last_range) const {
  std::uint64_t size = 0;
  for (const stored_run& run : build_.runs) size += run.starts[last_range] - run.starts[first_range];
  piece.resize(size);
  std::span<packed_minimizer> left(piece);
  for (const stored_run& run : build_.runs) {
    const std::uint32_t begin = run.starts[first_range];
    const std::uint32_t count = run.starts[last_range] - begin;
    run.minimizers.read(store_.store(), begin, left.first(count));
    left = left.subspan(count);
  }
  sort_by_hash(piece, first_range << range_shift, (last_range << range_shift) - 1);
  piece.resize(keep_each_once(std::span(piece), taxonomy_));
}

void external_build::append_merged(const std::vector<buffer>& pieces) {
  for (const buffer& piece : pieces) {
    packed_minimizer* const to = build_.merged.extend(piece.size());
    store_.store().copy_in(to, std::as_bytes(std::span(piece)));
    for (const packed_minimizer& one : piece) build_.used[one.node] = 1;
  }
}

// ---- filling ---------------------------------------------------------------------------------------------

void external_build::fill() {
  if (build_.pages == 0) {
    std::vector<bool> used(taxonomy_.size());
    for (std::size_t node = 0; node < used.size(); ++node) used[node] = build_.used[node] != 0;
    build_.pages = begin_layer(build_.layer, used, build_.merged.size, taxonomy_);
  }
  while (!fill_pages()) {
    drop(build_.layer.table);
    drop(build_.layer.rests);
    drop(build_.layer.odd);
    build_.in_layer = 0;
    build_.pages = more_pages(build_.pages);
  }
}

/// Fills the pages that are not filled. Returns false where a page has no room.
bool external_build::fill_pages() {
  stored_layer& layer = build_.layer;
  const std::size_t rest_bytes =
      table_page::size * cell_rest(build_.pages, layer.key_bits, hash_.bits()).bytes();
  const std::size_t page_bytes = sizeof(table_page) + rest_bytes;
  // The store has the pages of a step in memory until they are written.
  const std::size_t most = std::max<std::uint64_t>(
      1, std::min(options_.budget / 4 / page_bytes,
                  memory_ / 2 / (page_bytes + table_page::size * sizeof(packed_minimizer))));
  layer.table.reserve(build_.pages);
  layer.rests.reserve(build_.pages * rest_bytes);
  const std::uint64_t before = build_.in_layer;
  const std::uint64_t all = build_.merged.size;
  const packed_minimizer* const merged = build_.merged.data();
  buffer here;
  std::vector<table_page> pages;
  std::vector<std::uint8_t> rests;
  while (layer.table.size() < build_.pages) {
    const std::uint64_t first = layer.table.size();
    const std::size_t count = std::min<std::uint64_t>(most, build_.pages - first);
    pages.assign(count, table_page{});
    rests.assign(count * rest_bytes, 0);
    const page_filler filler(layer, build_.pages, first, pages, rests.data(), hash_.bits(), taxonomy_);
    const auto first_of = [&filler](std::uint64_t page, std::span<const packed_minimizer> some) {
      return std::partition_point(some.begin(), some.end(), [&](const packed_minimizer& one) {
        return filler.page_of(one.hash()) < page;
      });
    };
    const std::span<const packed_minimizer> left(merged + build_.in_layer, all - build_.in_layer);
    here.resize(static_cast<std::size_t>(first_of(first + count, left) - left.begin()));
    build_.merged.read(store_.store(), build_.in_layer, here);
    const std::size_t grain = (count + threads_ - 1) / threads_;
    std::vector<std::vector<minimizer_taxon>> odd(threads_);
    std::atomic<bool> has_room{true};
    workload::parallel_for(threads_, count, grain, [&](std::size_t begin, std::size_t end) {
      const auto last = first_of(first + end, here);
      for (auto one = first_of(first + begin, here); one != last; ++one)
        if (!filler.add({one->hash(), one->node}, odd[begin / grain])) has_room = false;
    });
    if (!has_room) return false;
    for (std::vector<minimizer_taxon>& some : odd) {
      std::sort(some.begin(), some.end(), has_smaller_hash);
      layer.odd.insert(layer.odd.end(), some.begin(), some.end());
    }
    layer.table.insert(layer.table.end(), pages.begin(), pages.end());
    layer.rests.insert(layer.rests.end(), rests.begin(), rests.end());
    build_.in_layer += here.size();
    // A full disk is an error here. Elsewhere it would be a page that cannot leave memory.
    store_.trim();
    report(build_.in_layer - before, all - before, "cells");
    if (layer.table.size() < build_.pages && is_checkpoint_due()) checkpoint();
  }
  return true;
}

}  // namespace perdure::kmer::detail
