// Look-ups are sorted by hash, which is the order of every layer's table. Threads cut pieces from them in
// this order, read the pages of a piece together, and look into the copies.
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <limits>
#include <mutex>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/kmer/batch_lookup.hpp>
#include <perdure/workload/parallel.hpp>
#include <string>
#include <utility>

namespace perdure::kmer {
namespace {

constexpr std::uint64_t most_piece_pages = 256;
/// Tables of which a batch needs fewer pages are read by faults: measuring would take longer than it saves.
constexpr std::uint64_t least_measured_pages = 1024;
/// Shares of a batch's pages that are read by a plan to measure it: at first, and each time that the other
/// plan was chosen for the batch before.
constexpr std::uint64_t first_share = 64;
constexpr std::uint64_t later_share = 256;
/// Parts of a batch, each read by one plan.
constexpr std::uint64_t parts_of_batch = 16;
constexpr std::uint64_t least_part_pages = 4096;
constexpr std::uint64_t all_pages = std::numeric_limits<std::uint64_t>::max();

/// Calls `each(hash, taxon)` for the runs with a minimizer.
template <class Each>
void for_each_lookup(const minimizer_hash& hash, const wanted_taxa& wanted, Each&& each) {
  for (std::size_t i = 0; i < wanted.runs.size(); ++i)
    if (wanted.runs[i].minimizer != no_minimizer) each(hash(wanted.runs[i].minimizer), wanted.taxa[i]);
}

}  // namespace

/// A layer's table, and the look-ups in it that were not given to a thread yet.
///
/// Thread safety: `next` and `stop` from any thread.
struct batch_lookup::layer_pieces {
  const minimizer_index& index;
  std::size_t layer;
  std::span<lookup> rest;
  std::mutex mutex{};
  std::uint64_t pages_taken = 0;

