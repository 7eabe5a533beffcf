// Sets of stores on the communicators of an MPI program.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <perdure/mpi.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

/// On all ranks of the program; rank 0 has the directory.
class a_set_of_ranks : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    std::array<char, 256> name{};
    if (rank_ == 0) {
      directory_.emplace(fast_directory());
      directory_->directory().string().copy(name.data(), name.size() - 1);
    }
    MPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    root_ = name.data();
  }
  void TearDown() override { wait_for_all(); }

  static void wait_for_all() { MPI_Barrier(MPI_COMM_WORLD); }
  std::filesystem::path path(const std::string& name = "set") const { return root_ / name; }
  static mpi::options small_set() {
    mpi::options wanted;
    wanted.store = small_store();
    wanted.timeout = std::chrono::seconds(30);
    return wanted;
  }
  bool is_last() const { return rank_ == ranks_ - 1; }

  /// The first so many ranks; MPI_COMM_NULL on the others.
  class first_ranks {
   public:
    explicit first_ranks(int count) {
      int rank = 0;
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      MPI_Comm_split(MPI_COMM_WORLD, rank < count ? 0 : MPI_UNDEFINED, rank, &communicator_);
    }
    first_ranks(const first_ranks&) = delete;
    first_ranks& operator=(const first_ranks&) = delete;
    ~first_ranks() {
      if (communicator_ != MPI_COMM_NULL) MPI_Comm_free(&communicator_);
    }
    bool has_this() const { return communicator_ != MPI_COMM_NULL; }
    MPI_Comm get() const { return communicator_; }

   private:
    MPI_Comm communicator_ = MPI_COMM_NULL;
  };

  // A field of 8 rows and 12 columns, each element of which tells where it is and when it was written.
  static constexpr std::uint64_t rows = 8;
  static constexpr std::uint64_t columns = 12;
  static double value(int step, std::uint64_t row, std::uint64_t column) {
    return 10000.0 * step + 100.0 * static_cast<double>(row) + static_cast<double>(column);
  }
  // As equal shares as can be, the larger ones first.
  static std::uint64_t first_of(std::uint64_t all, int rank, int ranks) {
    const auto shares = static_cast<std::uint64_t>(ranks);
    const auto before = static_cast<std::uint64_t>(rank);
    return all / shares * before + std::min(all % shares, before);
  }
  static slab rows_of(int rank, int ranks) {
    const std::uint64_t first = first_of(rows, rank, ranks);
    return {{first, 0}, {first_of(rows, rank + 1, ranks) - first, columns}, {}};
  }
  static slab columns_of(int rank, int ranks) {
    const std::uint64_t first = first_of(columns, rank, ranks);
    return {{0, first}, {rows, first_of(columns, rank + 1, ranks) - first}, {}};
  }
  static void write(mpi::array_store& fields, int step, const slab& where) {
    std::vector<double> mine;
    for (std::uint64_t i = 0; i < where.count[0]; ++i)
      for (std::uint64_t j = 0; j < where.count[1]; ++j)
        mine.push_back(value(step, where.offset[0] + i, where.offset[1] + j));
    fields.store("field", array_view<const double, 2>(mine.data(), where.count), where.offset);
  }
  static void expect_part(const mpi::array_store& fields, int step, const slab& where) {
    const std::vector<double> got = fields.array("field").read<double>(where);
    ASSERT_EQ(got.size(), where.count.elements());
    for (std::uint64_t i = 0; i < where.count[0]; ++i)
      for (std::uint64_t j = 0; j < where.count[1]; ++j)
        ASSERT_EQ(got[i * where.count[1] + j], value(step, where.offset[0] + i, where.offset[1] + j));
  }
  void make_field() {
    mpi::array_store fields(create_only, MPI_COMM_WORLD, path(), small_set());
    fields.create<double>("field", {rows, columns});
    write(fields, 1, rows_of(rank_, ranks_));
    fields.close();
  }
  /// Returns the beginning of errors of rank 0. A program of one rank does not name it.
  std::string of_rank_0() const { return ranks_ == 1 ? "" : "rank 0: "; }
  /// The same error, in the same words, on all ranks.
  template <class Action>
  void expect_on_all(errc code, const std::string& words, Action&& action) {
    const std::string mine = message_of(action);
    EXPECT_TRUE(fails_with(code, words, [&] {
      if (!mine.empty()) throw error(code, mine);
    }));
    std::array<char, 1024> first{};
    if (rank_ == 0) mine.copy(first.data(), first.size() - 1);
    MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    EXPECT_EQ(mine, first.data());
  }

  int rank_ = 0;
  int ranks_ = 1;

 private:
  std::optional<scratch_directory> directory_;
  std::filesystem::path root_;
};

