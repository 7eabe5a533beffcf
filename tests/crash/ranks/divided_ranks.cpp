#include "crash/ranks/divided_ranks.hpp"

#include <algorithm>
#include <perdure/array_store.hpp>
#include <perdure/error.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "crash/ranks/recorded_ranks.hpp"
#include "crash/ranks/set_of_ranks.hpp"
#include "ranks/set_manifest.hpp"

namespace perdure::crash {

namespace {

constexpr std::uint64_t rows = 8;
constexpr std::uint64_t columns = 600;  // a few pages for each rank
constexpr int going_on = 1000;          // what the arrays hold when work goes on

double element(int content, std::uint64_t row, std::uint64_t column) {
  return 10000.0 * content + static_cast<double>(row * columns + column);
}

std::string name_of_content(int content) {
  return "content " + std::to_string(content);
}

slab rows_of(int rank, int ranks) {
  const std::uint64_t share = rows / static_cast<std::uint64_t>(ranks);
  return {{share * static_cast<std::uint64_t>(rank), 0}, {share, columns}, {}};
}

void store_content(store_set& set, int rank, int ranks, int content, bool is_new) {
  array_store arrays(set.arrays());
  const slab where = rows_of(rank, ranks);
  if (is_new) arrays.create<double>("field", {rows, columns});
  std::vector<double> mine;
  for (std::uint64_t row = 0; row < where.count[0]; ++row)
    for (std::uint64_t column = 0; column < columns; ++column)
      mine.push_back(element(content, where.offset[0] + row, column));
  arrays.store("field", array_view<const double, 2>(mine.data(), where.count), where.offset);
  // A division leaves a whole value with its rank, or gives it to rank 0 where that rank is gone.
  const bool has_name =
      is_new ? rank == ranks - 1 : untyped_arrays::of(set.own().core())->find("name").has_value();
  if (has_name) arrays.store("name", name_of_content(content));
}

/// Divides the rows as they are divided without it, and stores "shares" anew: the ranks, once for each.
class divider_of_shares final : public set_divider {
 public:
  set_division plan(const std::shared_ptr<const untyped_arrays>& before, std::uint32_t parts) override {
    parts_ = parts;
    set_division division;
    for (std::uint32_t part = 0; part <= parts; ++part)
      division.divided["field"].bounds.push_back(rows / parts * part);
    if (before->find("shares")) division.replaced.emplace_back("shares");
    return division;
  }
  void store_part(const std::shared_ptr<const untyped_arrays>&, untyped_arrays& made,
                  std::uint32_t part) override {
    made.create("shares", data_type_of<std::uint32_t>(), {parts_}, {});
    made.write("shares", data_type_of<std::uint32_t>(), {{part}, {1}, {}},
               const_untyped_view::row_major(&parts_, {1}, sizeof parts_));
  }

