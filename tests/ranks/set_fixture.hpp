// A set of stores of the ranks of a team of threads.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <perdure/array_store.hpp>
#include <perdure/detail/managed_part.hpp>
#include <perdure/detail/store_set.hpp>
#include <string>
#include <vector>

#include "os/file.hpp"
#include "ranks/rank_threads.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"

namespace perdure {

using detail::store_set;
using set_mode = detail::store_set::mode;

inline detail::set_options small_set() {
  detail::set_options options;
  options.store = small_store();
  return options;
}

inline std::unique_ptr<store_set> open_set_of(std::unique_ptr<detail::rank_group> group, set_mode how,
                                              const std::filesystem::path& path,
                                              const detail::set_options& options = small_set()) {
  return store_set::open(std::move(group), how, path, options, detail::opener_of_managers<relocatable>());
}

inline manager& local(store_set& set) {
  return static_cast<detail::managed_part<relocatable>&>(set.own()).manager();
}

/// What a rank does with the set.
using set_program = std::function<void(store_set& set, int rank)>;

class ranks_set : public scratch_test {
 protected:
  ranks_set() : scratch_test(fast_directory()) {}

  /// Opens the set on so many ranks, and has it closed by its destructor where the program has not.
  std::vector<std::exception_ptr> try_on(int ranks, set_mode how, const set_program& what,
                                         const detail::set_options& options = small_set()) {
    rank_threads team(ranks);
    return team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
      const auto set = open_set_of(std::move(group), how, path(), options);
      what(*set, rank);
    });
  }
  void on(int ranks, set_mode how, const set_program& what,
          const detail::set_options& options = small_set()) {
    expect_none(try_on(ranks, how, what, options));
  }
  static void expect_none(const std::vector<std::exception_ptr>& thrown) {
    for (std::size_t rank = 0; rank < thrown.size(); ++rank) {
      try {
        if (thrown[rank]) std::rethrow_exception(thrown[rank]);
      } catch (const std::exception& failure) {
        ADD_FAILURE() << "rank " << rank << ": " << failure.what();
      }
    }
  }
  /// The same error, in the same words, on each rank.
  static void expect_same(const std::vector<std::exception_ptr>& thrown, errc code,
                          const std::string& words) {
    std::string first;
    for (std::size_t rank = 0; rank < thrown.size(); ++rank) {
      SCOPED_TRACE("rank " + std::to_string(rank));
      ASSERT_TRUE(thrown[rank]);
      EXPECT_TRUE(fails_with(code, words, [&] { std::rethrow_exception(thrown[rank]); }));
      try {
        std::rethrow_exception(thrown[rank]);
      } catch (const std::exception& failure) {
        if (rank == 0) first = failure.what();
        EXPECT_EQ(failure.what(), first);
      }
    }
  }

  /// A set whose ranks each hold a number: that of the checkpoint, and their own.
  static int number(int checkpoint, int rank) { return 1000 * checkpoint + rank; }
  void make(int ranks, int checkpoints = 1) {
    on(ranks, set_mode::create, [&](store_set& set, int rank) {
      int& value = *local(set).construct<int>("number")(number(0, rank));
      for (int i = 1; i <= checkpoints; ++i) {
        value = number(i, rank);
        set.checkpoint({});
      }
      set.discard();
    });
  }
  void expect_checkpoint(int ranks, int checkpoint) {
    on(ranks, set_mode::open, [&](store_set& set, int rank) {
      EXPECT_EQ(*local(set).find<int>("number").first, number(checkpoint, rank));
      set.discard();
    });
  }
  /// Sorted.
  static std::vector<std::string> names_in(const std::filesystem::path& directory) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  /// As files that say where a part lies name this machine.
  static std::string host() { return os::this_process().host; }
  std::filesystem::path part(int rank) const {
    return path() / "set.0001" / ("part.0000" + std::to_string(rank));
  }
};

}  // namespace perdure
