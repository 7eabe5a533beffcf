// Look-ups of random minimizers in a k-mer index that is larger than memory: one by one in the kernel's
// mapping and by the pager, and in batches by each plan; and what the device itself can do. Prints JSON.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <perdure/kmer/batch_lookup.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/manager.hpp>
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
  unsigned threads = 16;
  double seconds = 5;
  std::string mapping = "random";  // of look-ups one by one
  std::uint64_t budget = std::uint64_t{256} << 20;
  std::uint64_t batch = 1'000'000;  // number of look-ups
  std::uint64_t batches = 1;
  kmer::lookup_plan plan = kmer::lookup_plan::automatic;
};

/// Calls `work(number of the thread, random numbers)` again and again on all threads for the given time, and
/// returns how many times a second.
template <class Work>
double rate_of(unsigned threads, double seconds, Work&& work) {
  std::atomic<std::uint64_t> done{0};
  const stopwatch watch;
  {
    std::vector<std::jthread> running;
    for (unsigned thread = 0; thread < threads; ++thread)
      running.emplace_back([&, thread] {
        std::mt19937_64 random(thread + 1);
        std::uint64_t own = 0;
        while (watch.wall() < seconds) {
          work(thread, random);
          ++own;
        }
        done += own;
      });
  }
  return static_cast<double>(done) / watch.wall();
}

/// A file that is read past the page cache.
class direct_file {
 public:
  explicit direct_file(const std::filesystem::path& path)
      : opened_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT)) {
    if (opened_ < 0) throw std::runtime_error("cannot read " + path.string() + " past the page cache");
  }
  direct_file(const direct_file&) = delete;
  direct_file& operator=(const direct_file&) = delete;
  ~direct_file() { ::close(opened_); }

  /// Returns where the pieces of so many bytes are that have no hole. Holes are read without the device.
  std::vector<std::uint64_t> whole_pieces(std::uint64_t piece) const {
    std::vector<std::uint64_t> pieces;
    for (off_t data = ::lseek(opened_, 0, SEEK_DATA); data >= 0;) {
      const off_t hole = ::lseek(opened_, data, SEEK_HOLE);
      if (hole < 0) break;
      for (std::uint64_t at = (static_cast<std::uint64_t>(data) + piece - 1) / piece * piece;
           at + piece <= static_cast<std::uint64_t>(hole); at += piece)
        pieces.push_back(at);
      data = ::lseek(opened_, hole, SEEK_DATA);
    }
    if (pieces.empty()) throw std::runtime_error("the store has too few bytes to measure the device");
    return pieces;
  }
  void read(std::byte* to, std::size_t bytes, std::uint64_t offset) const {
    if (::pread(opened_, to, bytes, static_cast<off_t>(offset)) != static_cast<ssize_t>(bytes))
      throw std::runtime_error("cannot read from the device");
  }

 private:
  int opened_;
};

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

nlohmann::json device(const settings& given) {
  const direct_file file(given.store / "heap.000");
  constexpr std::size_t most_threads = 256;
  const std::unique_ptr<std::byte, decltype(&std::free)> memory(
      static_cast<std::byte*>(std::aligned_alloc(page_bytes, most_threads * piece_bytes)), &std::free);
  const std::vector<std::uint64_t> pieces = file.whole_pieces(piece_bytes);
  double random_rate = 0;
  double sequential_rate = 0;
  for (const unsigned threads : {16U, 64U, 256U})
    random_rate =
        std::max(random_rate, rate_of(threads, given.seconds, [&](unsigned thread, std::mt19937_64& random) {
                   const std::uint64_t page = random() % (piece_bytes / page_bytes);
                   file.read(memory.get() + thread * piece_bytes, page_bytes,
                             pieces[random() % pieces.size()] + page * page_bytes);
                 }));
  for (const unsigned threads : {1U, 4U, 16U}) {
    std::atomic<std::uint64_t> next{0};
    const double taken = rate_of(threads, given.seconds, [&](unsigned thread, std::mt19937_64&) {
      file.read(memory.get() + thread * piece_bytes, piece_bytes, pieces[next++ % pieces.size()]);
    });
    sequential_rate = std::max(sequential_rate, taken * (piece_bytes / page_bytes));
  }
  return {{"random_pages_per_second", random_rate}, {"sequential_pages_per_second", sequential_rate}};
}

/// Drops what the page cache has of the store.
void drop_cached(const std::filesystem::path& store) {
  for (const auto& entry : std::filesystem::directory_iterator(store)) {
    const int opened = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) continue;
    ::posix_fadvise(opened, 0, 0, POSIX_FADV_DONTNEED);
    ::close(opened);
  }
}

