// Checkpoints against plain files: the same bytes by pwrite + fdatasync, the same dirty pages by msync.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <numeric>
#include <perdure/datastore.hpp>
#include <perdure/heap.hpp>
#include <perdure/store_maintenance.hpp>
#include <random>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "measure.hpp"
#include "segment/segment.hpp"
#include "store_cost.hpp"

namespace perdure::bench {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Incompressible and different in every page, so that no layer below can save work.
void fill(std::byte* memory, std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t at = 0; at + 8 <= bytes; at += 8) {
    const std::uint64_t word = random();
    std::memcpy(memory + at, &word, sizeof word);
  }
}

// Page numbers to dirty in one round: distinct, in ascending order, scattered or one after the other.
std::vector<std::size_t> pages_to_dirty(const store_workload& work, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> chosen;
  const std::size_t pages = work.bytes / page_size;
  if (work.clustered) {
    chosen.resize(static_cast<std::size_t>(static_cast<double>(pages) * work.fraction));
    std::iota(chosen.begin(), chosen.end(), random() % (pages - chosen.size() + 1));
    return chosen;
  }
  const auto limit = static_cast<std::uint64_t>(work.fraction * 4294967296.0);
  for (std::size_t page = 0; page < pages; ++page) {
    if ((random() >> 32) < limit) chosen.push_back(page);
  }
  return chosen;
}

struct heap_in_store {
  std::unique_ptr<datastore> store;
  std::unique_ptr<heap> memory;
  std::vector<std::byte*> blocks;

  heap_in_store(const std::filesystem::path& path, std::size_t bytes) {
    std::filesystem::remove_all(path);
    store = datastore::create(path, {.capacity = std::max<std::size_t>(2 * bytes, std::size_t{4} << 30)});
    memory = heap::format(store->memory());
    for (std::size_t filled = 0; filled < bytes; filled += block_bytes) {
      auto* block = static_cast<std::byte*>(memory->allocate(block_bytes, page_size));
      fill(block, block_bytes, filled + 1);
      blocks.push_back(block);
    }
  }
  void bring_home() const {
    memory->flush_caches();
    store->checkpoint();
    store->wait_applied();
  }
};

struct plain_file {
  int descriptor;
  std::filesystem::path path;

  explicit plain_file(const std::filesystem::path& where) : path(where) {
    descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0) fail("open");
  }
  plain_file(const plain_file&) = delete;
  plain_file& operator=(const plain_file&) = delete;
  ~plain_file() {
    close(descriptor);
    std::filesystem::remove(path);
  }
  void write(const std::byte* bytes, std::size_t count) {
    constexpr std::size_t step = std::size_t{8} << 20;
    for (std::size_t done = 0; done < count;) {
      const ssize_t written =
          pwrite(descriptor, bytes + done, std::min(step, count - done), static_cast<off_t>(done));
      if (written < 0) fail("pwrite");
      done += static_cast<std::size_t>(written);
    }
    if (fdatasync(descriptor) != 0) fail("fdatasync");
  }
};

std::unique_ptr<std::byte, void (*)(void*)> filled_memory(std::size_t bytes) {
  std::unique_ptr<std::byte, void (*)(void*)> memory(
      static_cast<std::byte*>(std::aligned_alloc(page_size, bytes)), std::free);
  if (memory == nullptr) throw std::bad_alloc();
  fill(memory.get(), bytes, 1);
  return memory;
}

// Takes the page cache what it is about to need, and gives it back. A virtual machine may have to ask its
// host for memory at the first touch, which costs more than writing the page and hits whoever runs first.
void warm_page_cache(const store_workload& work) {
  plain_file file(work.directory / "warm");
  const std::vector<std::byte> block(block_bytes);
  for (std::size_t done = 0; done < work.bytes + work.bytes / 8; done += block_bytes) {
    if (pwrite(file.descriptor, block.data(), block_bytes, static_cast<off_t>(done)) < 0) fail("pwrite");
  }
}

}  // namespace

nlohmann::json fresh_checkpoint(const store_workload& work) {
  const std::filesystem::path path = work.directory / "checkpoint";
  nlohmann::json result;
  {
    heap_in_store subject(path, work.bytes);
    subject.memory->flush_caches();
    warm_page_cache(work);
    const std::uint64_t written_before = bytes_written(work.directory);
    const stopwatch watch;
    subject.store->checkpoint();
    result["wall"] = watch.wall();
    subject.store->wait_applied();
    result["applied_wall"] = watch.wall();
    result["cpu"] = watch.cpu();
    result["written"] = bytes_written(work.directory) - written_before;
    result["payload"] = work.bytes;
    result["segment"] = subject.store->memory().size();
    subject.store->close();
  }
  std::filesystem::remove_all(path);
  return result;
}

nlohmann::json fresh_pwrite(const store_workload& work) {
  const auto memory = filled_memory(work.bytes);
  plain_file file(work.directory / "plain");
  warm_page_cache(work);
  const std::uint64_t written_before = bytes_written(work.directory);
  const stopwatch watch;
  file.write(memory.get(), work.bytes);
  return {{"wall", watch.wall()},
          {"cpu", watch.cpu()},
          {"written", bytes_written(work.directory) - written_before},
          {"payload", work.bytes}};
}

