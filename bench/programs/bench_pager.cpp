// Touching a file larger than memory: the pager beside the kernel's mappings and plain reads.
//
// One peer and one workload a run, in a process that bench/run.py puts under a memory limit. Prints JSON.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <perdure/pager.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "measure.hpp"
#include "paging_counters.hpp"
#include "peers/message_pager.hpp"
#include "peers/translated_file.hpp"

namespace perdure::bench {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t words_of_page = page_bytes / sizeof(std::uint64_t);

struct settings {
  std::string peer = "pager";
  std::string workload = "uniform";
  std::filesystem::path file;
  std::uint64_t bytes = 0;
  std::uint64_t budget = 0;
  unsigned threads = 1;
  double seconds = 2;
  double warm_up = 1;
  std::uint64_t seed = 1;
  std::size_t batch = 128;
};

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

class random_numbers {
 public:
  // Neighbouring seeds must not give the same numbers one step later.
  explicit random_numbers(std::uint64_t seed) noexcept : state_(mixed(seed)) {}
  std::uint64_t next() noexcept { return mixed(state_ += 0x9e3779b97f4a7c15U); }
  std::uint64_t below(std::uint64_t end) noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<wide>(next()) * end >> 64);
  }
  double fraction() noexcept { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static std::uint64_t mixed(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
  }

  std::uint64_t state_;
};

// Ranks by Zipf's law, by rejection and inversion (Hörmann and Derflinger 1996); spread over all numbers.
class zipf_numbers {
 public:
  zipf_numbers(std::uint64_t count, double exponent)
      : count_(count),
        exponent_(exponent),
        first_(integral(1.5) - 1),
        last_(integral(static_cast<double>(count) + 0.5)),
        cut_(2 - inverse(integral(2.5) - std::pow(2, -exponent))) {}

  std::uint64_t draw(random_numbers& random) const noexcept {
    for (;;) {
      const double u = last_ + random.fraction() * (first_ - last_);
      const double x = inverse(u);
      const double k = std::min(std::max(std::floor(x + 0.5), 1.0), static_cast<double>(count_));
      if (k - x <= cut_ || u >= integral(k + 0.5) - std::pow(k, -exponent_))
        return random_numbers(static_cast<std::uint64_t>(k)).below(count_);
    }
  }

 private:
  double integral(double x) const noexcept { return (std::pow(x, 1 - exponent_) - 1) / (1 - exponent_); }
  double inverse(double x) const noexcept { return std::pow(1 + x * (1 - exponent_), 1 / (1 - exponent_)); }

  std::uint64_t count_;
  double exponent_;
  double first_;
  double last_;
  double cut_;
};

/// A file of words, each of which is its own number, so that it is sorted and every read can be checked.
void make_file(const std::filesystem::path& path, std::uint64_t bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) fail("open " + path.string());
  std::vector<std::uint64_t> part(words_of_page * 256);
  for (std::uint64_t at = 0; at < bytes; at += part.size() * sizeof(std::uint64_t)) {
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = at / sizeof(std::uint64_t) + i;
    const std::size_t wanted = std::min<std::uint64_t>(part.size() * sizeof(std::uint64_t), bytes - at);
    if (::pwrite(file, part.data(), wanted, static_cast<off_t>(at)) != static_cast<ssize_t>(wanted))
      fail("write " + path.string());
  }
  ::fdatasync(file);
  ::close(file);
}

/// How a workload gets at the file. A thread has one of its own.
class words {
 public:
  virtual ~words() = default;
  virtual std::uint64_t read(std::uint64_t word) = 0;
  virtual void add(std::uint64_t word, std::uint64_t more) = 0;
  virtual std::uint64_t sum(std::uint64_t first, std::uint64_t end) = 0;
  virtual void announce(const std::vector<std::uint64_t>& pages) = 0;
};

class words_in_memory final : public words {
 public:
  words_in_memory(std::uint64_t* base, pager::region* region) : base_(base), region_(region) {}
  std::uint64_t read(std::uint64_t word) override {
    return static_cast<volatile std::uint64_t*>(base_)[word];
  }
  void add(std::uint64_t word, std::uint64_t more) override {
    std::atomic_ref(base_[word]).fetch_add(more, std::memory_order_relaxed);
  }
  std::uint64_t sum(std::uint64_t first, std::uint64_t end) override {
    std::uint64_t total = 0;
    for (std::uint64_t i = first; i < end; ++i) total += base_[i];
    return total;
  }
  void announce(const std::vector<std::uint64_t>& pages) override {
    if (region_ == nullptr) {
      for (const std::uint64_t page : pages)
        ::madvise(base_ + page * words_of_page, page_bytes, MADV_WILLNEED);
      return;
    }
    std::vector<pager::byte_range> ranges;
    for (const std::uint64_t page : pages) ranges.push_back({page * page_bytes, page_bytes});
    region_->prefetch(ranges);
  }

