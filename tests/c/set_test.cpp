// Sets of stores by ranks that a program reaches by functions of its own: here threads.
#include "perdure/c/set.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "c/c_store.hpp"
#include "perdure/store_set.hpp"

namespace perdure::c {
namespace {

/// Messages between the ranks of a team. What a rank starts is known by its number: all start the same in the
/// same order.
struct team {
  explicit team(int ranks) : size(ranks) {}
  struct exchange {
    std::map<int, std::string> given;  // by rank
  };
  const int size;
  std::mutex mutex;
  std::map<std::uint64_t, exchange> exchanges;
  bool is_over = false;
  int begun = 0;
  int freed = 0;
};

/// One rank: the context of its functions.
struct member {
  team& all;
  int rank;
  bool is_root() const { return rank == 0; }
  std::uint64_t next = 0;
  std::function<bool(team::exchange&)> is_done = {};  // of what is under way

  int start(const void* own, std::size_t bytes, std::function<bool(team::exchange&)> done) {
    const std::scoped_lock lock(all.mutex);
    if (own != nullptr) all.exchanges[next].given[rank] = std::string(static_cast<const char*>(own), bytes);
    is_done = std::move(done);
    return 0;
  }
};

member& member_at(void* context) {
  return *static_cast<member*>(context);
}

int begin(void* context) {
  member& me = member_at(context);
  {
    const std::scoped_lock lock(me.all.mutex);
    ++me.all.begun;
  }
  return me.start("", 0, [&all = me.all](team::exchange& now) {
    return now.given.size() == static_cast<std::size_t>(all.size);
  });
}

int reduce(void* context, const void* own, void* all, std::size_t bytes) {
  member& me = member_at(context);
  return me.start(own, bytes, [&me, all](team::exchange& now) {
    if (!me.is_root()) return true;
    if (now.given.size() < static_cast<std::size_t>(me.all.size)) return false;
    std::memcpy(all, now.given[0].data(), now.given[0].size());
    for (const auto& [rank, vote] : now.given)
      if (rank != 0)
        perdure_combine_votes((' ' + vote).data() + 1, all, 1);  // from a place that is not aligned
    return true;
  });
}

int broadcast(void* context, void* data, std::size_t bytes) {
  member& me = member_at(context);
  return me.start(me.is_root() ? data : nullptr, bytes, [data](team::exchange& now) {
    if (!now.given.contains(0)) return false;
    std::memcpy(data, now.given[0].data(), now.given[0].size());
    return true;
  });
}

int gather(void* context, const void* own, std::int32_t bytes, void* all, const std::int32_t* sizes,
           const std::int32_t* offsets) {
  member& me = member_at(context);
  return me.start(own, static_cast<std::size_t>(bytes), [&me, all, sizes, offsets](team::exchange& now) {
    if (!me.is_root()) return true;
    if (now.given.size() < static_cast<std::size_t>(me.all.size)) return false;
    for (const auto& [rank, given] : now.given) {
      if (given.size() != static_cast<std::size_t>(sizes[rank])) return false;
      std::memcpy(static_cast<char*>(all) + offsets[rank], given.data(), given.size());
    }
    return true;
  });
}

int test(void* context, int* is_done) {
  member& me = member_at(context);
  const std::scoped_lock lock(me.all.mutex);
  *is_done = me.is_done(me.all.exchanges[me.next]) ? 1 : 0;
  if (*is_done != 0) ++me.next;
  return 0;
}

int has_ended(void* context) {
  member& me = member_at(context);
  const std::scoped_lock lock(me.all.mutex);
  return me.all.is_over ? 1 : 0;
}

void explain(void*, int code, char* text, std::size_t capacity) {
  std::snprintf(text, capacity, "code %d", code);
}

void free_member(void* context, int) {
  const std::unique_ptr<member> me(&member_at(context));
  const std::scoped_lock lock(me->all.mutex);
  ++me->all.freed;
}

perdure_ranks ranks_of(team& all, int rank) {
  perdure_ranks ranks{};
  ranks.struct_size = sizeof ranks;
  ranks.context = new member{all, rank};
  ranks.rank = rank;
  ranks.size = all.size;
  ranks.begin = begin;
  ranks.reduce = reduce;
  ranks.broadcast = broadcast;
  ranks.gather = gather;
  ranks.test = test;
  ranks.has_ended = has_ended;
  ranks.explain = explain;
  ranks.free = free_member;
  return ranks;
}

class c_set_test : public testing::Test {
 protected:
  c_set_test() : scratch(fast_directory()), path((scratch.path("set")).string()) {
    store_options.capacity = std::uint64_t{1} << 30;  // of each rank
    options.struct_size = sizeof options;
    options.store = &store_options;
    options.timeout_ms = 60000;
  }
  /// Runs the program on a thread for each rank.
  void on(int ranks, const std::function<void(const perdure_ranks& ranks, int rank)>& program) {
    team all(ranks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] { program(ranks_of(all, rank), rank); });
    for (std::thread& one : threads) one.join();
    EXPECT_EQ(all.freed, ranks);
  }
  /// Rows of an array of 12 rows and 5 columns.
  struct rows_of {
    rows_of(int rank, int ranks) {
      const auto row = [&](int of) { return static_cast<std::uint64_t>(12 * of / ranks); };
      offset[0] = row(rank);
      count[0] = row(rank + 1) - row(rank);
    }
    std::uint64_t offset[2] = {0, 0};
    std::uint64_t count[2] = {0, 5};
    perdure_array_part part() const { return {2, offset, count, nullptr, nullptr}; }
    std::vector<double> elements(int step) const {
      std::vector<double> all;
      for (std::uint64_t i = 0; i < count[0]; ++i)
        for (std::uint64_t j = 0; j < count[1]; ++j)
          all.push_back(1000.0 * step + 10.0 * static_cast<double>(offset[0] + i) + static_cast<double>(j));
      return all;
    }
  };
  static void write(perdure_store* set, int step, const rows_of& rows) {
    const perdure_array_part part = rows.part();
    EXPECT_OK(perdure_array_write(set, "field", "float64", &part, rows.elements(step).data()));
  }
  static void expect(const perdure_store* set, int step, const rows_of& rows) {
    const perdure_array_part part = rows.part();
    const std::vector<double> wanted = rows.elements(step);
    std::vector<double> found(wanted.size());
    EXPECT_OK(
        perdure_array_read(set, "field", "float64", &part, found.data(), found.size() * sizeof(double)));
    EXPECT_EQ(found, wanted);
  }
  static perdure_set_info info_of(const perdure_store* set) {
    perdure_set_info info{};
    info.struct_size = sizeof info;
    EXPECT_OK(perdure_set_info_get(set, &info));
    return info;
  }
  void make_field(int ranks) {
    on(ranks, [&](const perdure_ranks& given, int rank) {
      perdure_store* set = nullptr;
      ASSERT_OK(perdure_set_create(path.c_str(), &given, &options, &set));
      ASSERT_OK(perdure_array_create(set, "field", "float64", 2, dims, nullptr));
      write(set, 1, rows_of(rank, ranks));
      EXPECT_OK(perdure_store_close(set));
    });
  }

