#include "crash/workload.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <perdure/error.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "store/file/layout.hpp"
#include "support/page_pattern.hpp"

namespace perdure::crash {

namespace {

constexpr std::size_t home_file = store::layout::chunk_size;
constexpr std::size_t most_bytes = 4 * home_file;

// Ends and beginnings of home files (512 pages each) and of checksum table pages (1020 entries each).
constexpr std::uint64_t places[] = {0,    1,    2,    3,    4,    5,    100,  101,  254,  255,  256,
                                    509,  510,  511,  512,  513,  514,  700,  701,  702,  1017, 1018,
                                    1019, 1020, 1021, 1022, 1023, 1024, 1025, 1300, 1301, 1302, 1534,
                                    1535, 1536, 1537, 1800, 1801, 2038, 2039, 2040, 2041, 2046, 2047};

bool is_zero(const std::byte* page) {
  static constexpr std::byte zeros[page_size]{};
  return std::memcmp(page, zeros, page_size) == 0;
}

bool holds_number(const std::byte* page, std::uint64_t number) {
  if (number == content::any) return true;
  if (number == 0) return is_zero(page);
  return std::memcmp(page, pattern(number), page_size) == 0;
}

std::uint64_t number_at(const content& what, std::uint64_t page) {
  const auto found = what.pages.find(page);
  return found == what.pages.end() ? 0 : found->second;
}

// Changes some pages, and changes them back: what was copied before must not notice.
class disturbance {
 public:
  disturbance(random_stream random, const content& what, detail::segment& memory)
      : what_(what), memory_(memory) {
    for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
      const std::uint64_t page = places[random.below(std::size(places))];
      if (page >= what.size / page_size) continue;
      pages_.push_back(page);
      std::memcpy(memory.base() + page * page_size, pattern(1 + (random.next() >> 8)), page_size);
    }
  }
  disturbance(const disturbance&) = delete;
  disturbance& operator=(const disturbance&) = delete;
  ~disturbance() {
    for (const std::uint64_t page : pages_) {
      const std::uint64_t number = number_at(what_, page);
      std::byte* const bytes = memory_.base() + page * page_size;
      if (number == 0) std::memset(bytes, 0, page_size);
      if (number != 0 && number != content::any) std::memcpy(bytes, pattern(number), page_size);
    }
  }

 private:
  const content& what_;
  detail::segment& memory_;
  std::vector<std::uint64_t> pages_;
};

}  // namespace

bool pages_leave_memory() {
  const char* const wished = std::getenv("PERDURE_BACKING");
  return wished != nullptr && std::string_view(wished) == "paged";
}

store_options small_store(backing chosen) {
  store_options options;
  options.backing = chosen;
  options.capacity = detail::segment_alignment;
  options.home_file_size = home_file;
  // So little that they leave it all the time.
  if (pages_leave_memory()) options.memory_budget = 8 * page_size;
  return options;
}

const std::byte* pattern(std::uint64_t number) {
  static std::unordered_map<std::uint64_t, std::unique_ptr<std::byte[]>> made;
  std::unique_ptr<std::byte[]>& page = made[number];
  if (!page) {
    page = std::make_unique<std::byte[]>(page_size);
    fill_page(page.get(), number);
  }
  return page.get();
}

std::vector<detail::page_run> mutate(random_stream random, content& what, detail::segment* memory,
                                     bool may_grow) {
  if (what.size == 0 || (may_grow && what.size < most_bytes && random.one_in(4))) {
    what.size = std::min(most_bytes, what.size + (1 + random.below(2)) * home_file);
    if (memory != nullptr) memory->grow(what.size);
  }
  std::vector<detail::page_run> released;
  std::map<std::uint64_t, bool> seen;
  const std::size_t usable = static_cast<std::size_t>(
      std::lower_bound(std::begin(places), std::end(places), what.size / page_size) - std::begin(places));
  const std::uint64_t edits = 1 + random.below(5);
  for (std::uint64_t edit = 0; edit < edits; ++edit) {
    const std::size_t first = static_cast<std::size_t>(random.below(usable));
    const std::size_t last = std::min(usable, first + 1 + static_cast<std::size_t>(random.below(4)));
    const std::uint64_t kind = random.below(8);
    for (std::size_t i = first; i < last; ++i) {
      const std::uint64_t page = places[i];
      if (!seen.emplace(page, true).second) continue;
      std::byte* const bytes = memory == nullptr ? nullptr : memory->base() + page * page_size;
      if (kind == 0) {
        // Zero again.
        what.pages[page] = 0;
        if (bytes != nullptr) std::memset(bytes, 0, page_size);
      } else if (kind == 1) {
        what.pages[page] = content::any;
        released.push_back({page, 1});
        const bool discarded = random.one_in(2);
        if (discarded && memory != nullptr) memory->discard({page, 1});
      } else {
        const std::uint64_t number = 1 + (random.next() >> 8);
        what.pages[page] = number;
        if (bytes != nullptr) std::memcpy(bytes, pattern(number), page_size);
      }
    }
  }
  return released;
}