 private:
  std::uint64_t* base_;
  pager::region* region_;
};

class words_by_calls final : public words {
 public:
  explicit words_by_calls(int file)
      : file_(file), buffer_(static_cast<std::uint64_t*>(std::aligned_alloc(page_bytes, most)), &std::free) {}
  std::uint64_t read(std::uint64_t word) override {
    get(word / words_of_page * page_bytes, page_bytes);
    return buffer_.get()[word % words_of_page];
  }
  void add(std::uint64_t word, std::uint64_t more) override {
    const std::uint64_t at = word / words_of_page * page_bytes;
    get(at, page_bytes);
    buffer_.get()[word % words_of_page] += more;
    if (::pwrite(file_, buffer_.get(), page_bytes, static_cast<off_t>(at)) != page_bytes) fail("write");
  }
  std::uint64_t sum(std::uint64_t first, std::uint64_t end) override {
    std::uint64_t total = 0;
    for (std::uint64_t at = first; at < end;) {
      // Whole pages are to be had only.
      const std::uint64_t begin = at / words_of_page * words_of_page;
      const std::uint64_t pages =
          std::min<std::uint64_t>(most / page_bytes, (end - begin + words_of_page - 1) / words_of_page);
      get(begin * sizeof(std::uint64_t), pages * page_bytes);
      const std::uint64_t part_end = std::min(end, begin + pages * words_of_page);
      for (; at < part_end; ++at) total += buffer_.get()[at - begin];
    }
    return total;
  }
  void announce(const std::vector<std::uint64_t>&) override {}

 private:
  static constexpr std::size_t most = std::size_t{1} << 20;
  void get(std::uint64_t at, std::size_t bytes) {
    if (::pread(file_, buffer_.get(), bytes, static_cast<off_t>(at)) != static_cast<ssize_t>(bytes))
      fail("read");
  }
  int file_;
  std::unique_ptr<std::uint64_t, decltype(&std::free)> buffer_;
};

class translated_words final : public words {
 public:
  explicit translated_words(translated_file& file) : file_(file) {}
  std::uint64_t read(std::uint64_t word) override {
    return file_.with(word, false, [](std::uint64_t& there) { return there; });
  }
  void add(std::uint64_t word, std::uint64_t more) override {
    file_.with(word, true, [more](std::uint64_t& there) { return there += more; });
  }
  std::uint64_t sum(std::uint64_t first, std::uint64_t end) override {
    std::uint64_t total = 0;
    for (std::uint64_t i = first; i < end; ++i) total += read(i);
    return total;
  }
  void announce(const std::vector<std::uint64_t>&) override {}

 private:
  translated_file& file_;
};

/// The file as one peer has it.
class peer {
 public:
  explicit peer(const settings& wanted) : bytes_(wanted.bytes) {
    const bool stores = wanted.workload == "update" || wanted.workload == "replace";
    const int access = stores ? O_RDWR : O_RDONLY;
    // What other runs left in the page cache would be read for nothing.
    const int cached = ::open(wanted.file.c_str(), O_RDONLY | O_CLOEXEC);
    if (cached < 0) fail("open " + wanted.file.string());
    ::fdatasync(cached);
    ::posix_fadvise(cached, 0, 0, POSIX_FADV_DONTNEED);
    ::close(cached);
    if (wanted.peer == "pager") {
      pager::options o;
      o.budget = wanted.budget;
      o.mode = stores ? pager::mode::write_back : pager::mode::read_only;
      region_ = pager::map(wanted.file, o);
      base_ = reinterpret_cast<std::uint64_t*>(region_->data());
      return;
    }
    if (wanted.peer == "translation") {
      translated_.emplace(wanted.file, wanted.budget, stores);
      return;
    }
    if (wanted.peer == "messages") {
      if (stores) throw std::invalid_argument("the peer by messages only reads");
      messages_.emplace(wanted.file, bytes_, wanted.budget);
      // Nothing is stored to it.
      base_ = const_cast<std::uint64_t*>(messages_->data());
      return;
    }
    file_ = ::open(wanted.file.c_str(), access | O_CLOEXEC | (wanted.peer == "pread" ? O_DIRECT : 0));
    if (file_ < 0) fail("open " + wanted.file.string());
    if (wanted.peer == "pread") return;
    void* const mapped =
        ::mmap(nullptr, bytes_, stores ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file_, 0);
    if (mapped == MAP_FAILED) fail("mmap");
    base_ = static_cast<std::uint64_t*>(mapped);
    if (wanted.peer == "mmap_random") {
      ::madvise(mapped, bytes_, MADV_RANDOM);
    } else if (wanted.peer != "mmap") {
      throw std::invalid_argument("no such peer: " + wanted.peer);
    }
  }
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;
  ~peer() {
    if (!region_ && !messages_ && base_ != nullptr) ::munmap(base_, bytes_);
    if (file_ >= 0) ::close(file_);
  }