  static constexpr std::uint64_t dims[2] = {12, 5};
  scratch_directory scratch;
  std::string path;
  perdure_store_options store_options = small_options();
  perdure_set_options options{};
};

TEST_F(c_set_test, IsWrittenAndReadByItsRanks) {
  make_field(3);
  on(3, [&](const perdure_ranks& given, int rank) {
    perdure_store* set = nullptr;
    ASSERT_OK(perdure_set_open_or_create(path.c_str(), &given, &options, &set));
    const perdure_set_info before = info_of(set);
    EXPECT_EQ(before.rank, rank);
    EXPECT_EQ(before.ranks, 3);
    EXPECT_EQ(before.parts, 3U);
    write(set, 2, rows_of(rank, 3));
    expect(set, 1, rows_of((rank + 1) % 3, 3));
    EXPECT_OK(perdure_checkpoint(set, "second"));
    expect(set, 2, rows_of(0, 1));
    EXPECT_EQ(info_of(set).epoch, before.epoch + 1);
    int read_only = 1;
    EXPECT_OK(perdure_store_is_read_only(set, &read_only));
    EXPECT_EQ(read_only, 0);
    const char* name = nullptr;
    EXPECT_OK(perdure_store_path(set, &name));
    EXPECT_EQ(name, path);
    // Objects of this rank alone.
    void* own = nullptr;
    EXPECT_OK(perdure_data_create(set, "own", "int32", 1, 0, &own));
    *static_cast<std::int32_t*>(own) = rank;
    EXPECT_OK(perdure_store_snapshot(set, (path + ".copy").c_str()));
    EXPECT_OK(perdure_store_close(set));
    EXPECT_EQ(perdure_store_close(set), PERDURE_INVALID_ARGUMENT);
  });
  EXPECT_TRUE(is_set(path + ".copy"));
  for (const int readers : {1, 2, 3}) {
    on(readers, [&](const perdure_ranks& given, int) {
      perdure_store* set = nullptr;
      ASSERT_OK(perdure_set_open_read_only(path.c_str(), &given, &options, &set));
      EXPECT_EQ(info_of(set).parts, 3U);
      expect(set, 2, rows_of(0, 1));
      EXPECT_EQ(perdure_checkpoint(set, nullptr), PERDURE_READ_ONLY);
      EXPECT_OK(perdure_store_close(set));
    });
  }
}

TEST_F(c_set_test, GivesAllRanksTheSameError) {
  make_field(2);
  on(2, [&](const perdure_ranks& given, int rank) {
    perdure_store_options in_fortran = store_options;
    in_fortran.indices = PERDURE_INDICES_FORTRAN;
    perdure_set_options wanted = options;
    wanted.store = &in_fortran;
    perdure_store* set = nullptr;
    ASSERT_OK(perdure_set_open(path.c_str(), &given, &wanted, &set));
    write(set, 2, rows_of(0, 1));
    EXPECT_EQ(perdure_checkpoint(set, nullptr), PERDURE_CONFLICT);
    const std::string message = perdure_last_error_message();
    EXPECT_NE(message.find("rank 0 and rank 1 have both written the part at (1, 1) of (5, 12) elements"),
              std::string::npos)
        << message;
    EXPECT_EQ(perdure_store_close(set), PERDURE_CONFLICT);
    // It stays open where its checkpoint fails.
    EXPECT_EQ(info_of(set).rank, rank);
    EXPECT_OK(perdure_store_discard(set));
  });
  on(1, [&](const perdure_ranks& given, int) {
    perdure_store* set = garbage<perdure_store>();
    EXPECT_EQ(perdure_set_open(path.c_str(), &given, &options, &set), PERDURE_INVALID_ARGUMENT);
    EXPECT_EQ(set, nullptr);
  });
}

TEST_F(c_set_test, IsDividedAmongAnotherNumberOfRanks) {
  make_field(3);
  for (const int ranks : {2, 4}) {
    on(ranks, [&](const perdure_ranks& given, int) {
      EXPECT_OK(perdure_set_repartition(path.c_str(), &given, &options));
    });
    on(ranks, [&](const perdure_ranks& given, int rank) {
      perdure_store* set = nullptr;
      ASSERT_OK(perdure_set_open(path.c_str(), &given, &options, &set));
      expect(set, 1, rows_of(0, 1));
      write(set, 1, rows_of(rank, ranks));
      EXPECT_OK(perdure_store_close(set));
    });
  }
}

TEST_F(c_set_test, IsReadByOneProcessWithoutRanks) {
  make_field(2);
  perdure_store* set = nullptr;
  ASSERT_OK(perdure_store_open_read_only(path.c_str(), &store_options, &set));
  expect(set, 1, rows_of(0, 1));
  perdure_array_list* list = nullptr;
  std::size_t size = 0;
  ASSERT_OK(perdure_array_list_create(set, nullptr, &list));
  EXPECT_OK(perdure_array_list_size(list, &size));
  EXPECT_EQ(size, 1U);
  EXPECT_OK(perdure_array_list_free(list));
  int read_only = 0;
  EXPECT_OK(perdure_store_is_read_only(set, &read_only));
  EXPECT_EQ(read_only, 1);
  void* data = nullptr;
  std::size_t length = 0;
  EXPECT_EQ(perdure_data_find(set, "own", "int32", &data, &length), PERDURE_UNSUPPORTED);
  EXPECT_EQ(perdure_array_erase(set, "field"), PERDURE_READ_ONLY);
  EXPECT_EQ(perdure_checkpoint(set, nullptr), PERDURE_READ_ONLY);
  perdure_set_info info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(perdure_set_info_get(set, &info), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_store_close(set));
  EXPECT_EQ(perdure_store_close(set), PERDURE_INVALID_ARGUMENT);
}

TEST_F(c_set_test, RefusesRanksThatCannotBe) {
  team all(1);
  perdure_store* set = nullptr;
  const auto refused = [&](const perdure_ranks& ranks, const std::string& words) {
    EXPECT_EQ(perdure_set_create(path.c_str(), &ranks, &options, &set), PERDURE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(perdure_last_error_message()).find(words), std::string::npos)
        << perdure_last_error_message();
  };
  perdure_ranks ranks = ranks_of(all, 0);
  ranks.failure = "there is nobody else";
  refused(ranks, "there is nobody else");
  ranks = ranks_of(all, 0);
  ranks.size = 0;
  refused(ranks, "ranks->size 0");
  ranks = ranks_of(all, 0);
  ranks.test = nullptr;
  refused(ranks, "ranks->test is NULL");
  ranks = ranks_of(all, 0);
  EXPECT_EQ(perdure_set_create(nullptr, &ranks, &options, &set), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_set_create(path.c_str(), nullptr, &options, &set), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(all.freed, 4);
  // Of a message that cannot be sent.
  ranks = ranks_of(all, 0);
  ranks.reduce = [](void*, const void*, void*, std::size_t) { return 7; };
  EXPECT_EQ(perdure_set_create(path.c_str(), &ranks, &options, &set), PERDURE_IO);
  EXPECT_NE(std::string(perdure_last_error_message()).find("code 7"), std::string::npos);
  EXPECT_EQ(all.freed, 5);
}

TEST_F(c_set_test, EndsTheWaitForRanksThatDoNotCome) {
  team all(2);
  options.timeout_ms = 100;
  const perdure_ranks ranks = ranks_of(all, 0);
  perdure_store* set = nullptr;
  EXPECT_EQ(perdure_set_create(path.c_str(), &ranks, &options, &set), PERDURE_TIMED_OUT);
  EXPECT_NE(std::string(perdure_last_error_message()).find("100 ms"), std::string::npos);
  EXPECT_EQ(all.freed, 1);
}

TEST_F(c_set_test, IsOfNoUseAfterTheEndOfItsRanks) {
  team all(1);
  const perdure_ranks ranks = ranks_of(all, 0);
  perdure_store* set = nullptr;
  ASSERT_OK(perdure_set_create(path.c_str(), &ranks, &options, &set));
  all.is_over = true;
  EXPECT_EQ(perdure_checkpoint(set, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(perdure_last_error_message()).find("before MPI_Finalize"), std::string::npos);
  EXPECT_EQ(perdure_store_close(set), PERDURE_INVALID_ARGUMENT);
  // Closed all the same, as nothing else is left to do with it.
  EXPECT_EQ(perdure_checkpoint(set, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(perdure_last_error_message()).find("was closed"), std::string::npos);
  EXPECT_EQ(all.freed, 1);
}

}  // namespace
}  // namespace perdure::c
