// The program that the ranks run, and the observer that fails its calls.
#include "crash/ranks/ranks_run.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <perdure/detail/managed_part.hpp>
#include <perdure/detail/store_set.hpp>
#include <perdure/error.hpp>
#include <perdure/manager.hpp>
#include <stdexcept>
#include <vector>

#include "ranks/rank_threads.hpp"
#include "support/random_stream.hpp"
#include "support/small_store.hpp"

namespace perdure::crash {

namespace {

using detail::store_set;
using mode = store_set::mode;

constexpr const char* set_name = "set";
constexpr std::size_t attempts = 5;

/// Each rank's object: a few pages full of the number of the attempt.
struct cells {
  std::array<std::uint64_t, 1500> numbers{};
};

std::unique_ptr<store_set> open_set_of(std::unique_ptr<detail::rank_group> group, mode how,
                                       const std::filesystem::path& root) {
  detail::set_options options;
  options.store = small_store();
  return store_set::open(std::move(group), how, root / set_name, options,
                         detail::opener_of_managers<relocatable>());
}

manager& local(store_set& set) {
  return static_cast<detail::managed_part<relocatable>&>(set.own()).manager();
}

cells& cells_of(store_set& set) {
  return *local(set).find_or_construct<cells>("cells")();
}

/// Befalls a rank with what is planned, and has the rest written down.
class mishap_maker final : public os::file_observer {
 public:
  mishap_maker(call_recorder& recorder, rank_threads& team, const planned_mishap& planned)
      : recorder_(recorder), team_(team), planned_(planned) {
    os::observe_files(this);
  }
  mishap_maker(const mishap_maker&) = delete;
  mishap_maker& operator=(const mishap_maker&) = delete;
  // The recorder goes on until it ends.
  ~mishap_maker() override { os::observe_files(&recorder_); }

  verdict before(const os::file_call& call) override {
    const int error = befall(call);
    is_made_by_nobody = error != 0 && planned_.what == mishap::kill;
    if (is_made_by_nobody) return {error};
    recorder_.before(call);
    return {error};
  }
  void after(const os::file_call& call, std::int64_t result, int error) override {
    if (!is_made_by_nobody) recorder_.after(call, result, error);
    is_made_by_nobody = false;
  }
  bool has_happened() const { return has_happened_; }
  /// From now on everything works.
  void lift() { is_lifted_ = true; }

 private:
  // Whose files these are, as a store has threads of its own; of others the thread's.
  static int rank_of(const os::file_call& call) {
    std::string path = call.name == nullptr ? "" : call.name;
    std::error_code none;
    if (call.descriptor >= 0)
      path =
          std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(call.descriptor), none).string() +
          '/' + path;
    const std::size_t at = path.find("part.0000");
    return at == std::string::npos || at + 9 >= path.size() ? rank_threads::current_rank()
                                                            : path[at + 9] - '0';
  }

  int befall(const os::file_call& call) {
    using os::file_operation;
    if (planned_.what == mishap::none || is_lifted_ || call.operation == file_operation::read ||
        rank_of(call) != planned_.rank)
      return 0;
    const bool is_sync =
        call.operation == file_operation::sync || call.operation == file_operation::sync_data;
    const bool takes_space = call.operation == file_operation::write ||
                             call.operation == file_operation::reserve_space ||
                             call.operation == file_operation::make_directory;
    if (planned_.what == mishap::sync_errors && !is_sync) return 0;
    if (planned_.what == mishap::no_space && !takes_space) return 0;
    const std::uint64_t number = calls_++;
    const bool is_once = planned_.what == mishap::io_error || planned_.what == mishap::no_space;
    if (is_once ? number != planned_.call : number < planned_.call) return 0;
    if (planned_.what == mishap::kill && !has_happened_) team_.kill(planned_.rank);
    has_happened_ = true;
    return planned_.what == mishap::no_space ? ENOSPC : EIO;
  }