namespace {

/// Copies runs of pages into a store, long enough to go past its memory. What a call that fails leaves there
/// is stored to.
void copy_some(random_stream random, content& what, datastore* store) {
  constexpr std::uint64_t most = 80;  // pages; fewer than 64 are stored to memory
  std::vector<std::byte> bytes;
  for (std::uint64_t times = random.below(3); times > 0; --times) {
    const std::uint64_t first = places[random.below(std::size(places))];
    const std::uint64_t count = 40 + random.below(most - 40);
    if (first + count > what.size / page_size) continue;
    bytes.resize(count * page_size);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t number = 1 + random.below(most);  // few, as patterns are kept
      what.pages[first + i] = number;
      std::memcpy(bytes.data() + i * page_size, pattern(number), page_size);
    }
    if (store == nullptr) continue;
    std::byte* const to = store->memory().base() + first * page_size;
    try {
      store->copy_in(to, bytes);
    } catch (const error&) {
      std::memcpy(to, bytes.data(), bytes.size());
    }
  }
}

}  // namespace

std::vector<detail::page_run> prepare(std::uint64_t seed, std::size_t number, std::uint64_t epoch,
                                      const attempt& base, content& what, datastore* store) {
  detail::segment* const memory = store == nullptr ? nullptr : &store->memory();
  if (base.epoch == epoch) {
    random_stream random(seed, 2000 + number);
    for (auto& [page, pattern_number] : what.pages) {
      if (pattern_number != content::any || random.one_in(2)) continue;
      pattern_number = 1 + (random.next() >> 8);
      if (memory != nullptr)
        std::memcpy(memory->base() + page * page_size, pattern(pattern_number), page_size);
    }
  }
  const bool copies = random_stream(seed, 12).one_in(8);
  if (copies && number % 2 == 0) copy_some(random_stream(seed, 3000 + number), what, store);
  const std::vector<detail::page_run> released = mutate(random_stream(seed, 1000 + number), what, memory);
  if (!copies || number % 2 == 0) return released;
  content copied = what;
  copy_some(random_stream(seed, 3000 + number), copied, store);
  // What is released stays so.
  std::vector<detail::page_run> still;
  for (const detail::page_run& run : released)
    if (copied.pages[run.first] == content::any) still.push_back(run);
  what = std::move(copied);
  return still;
}

std::string difference(datastore& store, const attempt& expected, bool every_page) {
  const std::byte* const base = store.memory().base();
  if (store.epoch() != expected.epoch) return "epoch " + std::to_string(store.epoch());
  if (store.memory().size() != expected.what.size) {
    return "size " + std::to_string(store.memory().size()) + ", not " + std::to_string(expected.what.size);
  }
  const std::uint64_t pages = expected.what.size / page_size;
  const auto check = [&](std::uint64_t page) -> std::string {
    if (holds_number(base + page * page_size, number_at(expected.what, page))) return {};
    return "page " + std::to_string(page) + " is wrong" + (is_zero(base + page * page_size) ? " (zero)" : "");
  };
  if (every_page) {
    for (std::uint64_t page = 0; page < pages; ++page) {
      if (std::string wrong = check(page); !wrong.empty()) return wrong;
    }
    return {};
  }
  for (const std::uint64_t page : places) {
    if (page >= pages) break;
    if (std::string wrong = check(page); !wrong.empty()) return wrong;
  }
  return {};
}

finding find_attempt(datastore& store, const std::vector<attempt>& attempts,
                     const std::vector<std::size_t>& allowed, bool every_page) {
  std::string problem;
  for (std::size_t i = allowed.size(); i-- > 0;) {
    const std::string wrong = difference(store, attempts[allowed[i]], every_page);
    if (wrong.empty()) return {allowed[i], {}};
    problem += (problem.empty() ? "not attempt " : "; not attempt ") + std::to_string(allowed[i]) +
               " (epoch " + std::to_string(attempts[allowed[i]].epoch) + "): " + wrong;
  }
  return {0, problem.empty() ? "nothing is allowed here" : problem};
}

