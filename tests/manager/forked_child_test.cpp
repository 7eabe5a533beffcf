// What a forked child may do with the manager that its parent has open.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "perdure/manager.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>

static const pid_t program = ::getpid();

// A child has no stacks of its parent's other threads: what only they point to looks lost in it.
int __lsan_is_turned_off() {
  return ::getpid() == program ? 0 : 1;
}
#endif

namespace perdure {
namespace {

TEST(a_forked_child_with_a_manager, is_refused_what_needs_the_writers_memory) {
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  int* const number = store.construct<int>("number")(1);
  store.set_attribute("number", "unit", "metre");
  EXPECT_TRUE(in_another_process([&] {
    const auto refused = [](const std::function<void()>& call) {
      return code_of(call) == errc::invalid_argument;
    };
    if (!refused([&] { store.checkpoint(); })) return 1;
    if (!refused([&] { static_cast<void>(store.checkpoint_async()); })) return 2;
    if (!refused([&] { store.snapshot(scratch.directory() / "copy"); })) return 3;
    if (!refused([&] { store.find<int>("number"); })) return 4;
    if (!refused([&] { store.construct<int>("another")(1); })) return 5;
    if (!refused([&] { store.find_or_construct<int>("number")(1); })) return 6;
    if (!refused([&] { store.destroy<int>("number"); })) return 7;
    if (!refused([&] { store.destroy_ptr(number); })) return 8;
    if (!refused([&] { store.set_attribute("number", "unit", "mile"); })) return 9;
    if (!refused([&] { static_cast<void>(store.check()); })) return 10;
    return 0;
  }));
  *number = 2;
  store.checkpoint();
  store.close();
  manager again(open_only, scratch.path());
  EXPECT_EQ(*again.find<int>("number").first, 2);
}

TEST(a_forked_child_with_a_manager, may_close_it_and_open_another) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer takes a thread of the child for its parent's that had the same stack";
#endif
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  int* const number = store.construct<int>("number")(1);
  store.checkpoint();
  store.snapshot(scratch.directory() / "copy");
  *number = 2;
  EXPECT_TRUE(in_another_process([&] {
    store.close();
    if (store.is_open()) return 1;
    const manager copy(open_read_only, scratch.directory() / "copy");
    return *copy.find<int>("number").first == 1 ? 0 : 2;
  }));
  store.close();
  const manager again(open_read_only, scratch.path());
  EXPECT_EQ(*again.find<int>("number").first, 2);
}

std::optional<manager> of_the_program;

// Its threads' caches hold blocks of the parent's heap then.
TEST(a_forked_child_with_a_manager, may_end_like_any_program) {
  const scratch_directory scratch;
  of_the_program.emplace(create_only, scratch.path(), small_store());
  std::vector<int*> all;
  for (int i = 0; i < 100; ++i) all.push_back(of_the_program->construct<int>(anonymous_instance)(i));
  for (int* one : all) of_the_program->destroy_ptr(one);
  of_the_program->deallocate(of_the_program->allocate(1 << 20));
  EXPECT_TRUE(in_another_process([]() -> int {
    set_close_failure_handler([](const std::filesystem::path&, const char*) noexcept { ::_exit(2); });
    std::exit(0);
  }));
  of_the_program->checkpoint();
  EXPECT_TRUE(of_the_program->check().empty());
  of_the_program.reset();
}

TEST(a_forked_child_with_a_manager, says_nothing_of_what_its_parent_has_not_committed) {
  const scratch_directory scratch;
  EXPECT_EXIT(
      {
        manager store(create_only, scratch.path(), small_store());
        store.construct<int>("number")(1);
        const bool is_well = in_another_process([]() -> int { std::exit(0); });
        store.close();
        std::exit(is_well ? 0 : 5);
      },
      testing::ExitedWithCode(0), "^$");
}

// Both have the same blocks in their threads' caches, and one heap.
TEST(a_forked_child_with_a_manager, gives_back_nothing_of_shared_memory) {
  const scratch_directory scratch;
  store_options options = small_store();
  options.backing = backing::shared_file;
  manager store(create_only, scratch.path(), options);
  constexpr std::size_t size = 48;
  std::vector<void*> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back(store.allocate(size));
  for (void* one : blocks) store.deallocate(one);
  EXPECT_TRUE(in_another_process([&]() -> int {
    if (code_of([&] { store.construct<int>("number")(1); }) != errc::invalid_argument) return 1;
    if (store.find<int>("number").first != nullptr) return 2;
    std::exit(0);
  }));
  std::set<void*> handed_out;
  std::thread([&] {
    for (int i = 0; i < 1000; ++i) handed_out.insert(store.allocate(size));
  }).join();
  for (int i = 0; i < 100; ++i) handed_out.insert(store.allocate(size));
  EXPECT_EQ(handed_out.size(), 1100u) << "a block was handed out twice";
}

TEST(a_forked_child_with_a_manager, closes_it_whatever_threads_of_its_parent_were_doing) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "a sanitizer's own locks may be held in a child of several threads";
#endif
  const scratch_directory scratch;
  manager store(create_only, scratch.path(), small_store());
  std::atomic<bool> is_over{false};
  std::vector<std::jthread> threads;
  threads.emplace_back([&] {
    while (!is_over) store.checkpoint();
  });
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!is_over) {
        std::vector<void*> blocks;
        for (int k = 0; k < 500; ++k)
          blocks.push_back(store.allocate(64 + 16 * static_cast<std::size_t>(k % 40)));
        for (void* const block : blocks) store.deallocate(block);
      }
    });
  }
  for (int i = 0; i < 200 && !::testing::Test::HasFailure(); ++i) {
    EXPECT_EQ(result_of_child([&] {
                ::alarm(20);
                store.close();
                return 0;
              }),
              0)
        << "child " << i;
  }
  is_over = true;
}

TEST(a_forked_child_with_a_manager, of_a_reader_finds_what_is_there) {
  const scratch_directory scratch;
  {
    manager store(create_only, scratch.path(), small_store());
    store.construct<int>("number")(1);
  }
  const manager store(open_read_only, scratch.path());
  if (store.store().tracker() == "pager") GTEST_SKIP() << "with that backing no child has any memory";
  EXPECT_TRUE(in_another_process([&] { return *store.find<int>("number").first == 1 ? 0 : 1; }));
}

}  // namespace
}  // namespace perdure