  static thread_local bool is_made_by_nobody;
  call_recorder& recorder_;
  rank_threads& team_;
  planned_mishap planned_;
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<bool> has_happened_{false};
  std::atomic<bool> is_lifted_{false};
};
thread_local bool mishap_maker::is_made_by_nobody = false;

/// Marks each once, as the first rank comes to it. One rank runs at a time.
class first_marks {
 public:
  explicit first_marks(call_recorder& recorder) : recorder_(recorder) {}
  void begin(std::size_t number) {
    if (begun_.insert(number).second) recorder_.mark_attempt(number);
  }
  void promise(std::size_t number) {
    if (promised_.insert(number).second) recorder_.mark_promise(number);
  }
  void withdraw(std::size_t number) {
    if (withdrawn_.insert(number).second) recorder_.mark_withdrawal(number);
  }

 private:
  call_recorder& recorder_;
  std::set<std::size_t> begun_;
  std::set<std::size_t> promised_;
  std::set<std::size_t> withdrawn_;
};

bool leaves_in_doubt(errc code) {
  return code == errc::undecided || code == errc::timed_out || code == errc::rank_failed;
}

// What a rank does, and what it was told: the same on all that live.
void be_rank(rank_threads& team, int rank, std::unique_ptr<detail::rank_group> group,
             const std::filesystem::path& root, std::uint64_t seed, first_marks& marks,
             std::vector<std::string>& told) {
  const auto set = open_set_of(std::move(group), mode::create, root);
  if (!team.is_dead(rank)) marks.promise(0);
  cells& mine = cells_of(*set);
  random_stream random(seed, 41);
  const std::size_t turned_down = 2 + static_cast<std::size_t>(random.below(attempts - 2));
  const auto turning_down = static_cast<int>(random.below(static_cast<std::uint64_t>(team.size())));
  for (std::size_t number = 1; number <= attempts; ++number) {
    mine.numbers.fill(number);
    // A label that is too long is found out by that rank alone.
    const bool turns_down = number == turned_down && rank == turning_down;
    marks.begin(number);
    try {
      set->checkpoint(std::string(turns_down ? 1000 : 1, 'x'));
      told.emplace_back("counts");
      if (!team.is_dead(rank)) marks.promise(number);
    } catch (const error& failure) {
      told.emplace_back(failure.what());
      if (team.is_dead(rank)) throw;
      if (leaves_in_doubt(failure.code())) return set->give_up();
      // Then it is from the checkpoint before that a part has something to tell.
      if (std::string(failure.what()).find("close the set and open it again") != std::string::npos)
        return set->discard();
      marks.withdraw(number);
    }
  }
  if (random.one_in(2)) return set->discard();
  mine.numbers.fill(attempts + 1);
  marks.begin(attempts + 1);
  set->close();
  if (!team.is_dead(rank)) marks.promise(attempts + 1);
}

identities identities_of(const std::filesystem::path& root) {
  struct stat status;
  if (::stat(root.c_str(), &status) != 0) throw std::runtime_error("no directory " + root.string());
  return {{status.st_ino, root_inode}};
}

std::string text_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& known) {
    return known.what();
  }
}

}  // namespace

const char* name_of(mishap what) {
  switch (what) {
    case mishap::none:
      return "nothing";
    case mishap::kill:
      return "a kill";
    case mishap::io_error:
      return "an I/O error";
    case mishap::no_space:
      return "a full disk";
    case mishap::io_errors:
      return "I/O errors";
    case mishap::sync_errors:
      return "errors of syncs";
  }
  return "?";
}

ranks_run run_ranks(const std::filesystem::path& root, int ranks, std::uint64_t seed,
                    const planned_mishap& planned) {
  ranks_run run;
  rank_threads team(ranks, seed);
  std::vector<std::vector<std::string>> told(static_cast<std::size_t>(ranks));
  std::vector<std::exception_ptr> thrown;
  {
    call_recorder recorder(identities_of(root), root_inode + 1);
    first_marks marks(recorder);
    {
      mishap_maker maker(recorder, team, planned);
      thrown = team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
        be_rank(team, rank, std::move(group), root, seed, marks, told[static_cast<std::size_t>(rank)]);
      });
      run.has_happened = maker.has_happened();
    }
    run.log = recorder.log();
  }
  // All that live have been told the same, unless they were left waiting. What closing meets is not looked
  // at.
  if (planned.what == mishap::kill) return run;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto own = static_cast<std::size_t>(rank);
    if (!run.has_happened && thrown[own])
      run.problem = "rank " + std::to_string(rank) + " fails with nothing wrong: " + text_of(thrown[own]);
    if (told[own] == told[0]) continue;
    const std::size_t at = static_cast<std::size_t>(
        std::mismatch(told[0].begin(), told[0].end(), told[own].begin(), told[own].end()).first -
        told[0].begin());
    const auto of = [at](const std::vector<std::string>& all) {
      return at < all.size() ? all[at] : "nothing";
    };
    run.problem = "of attempt " + std::to_string(at + 1) + " rank 0 is told: " + of(told[0]) + "\nand rank " +
                  std::to_string(rank) + ": " + of(told[own]);
  }
  if (run.has_happened || planned.what != mishap::none) return run;
  std::size_t counted = 0;
  for (const std::string& one : told[0]) counted += one == "counts" ? 1 : 0;
  if (counted != attempts - 1) {
    run.problem = "checkpoints fail with nothing wrong:";
    for (const std::string& one : told[0]) run.problem += "\n" + one;
  }
  return run;
}