 private:
  std::uint32_t parts_ = 0;
};

/// Of this rank's rows, and of the name where it is this one's to look.
struct seen_content {
  int content = 0;
  std::string problem;
};

seen_content look_at(store_set& set, int rank, int ranks, bool has_shares) {
  seen_content seen;
  const array_store arrays(set.arrays());
  if (!arrays.contains("field")) return seen;
  const slab where = rows_of(rank, ranks);
  const std::vector<double> mine = arrays.array("field").read<double>(where);
  const auto who = "rank " + std::to_string(rank) + " of " + std::to_string(ranks);
  seen.content = static_cast<int>(mine[0] / 10000.0);
  for (std::uint64_t i = 0; i < mine.size(); ++i) {
    if (mine[i] == element(seen.content, where.offset[0] + i / columns, i % columns)) continue;
    seen.problem = who + " finds " + std::to_string(mine[i]) + " as element " + std::to_string(i) +
                   " of content " + std::to_string(seen.content);
    return seen;
  }
  if (rank != 0) return seen;
  const std::vector<std::uint32_t> shares(static_cast<std::size_t>(ranks), static_cast<std::uint32_t>(ranks));
  if (arrays.contains("shares") ? arrays.load<std::vector<std::uint32_t>>("shares") != shares : has_shares) {
    seen.problem = who + " finds no shares, or those of other ranks";
    return seen;
  }
  const std::string name = arrays.load<std::string>("name");
  if (name != name_of_content(seen.content))
    seen.problem = who + " finds " + name + " beside " + name_of_content(seen.content);
  return seen;
}

/// What is left of other parts, in a set that was opened for writing.
std::string left_over(const std::filesystem::path& set) {
  std::vector<std::string> parts;
  for (const auto& entry : std::filesystem::directory_iterator(set)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("set.")) parts.push_back(name);
  }
  std::sort(parts.begin(), parts.end());
  return parts.size() == 1 ? "" : parts.front() + " is left beside " + parts.back();
}

/// The ranks that the set is one of, or nothing where it cannot be told.
std::optional<int> ranks_of(const std::filesystem::path& set) {
  try {
    return static_cast<int>(detail::set_manifest::read(os::file::open_directory(set)).ranks);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

void divided_ranks::divide(std::unique_ptr<detail::rank_group> group,
                           const std::filesystem::path& root) const {
  divider_of_shares divider;
  store_set::repartition(std::move(group), root / set_name, options_of_set(), 0,
                         by_program_ ? &divider : nullptr);
}

std::optional<std::size_t> divided_ranks::number_of(int content, int ranks) const {
  if (content == going_on) return going_on;
  if (content == 0 && ranks == first_) return 0;
  if (content == 1) return ranks == first_ ? 1 : 2;
  if (content == 3) return ranks == then_ ? 3 : 4;
  return std::nullopt;
}

ranks_run divided_ranks::run(const std::filesystem::path& root, std::uint64_t seed,
                             const planned_mishap& planned) const {
  ranks_run run;
  recorded_ranks recorded(root, planned);
  first_marks& marks = recorded.marks();
  // Whether all ranks have done it.
  const auto is_done = [&](int ranks, const std::vector<std::exception_ptr>& thrown) {
    const bool all =
        std::none_of(thrown.begin(), thrown.end(), [](const auto& one) { return one != nullptr; });
    if (all || planned.what == mishap::kill) return all;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto text = [&](int of) {
        const std::exception_ptr& one = thrown[static_cast<std::size_t>(of)];
        return one ? text_of(one) : std::string("nothing");
      };
      if (!recorded.has_happened())
        run.problem = "rank " + std::to_string(rank) + " fails with nothing wrong: " + text(rank);
      else if (text(rank) != text(0))
        run.problem = "rank 0 is told: " + text(0) + "\nand rank " + std::to_string(rank) + ": " + text(rank);
    }
    return false;
  };
  const auto attempting = [&](rank_threads& team, int rank, std::size_t number, auto&& attempt) {
    marks.begin(number);
    try {
      attempt();
    } catch (const error& failure) {
      if (!team.is_dead(rank) && !leaves_in_doubt(failure.code())) marks.withdraw(number);
      throw;
    }
    if (!team.is_dead(rank)) marks.promise(number);
  };
  const auto divide = [&](int ranks, std::size_t number) {
    rank_threads team(ranks, seed + number);
    return is_done(ranks, recorded.run(team, [&](int rank, std::unique_ptr<detail::rank_group> group) {
      attempting(team, rank, number, [&] { this->divide(std::move(group), root); });
    }));
  };
  const auto work = [&] {
    {
      rank_threads team(first_, seed);
      if (!is_done(first_,
                   recorded.run_unharmed(team, [&](int rank, std::unique_ptr<detail::rank_group> group) {
                     const auto set = open_set_of(std::move(group), mode::create, root);
                     marks.promise(0);
                     store_content(*set, rank, first_, 1, true);
                     attempting(team, rank, 1, [&] { set->checkpoint({}); });
                     set->discard();
                   })))
        return;
    }
    run.first = recorded.log().size();
    if (!divide(then_, 2)) return;
    {
      rank_threads team(then_, seed);
      if (!is_done(then_, recorded.run(team, [&](int rank, std::unique_ptr<detail::rank_group> group) {
            const auto set = open_set_of(std::move(group), mode::open, root);
            store_content(*set, rank, then_, 3, false);
            attempting(team, rank, 3, [&] { set->checkpoint({}); });
            set->discard();
          })))
        return;
    }
    divide(first_, 4);
  };
  work();
  run.has_happened = recorded.has_happened();
  run.log = recorded.log();
  return run;
}

found_set divided_ranks::find(const std::filesystem::path& root) const {
  found_set found;
  // Where it cannot be told, opening the set says why.
  found.ranks = ranks_of(root / set_name).value_or(first_);
  if (found.ranks != first_ && found.ranks != then_) {
    found.problem = "it is a set of " + std::to_string(found.ranks) + " ranks";
    return found;
  }
  rank_threads team(found.ranks);
  std::vector<seen_content> seen(static_cast<std::size_t>(found.ranks));
  const auto thrown = team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
    const auto set = open_set_of(std::move(group), mode::open, root);
    seen[static_cast<std::size_t>(rank)] =
        look_at(*set, rank, found.ranks, by_program_ && found.ranks == then_);
    set->discard();
  });
  for (const std::exception_ptr& one : thrown) {
    try {
      if (one) std::rethrow_exception(one);
    } catch (const error& failure) {
      found.is_absent = failure.code() == errc::not_found || failure.code() == errc::not_a_store;
      if (!found.is_absent) found.problem = "it cannot be opened: " + std::string(failure.what());
      return found;
    }
  }
  for (const seen_content& one : seen) {
    if (found.problem.empty()) found.problem = one.problem;
    if (found.problem.empty() && one.content != seen[0].content)
      found.problem =
          "ranks have contents " + std::to_string(seen[0].content) + " and " + std::to_string(one.content);
  }
  if (found.problem.empty()) found.problem = left_over(root / set_name);
  const auto number = number_of(seen[0].content, found.ranks);
  if (number) {
    found.number = *number;
  } else if (found.problem.empty()) {
    found.problem = std::to_string(found.ranks) + " ranks find content " + std::to_string(seen[0].content);
  }
  return found;
}