namespace {

// Changes one byte in each of some pages; how many bytes that dirties.
std::uint64_t dirty_pages(heap_in_store& subject, const store_workload& work, unsigned round) {
  std::uint64_t dirtied = 0;
  for (const std::size_t page : pages_to_dirty(work, round + 1)) {
    std::byte* block = subject.blocks[page * page_size / block_bytes];
    block[page * page_size % block_bytes] ^= std::byte{0xff};
    dirtied += page_size;
  }
  return dirtied;
}

}  // namespace

nlohmann::json dirty_checkpoint(const store_workload& work) {
  const std::filesystem::path path = work.directory / "dirty";
  nlohmann::json result;
  std::vector<double> pauses;
  std::vector<double> walls;
  std::uint64_t written = 0;
  std::uint64_t dirtied = 0;
  {
    heap_in_store subject(path, work.bytes);
    subject.bring_home();
    for (unsigned round = 0; round < work.rounds; ++round) {
      dirtied += dirty_pages(subject, work, round);
      const std::uint64_t written_before = bytes_written(work.directory);
      const stopwatch watch;
      const pending_checkpoint handle = subject.store->checkpoint_async();
      pauses.push_back(watch.wall());
      handle.wait();
      walls.push_back(watch.wall());
      subject.store->wait_applied();
      written += bytes_written(work.directory) - written_before;
    }
    result["tracker"] = subject.store->tracker();
    subject.store->close();
  }
  std::filesystem::remove_all(path);
  result["pauses"] = pauses;
  result["walls"] = walls;
  result["written"] = written;
  result["dirtied"] = dirtied;
  return result;
}

nlohmann::json open_after_crash(const store_workload& work) {
  const std::filesystem::path path = work.directory / "crashed";
  // The process ends at its commit, before much of the journal is written home.
  const pid_t writer = fork();
  if (writer < 0) fail("fork");
  if (writer == 0) {
    try {
      heap_in_store subject(path, work.bytes);
      subject.bring_home();
      dirty_pages(subject, work, 0);
      subject.store->checkpoint();
      _exit(0);
    } catch (const std::exception&) {
      _exit(1);
    }
  }
  int status = 0;
  if (waitpid(writer, &status, 0) != writer || status != 0) throw std::runtime_error("the writer failed");
  const store_info before = store_maintenance::inspect(path);
  const stopwatch watch;
  const auto store = datastore::open(path);
  const double opened = watch.wall();
  store->close();
  const double journal = static_cast<double>(std::filesystem::file_size(path / "jrnl.0"));
  std::filesystem::remove_all(path);
  return {{"open_seconds", opened},
          {"journal_bytes", journal},
          {"unapplied", before.epoch - before.applied_epoch}};
}

nlohmann::json verify_speed(const store_workload& work) {
  const std::filesystem::path path = work.directory / "verified";
  {
    heap_in_store subject(path, work.bytes);
    subject.bring_home();
    subject.store->close();
  }
  verify_options options;
  options.threads = 1;
  store_maintenance::verify(path, options);
  const stopwatch watch;
  const verify_report report = store_maintenance::verify(path, options);
  const double wall = watch.wall();
  if (!report.whole()) throw std::runtime_error("the store is damaged");
  std::filesystem::remove_all(path);
  return {{"wall", wall}, {"bytes", report.bytes_read}};
}

nlohmann::json snapshot_cost(const store_workload& work) {
  const std::filesystem::path path = work.directory / "kept";
  nlohmann::json result;
  {
    heap_in_store subject(path, work.bytes);
    subject.bring_home();
    // Both journals take their space before it is counted.
    for (unsigned round = 0; round < 2; ++round) {
      dirty_pages(subject, work, round);
      subject.bring_home();
    }
    subject.store->snapshot(work.directory / "first");
    const std::uint64_t used_before = bytes_used(work.directory);
    const std::uint64_t dirtied = dirty_pages(subject, work, 2);
    subject.bring_home();
    const stopwatch watch;
    subject.store->snapshot(work.directory / "second");
    result["wall"] = watch.wall();
    result["extra"] = bytes_used(work.directory) - used_before;
    result["dirtied"] = dirtied;
    const stopwatch again;
    subject.store->snapshot(work.directory / "third");
    result["unchanged_wall"] = again.wall();
    subject.store->close();
  }
  for (const char* name : {"kept", "first", "second", "third"})
    std::filesystem::remove_all(work.directory / name);
  return result;
}

nlohmann::json dirty_msync(const store_workload& work) {
  plain_file file(work.directory / "mapped");
  {
    const auto memory = filled_memory(work.bytes);
    file.write(memory.get(), work.bytes);
  }
  void* mapping = mmap(nullptr, work.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor, 0);
  if (mapping == MAP_FAILED) fail("mmap");
  auto* bytes = static_cast<std::byte*>(mapping);
  std::vector<double> walls;
  std::uint64_t written = 0;
  std::uint64_t dirtied = 0;
  for (unsigned round = 0; round < work.rounds; ++round) {
    const std::uint64_t written_before = bytes_written(work.directory);
    for (const std::size_t page : pages_to_dirty(work, round + 1)) {
      bytes[page * page_size] ^= std::byte{0xff};
      dirtied += page_size;
    }
    const stopwatch watch;
    if (msync(mapping, work.bytes, MS_SYNC) != 0) fail("msync");
    walls.push_back(watch.wall());
    written += bytes_written(work.directory) - written_before;
  }
  munmap(mapping, work.bytes);
  return {{"walls", walls}, {"written", written}, {"dirtied", dirtied}};
}

}  // namespace perdure::bench
