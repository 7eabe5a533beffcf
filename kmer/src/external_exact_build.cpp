// Once k-mers are merged, the set of taxa of each is found, and k-mers are written with the numbers of their
// sets. When all sets are known, pages are filled from front to back. That is done anew where a build was
// killed meanwhile, as it reads and writes once what is there.
//
// Sets are in memory, each once. What else changes is given up after each step.
#include "external_exact_build.hpp"

#include <algorithm>
#include <cstddef>
#include <perdure/workload/parallel.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "exact_pages.hpp"
#include "genome_scan.hpp"

namespace perdure::kmer::detail {
namespace {

/// K-mers in a store by their place, through a window of memory that moves forward.
class window_of_kmers {
 public:
  window_of_kmers(datastore& store, const stored_entries<numbered_kmer>& all, std::size_t size)
      : store_(store), all_(all), size_(size) {}

  const numbered_kmer& operator[](std::uint64_t place) const {
    if (place < first_ || place - first_ >= here_.size()) {
      first_ = place;
      here_.resize(std::min<std::uint64_t>(size_, all_.size - place));
      all_.read(store_, first_, here_);
    }
    return here_[place - first_];
  }

 private:
  datastore& store_;
  const stored_entries<numbered_kmer>& all_;
  std::size_t size_;
  mutable std::uint64_t first_ = 0;
  mutable std::vector<numbered_kmer> here_;
};

/// Some of the k-mers by their place among all.
struct placed_kmers {
  std::span<const numbered_kmer> some;
  std::uint64_t first = 0;

  const numbered_kmer& operator[](std::uint64_t place) const noexcept { return some[place - first]; }
};

/// Returns the end of the last k-mer that begins before `at`, with all its counts.
std::size_t end_of_kmer(std::span<const kmer_count> sorted, std::size_t at) {
  while (at > 0 && at < sorted.size() && sorted[at].hash == sorted[at - 1].hash) ++at;
  return at;
}

}  // namespace

external_exact_build::external_exact_build(manager& store, stored_exact_build& build,
                                           const taxonomy_view& taxonomy, const exact_options& options,
                                           std::function<void()> checkpoint)
    : kmer_collector(options.k),
      store_(store),
      build_(build),
      taxonomy_(taxonomy),
      options_(options),
      pace_(options.checkpoint_interval, std::move(checkpoint)),
      memory_(options.budget / 4 * 3, options.threads),
      sort_(store, build.sorted, memory_, pace_, add_up_counts) {}

exact_result external_exact_build::run(const std::vector<std::filesystem::path>& genomes,
                                       const sequence_taxa& taxa) {
  if (build_.stage == build_stage::collecting) collect(genomes, taxa);
  if (build_.stage == build_stage::merging) merge();
  if (build_.kmers == 0) throw_nothing_to_index(options_.k);
  fill();
  exact_result made;
  made.sequences = build_.scan.sequences;
  made.bases = build_.scan.bases;
  made.skipped = build_.scan.skipped;
  made.kmers = build_.layer.kmers;
  made.occurrences = build_.layer.occurrences;
  made.bytes = build_.layer.bytes();
  made.layers = 1;
  return made;
}

void external_exact_build::report(std::uint64_t done, std::uint64_t total) const {
  if (options_.on_progress) options_.on_progress({done, total, "k-mers"});
}

void external_exact_build::collect(const std::vector<std::filesystem::path>& genomes,
                                   const sequence_taxa& taxa) {
  scan_options how(options_.k, options_);
  how.threads = memory_.threads;
  genome_scan scan(taxonomy_, taxa, how, "", sizes_of_scan(memory_, sizeof(kmer_count)));
  build_.scan.resume(scan);
  counts_ = &scan.counts();
  sort_.begin();
  scan.read(genomes, *this);
  sort_.end();
  build_.stage = build_stage::merging;
  pace_.checkpoint();
}

std::size_t external_exact_build::add_sequence(const sequence& one, std::optional<taxon_node> node) {
  build_.scan.add_name(one.name);
  return kmer_collector::add_sequence(one, node);
}

void external_exact_build::add(std::span<const kmer_count> some) {
  sort_.add(some, [](const kmer_count& one) { return std::optional(one); });
}

void external_exact_build::end_batch(const scan_position& reached) {
  for (const named_sequence& one : sequences()) {
    build_.names.insert(build_.names.end(), one.name.begin(), one.name.end());
    build_.sequences.push_back(one.counts);
    build_.sequences.back().name_end = build_.names.size();
  }
  forget_sequences();
  build_.scan.reach(reached, *counts_);
  if (!sort_.is_checkpoint_due()) return;
  sort_.empty_buffers();
  pace_.checkpoint();
}

void external_exact_build::merge() {
  sort_.merge([this](std::span<const kmer_count> merged) { build_.kmers += distinct_kmers(merged); },
              [this](std::uint64_t done, std::uint64_t total) { report(done, total); });
  drop(build_.scan.names);
  build_.stage = build_stage::filling;
  pace_.checkpoint();
}

void external_exact_build::fill() {
  build_.layer = {};
  build_.numbered.size = 0;
  build_.numbered.room.reserve(build_.kmers);
  fill_pages(number_all());
  store_all_sequences();
}

/// Writes all k-mers with the numbers that their sets have in the order they are seen. Stores the sets, and
/// returns the number of each in the layer.
std::vector<std::uint32_t> external_exact_build::number_all() {
  const std::size_t most = memory_.bytes / 2 / (sizeof(kmer_count) + sizeof(numbered_kmer));
  const std::uint64_t all = build_.sorted.merged.size;
  taxon_sets sets;
  std::vector<kmer_count> here;
  std::vector<numbered_kmers> parts;
  std::size_t wanted = most;
  for (std::uint64_t done = 0; done < all;) {
    here.resize(std::min<std::uint64_t>(wanted, all - done));
    build_.sorted.merged.read(store_.store(), done, here);
    // The counts of the last k-mer may go on behind the end.
    std::size_t end = here.size();
    if (done + end < all)
      while (end > 0 && here[end - 1].hash == here.back().hash) --end;
    if (end == 0) {
      wanted *= 2;
      continue;
    }
    const std::span<const kmer_count> whole(here.data(), end);
    std::vector<std::size_t> cuts{0};
    while (cuts.back() < end)
      cuts.push_back(end_of_kmer(whole, std::min(cuts.back() + end / memory_.threads + 1, end)));
    parts.assign(cuts.size() - 1, {});
    workload::parallel_for(memory_.threads, parts.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        parts[i] = number_kmers(whole.subspan(cuts[i], cuts[i + 1] - cuts[i]), taxonomy_, options_.prune);
    });
    for (numbered_kmers& part : parts) {
      std::vector<std::uint32_t> numbers;
      for (const taxon_set& one : part.sets.all()) numbers.push_back(sets.number_of(one.bytes, one.kmers));
      for (numbered_kmer& one : part.kmers) one.set = numbers[one.set];
      build_.layer.occurrences += part.occurrences;
      build_.numbered.append(store_.store(), part.kmers);
    }
    store_.trim();
    done += end;
    report(done, 2 * all);
  }
  build_.layer.kmers = build_.numbered.size;
  return store_sets(build_.layer, sets);
}

