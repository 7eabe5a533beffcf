// Once minimizers are merged, each is there once: only then it is known how many pages the table has. The
// table is filled from front to back, as the place of a hash grows with the hash. What that changes is given
// up after each step, so it is not in memory for long.
#include "external_build.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <perdure/workload/parallel.hpp>
#include <utility>

#include "genome_scan.hpp"
#include "layer_table.hpp"
#include "minimizer_sets.hpp"
#include "page_filler.hpp"

namespace perdure::kmer::detail {

external_build::external_build(manager& store, stored_build& build, const taxonomy_view& taxonomy,
                               const build_options& options, std::function<void()> checkpoint)
    : minimizer_collector(options.scheme),
      store_(store),
      build_(build),
      taxonomy_(taxonomy),
      options_(options),
      pace_(options.checkpoint_interval, std::move(checkpoint)),
      hash_(options.scheme),
      memory_(options.budget / 4 * 3, options.threads),
      sort_(store, build.sorted, memory_, pace_,
            [this](std::span<packed_minimizer> sorted) { return keep_each_once(sorted, taxonomy_); }) {}

build_result external_build::run(const std::vector<std::filesystem::path>& genomes,
                                 const sequence_taxa& taxa) {
  if (build_.stage == build_stage::collecting) collect(genomes, taxa);
  if (build_.stage == build_stage::merging) merge();
  require_minimizers(build_.sorted.merged.size, options_.scheme);
  fill();
  build_result made = build_.scan.counts();
  build_.layer.sequences = made.sequences;
  build_.layer.bases = made.bases;
  made.minimizers = build_.sorted.merged.size;
  made.bytes = build_.layer.bytes();
  return made;
}

void external_build::report(std::uint64_t done, std::uint64_t total, std::string_view unit) const {
  if (options_.on_progress) options_.on_progress({done, total, unit});
}

void external_build::collect(const std::vector<std::filesystem::path>& genomes, const sequence_taxa& taxa) {
  scan_options how(options_.scheme.k, options_);
  how.threads = memory_.threads;
  genome_scan scan(taxonomy_, taxa, how, "", sizes_of_scan(memory_, sizeof(minimizer_run)));
  build_.scan.resume(scan);
  counts_ = &scan.counts();
  sort_.begin();
  scan.read(genomes, *this);
  sort_.end();
  build_.stage = build_stage::merging;
  build_.used.resize(taxonomy_.size());
  pace_.checkpoint();
}

std::size_t external_build::add_sequence(const sequence& one, std::optional<taxon_node> /*node*/) {
  build_.scan.add_name(one.name);
  return 0;
}

void external_build::add(std::span<const minimizer_run> runs, taxon_node node) {
  sort_.add(runs, [&](const minimizer_run& run) {
    return run.minimizer == no_minimizer
               ? std::nullopt
               : std::optional<packed_minimizer>(std::in_place, hash_(run.minimizer), node);
  });
}

void external_build::end_batch(const scan_position& reached) {
  build_.scan.reach(reached, *counts_);
  if (!sort_.is_checkpoint_due()) return;
  sort_.empty_buffers();
  pace_.checkpoint();
}

void external_build::merge() {
  sort_.merge(
      [this](std::span<const packed_minimizer> merged) {
        for (const packed_minimizer& one : merged) build_.used[one.node] = 1;
      },
      [this](std::uint64_t done, std::uint64_t total) { report(done, total, "minimizers"); });
  drop(build_.scan.names);
  build_.stage = build_stage::filling;
  pace_.checkpoint();
}

void external_build::fill() {
  if (build_.pages == 0) {
    std::vector<bool> used(taxonomy_.size());
    for (std::size_t node = 0; node < used.size(); ++node) used[node] = build_.used[node] != 0;
    build_.pages = begin_layer(build_.layer, used, build_.sorted.merged.size, taxonomy_);
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
                  memory_.bytes / 2 / (page_bytes + table_page::size * sizeof(packed_minimizer))));
  layer.table.reserve(build_.pages);
  layer.rests.reserve(build_.pages * rest_bytes);
  const std::uint64_t before = build_.in_layer;
  const std::uint64_t all = build_.sorted.merged.size;
  const packed_minimizer* const merged = build_.sorted.merged.data();
  std::vector<packed_minimizer> here;
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
    build_.sorted.merged.read(store_.store(), build_.in_layer, here);
    const std::size_t grain = (count + memory_.threads - 1) / memory_.threads;
    std::vector<std::vector<minimizer_taxon>> odd(memory_.threads);
    std::atomic<bool> has_room{true};
    workload::parallel_for(memory_.threads, count, grain, [&](std::size_t begin, std::size_t end) {
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
    if (layer.table.size() < build_.pages && pace_.is_due()) pace_.checkpoint();
  }
  return true;
}

}  // namespace perdure::kmer::detail
