// Many threads, and constructors that use the manager themselves.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "perdure/manager.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"

namespace perdure {
namespace {

struct manager_threads : testing::Test {
  scratch_directory scratch;
  manager store{create_only, scratch.path()};

  template <class Body>
  static void run(int count, Body body) {
    std::vector<std::thread> threads;
    for (int t = 0; t < count; ++t) threads.emplace_back([&body, t] { body(t); });
    for (std::thread& thread : threads) thread.join();
  }
};

struct slow {
  static inline std::atomic<int> built{0};
  int value;
  explicit slow(int v) : value(v) {
    std::this_thread::yield();
    ++built;
  }
};

TEST_F(manager_threads, OneConstructsTheOthersFindIt) {
  constexpr int threads = 8;
  constexpr int rounds = 200;
  slow::built = 0;
  std::vector<std::vector<slow*>> got(threads, std::vector<slow*>(rounds));
  std::barrier start(threads);
  run(threads, [&](int t) {
    for (int i = 0; i < rounds; ++i) {
      start.arrive_and_wait();
      got[t][i] = store.find_or_construct<slow>(std::to_string(i))(i);
    }
  });
  EXPECT_EQ(slow::built, rounds);
  for (int i = 0; i < rounds; ++i)
    for (int t = 0; t < threads; ++t) {
      ASSERT_EQ(got[t][i], got[0][i]);
      ASSERT_EQ(got[t][i]->value, i);
    }
}

TEST_F(manager_threads, OneOfManyConstructsWins) {
  constexpr int threads = 8;
  std::atomic<int> won{0};
  std::atomic<int> lost{0};
  run(threads, [&](int) {
    for (int i = 0; i < 100; ++i) {
      if (store.construct<slow>(std::to_string(i), std::nothrow)(i) != nullptr) {
        ++won;
      } else {
        ++lost;
      }
    }
  });
  EXPECT_EQ(won, 100);
  EXPECT_EQ(lost, (threads - 1) * 100);
}

struct fails_at_first {
  static inline std::atomic<int> attempts{0};
  fails_at_first() {
    std::this_thread::yield();
    if (attempts++ < 5) throw std::runtime_error("not yet");
  }
};

TEST_F(manager_threads, AfterAFailureTheNextInLineConstructs) {
  fails_at_first::attempts = 0;
  std::atomic<int> failures{0};
  std::atomic<int> found{0};
  run(8, [&](int) {
    try {
      if (store.find_or_construct<fails_at_first>("it")() != nullptr) ++found;
    } catch (const std::runtime_error&) {
      ++failures;
    }
  });
  EXPECT_EQ(failures, 5);
  EXPECT_EQ(found, 3);
  EXPECT_EQ(fails_at_first::attempts, 6);
}

TEST_F(manager_threads, AllOperationsRunAtOnce) {
  constexpr int threads = 6;
  run(threads, [&](int t) {
    std::mt19937 random(static_cast<unsigned>(t));
    for (int i = 0; i < 3000; ++i) {
      // Names of its own, which nobody else destroys, and names shared by all.
      const std::string own = std::to_string(t) + '/' + std::to_string(random() % 20);
      const std::string shared = std::to_string(random() % 30);
      switch (random() % 6) {
        case 0:
          if (int* p = store.find_or_construct<int>(own)(t); *p != t) ADD_FAILURE();
          break;
        case 1:
          store.destroy<int>(own);
          break;
        case 2:
          store.find_or_construct<long>(shared)[1 + random() % 10]();
          break;
        case 3:
          store.destroy<long>(shared);
          break;
        case 4:
          if (int* p = store.find<int>(own).first; p != nullptr) {
            store.set_attribute(own, "thread", std::to_string(t));
            if (store.attribute(p, "thread") != std::to_string(t)) ADD_FAILURE();
            if (store.get_instance_name(p) != own) ADD_FAILURE();
          }
          break;
        default: {
          int* const p = store.construct<int>(anonymous_instance)(t);
          if (store.get_instance_kind(p) != instance_kind::anonymous) ADD_FAILURE();
          store.destroy_ptr(p);
        }
      }
    }
  });
  EXPECT_EQ(store.get_num_anonymous_objects(), 0U);
  const std::vector<std::string> wrong = store.check();
  EXPECT_TRUE(wrong.empty()) << wrong.front();
}

struct builds_others {
  explicit builds_others(manager& m, int depth) {
    if (depth > 0) m.construct<builds_others>(std::to_string(depth))(m, depth - 1);
    int* const scratch = m.construct<int>(anonymous_instance)();
    m.destroy_ptr(scratch);
    m.find<int>("nothing");
  }
};

TEST_F(manager_threads, ConstructorsMayUseTheManager) {
  store.construct<builds_others>("root")(store, 10);
  EXPECT_EQ(store.get_num_named_objects(), 11U);
}

struct destroys_others {
  manager* m;
  explicit destroys_others(manager& owner) : m(&owner) {}
  ~destroys_others() { m->destroy<int>("other"); }
};
}  // namespace
template <>
inline constexpr bool enable_persistable<destroys_others> = true;
namespace {

TEST_F(manager_threads, DestructorsMayUseTheManager) {
  store.construct<int>("other")();
  store.construct<destroys_others>("it")(store);
  store.destroy<destroys_others>("it");
  EXPECT_EQ(store.get_num_named_objects(), 0U);
}

struct builds_itself {
  explicit builds_itself(manager& m) { m.find_or_construct<builds_itself>("itself")(m); }
};

TEST_F(manager_threads, AConstructorThatWantsItsOwnNameIsToldSo) {
  EXPECT_EQ(code_of([&] { store.construct<builds_itself>("itself")(store); }), errc::already_exists);
  EXPECT_EQ(store.get_num_named_objects(), 0U);
}

struct wants_another {
  static inline std::barrier<> both_started{2};
  explicit wants_another(manager& m, const char* name) {
    both_started.arrive_and_wait();
    m.find_or_construct<int>(name)();
  }
};

TEST_F(manager_threads, ThreadsThatWaitForEachOtherAreToldSo) {
  // Each constructs what the other's constructor asks for: one of them is refused, the other goes on.
  std::atomic<int> refused{0};
  std::atomic<int> other_errors{0};
  run(2, [&](int t) {
    try {
      store.construct<wants_another>(t == 0 ? "a" : "b")(store, t == 0 ? "b" : "a");
    } catch (const error& failure) {
      ++(failure.code() == errc::already_exists ? refused : other_errors);
    }
  });
  // The one that goes on finds the name free (the refused one was given up) and takes it for its own.
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(other_errors, 0);
  EXPECT_EQ(store.get_num_named_objects(), 2U);
}

}  // namespace
}  // namespace perdure