  std::uint64_t page_of(const lookup& one) const noexcept {
    return index.layers()[layer].table().place_of(one.hash).page;
  }
  /// Returns the first look-ups of the rest that need at most so many pages: those in between too, for a
  /// sweep.
  std::span<lookup> first(lookup_plan plan, std::uint64_t most_pages, std::uint64_t& pages) const noexcept {
    pages = 0;
    if (rest.empty()) return {};
    const std::uint64_t begin = page_of(rest[0]);
    std::uint64_t last = begin;
    pages = 1;
    std::size_t size = 1;
    for (; size < rest.size(); ++size) {
      const std::uint64_t page = page_of(rest[size]);
      if (page == last) continue;
      const std::uint64_t with_page = plan == lookup_plan::sweep ? page - begin + 1 : pages + 1;
      if (with_page > most_pages) break;
      pages = with_page;
      last = page;
    }
    return rest.first(size);
  }
  /// Takes a piece. Returns none at the end, or once `least_pages` were taken.
  std::span<lookup> next(lookup_plan plan, std::uint64_t piece_pages, std::uint64_t least_pages,
                         std::uint64_t& pages) {
    const std::lock_guard lock(mutex);
    pages = 0;
    if (pages_taken >= least_pages) return {};
    const std::span<lookup> piece = first(plan, piece_pages, pages);
    rest = rest.subspan(piece.size());
    pages_taken += pages;
    return piece;
  }
  void stop() {
    const std::lock_guard lock(mutex);
    rest = {};
  }
  /// Returns the number of pages that a plan reads for all look-ups.
  std::uint64_t pages_for(lookup_plan plan, std::uint64_t piece_pages) {
    std::uint64_t all = 0;
    std::uint64_t pages = 0;
    const std::span<lookup> whole = rest;
    while (!rest.empty()) {
      rest = rest.subspan(first(plan, piece_pages, pages).size());
      all += pages;
    }
    rest = whole;
    return all;
  }
};

batch_lookup::batch_lookup(const minimizer_index& index, lookup_options options)
    : index_(index), options_(std::move(options)) {
  options_.threads = std::max(options_.threads, 1U);
  piece_pages_ = std::clamp<std::uint64_t>(options_.buffer_bytes / sizeof(table_page) / options_.threads, 1,
                                           most_piece_pages);
  buffers_.resize(options_.threads);
}

void batch_lookup::find(std::span<const wanted_taxa> wanted) {
  for (const wanted_taxa& one : wanted) {
    if (one.runs.size() != one.taxa.size())
      throw error(errc::invalid_argument, std::to_string(one.runs.size()) + " runs of k-mers have " +
                                              std::to_string(one.taxa.size()) + " places for taxa");
    std::fill(one.taxa.begin(), one.taxa.end(), 0);
  }
  sort(wanted);
  for (std::size_t layer = 0; layer < index_.layers().size(); ++layer) find_in(layer);
}

// Hashes are even in their first bits. So look-ups are put into buckets by them, of which each is sorted.
void batch_lookup::sort(std::span<const wanted_taxa> wanted) {
  constexpr std::uint64_t bucket_size = 1024;
  constexpr unsigned most_bits = 20;
  const unsigned threads = options_.threads;
  std::uint64_t runs = 0;
  for (const wanted_taxa& one : wanted) runs += one.runs.size();
  const unsigned bits = std::clamp(static_cast<unsigned>(std::bit_width(runs / bucket_size)), 1U, most_bits);
  const auto bucket_of = [bits](std::uint64_t hash) { return hash >> (64 - bits); };
  std::vector<std::atomic<std::uint64_t>> places(std::size_t{1} << bits);
  workload::parallel_for(threads, wanted.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (const wanted_taxa& some : wanted.subspan(begin, end - begin))
      for_each_lookup(index_.hash(), some, [&](std::uint64_t hash, std::uint32_t&) {
        places[bucket_of(hash)].fetch_add(1, std::memory_order_relaxed);
      });
  });
  std::uint64_t count = 0;
  std::vector<std::uint64_t> begins;
  begins.reserve(places.size() + 1);
  for (std::atomic<std::uint64_t>& place : places) {
    begins.push_back(count);
    count += place.exchange(count, std::memory_order_relaxed);
  }
  begins.push_back(count);
  // Never the old memory and the new one at a time.
  if (lookups_.capacity() < count) lookups_ = {};
  lookups_.resize(count);
  workload::parallel_for(threads, wanted.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (const wanted_taxa& some : wanted.subspan(begin, end - begin))
      for_each_lookup(index_.hash(), some, [&](std::uint64_t hash, std::uint32_t& taxon) {
        lookups_[places[bucket_of(hash)].fetch_add(1, std::memory_order_relaxed)] = {hash, &taxon};
      });
  });
  workload::parallel_for(threads, places.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      std::sort(lookups_.data() + begins[i], lookups_.data() + begins[i + 1],
                [](const lookup& a, const lookup& b) { return a.hash < b.hash; });
  });
}

void batch_lookup::find_in(std::size_t layer) {
  std::span<lookup> rest(lookups_);
  if (options_.plan != lookup_plan::automatic) {
    read(layer, options_.plan, rest, all_pages);
    return;
  }
  layer_pieces all{index_, layer, rest};
  plan_choice choice;
  choice.faults.pages = all.pages_for(lookup_plan::faults, piece_pages_);
  choice.sweep.pages = all.pages_for(lookup_plan::sweep, piece_pages_);
  if (choice.faults.pages >= least_measured_pages) {
    for (const lookup_plan one : {lookup_plan::faults, lookup_plan::sweep})
      if (one != last_chosen_)
        rest = read(layer, one, rest,
                    choice.faults.pages / (recently_by(one).pages == 0 ? first_share : later_share));
  }
  choose(choice);
  if (options_.on_choice && choice.faults.pages != 0) options_.on_choice(choice);
  // Devices do not keep their rates, so the choice is made again before each part.
  for (; !rest.empty(); choose(choice)) {
    const bool sweeps = choice.chosen == lookup_plan::sweep;
    const std::uint64_t pages = sweeps ? choice.sweep.pages : choice.faults.pages;
    rest = read(layer, choice.chosen, rest, std::max(pages / parts_of_batch, least_part_pages));
    last_chosen_ = choice.chosen;
  }
}