std::string divided_ranks::go_on(const std::filesystem::path& root, const found_set& before) const {
  const auto first_failure = [](const std::vector<std::exception_ptr>& thrown) {
    const auto one = std::find_if(thrown.begin(), thrown.end(), [](const auto& it) { return it != nullptr; });
    return one == thrown.end() ? std::string() : text_of(*one);
  };
  int ranks = before.ranks;
  // What has nothing in it is written first.
  const bool is_divided = !before.is_absent && before.number != 0;
  if (is_divided) {
    ranks = ranks == first_ ? then_ : first_;
    rank_threads team(ranks);
    const std::string failure = first_failure(
        team.run([&](int, std::unique_ptr<detail::rank_group> group) { divide(std::move(group), root); }));
    if (!failure.empty()) return "one more division fails: " + failure;
  }
  rank_threads team(ranks);
  const std::string failure =
      first_failure(team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
        const auto set = open_set_of(std::move(group), before.is_absent ? mode::create : mode::open, root);
        store_content(*set, rank, ranks, going_on, !is_divided);
        set->checkpoint({});
        set->discard();
      }));
  if (!failure.empty()) return "one more checkpoint fails: " + failure;
  const found_set found = find(root);
  if (!found.problem.empty()) return "after one more checkpoint: " + found.problem;
  if (found.is_absent || found.number != going_on || found.ranks != ranks)
    return "after one more checkpoint attempt " + std::to_string(found.number) + " is found";
  return {};
}

}  // namespace perdure::crash
