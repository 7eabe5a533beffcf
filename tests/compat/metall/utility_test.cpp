// Hashes, random numbers, mutexes, files, iteration, listings.
#include <algorithm>
#include <fstream>
#include <map>
#include <metall/utility/container_of_containers_iterator_adaptor.hpp>
#include <metall/utility/datastore_ls.hpp>
#include <metall/utility/filesystem.hpp>
#include <metall/utility/hash.hpp>
#include <metall/utility/mutex.hpp>
#include <metall/utility/open_mp.hpp>
#include <metall/utility/random.hpp>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compat/metall/metall_test.hpp"

namespace {

namespace mu = metall::utility;
using namespace std::string_literals;

struct utility_test : metall_test {};

TEST_F(utility_test, DetailsThatProgramsUseAreThere) {
  namespace detail = metall::mtlldetail;
  // Worked out apart, by the published algorithm.
  EXPECT_EQ(detail::MurmurHash64A("", 0, 0), 0U);
  EXPECT_EQ(detail::MurmurHash64A("a", 1, 0), 0x071717d2d36b6b11U);
  EXPECT_EQ(detail::MurmurHash64A("metall and perdure", 18, 123), 0xcfd8cedd71ed2722U);
  EXPECT_EQ(detail::MurmurHash64A(&"xmetall and perdure"[1], 18, 123), 0xcfd8cedd71ed2722U);

  std::size_t begin = 0;
  for (std::size_t block = 0; block < 4; ++block) {
    const auto range = detail::partial_range(10, block, 4);
    EXPECT_EQ(range.first, begin);
    EXPECT_EQ(range.second - range.first, block < 2 ? 3U : 2U);
    begin = range.second;
  }
  EXPECT_EQ(begin, 10U);

  EXPECT_EQ(detail::get_page_size() & (detail::get_page_size() - 1), 0);
  EXPECT_GE(detail::elapsed_time_sec(detail::elapsed_time_sec()), 0.0);
}

TEST_F(utility_test, HashesAreTheSameInEveryRun) {
  // Frozen: tables in stores are searched by later versions.
  EXPECT_EQ(mu::hash<int>()(1), mu::hash<>()(1));
  EXPECT_EQ((mu::hash<int, 123>()(1)), mu::hash<int>()(1));
  EXPECT_NE((mu::hash<int, 1>()(1)), mu::hash<int>()(1));
  EXPECT_NE((mu::hash<void, 1>{}(7L)), (mu::hash<void, 2>{}(7L)));
  EXPECT_EQ(mu::hash<std::uint64_t>()(42), 14564754949811783608U);
  EXPECT_EQ(mu::string_hash<std::string>()("metall"), 2557447951136029424U);
  EXPECT_EQ(mu::string_hash<>()(std::string_view("metall")), mu::str_hash<>()("metall"));
  EXPECT_NE(mu::string_hash<std::wstring>()(L"wide"s), mu::string_hash<std::wstring>()(L"wild"s));
  std::unordered_map<std::string, int, mu::string_hash<std::string>> map;
  map["x"] = 1;
  EXPECT_EQ(map.at("x"), 1);
}

template <class Engine>
void check_engine() {
  static_assert(std::uniform_random_bit_generator<Engine>);
  Engine one;
  Engine same(123);
  Engine other(124);
  EXPECT_TRUE(one.equal(same) && one == same && one != other);
  std::vector<std::uint64_t> numbers(1000);
  std::generate(numbers.begin(), numbers.end(), std::ref(one));
  EXPECT_FALSE(one == same);
  for (const std::uint64_t number : numbers) EXPECT_EQ(same(), number);
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(std::unique(numbers.begin(), numbers.end()), numbers.end());
  EXPECT_LT(std::uniform_int_distribution<int>(0, 9)(one), 10);
}

TEST_F(utility_test, RandomNumbersAreRepeatable) {
  check_engine<mu::rand_512>();
  check_engine<mu::rand_1024>();
}

TEST_F(utility_test, RandomEnginesMayBeStored) {
  metall::manager manager(metall::create_only, path());
  auto* const engine = manager.construct<mu::rand_512>("engine")(5U);
  EXPECT_EQ((*engine)(), mu::rand_512(5)());
}

TEST_F(utility_test, EqualIndicesLockTheSameMutex) {
  auto first = mu::mutex::mutex_lock<4>(1);
  auto second = mu::mutex::mutex_lock<4>(2);
  EXPECT_TRUE(first.owns_lock() && second.owns_lock());
  EXPECT_NE(first.mutex(), second.mutex());
  std::mutex* const known = first.mutex();
  first.unlock();
  second.unlock();
  EXPECT_EQ(mu::mutex::mutex_lock<4>(1).mutex(), known);
}

TEST_F(utility_test, FilesAndFoldersAreRemoved) {
  std::filesystem::create_directories(path("a") / "b");
  std::ofstream(path("file")) << "text";
  EXPECT_TRUE(mu::filesystem::remove(path("a").native()));
  EXPECT_TRUE(mu::filesystem::remove(path("file").native()));
  EXPECT_FALSE(std::filesystem::exists(path("a")) || std::filesystem::exists(path("file")));
  EXPECT_TRUE(mu::filesystem::remove(path("nowhere").native()));
}

TEST_F(utility_test, TheIteratorOfContainersSkipsEmptyOnes) {
  using outer = std::vector<std::vector<int>>;
  using iterator =
      mu::container_of_containers_iterator_adaptor<outer::const_iterator, outer::value_type::const_iterator>;
  const outer rows = {{}, {1, 2}, {}, {}, {3}, {}};
  std::vector<int> seen;
  for (iterator it(rows.begin(), rows.end()); it != iterator(rows.end(), rows.end()); ++it)
    seen.push_back(*it);
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
  iterator from_two(rows.begin() + 1, rows[1].begin() + 1, rows.end());
  EXPECT_EQ(*from_two++, 2);
  EXPECT_EQ(*from_two, 3);
  EXPECT_TRUE(++from_two == iterator(rows.end(), rows.end()));
  const outer none = {{}, {}};
  EXPECT_TRUE(iterator(none.begin(), none.end()).equal(iterator(none.end(), none.end())));
}

TEST_F(utility_test, LsPrintsTheObjectsOfAStore) {
  {
    metall::manager manager(metall::create_only, path());
    manager.construct<int>("a number")[3]();
    manager.construct<float>(metall::unique_instance)();
    manager.set_instance_description(manager.construct<char>(metall::anonymous_instance)(), "one letter");
  }
  testing::internal::CaptureStdout();
  mu::ls_named_object(path().native());
  mu::ls_unique_object(path().native());
  mu::ls_anonymous_object(path().native());
  const std::string printed = testing::internal::GetCapturedStdout();
  for (const char* const expected :
       {"[Named Object]", "| a number |      3 |", "[Unique Object]", "one letter"})
    EXPECT_NE(printed.find(expected), std::string::npos) << expected << " in\n" << printed;
  testing::internal::CaptureStderr();
  mu::ls_named_object(path("nowhere").native());
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
}

TEST_F(utility_test, TheWrappersOfOpenMpWork) {
  mu::omp::set_num_threads(1);
  EXPECT_EQ(mu::omp::get_num_threads(), 1);
  EXPECT_EQ(mu::omp::get_thread_num(), 0);
  EXPECT_NE(mu::omp::schedule_kind_name(mu::omp::get_schedule().first), "");
  int sum = 0;
  OMP_DIRECTIVE(parallel for reduction(+ : sum))
  for (int i = 0; i < 10; ++i) sum += i;
  EXPECT_EQ(sum, 45);
}

}  // namespace