  std::unique_ptr<words> for_thread() {
    if (translated_) return std::make_unique<translated_words>(*translated_);
    if (base_ == nullptr) return std::make_unique<words_by_calls>(file_);
    return std::make_unique<words_in_memory>(base_, region_ ? &*region_ : nullptr);
  }

  nlohmann::json details() const {
    if (!region_) return nullptr;
    return paging_counters(*region_);
  }

 private:
  std::uint64_t bytes_;
  int file_ = -1;
  std::uint64_t* base_ = nullptr;
  std::optional<pager::region> region_;
  std::optional<translated_file> translated_;
  std::optional<message_pager> messages_;
};

void expect(std::uint64_t got, std::uint64_t wanted) {
  if (got != wanted) throw std::runtime_error("wrong content: the file or the peer is broken");
}

// One step of a workload; returns how many operations it was.
using step = std::function<std::uint64_t(words&, random_numbers&)>;

step step_of(const settings& wanted, unsigned thread) {
  const std::uint64_t count = wanted.bytes / sizeof(std::uint64_t);
  const std::uint64_t pages = wanted.bytes / page_bytes;
  if (wanted.workload == "uniform")
    return [=](words& w, random_numbers& random) {
      const std::uint64_t i = random.below(count);
      expect(w.read(i), i);
      return std::uint64_t{1};
    };
  if (wanted.workload == "zipf")
    return [=, zipf = zipf_numbers(pages, 0.99)](words& w, random_numbers& random) {
      const std::uint64_t i = zipf.draw(random) * words_of_page + random.below(words_of_page);
      expect(w.read(i), i);
      return std::uint64_t{1};
    };
  if (wanted.workload == "binary_search")
    return [=](words& w, random_numbers& random) {
      const std::uint64_t key = random.below(count);
      std::uint64_t first = 0;
      for (std::uint64_t left = count; left != 0;) {
        const std::uint64_t half = left / 2;
        if (w.read(first + half) < key) {
          first += half + 1;
          left -= half + 1;
        } else {
          left = half;
        }
      }
      expect(first, key);
      return std::uint64_t{1};
    };
  if (wanted.workload == "update")
    return [=](words& w, random_numbers& random) {
      w.add(random.below(count), 1);
      return std::uint64_t{1};
    };
  if (wanted.workload == "replace")
    // Looks before it stores: two faults, unless the page came in writable.
    return [=](words& w, random_numbers& random) {
      const std::uint64_t word = random.below(count);
      w.add(word, w.read(word) | 1);
      return std::uint64_t{1};
    };
  if (wanted.workload == "kmers")
    // A table of prefixes, a sixty-fourth of the file, tells where the suffixes are; a few of these are
    // looked at.
    return [=](words& w, random_numbers& random) {
      const std::uint64_t prefixes = count / 64;
      const std::uint64_t prefix = random.below(prefixes);
      expect(w.read(prefix), prefix);
      const std::uint64_t bucket = prefixes + random_numbers(prefix).below(count - prefixes - 256);
      for (std::uint64_t i = 0; i < 4; ++i) {
        const std::uint64_t suffix = bucket + random.below(256);
        expect(w.read(suffix), suffix);
      }
      return std::uint64_t{1};
    };
  if (wanted.workload == "bfs")
    // For a vertex: where its neighbours are, then all of them in a row (few mostly, sometimes thousands),
    // and for some of them what is known of it, in a small table.
    return [=](words& w, random_numbers& random) {
      const std::uint64_t visited = count / 256;
      const std::uint64_t vertices = count / 16;
      const std::uint64_t vertex = visited + random.below(vertices);
      expect(w.read(vertex), vertex);
      const auto degree = static_cast<std::uint64_t>(4 / std::max(random.fraction(), 1.0 / 1024));
      const std::uint64_t first = visited + vertices + random.below(count - visited - vertices - degree);
      expect(w.sum(first, first + degree), degree * first + degree * (degree - 1) / 2);
      for (std::uint64_t i = 0; i < degree; i += 4) {
        const std::uint64_t neighbour = random.below(visited);
        expect(w.read(neighbour), neighbour);
      }
      return std::uint64_t{1};
    };
  if (wanted.workload == "clusters")
    // As of records of several pages: words here and there in 64 KiB, then in others.
    return [=](words& w, random_numbers& random) {
      const std::uint64_t cluster = std::uint64_t{16} * words_of_page;
      const std::uint64_t first = random.below(count / cluster) * cluster;
      for (std::uint64_t i = 0; i < 16; ++i) {
        const std::uint64_t word = first + random.below(cluster);
        expect(w.read(word), word);
      }
      return std::uint64_t{1};
    };
  if (wanted.workload == "batches")
    return [=, size = wanted.batch](words& w, random_numbers& random) {
      std::vector<std::uint64_t> batch(size);
      for (std::uint64_t& page : batch) page = random.below(pages);
      w.announce(batch);
      for (const std::uint64_t page : batch) expect(w.read(page * words_of_page), page * words_of_page);
      return std::uint64_t{batch.size()};
    };
  if (wanted.workload == "sequential") {
    // Each thread goes round its own part of the file.
    const std::uint64_t own = count / wanted.threads / words_of_page * words_of_page;
    const std::uint64_t begin = own * thread;
    auto at = std::make_shared<std::uint64_t>(0);
    return [=](words& w, random_numbers&) {
      const std::uint64_t part =
          std::min<std::uint64_t>(own, (std::uint64_t{1} << 20) / sizeof(std::uint64_t));
      if (*at + part > own) *at = 0;
      const std::uint64_t first = begin + *at;
      expect(w.sum(first, first + part), part * first + part * (part - 1) / 2);
      *at += part;
      return part / words_of_page;
    };
  }
  throw std::invalid_argument("no such workload: " + wanted.workload);
}

