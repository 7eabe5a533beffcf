// Metall's C interface.
#include <metall/c_api/metall.h>

#include "compat/metall/metall_test.hpp"

extern "C" int use_c_api(const char* path, const char* snapshot_path);

namespace {

struct c_api_test : metall_test {};

TEST_F(c_api_test, AProgramInCUsesAStore) {
  EXPECT_EQ(use_c_api(path().c_str(), path("snapshot").c_str()), 0);
}

TEST_F(c_api_test, AHandleIsAManager) {
  metall_manager* const handle = metall_create(path().c_str());
  ASSERT_NE(handle, nullptr);
  reinterpret_cast<metall::manager*>(handle)->construct<int>("number")(7);
  metall_close(handle);
  EXPECT_EQ(*metall::manager(metall::open_read_only, path()).find<int>("number").first, 7);
}

}  // namespace
