// Damages every file of a store, one damage at a time, and sees whether the store owns up to it.
//
//   crash_damage [--damages N] [--first N] [--seed N] [--expect-violation PATTERN]
//   crash_damage --test N     N damages; 20000 where PERDURE_LONG_TESTS is set
//
// Damage number n is the same in every run with the same seed. A damage must be reported by verification, or
// the store must hold exactly what it must. Exit status 0 when that was so (with --expect-violation: when it
// was not, once, and what is said of it has the pattern in it).
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "crash/damage_judge.hpp"
#include "crash/expected_violation.hpp"
#include "crash/scratch.hpp"

namespace {

using namespace perdure::crash;
using perdure::random_stream;
using perdure::scratch_directory;

struct settings {
  std::uint64_t damages = 10000;
  std::uint64_t first = 0;
  std::uint64_t seed = 1;
  expected_violation expected{};
};

constexpr unsigned outcomes = 4;

/// In memory that parent and child share, so that it outlives a child that dies.
struct tally {
  std::atomic<std::uint64_t> next{0};
  std::array<std::atomic<std::uint64_t>, harm_kinds> done{};
  std::array<std::atomic<std::uint64_t>, outcomes> judged{};
  std::atomic<bool> finished{false};
  char at_work[512]{};
  std::array<char, 1 << 16> violation{};  // what was said of the last one

  void tell(const std::string& told) {
    std::fprintf(stderr, "VIOLATION: %s\n", told.c_str());
    std::snprintf(violation.data(), violation.size(), "%s", told.c_str());
  }
};

struct original_pair {
  stopped_store store;
  stopped_store other;  // where foreign files come from
};

std::vector<original_pair> make_stores(const std::filesystem::path& scratch, std::uint64_t seed) {
  std::vector<original_pair> all;
  for (const bool grows : {false, true}) {
    for (const stop at :
         {stop::closed, stop::committed, stop::pages_home, stop::table_home, stop::written_early})
      all.push_back({run_and_stop(scratch, seed, at, grows), run_and_stop(scratch, ~seed, at, grows)});
  }
  return all;
}

/// Missing and foreign files are few, so all of them are tried before any chance comes in.
struct numbered_damage {
  std::size_t store;
  damage done;
};
std::vector<numbered_damage> whole_files(const std::vector<original_pair>& stores) {
  std::vector<numbered_damage> all;
  for (std::size_t i = 0; i < stores.size(); ++i) {
    for (const auto& [name, content] : stores[i].store.files) {
      all.push_back({i, {harm::gone, name}});
      all.push_back({i, {harm::foreign, name}});
    }
  }
  return all;
}

void work(const settings& wanted, const std::vector<original_pair>& stores,
          const std::filesystem::path& scratch, tally& sum) {
  const std::vector<numbered_damage> first = whole_files(stores);
  while (sum.next < wanted.first + wanted.damages) {
    const std::uint64_t number = sum.next++;
    random_stream random(wanted.seed, number);
    const bool listed = number < first.size();
    const std::size_t which = listed ? first[number].store : static_cast<std::size_t>(number % stores.size());
    const original_pair& original = stores[which];
    const damage done = listed ? first[number].done : random_damage(random, original.store.files);
    std::snprintf(sum.at_work, sizeof sum.at_work, "damage %llu of seed %llu: a store %s; %s",
                  static_cast<unsigned long long>(number), static_cast<unsigned long long>(wanted.seed),
                  name_of(original.store.at), describe(done).c_str());
    store_files damaged = original.store.files;
    inflict(done, damaged, original.other.files);
    ++sum.done[static_cast<unsigned>(done.kind)];
    damage_judge judge(scratch / "store", original.store, damaged, done);
    const judgement told = judge.judge(listed || random.one_in(8));
    ++sum.judged[static_cast<unsigned>(told.result)];
    if (told.result != outcome::violation) continue;
    sum.tell(std::string(sum.at_work) + ": " + told.problem);
    constexpr std::uint64_t enough = 10;
    if (wanted.expected.is_expected() || sum.judged[static_cast<unsigned>(outcome::violation)] >= enough)
      break;
  }
  sum.finished = true;
}

settings parse(int argc, char** argv) {
  settings wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
    if (name == "--damages")
      wanted.damages = number();
    else if (name == "--first")
      wanted.first = number();
    else if (name == "--seed")
      wanted.seed = number();
    else if (name == "--test") {
      wanted.damages = number();
      if (thorough_tests_wanted()) wanted.damages = 20000;
    } else if (name == "--expect-violation")
      wanted.expected.expect(i + 1 < argc ? argv[++i] : "");
    else {
      std::fprintf(stderr, "crash_damage: unknown option %s\n", name.c_str());
      std::exit(2);
    }
  }
  return wanted;
}

unsigned long long count(const tally& sum, outcome which) {
  return sum.judged[static_cast<unsigned>(which)].load();
}

}  // namespace

int main(int argc, char** argv) {
  const settings wanted = parse(argc, argv);
  void* shared = ::mmap(nullptr, sizeof(tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  tally& sum = *new (shared) tally;
  sum.next = wanted.first;
  const scratch_directory here(place_for_rigs());
  const std::vector<original_pair> stores = make_stores(here.directory(), wanted.seed);

  // A store that kills the process is the worst answer, and not the last.
  bool broken = false;
  while (!sum.finished && !broken) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        work(wanted, stores, here.directory(), sum);
      } catch (const std::exception& failure) {
        std::fprintf(stderr, "crash_damage: %s: %s\n", sum.at_work, failure.what());
        ::_exit(1);
      }
      ::_exit(0);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) return 1;
    if (status == 0) continue;
    broken = !WIFSIGNALED(status);
    ++sum.judged[static_cast<unsigned>(outcome::violation)];
    sum.tell(std::string(sum.at_work) + ": it ended the process (" +
             (broken ? "status " + std::to_string(WEXITSTATUS(status))
                     : "signal " + std::to_string(WTERMSIG(status))) +
             ")");
    broken = broken || wanted.expected.is_expected();
  }

  for (unsigned kind = 0; kind < harm_kinds; ++kind)
    std::printf("%s%llu %s", kind == 0 ? "" : ", ", static_cast<unsigned long long>(sum.done[kind].load()),
                name_of(static_cast<harm>(kind)));
  std::printf("\n%llu reported, %llu harmless or healed, %llu torn journals passed over, %llu violations\n",
              count(sum, outcome::reported), count(sum, outcome::harmless), count(sum, outcome::passed_over),
              count(sum, outcome::violation));
  return wanted.expected.judge(sum.violation.data());
}