/// Chooses the plan that takes less time for the pages, at the rates of late.
void batch_lookup::choose(plan_choice& choice) const noexcept {
  choice.faults.pages_per_second = recently_by(lookup_plan::faults).pages_per_second();
  choice.sweep.pages_per_second = recently_by(lookup_plan::sweep).pages_per_second();
  const bool sweeps = static_cast<double>(choice.sweep.pages) * choice.faults.pages_per_second <
                      static_cast<double>(choice.faults.pages) * choice.sweep.pages_per_second;
  choice.chosen = sweeps ? lookup_plan::sweep : lookup_plan::faults;
}

/// Reads at least so many pages if there are, and returns the look-ups that are left.
std::span<batch_lookup::lookup> batch_lookup::read(std::size_t layer, lookup_plan plan,
                                                   std::span<lookup> lookups, std::uint64_t least_pages) {
  const auto began = std::chrono::steady_clock::now();
  layer_pieces pieces{index_, layer, lookups};
  workload::run_threads(options_.threads, [&](unsigned thread) {
    try {
      for (;;) {
        std::uint64_t pages = 0;
        const std::span<lookup> piece = pieces.next(plan, piece_pages_, least_pages, pages);
        if (piece.empty()) return;
        std::vector<table_page>& buffer = buffers_[thread];
        if (buffer.size() < pages) buffer.resize(piece_pages_);
        read_piece(layer, piece, plan == lookup_plan::sweep, buffer);
        if (options_.on_pages) options_.on_pages(pages);
      }
    } catch (...) {
      pieces.stop();
      throw;
    }
  });
  const plan_work work{pieces.pages_taken,
                       std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count()};
  done_[number_of(plan)].add(work);
  // Earlier measurements count half.
  plan_work& recent = recent_[number_of(plan)];
  recent = {recent.pages / 2, recent.seconds / 2};
  recent.add(work);
  return pieces.rest;
}

void batch_lookup::read_piece(std::size_t layer, std::span<lookup> piece, bool has_gaps,
                              std::vector<table_page>& pages) {
  const stored_layer& stored = *index_.stored_layers()[layer];
  const layer_view& view = index_.layers()[layer];
  const auto page_of = [&view](const lookup& one) { return view.table().place_of(one.hash).page; };
  const std::uint64_t first = page_of(piece.front());
  std::vector<page_copy> copies;
  std::uint64_t next = all_pages;  // page behind those that are copied
  std::size_t taken = 0;
  const auto take = [&](std::uint64_t page, std::uint64_t count) {
    if (page != next)
      copies.push_back({reinterpret_cast<std::byte*>(pages.data() + taken), stored.table.data() + page, 0});
    copies.back().bytes += count * sizeof(table_page);
    taken += count;
    next = page + count;
  };
  if (has_gaps) {
    take(first, page_of(piece.back()) - first + 1);
  } else {
    for (const lookup& one : piece)
      if (const std::uint64_t page = page_of(one); page + 1 != next) take(page, 1);
  }
  index_.store().copy_out(copies);

  const table_view copied({pages.data(), taken}, stored.key_bits);
  std::uint64_t page = first;
  std::uint64_t copy = 0;  // number of the page's copy
  std::uint64_t last = 0;  // hash before
  std::uint32_t found = 0;
  for (const lookup& one : piece) {
    if (&one == piece.data() || one.hash != last) {
      table_place place = view.table().place_of(one.hash);
      if (place.page != page) copy += has_gaps ? place.page - page : 1;
      page = place.page;
      place.page = copy;
      last = one.hash;
      found = view.number_of(copied.find(place));
    }
    *one.taxon = index_.both(*one.taxon, found);
  }
}

}  // namespace perdure::kmer