/// Fills the pages of the layer. `numbers` has the number in the layer for the number of each set.
void external_exact_build::fill_pages(const std::vector<std::uint32_t>& numbers) {
  stored_exact_layer& layer = build_.layer;
  const std::size_t window = memory_.bytes / 4 / sizeof(numbered_kmer);
  const exact_page_layout layout = layout_of_pages(window_of_kmers(store_.store(), build_.numbered, window),
                                                   layer.kmers, numbers.size(), hash().bits());
  layer.key_bytes = layout.key_bytes;
  layer.number_bytes = layout.number_bytes;
  const std::uint64_t capacity = layout.capacity();
  const std::uint64_t all = (layer.kmers + capacity - 1) / capacity;
  // The store has the pages of a step in memory until they are written.
  const std::uint64_t most = std::max<std::uint64_t>(
      1, std::min(options_.budget / 4 / sizeof(exact_page),
                  memory_.bytes / 2 / (sizeof(exact_page) + capacity * sizeof(numbered_kmer))));
  layer.pages.reserve(all);
  layer.firsts.reserve(all);
  std::vector<numbered_kmer> here;
  std::vector<exact_page> pages;
  std::vector<std::uint64_t> firsts;
  const std::uint64_t total = build_.sorted.merged.size;
  while (layer.pages.size() < all) {
    const std::uint64_t first = layer.pages.size();
    const std::uint64_t count = std::min(most, all - first);
    pages.assign(count, exact_page{});
    firsts.assign(count, 0);
    here.resize(std::min(count * capacity, layer.kmers - first * capacity));
    build_.numbered.read(store_.store(), first * capacity, here);
    for (numbered_kmer& one : here) one.set = numbers[one.set];
    fill_exact_pages(pages, firsts, first, placed_kmers{here, first * capacity}, layer.kmers, layout,
                     memory_.threads);
    layer.pages.insert(layer.pages.end(), pages.begin(), pages.end());
    layer.firsts.insert(layer.firsts.end(), firsts.begin(), firsts.end());
    // A full disk is an error here. Elsewhere it would be a page that cannot leave memory.
    store_.trim();
    report(total + total * layer.pages.size() / all, 2 * total);
  }
}

void external_exact_build::store_all_sequences() {
  std::vector<named_sequence> all;
  std::uint64_t begin = 0;
  for (const stored_sequence& one : build_.sequences) {
    const std::string_view name(build_.names.data() + begin, one.name_end - begin);
    all.push_back({std::string(name), one});
    begin = one.name_end;
  }
  store_sequences(build_.layer, std::move(all));
}

}  // namespace perdure::kmer::detail