TEST_F(a_set_of_ranks, has_its_checkpoints_together) {
  std::uint64_t epoch = 0;
  {
    mpi::manager set(create_only, MPI_COMM_WORLD, path(), small_set());
    EXPECT_EQ(set.rank(), rank_);
    EXPECT_EQ(set.ranks(), ranks_);
    EXPECT_EQ(set.parts(), static_cast<std::uint32_t>(ranks_));
    int& number = *set.local().construct<int>("number")(0);
    for (int i = 1; i <= 3; ++i) {
      number = 100 * i + rank_;
      set.checkpoint();
    }
    epoch = set.epoch();
    number = -1;
    set.discard();
    EXPECT_FALSE(set.is_open());
  }
  {
    mpi::manager set(open_only, MPI_COMM_WORLD, path(), small_set());
    EXPECT_EQ(set.epoch(), epoch);
    EXPECT_EQ(*set.local().find<int>("number").first, 300 + rank_);
    *set.local().find<int>("number").first = 400 + rank_;
    // The destructor makes the last one.
  }
  mpi::manager set(open_read_only, MPI_COMM_WORLD, path(), small_set());
  EXPECT_EQ(set.epoch(), epoch + 1);
  EXPECT_EQ(*set.local().find<int>("number").first, 400 + rank_);
}

TEST_F(a_set_of_ranks, takes_a_reduction_and_a_broadcast_for_a_checkpoint) {
  mpi::manager set(create_only, MPI_COMM_WORLD, path(), small_set());
  mpi::array_store fields(set);
  fields.create<double>("field", {rows, columns});
  const mpi::statistics opened = set.counted();
  EXPECT_EQ(opened.reductions, 2u);
  EXPECT_EQ(opened.broadcasts, 2u);
  for (int step = 1; step <= 10; ++step) {
    write(fields, step, rows_of(rank_, ranks_));
    fields.checkpoint();
  }
  const mpi::statistics after = set.counted();
  EXPECT_EQ(after.reductions - opened.reductions, 10u);
  EXPECT_EQ(after.broadcasts - opened.broadcasts, 10u);
  EXPECT_EQ(after.gathers, 0u);
  EXPECT_EQ(after.bytes - opened.bytes, 10 * (sizeof(detail::vote) + sizeof(detail::outcome)));
  EXPECT_LE(sizeof(detail::vote) + sizeof(detail::outcome), 1024u);
}

TEST_F(a_set_of_ranks, has_arrays_that_any_decomposition_loads) {
  make_field();
  for (int readers = 1; readers <= ranks_; ++readers) {
    const first_ranks some(readers);
    if (!some.has_this()) continue;
    const mpi::array_store fields(open_read_only, some.get(), path(), small_set());
    expect_part(fields, 1, columns_of(rank_, readers));
    expect_part(fields, 1, slab::whole({rows, columns}));
  }
  wait_for_all();
  mpi::array_store fields(open_only, MPI_COMM_WORLD, path(), small_set());
  write(fields, 2, rows_of(rank_, ranks_));
  fields.checkpoint("second");
  expect_part(fields, 2, columns_of(rank_, ranks_));
  fields.close();
  EXPECT_EQ(code_of([&] { fields.checkpoint(); }), errc::invalid_argument);
}

