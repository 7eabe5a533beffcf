// Boost's smart pointers, kept in a store.
#include <perdure_interprocess/smart_ptr/enable_shared_from_this.hpp>
#include <perdure_interprocess/smart_ptr/intrusive_ptr.hpp>
#include <perdure_interprocess/smart_ptr/scoped_ptr.hpp>
#include <perdure_interprocess/smart_ptr/shared_ptr.hpp>
#include <perdure_interprocess/smart_ptr/unique_ptr.hpp>
#include <perdure_interprocess/smart_ptr/weak_ptr.hpp>
#include <perdure_interprocess/sync/interprocess_mutex.hpp>
#include <perdure_interprocess/sync/scoped_lock.hpp>
#include <utility>

#include "compat/interprocess/interprocess_fixture.hpp"

namespace perdure {
namespace {

using smart_ptr_test = open_file_test;

struct traced {
  explicit traced(int v) : value(v) {}
  ~traced() { value = -1; }
  int value;
};

using traced_unique = bip::managed_unique_ptr<traced, bip::managed_mapped_file>::type;
using traced_shared = bip::managed_shared_ptr<traced, bip::managed_mapped_file>::type;
using traced_weak = bip::managed_weak_ptr<traced, bip::managed_mapped_file>::type;

TEST_F(smart_ptr_test, ADeleterDestroysTheObject) {
  traced* const object = file.construct<traced>("t")(1);
  bip::managed_mapped_file::deleter<traced>::type destroy = file.get_deleter<traced>();
  destroy(object);
  EXPECT_EQ(file.find<traced>("t").first, nullptr);
}

TEST_F(smart_ptr_test, AScopedPointerDestroysWhatItOwns) {
  {
    bip::scoped_ptr<traced, bip::deleter<traced, segment_manager>> owner(file.construct<traced>("t")(1),
                                                                         file.get_deleter<traced>());
    EXPECT_EQ(owner->value, 1);
  }
  EXPECT_TRUE(file.all_memory_deallocated());
}

TEST_F(smart_ptr_test, UniquePointerIsKept) {
  file.construct<traced_unique>("owner")(
      bip::make_managed_unique_ptr(file.construct<traced>(bip::anonymous_instance)(7), file));
  file = bip::managed_mapped_file();
  bip::managed_mapped_file other(bip::create_only, (path + "2").c_str(), 65536);  // takes the old place
  file = bip::managed_mapped_file(bip::open_only, path.c_str());
  traced_unique* const owner = file.find<traced_unique>("owner").first;
  ASSERT_NE(owner, nullptr);
  EXPECT_EQ((*owner)->value, 7);
  traced_unique taken(std::move(*owner));
  EXPECT_FALSE(*owner);
  EXPECT_EQ(taken->value, 7);
  taken.reset();
  file.destroy_ptr(owner);
  EXPECT_TRUE(file.all_memory_deallocated());
}

TEST_F(smart_ptr_test, SharedAndWeakPointersAreKept) {
  traced_shared* const owner = file.construct<traced_shared>("owner")(
      bip::make_managed_shared_ptr(file.construct<traced>(bip::anonymous_instance)(7), file));
  file.construct<traced_weak>("watcher")(*owner);
  file = bip::managed_mapped_file();
  bip::managed_mapped_file other(bip::create_only, (path + "2").c_str(), 65536);  // takes the old place
  file = bip::managed_mapped_file(bip::open_only, path.c_str());
  traced_shared* const found = file.find<traced_shared>("owner").first;
  traced_weak* const watcher = file.find<traced_weak>("watcher").first;
  ASSERT_NE(found, nullptr);
  ASSERT_NE(watcher, nullptr);
  {
    const traced_shared second = *found;
    EXPECT_EQ(second.use_count(), 2);
    EXPECT_EQ(bip::static_pointer_cast<traced>(second), second);
    EXPECT_EQ(watcher->lock()->value, 7);
  }
  file.destroy_ptr(found);
  EXPECT_TRUE(watcher->expired());
  file.destroy_ptr(watcher);
  EXPECT_TRUE(file.all_memory_deallocated());
}

struct node {
  node() = default;
  node(const node&) = delete;
  node& operator=(const node&) = delete;
  int references = 0;
};
inline void intrusive_ptr_add_ref(node* n) {
  ++n->references;
}
inline void intrusive_ptr_release(node* n) {
  --n->references;
}

TEST_F(smart_ptr_test, AnIntrusivePointerCountsReferences) {
  node* const n = file.construct<node>("n")();
  {
    const bip::intrusive_ptr<node, bip::offset_ptr<void>> first(n);
    const bip::intrusive_ptr<node, bip::offset_ptr<void>> second(first);
    EXPECT_EQ(n->references, 2);
    EXPECT_TRUE(first == second);
  }
  EXPECT_EQ(n->references, 0);
}

TEST_F(smart_ptr_test, BoostsMutexMayBeInAnObject) {
  struct guarded {
    bip::interprocess_mutex mutex;
    int value = 0;
  };
  guarded* const object = file.construct<guarded>("g")();
  const bip::scoped_lock<bip::interprocess_mutex> lock(object->mutex);
  object->value = 1;
  EXPECT_FALSE(object->mutex.try_lock());
}

}  // namespace
}  // namespace perdure