nlohmann::json run(const settings& wanted) {
  if (!std::filesystem::exists(wanted.file) || std::filesystem::file_size(wanted.file) != wanted.bytes)
    make_file(wanted.file, wanted.bytes);
  peer one(wanted);
  std::atomic<int> phase{0};  // 0: warm up, 1: measure, 2: end
  std::vector<std::uint64_t> done(wanted.threads);
  std::vector<std::string> failures(wanted.threads);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < wanted.threads; ++t) {
    threads.emplace_back([&, t] {
      try {
        const auto own = one.for_thread();
        const step next = step_of(wanted, t);
        random_numbers random(wanted.seed * 1000 + t);
        std::uint64_t operations = 0;
        while (phase.load(std::memory_order_relaxed) == 0) next(*own, random);
        while (phase.load(std::memory_order_relaxed) == 1) operations += next(*own, random);
        done[t] = operations;
      } catch (const std::exception& e) {
        failures[t] = e.what();
      }
    });
  }
  const auto sleep = [](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  };
  sleep(wanted.warm_up);
  const nlohmann::json before = one.details();
  const stopwatch watch;
  phase = 1;
  sleep(wanted.seconds);
  phase = 2;
  const double wall = watch.wall();
  const double cpu = watch.cpu();
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures)
    if (!failure.empty()) throw std::runtime_error(failure);
  std::uint64_t operations = 0;
  for (const std::uint64_t n : done) operations += n;
  return {{"peer", wanted.peer},
          {"workload", wanted.workload},
          {"threads", wanted.threads},
          {"seconds", wall},
          {"cpu", cpu},
          {"operations", operations},
          {"rate", static_cast<double>(operations) / wall},
          {"nanoseconds_each", 1e9 * wall / static_cast<double>(std::max<std::uint64_t>(operations, 1))},
          {"resident_bytes", resident_bytes()},
          {"before", before},
          {"pager", one.details()}};
}

}  // namespace
}  // namespace perdure::bench

int main(int argc, char** argv) {
  CLI::App app{"Touches a file larger than memory"};
  perdure::bench::settings wanted;
  app.add_option("--peer", wanted.peer, "pager, mmap, mmap_random, pread, translation, or messages");
  app.add_option(
      "--workload", wanted.workload,
      "uniform, zipf, binary_search, kmers, bfs, clusters, update, replace, batches, or sequential");
  app.add_option("--file", wanted.file, "made if it is not there or has another size")->required();
  app.add_option("--bytes", wanted.bytes, "size of the file")->required();
  app.add_option("--budget", wanted.budget, "of the pager, in bytes");
  app.add_option("--threads", wanted.threads)->check(CLI::Range(1, 1024));
  app.add_option("--seconds", wanted.seconds);
  app.add_option("--warm-up", wanted.warm_up, "seconds");
  app.add_option("--seed", wanted.seed);
  app.add_option("--batch", wanted.batch, "pages that are announced together");
  CLI11_PARSE(app, argc, argv);
  try {
    std::cout << perdure::bench::run(wanted).dump() << '\n';
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "bench_pager: " << e.what() << '\n';
    return 1;
  }
}