store_options options_of(bool is_paged, std::uint64_t budget) {
  store_options options;
  if (!is_paged) return options;
  options.backing = backing::paged;
  options.memory_budget = budget;
  return options;
}

nlohmann::json one_by_one(const settings& given) {
  drop_cached(given.store);
  const bool is_paged = given.mapping == "paged";
  const manager store(open_read_only, given.store, options_of(is_paged, given.budget));
  const kmer::minimizer_index index(store);
  if (!is_paged)
    for (const kmer::stored_layer* const layer : index.stored_layers())
      ::madvise(const_cast<kmer::table_page*>(layer->table.data()),
                layer->table.size() * sizeof(kmer::table_page),
                given.mapping == "random" ? MADV_RANDOM : MADV_NORMAL);
  std::atomic<std::uint64_t> found{0};
  const double rate = rate_of(given.threads, given.seconds, [&](unsigned, std::mt19937_64& random) {
    constexpr std::uint64_t few = 16;
    std::uint64_t with_taxon = 0;
    for (std::uint64_t i = 0; i < few; ++i) with_taxon += index.find(random() >> 2) != 0;
    found += with_taxon;
  });
  return {{"lookups_per_second", rate * 16}, {"found", found.load()}};
}

nlohmann::json in_batches(const settings& given) {
  const manager store(open_read_only, given.store, options_of(true, given.budget / 8));
  const kmer::minimizer_index index(store);
  kmer::batch_lookup lookups(
      index, {.plan = given.plan, .threads = given.threads, .buffer_bytes = given.budget / 4});
  std::mt19937_64 random(1);
  std::vector<kmer::minimizer_run> runs(given.batch);
  std::vector<std::uint32_t> taxa(given.batch);
  double seconds = 0;
  for (std::uint64_t batch = 0; batch < given.batches; ++batch) {
    for (kmer::minimizer_run& run : runs) run.minimizer = random() >> 2;
    const stopwatch watch;
    lookups.find(std::array{kmer::wanted_taxa{runs, taxa}});
    seconds += watch.wall();
  }
  nlohmann::json value{{"lookups_per_second", static_cast<double>(given.batch * given.batches) / seconds},
                       {"seconds", seconds}};
  for (const auto& [name, plan] :
       {std::pair{"faults", kmer::lookup_plan::faults}, std::pair{"sweep", kmer::lookup_plan::sweep}}) {
    const kmer::plan_work& work = lookups.done_by(plan);
    value[name] = {
        {"pages", work.pages}, {"seconds", work.seconds}, {"pages_per_second", work.pages_per_second()}};
  }
  return value;
}

int run(int argc, char** argv) {
  settings given;
  CLI::App parser("Look-ups in a k-mer index that is larger than memory");
  parser.require_subcommand(1);
  parser.add_option("--store", given.store, "Store with an index")->required();
  parser.add_option("--threads", given.threads, "Number of threads");
  parser.add_option("--seconds", given.seconds, "Time of each measurement but those of batches");
  CLI::App* const of_device = parser.add_subcommand("device", "Pages a second that the device can read");
  CLI::App* const single = parser.add_subcommand("one-by-one", "Look-ups that each wait for a page");
  single->add_option("--mapping", given.mapping, "random, normal or paged")
      ->check(CLI::IsMember({"random", "normal", "paged"}));
  CLI::App* const batch = parser.add_subcommand("batch", "Look-ups in batches");
  for (CLI::App* const command : {single, batch})
    command->add_option("--budget", given.budget, "Bytes of memory");
  batch->add_option("--lookups", given.batch, "Number of look-ups in a batch");
  batch->add_option("--batches", given.batches, "Number of batches");
  batch->add_option("--plan", given.plan, "faults, sweep or auto")
      ->transform(CLI::CheckedTransformer(
          std::vector<std::pair<std::string, kmer::lookup_plan>>{{"faults", kmer::lookup_plan::faults},
                                                                 {"sweep", kmer::lookup_plan::sweep},
                                                                 {"auto", kmer::lookup_plan::automatic}}));
  CLI11_PARSE(parser, argc, argv);
  std::cout << (*of_device ? device(given) : *single ? one_by_one(given) : in_batches(given)).dump() << '\n';
  return 0;
}

}  // namespace
}  // namespace perdure::bench

int main(int argc, char** argv) {
  try {
    return perdure::bench::run(argc, argv);
  } catch (const std::exception& failure) {
    std::cerr << "bench_kmer_lookups: " << failure.what() << '\n';
    return 1;
  }
}