void run_workload(const std::filesystem::path& path, std::uint64_t seed, std::size_t steps,
                  std::vector<attempt>& attempts, witness& told, backing chosen) {
  attempts.assign(1, {0, {}});
  auto store = datastore::create(path, small_store(chosen));
  told.promised(0, 0);
  random_stream script(seed, 1);
  std::size_t base = 0;                  // the attempt the content was built upon
  std::vector<std::size_t> may_hold{0};  // what the store may be found to hold when opened again
  content now;
  // In some runs the program goes on while its checkpoints are made.
  const bool goes_on = random_stream(seed, 5).one_in(3);
  // In some it has less memory than it changes.
  const bool trims = random_stream(seed, 6).one_in(3);
  // In some it decides on its checkpoints after they are prepared.
  random_stream phases(seed, 9);
  const bool decides = told.takes_two_phases() && chosen != backing::dax && phases.one_in(4);
  const auto compare_memory = [&](const content& what) {
    if (!told.compares_memory() || what.size == 0) return;
    try {
      // What was copied past memory may be lost by the device, which is told then.
      store->require_sound(store->memory().base(), what.size);
    } catch (const error& failure) {
      told.failed(std::string("require_sound: ") + failure.what());
      return;
    }
    const std::string wrong = difference(*store, {store->epoch(), what}, false);
    if (!wrong.empty()) throw std::logic_error("in memory: " + wrong);
  };
  const auto trim = [&](std::uint64_t number, const content& what) {
    if (!trims) return;
    random_stream random(seed, number);
    for (std::uint64_t times = random.below(3); times > 0; --times) {
      try {
        store->trim();
      } catch (const error& failure) {
        told.failed(std::string("trim: ") + failure.what());
      }
      if (random.one_in(2)) disturbance(random_stream(seed, number + times), what, store->memory());
      compare_memory(what);
    }
  };
  const auto decide = [&](prepared_checkpoint& checkpoint) {
    try {
      checkpoint.decide();
    } catch (const error& failure) {
      if (phases.one_in(2)) throw;
      told.left_undecided(failure.what());
      checkpoint.decide();
    }
  };
  for (std::size_t step = 1; step <= steps; ++step) {
    compare_memory(now);
    const std::uint64_t before = store->epoch();
    const std::vector<detail::page_run> released =
        prepare(seed, step, before + 1, attempts[base], now, store.get());
    trim(700000 + 10 * step, now);
    attempts.push_back({before + 1, now});
    may_hold.push_back(step);
    const bool in_two = decides && phases.one_in(2);
    if (!in_two) told.attempting(step, base, before + 1);
    const std::size_t built_upon = std::exchange(base, step);
    bool is_decided = false;  // whatever becomes of writing it down
    try {
      if (in_two) {
        told.preparing(step);
        const auto checkpoint = store->prepare(released);
        told.prepared(step);
        // The thread that decides must not need memory of a paged store.
        std::optional<disturbance> meanwhile;
        if (goes_on && !pages_leave_memory())
          meanwhile.emplace(random_stream(seed, 300000 + step), now, store->memory());
        if (phases.one_in(4)) {
          told.abandoning();
          checkpoint->abandon();
          told.abandoned();
          may_hold.pop_back();
          continue;
        }
        told.attempting(step, built_upon, before + 1);
        is_decided = true;
        decide(*checkpoint);
      } else if (goes_on) {
        const pending_checkpoint handle = store->checkpoint_async(released);
        const disturbance meanwhile(random_stream(seed, 300000 + step), now, store->memory());
        handle.wait();
      } else {
        store->checkpoint(released);
      }
      attempts[step].epoch = store->epoch();
      may_hold.assign(1, step);
      told.promised(step, store->epoch());
    } catch (const error& failure) {
      if (is_decided) {
        told.left_undecided(failure.what());
        store.reset();
        store_options options = small_store(chosen);
        options.last_decided = before + 1;
        store = datastore::open(path, options);
        if (const std::string wrong = difference(*store, attempts[step], true); !wrong.empty())
          throw std::logic_error("reopened with what was decided: " + wrong);
        may_hold.assign(1, step);
        told.promised(step, store->epoch());
        continue;
      }
      told.failed(std::string("checkpoint: ") + failure.what());
      // A failed checkpoint leaves the one before it in force.
      if (!told.reopens()) continue;
    }
    bool reopens = told.reopens() || script.one_in(5);
    if (script.one_in(3)) {
      try {
        store->wait_applied();
      } catch (const error&) {
        // The next checkpoint tries it again, or the next opening.
        reopens = reopens || script.one_in(2);
      }
    }
    if (reopens) {
      // What is changed now is forgotten.
      content lost = now;
      mutate(random_stream(seed, 500000 + step), lost, &store->memory());
      trim(900000 + 10 * step, lost);
      store.reset();
      while (!store) {
        try {
          store = datastore::open(path, small_store(chosen));
        } catch (const error& failure) {
          told.failed(std::string("open: ") + failure.what());
        }
      }
      const finding found = find_attempt(*store, attempts, may_hold, true);
      if (!found.problem.empty()) throw std::logic_error("reopened: " + found.problem);
      base = found.number;
      now = attempts[base].what;
      may_hold.assign(1, base);
    }
  }
}

}  // namespace perdure::crash
