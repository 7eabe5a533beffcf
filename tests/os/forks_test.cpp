// Handlers of forks are called in the order of their layers, and a child is not the owner of what its parent
// made.
#include "os/forks.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "base/owner_process.hpp"

namespace {

using perdure::base::owner_process;
using perdure::os::fork_handlers;
using perdure::os::fork_layer;

std::string called;

constexpr fork_handlers of_lists{[] { called += "lists prepare, "; }, [] { called += "lists in parent"; },
                                 [] { called += "lists in child"; }};
constexpr fork_handlers of_caches{[] { called += "caches prepare, "; },
                                  [] { called += "caches in parent, "; },
                                  [] { called += "caches in child, "; }};
constexpr fork_handlers of_children{.in_child = [] { called += "publication in child, "; }};

/// Runs `is_so` in a forked child. Returns what it found there.
template <class Check>
bool in_child(Check&& is_so) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(is_so() ? 0 : 1);
  int status = 0;
  EXPECT_EQ(child, ::waitpid(child, &status, 0));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Forks, HandlersAreCalledInTheOrderOfTheirLayersWhateverTheOrderOfRegistration) {
  perdure::os::watch_forks(fork_layer::publications, of_children);
  perdure::os::watch_forks(fork_layer::heap_caches, of_caches);
  perdure::os::watch_forks(fork_layer::store_locks, of_lists);
  perdure::os::watch_forks(fork_layer::store_locks, of_lists);
  called.clear();
  const bool child_sees_order = in_child([] {
    return called == "lists prepare, caches prepare, publication in child, caches in child, lists in child";
  });
  EXPECT_TRUE(child_sees_order);
  EXPECT_EQ(called, "lists prepare, caches prepare, caches in parent, lists in parent");
}

TEST(OwnerProcess, AChildIsNotTheOwnerOfWhatItsParentMade) {
  const owner_process parent;
  EXPECT_TRUE(parent.is_here());
  const bool is_so_in_child = in_child([&parent] {
    const owner_process child;
    return !parent.is_here() && child.is_here() && !(child == parent) &&
           in_child([&] { return !parent.is_here() && !child.is_here(); });
  });
  EXPECT_TRUE(is_so_in_child);
  EXPECT_TRUE(parent.is_here());
}

TEST(OwnerProcess, FitsIntoAnAtomicAndIsNobodyUntilItIsSet) {
  std::atomic<owner_process> owner{owner_process::nobody()};
  EXPECT_TRUE(owner.is_lock_free());
  EXPECT_TRUE(owner.load().is_nobody());
  EXPECT_FALSE(owner.load().is_here());
  owner = owner_process();
  EXPECT_TRUE(owner.load().is_here());
  EXPECT_FALSE(owner.load().is_nobody());
}

}  // namespace
