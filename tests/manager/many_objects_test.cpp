// A store with very many names: opening reads none of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "perdure/manager.hpp"
#include "support/scratch_directory.hpp"

namespace perdure {
namespace {

// Where sanitizers check each access, or a small budget has each page read from the disk again and again.
bool is_slow() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  const char* const backing = std::getenv("PERDURE_BACKING");
  return backing != nullptr && std::string_view(backing) == "paged";
#endif
}

TEST(many_objects, AreFoundAgain) {
  const int objects = is_slow() ? 30000 : 300000;
  const scratch_directory scratch;
  {
    manager store(create_only, scratch.path());
    for (int i = 0; i < objects; ++i) store.construct<int>(std::to_string(i))(i);
  }
  {
    manager store(open_only, scratch.path());
    EXPECT_EQ(store.get_num_named_objects(), static_cast<std::size_t>(objects));
    for (int i = 0; i < objects; ++i) {
      const int* const found = store.find<int>(std::to_string(i)).first;
      ASSERT_NE(found, nullptr);
      ASSERT_EQ(*found, i);
    }
    EXPECT_EQ(store.find<int>("-1").first, nullptr);
    EXPECT_EQ(store.find<int>(std::to_string(objects)).first, nullptr);
    for (int i = 0; i < objects; i += 2) ASSERT_TRUE(store.destroy<int>(std::to_string(i)));
  }
  manager store(open_read_only, scratch.path());
  EXPECT_EQ(store.get_num_named_objects(), static_cast<std::size_t>(objects / 2));
  long sum = 0;
  for (const object_info& info : store.named_objects()) sum += *static_cast<const int*>(info.value());
  EXPECT_EQ(sum, static_cast<long>(objects / 2) * (objects / 2));
  EXPECT_TRUE(store.check().empty());
}

}  // namespace
}  // namespace perdure
