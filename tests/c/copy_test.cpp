// Snapshots and copies.
#include "perdure/c/copy.h"

#include "c/c_store.hpp"

namespace perdure::c {
namespace {

struct store_copy_test : c_store_test {
  void SetUp() override {
    c_store_test::SetUp();
    void* data = nullptr;
    ASSERT_OK(perdure_data_create(store, "number", "uint8", sizeof(long), 0, &data));
    number = static_cast<long*>(data);
    *number = 1;
    ASSERT_OK(perdure_checkpoint(store, nullptr));
  }
  long number_in(const std::string& where) {
    perdure_store* other = nullptr;
    EXPECT_OK(perdure_store_open_read_only(where.c_str(), nullptr, &other));
    void* data = nullptr;
    EXPECT_OK(perdure_data_find(other, "number", "uint8", &data, nullptr));
    const long found = data == nullptr ? -1 : *static_cast<long*>(data);
    EXPECT_OK(perdure_store_close(other));
    return found;
  }
  long* number = nullptr;
};

TEST_F(store_copy_test, SnapshotIsTheLastCheckpoint) {
  *number = 2;
  ASSERT_OK(perdure_store_snapshot(store, beside("snapshot").c_str()));
  EXPECT_EQ(*number, 2);
  EXPECT_EQ(number_in(beside("snapshot")), 1);
  perdure_store_info info{};
  info.struct_size = sizeof info;
  ASSERT_OK(perdure_store_inspect(beside("snapshot").c_str(), &info));
  EXPECT_NE(info.copied_ns, 0U);
  EXPECT_EQ(info.copied_epoch, info.epoch);
  EXPECT_EQ(perdure_store_snapshot(store, beside("snapshot").c_str()), PERDURE_ALREADY_EXISTS);
  EXPECT_EQ(perdure_store_snapshot(store, nullptr), PERDURE_INVALID_ARGUMENT);
}

TEST_F(store_copy_test, CopyIsOfTheLastCheckpoint) {
  const std::string to = beside("copy");
  ASSERT_OK(perdure_store_copy(path.c_str(), beside("early").c_str()));
  close();
  ASSERT_OK(perdure_store_copy(path.c_str(), to.c_str()));
  EXPECT_EQ(number_in(to), 1);
  EXPECT_EQ(perdure_store_copy(path.c_str(), to.c_str()), PERDURE_ALREADY_EXISTS);
  EXPECT_EQ(perdure_store_copy(beside("other").c_str(), beside("more").c_str()), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_store_copy(nullptr, to.c_str()), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_store_copy(path.c_str(), nullptr), PERDURE_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace perdure::c
