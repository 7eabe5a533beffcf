#include "crash/stopped_store.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <perdure/store_maintenance.hpp>
#include <stdexcept>
#include <string>

#include "os/file_observer.hpp"
#include "segment/page_runs.hpp"
#include "store/file/layout.hpp"

namespace perdure::crash {

namespace {

constexpr std::uint64_t last_epoch = 6;
constexpr std::uint64_t labelled_epoch = 3;
constexpr std::size_t first_size = 2 * store::layout::chunk_size;
constexpr std::size_t grown_size = 3 * store::layout::chunk_size;

std::string name_of_file(int descriptor) {
  std::array<char, 4096> path{};
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), path.data(), path.size());
  if (length < 0) return {};
  return std::filesystem::path(std::string(path.data(), static_cast<std::size_t>(length)))
      .filename()
      .string();
}

/// Ends the process at the place, in the first checkpoint after `arm`.
class killer final : public os::file_observer {
 public:
  explicit killer(stop at) : at_(at) { os::observe_files(this); }
  ~killer() override { os::observe_files(nullptr); }
  void arm() { armed_ = true; }

  verdict before(const os::file_call& call) override {
    if (!armed_ || call.operation != os::file_operation::write) return {};
    const std::string file = name_of_file(call.descriptor);
    if (at_ == stop::pages_home && file == "crc") ::_exit(0);
    if (at_ == stop::table_home && file == "super") ::_exit(0);
    return {};
  }
  void after(const os::file_call& call, std::int64_t, int) override {
    if (!armed_ || at_ != stop::committed || call.operation != os::file_operation::sync_data) return;
    if (name_of_file(call.descriptor).starts_with("jrnl.")) ::_exit(0);
  }

 private:
  stop at_;
  std::atomic<bool> armed_{false};
};

void grow(content& what, detail::segment* memory, std::size_t bytes) {
  what.size = bytes;
  if (memory != nullptr) memory->grow(bytes);
}

// So many pages that carrying their checksums would cost more than writing the table: it is written.
void rewrite_most(std::uint64_t seed, content& what, detail::segment* memory) {
  random_stream random(seed, 4);
  for (std::uint64_t page = 0; page < what.size / page_size * 3 / 4; ++page) {
    const std::uint64_t number = 1 + (random.next() >> 8);
    what.pages[page] = number;
    if (memory != nullptr) std::memcpy(memory->base() + page * page_size, pattern(number), page_size);
  }
}

// The whole program, or what it does to the content of its segment.
void run(datastore* store, std::uint64_t seed, bool grows, killer* death, attempt& before, attempt& last) {
  detail::segment* const memory = store == nullptr ? nullptr : &store->memory();
  content now;
  grow(now, memory, first_size);
  for (std::uint64_t epoch = 1; epoch <= last_epoch; ++epoch) {
    if (epoch == last_epoch && grows) grow(now, memory, grown_size);
    std::vector<detail::page_run> released;
    if (epoch + 1 >= last_epoch && !grows) {
      rewrite_most(seed + epoch, now, memory);
    } else {
      released = change(seed, epoch, now, memory);
    }
    if (epoch == last_epoch && death != nullptr) {
      store->wait_applied();
      death->arm();
    }
    if (store != nullptr) store->checkpoint(released, epoch == labelled_epoch ? "labelled" : "");
    before = std::move(last);
    last = {epoch, now};
  }
}

}  // namespace

const char* name_of(stop at) {
  switch (at) {
    case stop::closed:
      return "closed";
    case stop::committed:
      return "killed when committed";
    case stop::pages_home:
      return "killed before its table was home";
    case stop::table_home:
      return "killed before its super block was written";
    case stop::written_early:
      return "killed before a checkpoint of which pages were home";
  }
  return "";
}

std::vector<detail::page_run> change(std::uint64_t seed, std::uint64_t epoch, content& what,
                                     detail::segment* memory) {
  constexpr std::uint64_t mutations = 4;
  std::vector<detail::page_run> all;
  for (std::uint64_t i = 0; i < mutations; ++i) {
    const std::vector<detail::page_run> released =
        mutate(random_stream(seed, epoch * mutations + i), what, memory, false);
    all.insert(all.end(), released.begin(), released.end());
  }
  // Written again after it was released: in use.
  std::erase_if(all, [&](const detail::page_run& run) { return what.pages[run.first] != content::any; });
  detail::normalize(all);
  return all;
}

stopped_store run_and_stop(const std::filesystem::path& scratch, std::uint64_t seed, stop at, bool grows) {
  const std::filesystem::path path = scratch / "run";
  std::filesystem::remove_all(path);
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 1;
    try {
      attempt before, last;
      const auto store = datastore::create(path, small_store());
      if (at == stop::closed) {
        run(store.get(), seed, grows, nullptr, before, last);
        store->close();
        status = 0;
      } else if (at == stop::written_early) {
        run(store.get(), seed, grows, nullptr, before, last);
        for (const std::uint64_t more : {1, 2}) {
          change(seed, last_epoch + more, last.what, &store->memory());
          store->trim();
        }
        status = 0;
      } else {
        killer death(at);
        run(store.get(), seed, grows, &death, before, last);
        store->close();
        status = 2;  // it should not have lived to see this
      }
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "making a store: %s\n", failure.what());
    }
    ::_exit(status);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error(std::string("no store could be made that was ") + name_of(at));
  stopped_store result;
  result.at = at;
  run(nullptr, seed, grows, nullptr, result.before, result.last);
  result.files = read_files(path);
  result.history = store_maintenance::log(path);
  std::filesystem::remove_all(path);
  return result;
}

}  // namespace perdure::crash