TEST_F(a_set_of_ranks, is_not_checkpointed_where_two_have_written_the_same) {
  if (ranks_ == 1) GTEST_SKIP() << "needs two ranks";
  make_field();
  mpi::array_store fields(open_only, MPI_COMM_WORLD, path(), small_set());
  if (is_last()) write(fields, 2, {{0, 3}, {1, 2}, {}});
  expect_on_all(
      errc::conflict,
      "rank 0 and rank " + std::to_string(ranks_ - 1) + " have both written the part at [0, 3] of [1, 2]",
      [&] { fields.checkpoint(); });
  EXPECT_EQ(fields.counted().gathers, 1u);
  fields.discard();
  const mpi::array_store again(open_read_only, MPI_COMM_WORLD, path(), small_set());
  expect_part(again, 1, slab::whole({rows, columns}));
}

TEST_F(a_set_of_ranks, gives_all_ranks_the_same_error) {
  expect_on_all(errc::not_found, of_rank_0(),
                [&] { mpi::manager(open_only, MPI_COMM_WORLD, path("none"), small_set()).close(); });
  make_field();
  expect_on_all(errc::already_exists, of_rank_0(),
                [&] { mpi::manager(create_only, MPI_COMM_WORLD, path(), small_set()).close(); });
  // One of them asks for another thing than the others.
  if (ranks_ == 1) return;
  mpi::manager set(open_only, MPI_COMM_WORLD, path(), small_set());
  expect_on_all(errc::invalid_argument, "at the same time: all ranks must make the same calls", [&] {
    if (is_last()) {
      set.snapshot(path("copy"));
    } else {
      set.checkpoint();
    }
  });
  set.close();
  // It is opened for writing by as many as it was made by.
  const first_ranks fewer(ranks_ - 1);
  if (fewer.has_this()) {
    EXPECT_TRUE(fails_with(errc::invalid_argument, "is a set of " + std::to_string(ranks_) + " ranks",
                           [&] { mpi::manager(open_only, fewer.get(), path(), small_set()).close(); }));
  }
}

TEST_F(a_set_of_ranks, takes_all_along_when_one_throws) {
  if (ranks_ == 1) GTEST_SKIP() << "needs two ranks";
  make_field();
  const auto run = [&] {
    mpi::array_store fields(open_only, MPI_COMM_WORLD, path(), small_set());
    write(fields, 2, rows_of(rank_, ranks_));
    if (is_last()) throw std::runtime_error("its input ended");
    fields.checkpoint();
  };
  if (is_last()) {
    EXPECT_THROW(run(), std::runtime_error);
  } else {
    EXPECT_TRUE(
        fails_with(errc::rank_failed, "rank " + std::to_string(ranks_ - 1) + ": it has given up", run));
  }
  const mpi::array_store again(open_read_only, MPI_COMM_WORLD, path(), small_set());
  expect_part(again, 1, slab::whole({rows, columns}));
}

TEST_F(a_set_of_ranks, is_copied_and_flushed_while_it_goes_on) {
  make_field();
  {
    mpi::array_store fields(open_only, MPI_COMM_WORLD, path(), small_set());
    fields.snapshot(path("copy"));
    for (int step = 2; step <= 3; ++step) {
      mpi::pending_copy copy = fields.snapshot_async(path("flushed"));
      write(fields, step, rows_of(rank_, ranks_));
      fields.checkpoint();
      copy.finish();
    }
    fields.close();
  }
  mpi::manager::copy(MPI_COMM_WORLD, path(), path("offline"), small_set());
  mpi::manager::copy_async(MPI_COMM_WORLD, path(), path("offline again"), small_set()).finish();
  for (const auto& [name, step] : std::vector<std::pair<std::string, int>>{
           {"copy", 1}, {"flushed", 2}, {"offline", 3}, {"offline again", 3}}) {
    const mpi::array_store fields(open_read_only, MPI_COMM_WORLD, path(name), small_set());
    expect_part(fields, step, slab::whole({rows, columns}));
  }
}