void ranks_expectation::learn(const logged_call& call) {
  switch (call.what) {
    case logged::attempt:
      begun_ = std::max(begun_, call.number);
      break;
    case logged::promise:
      promised_ = call.number;
      begun_ = std::max(begun_, call.number);
      break;
    case logged::withdrawal:
      withdrawn_.insert(call.number);
      break;
    default:
      break;
  }
}

std::string ranks_expectation::objection(std::size_t number) const {
  if (promised_ && number < *promised_)
    return "attempt " + std::to_string(number) + " is found and attempt " + std::to_string(*promised_) +
           " was promised";
  if (number > begun_) return "attempt " + std::to_string(number) + " is found, which was never begun";
  if (withdrawn_.contains(number))
    return "attempt " + std::to_string(number) + " is found, which was turned down";
  return {};
}

std::string ranks_expectation::text() const {
  return "promised: " + (promised_ ? std::to_string(*promised_) : "nothing") +
         ", begun: " + std::to_string(begun_);
}

found_set find_set(const std::filesystem::path& root, int ranks) {
  found_set found;
  rank_threads team(ranks);
  std::vector<std::size_t> numbers(static_cast<std::size_t>(ranks));
  std::vector<std::string> problems(static_cast<std::size_t>(ranks));
  const auto thrown = team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
    const auto set = open_set_of(std::move(group), mode::open, root);
    const auto own = static_cast<std::size_t>(rank);
    const cells* const mine = local(*set).find<cells>("cells").first;
    if (mine != nullptr) {
      numbers[own] = mine->numbers[0];
      for (const std::uint64_t one : mine->numbers)
        if (one != mine->numbers[0])
          problems[own] = "rank " + std::to_string(rank) + " has attempts " + std::to_string(numbers[own]) +
                          " and " + std::to_string(one) + " in one";
    }
    set->discard();
  });
  for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
    if (thrown[rank]) {
      try {
        std::rethrow_exception(thrown[rank]);
      } catch (const error& failure) {
        found.is_absent = failure.code() == errc::not_found || failure.code() == errc::not_a_store;
        if (!found.is_absent) found.problem = "it cannot be opened: " + std::string(failure.what());
      }
      return found;
    }
    if (!problems[rank].empty()) found.problem = problems[rank];
    if (numbers[rank] != numbers[0])
      found.problem = "rank 0 has attempt " + std::to_string(numbers[0]) + " and rank " +
                      std::to_string(rank) + " attempt " + std::to_string(numbers[rank]);
  }
  found.number = numbers[0];
  return found;
}

std::string go_on(const std::filesystem::path& root, int ranks, std::size_t number, bool is_absent) {
  rank_threads team(ranks);
  const auto thrown = team.run([&](int, std::unique_ptr<detail::rank_group> group) {
    const auto set = open_set_of(std::move(group), is_absent ? mode::create : mode::open, root);
    cells_of(*set).numbers.fill(number);
    set->checkpoint({});
    set->discard();
  });
  for (const std::exception_ptr& one : thrown)
    if (one) return "one more checkpoint fails: " + text_of(one);
  const found_set found = find_set(root, ranks);
  if (!found.problem.empty()) return "after one more checkpoint: " + found.problem;
  if (found.is_absent || found.number != number)
    return "after one more checkpoint attempt " + std::to_string(found.number) + " is found";
  return {};
}

}  // namespace perdure::crash
