#include "crash/ranks/checkpointing_ranks.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/manager.hpp>
#include <vector>

#include "crash/ranks/recorded_ranks.hpp"
#include "crash/ranks/set_of_ranks.hpp"
#include "support/random_stream.hpp"

namespace perdure::crash {

namespace {

constexpr std::size_t attempts = 5;

/// Each rank's object: a few pages full of the number of the attempt.
struct cells {
  std::array<std::uint64_t, 1500> numbers{};
};

cells& cells_of(store_set& set) {
  return *local(set).find_or_construct<cells>("cells")();
}

// What a rank does, and what it was told: the same on all that live.
void be_rank(rank_threads& team, int rank, std::unique_ptr<detail::rank_group> group,
             const std::filesystem::path& root, std::uint64_t seed, bool is_late, first_marks& marks,
             std::vector<std::string>& told) {
  const auto set = open_set_of(std::move(group), mode::create, root, is_late);
  if (!is_late && !team.is_dead(rank)) marks.promise(0);
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

}  // namespace

ranks_run checkpointing_ranks::run(const std::filesystem::path& root, std::uint64_t seed,
                                   const planned_mishap& planned) const {
  ranks_run run;
  rank_threads team(ranks_, seed);
  std::vector<std::vector<std::string>> told(static_cast<std::size_t>(ranks_));
  std::vector<std::exception_ptr> thrown;
  {
    recorded_ranks recorded(root, planned);
    thrown = recorded.run(team, [&](int rank, std::unique_ptr<detail::rank_group> group) {
      be_rank(team, rank, std::move(group), root, seed, is_late_, recorded.marks(),
              told[static_cast<std::size_t>(rank)]);
    });
    run.has_happened = recorded.has_happened();
    run.log = recorded.log();
  }
  // All that live have been told the same, unless they were left waiting. What closing meets is not looked
  // at.
  if (planned.what == mishap::kill) return run;
  for (int rank = 0; rank < ranks_; ++rank) {
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

found_set checkpointing_ranks::find(const std::filesystem::path& root) const {
  found_set found;
  found.ranks = ranks_;
  rank_threads team(ranks_);
  std::vector<std::size_t> numbers(static_cast<std::size_t>(ranks_));
  std::vector<std::string> problems(static_cast<std::size_t>(ranks_));
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
  if (is_late_ && found.number == 0) found.problem = "the set is there without a checkpoint";
  return found;
}

std::string checkpointing_ranks::go_on(const std::filesystem::path& root, const found_set& before) const {
  constexpr std::size_t number = 1000;
  rank_threads team(ranks_);
  const auto thrown = team.run([&](int, std::unique_ptr<detail::rank_group> group) {
    const auto set = open_set_of(std::move(group), before.is_absent ? mode::create : mode::open, root);
    cells_of(*set).numbers.fill(number);
    set->checkpoint({});
    set->discard();
  });
  for (const std::exception_ptr& one : thrown)
    if (one) return "one more checkpoint fails: " + text_of(one);
  const found_set found = find(root);
  if (!found.problem.empty()) return "after one more checkpoint: " + found.problem;
  if (found.is_absent || found.number != number)
    return "after one more checkpoint attempt " + std::to_string(found.number) + " is found";
  return {};
}

}  // namespace perdure::crash
