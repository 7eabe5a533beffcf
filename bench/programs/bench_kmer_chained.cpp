// Look-ups of k-mers by an exact index, and by a chained hash table of the same k-mers as in the paper on
// DI-MMAP (Van Essen et al.: "DI-MMAP: a scalable memory-map runtime for out-of-core data-intensive
// applications", Cluster Computing 2015). Both are larger than memory and mapped by the pager. Prints JSON.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <perdure/kmer/exact_index.hpp>
#include <perdure/manager.hpp>
#include <perdure/pager.hpp>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "measure.hpp"

namespace perdure::bench {
namespace {

struct settings {
  std::filesystem::path store;
  std::filesystem::path file;
  unsigned threads = 16;
  double seconds = 5;
  unsigned share = 16;  // memory is this part of each table
};

/// A k-mer in the chain of its bucket.
struct chained_kmer {
  std::uint64_t hash;
  std::uint32_t next;  // number of the next one + 1, or 0
  std::uint32_t set;
};

/// A table of chains: the first k-mer of each bucket, then all k-mers.
class chained_table {
 public:
  /// Writes a table of these k-mers to a file, in the order in which they come.
  static void write(const std::filesystem::path& path, std::vector<chained_kmer> kmers) {
    std::vector<std::uint32_t> first(std::bit_ceil(kmers.size()));
    const unsigned shift = shift_of(first.size());
    for (std::uint32_t i = 0; i < kmers.size(); ++i) {
      std::uint32_t& head = first[kmers[i].hash >> shift];
      kmers[i].next = head;
      head = i + 1;
    }
    std::ofstream file(path, std::ios::binary);
    const std::uint64_t sizes[] = {first.size(), kmers.size()};
    file.write(reinterpret_cast<const char*>(sizes), sizeof sizes);
    file.write(reinterpret_cast<const char*>(first.data()),
               static_cast<std::streamsize>(first.size() * sizeof(std::uint32_t)));
    file.write(reinterpret_cast<const char*>(kmers.data()),
               static_cast<std::streamsize>(kmers.size() * sizeof(chained_kmer)));
    if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
  }

  explicit chained_table(const std::byte* bytes) {
    const auto* const sizes = reinterpret_cast<const std::uint64_t*>(bytes);
    first_ = {reinterpret_cast<const std::uint32_t*>(bytes + 2 * sizeof(std::uint64_t)), sizes[0]};
    kmers_ = reinterpret_cast<const chained_kmer*>(first_.data() + first_.size());
    shift_ = shift_of(first_.size());
  }
  bool has(std::uint64_t hash) const noexcept {
    for (std::uint32_t at = first_[hash >> shift_]; at != 0; at = kmers_[at - 1].next)
      if (kmers_[at - 1].hash == hash) return true;
    return false;
  }

 private:
  static unsigned shift_of(std::size_t buckets) noexcept {
    return 64 - static_cast<unsigned>(std::countr_zero(buckets));
  }

  std::span<const std::uint32_t> first_;
  const chained_kmer* kmers_ = nullptr;
  unsigned shift_ = 0;
};

/// Returns look-ups a second of random k-mers of `known`, all of which `has` must find.
template <class Has>
double rate_of(const settings& given, const std::vector<std::uint64_t>& known, Has&& has) {
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> missing{0};
  const stopwatch watch;
  {
    std::vector<std::jthread> running;
    for (unsigned thread = 0; thread < given.threads; ++thread)
      running.emplace_back([&, thread] {
        std::mt19937_64 random(thread + 1);
        std::uint64_t own = 0;
        for (; watch.wall() < given.seconds; ++own)
          if (!has(known[random() % known.size()])) ++missing;
        done += own;
      });
  }
  if (missing != 0) throw std::runtime_error("a table does not have a k-mer that it should have");
  return static_cast<double>(done) / watch.wall();
}

/// Writes the chained table in a random order, as genomes give it. Returns the hashes of some k-mers.
std::vector<std::uint64_t> write_chained(const settings& given) {
  const manager store(open_read_only, given.store);
  const kmer::exact_index index(store);
  std::vector<chained_kmer> kmers;
  for (const kmer::exact_table_view& table : index.tables())
    table.for_each(0, table.pages(), [&](std::uint64_t hash, std::uint32_t set) {
      kmers.push_back({hash, 0, set});
    });
  std::shuffle(kmers.begin(), kmers.end(), std::mt19937_64(1));
  constexpr std::size_t sampled = 1'000'000;
  std::vector<std::uint64_t> known;
  for (std::size_t i = 0; i < std::min(kmers.size(), sampled); ++i) known.push_back(kmers[i].hash);
  std::shuffle(kmers.begin(), kmers.end(), std::mt19937_64(2));
  chained_table::write(given.file, std::move(kmers));
  return known;
}

nlohmann::json two_levels(const settings& given, const std::vector<std::uint64_t>& known) {
  std::uint64_t bytes = 0;
  {
    const manager store(open_read_only, given.store);
    const kmer::exact_index index(store);
    for (const kmer::stored_exact_layer* const layer : index.stored_layers()) bytes += layer->bytes();
  }
  store_options options;
  options.backing = backing::paged;
  options.memory_budget = bytes / given.share;
  const manager store(open_read_only, given.store, options);
  const kmer::exact_index index(store);
  const double rate = rate_of(given, known, [&](std::uint64_t hash) {
    thread_local std::vector<kmer::taxon_count> room;
    return !index.find_hash(hash, room).empty();
  });
  return {{"bytes", bytes}, {"lookups_per_second", rate}};
}

nlohmann::json chained(const settings& given, const std::vector<std::uint64_t>& known) {
  const std::uint64_t bytes = std::filesystem::file_size(given.file);
  pager::options options;
  options.budget = bytes / given.share;
  pager::region region = pager::map(given.file, options);
  region.advise({0, region.size()}, pager::advice::random);
  const chained_table table(region.data());
  const double rate = rate_of(given, known, [&](std::uint64_t hash) { return table.has(hash); });
  return {{"bytes", bytes}, {"lookups_per_second", rate}};
}

int run(int argc, char** argv) {
  settings given;
  CLI::App parser("Look-ups by an exact index, and by a chained hash table of the same k-mers");
  parser.add_option("--store", given.store, "Store with an exact index")->required();
  parser.add_option("--file", given.file, "File that the chained table is written to")->required();
  parser.add_option("--threads", given.threads, "Number of threads");
  parser.add_option("--seconds", given.seconds, "Time of each measurement");
  parser.add_option("--share", given.share, "Memory is this part of each table");
  CLI11_PARSE(parser, argc, argv);
  const std::vector<std::uint64_t> known = write_chained(given);
  nlohmann::json value{{"two_levels", two_levels(given, known)}, {"chained", chained(given, known)}};
  std::filesystem::remove(given.file);
  std::cout << value.dump() << '\n';
  return 0;
}

}  // namespace
}  // namespace perdure::bench

int main(int argc, char** argv) {
  try {
    return perdure::bench::run(argc, argv);
  } catch (const std::exception& failure) {
    std::cerr << "bench_kmer_chained: " << failure.what() << '\n';
    return 1;
  }
}