TEST_F(a_set_of_ranks, is_divided_among_another_number) {
  make_field();
  for (int ranks = 1; ranks <= ranks_; ++ranks) {
    const first_ranks some(ranks);
    if (some.has_this()) {
      mpi::repartition(some.get(), path(), small_set());
      mpi::array_store fields(open_only, some.get(), path(), small_set());
      expect_part(fields, ranks, slab::whole({rows, columns}));
      write(fields, ranks + 1, rows_of(rank_, ranks));
      fields.close();
    }
    wait_for_all();
  }
}

TEST_F(a_set_of_ranks, has_parts_on_devices_of_the_ranks) {
  mpi::options wanted = small_set();
  wanted.parts_directory = path("device of " + std::to_string(rank_));
  {
    mpi::array_store fields(create_only, MPI_COMM_WORLD, path(), wanted);
    fields.create<double>("field", {rows, columns});
    write(fields, 1, rows_of(rank_, ranks_));
    fields.snapshot(path("staged"));
    fields.close();
  }
  EXPECT_FALSE(std::filesystem::exists(path() / "set.0001" / "part.00000"));
  const mpi::array_store fields(open_read_only, MPI_COMM_WORLD, path(), small_set());
  expect_part(fields, 1, columns_of(rank_, ranks_));
}

TEST_F(a_set_of_ranks, refuses_backings_that_cannot_prepare_a_checkpoint) {
  make_field();
  for (const backing kind : {backing::shared_file, backing::dax}) {
    for (const bool is_asked_by_all : {true, false}) {
      mpi::options wanted = small_set();
      if (is_asked_by_all || is_last()) wanted.store.backing = kind;
      const std::string words =
          (ranks_ == 1 ? "" : "rank " + std::to_string(is_asked_by_all ? 0 : ranks_ - 1) + ": ") +
          "parts of a set cannot be";
      expect_on_all(errc::unsupported, words,
                    [&] { mpi::manager(create_only, MPI_COMM_WORLD, path("new"), wanted).close(); });
      expect_on_all(errc::unsupported, words,
                    [&] { mpi::array_store(open_only, MPI_COMM_WORLD, path(), wanted).close(); });
      expect_on_all(errc::unsupported, words, [&] { mpi::repartition(MPI_COMM_WORLD, path(), wanted); });
    }
  }
  EXPECT_FALSE(std::filesystem::exists(path("new") / "manifest"));
  const mpi::array_store fields(open_read_only, MPI_COMM_WORLD, path(), small_set());
  expect_part(fields, 1, slab::whole({rows, columns}));
}

TEST_F(a_set_of_ranks, wants_a_communicator) {
  EXPECT_TRUE(fails_with(errc::invalid_argument, "MPI_COMM_NULL",
                         [&] { mpi::manager(open_only, MPI_COMM_NULL, path(), small_set()).close(); }));
}

// The last one: what is under way in the set's communicator then is never taken back.
TEST_F(a_set_of_ranks, ends_the_wait_for_one_that_does_not_come) {
  if (ranks_ == 1) GTEST_SKIP() << "needs two ranks";
  make_field();
  mpi::options wanted = small_set();
  wanted.timeout = std::chrono::seconds(2);
  auto set = std::make_unique<mpi::manager>(open_only, MPI_COMM_WORLD, path(), wanted);
  if (!is_last()) {
    EXPECT_TRUE(fails_with(errc::timed_out, "for other ranks", [&] { set->checkpoint(); }));
    EXPECT_TRUE(fails_with(errc::timed_out, "closed and opened again", [&] { set->checkpoint(); }));
  }
  wait_for_all();
  set->discard();
  wait_for_all();
  const mpi::array_store fields(open_only, MPI_COMM_WORLD, path(), small_set());
  expect_part(fields, 1, slab::whole({rows, columns}));
}

}  // namespace
}  // namespace perdure
