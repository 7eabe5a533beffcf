// Checkpoints through the C API. That they hold after a crash is the store's own tests' matter.
#include "perdure/c/checkpoint.h"

#include <chrono>
#include <csignal>
#include <thread>
#include <vector>

#include "c/c_store.hpp"
#include "support/child_process.hpp"
#include "support/full_disk.hpp"
#include "support/scratch_directory.hpp"

namespace perdure::c {
namespace {

struct checkpoint_test : c_store_test {
  void SetUp() override {
    c_store_test::SetUp();
    void* data = nullptr;
    ASSERT_OK(perdure_data_create(store, "number", "uint8", sizeof(long), 0, &data));
    number = static_cast<long*>(data);
  }
  /// What the next opening finds if the process stopped here.
  void drop_changes() {
    ASSERT_OK(perdure_store_discard(store));
    ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
    void* data = nullptr;
    ASSERT_OK(perdure_data_find(store, "number", "uint8", &data, nullptr));
    number = static_cast<long*>(data);
  }
  long* number = nullptr;
};

TEST_F(checkpoint_test, KeepsThePresentState) {
  *number = 1;
  ASSERT_OK(perdure_checkpoint(store, nullptr));
  *number = 2;
  drop_changes();
  EXPECT_EQ(*number, 1);
}

TEST_F(checkpoint_test, WaitsForThreadsThatHaveBegunWriting) {
  ASSERT_OK(perdure_begin_writing(store));
  ASSERT_OK(perdure_begin_writing(store));
  *number = 1;
  EXPECT_EQ(perdure_checkpoint(store, nullptr), PERDURE_INVALID_ARGUMENT) << "it would wait for itself";
  perdure_status made = PERDURE_IO;
  std::thread other([&] { made = perdure_checkpoint(store, nullptr); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ASSERT_OK(perdure_end_writing(store));
  *number = 2;
  ASSERT_OK(perdure_end_writing(store));
  other.join();
  ASSERT_OK(made);
  EXPECT_EQ(perdure_end_writing(store), PERDURE_INVALID_ARGUMENT) << "not begun";
  drop_changes();
  EXPECT_EQ(*number, 2);
}

TEST_F(checkpoint_test, IsLoggedWithItsLabel) {
  ASSERT_OK(perdure_checkpoint(store, "first"));
  *number = 1;
  ASSERT_OK(perdure_checkpoint(store, nullptr));
  ASSERT_OK(perdure_wait_applied(store));
  perdure_checkpoint_log* log = nullptr;
  ASSERT_OK(perdure_checkpoint_log_read(path.c_str(), &log));
  std::size_t size = 0;
  ASSERT_OK(perdure_checkpoint_log_size(log, &size));
  ASSERT_GE(size, 2U);
  const perdure_checkpoint_record* first = nullptr;
  const perdure_checkpoint_record* second = nullptr;
  ASSERT_OK(perdure_checkpoint_log_at(log, size - 2, &first));
  ASSERT_OK(perdure_checkpoint_log_at(log, size - 1, &second));
  EXPECT_STREQ(first->label, "first");
  EXPECT_STREQ(second->label, "");
  EXPECT_EQ(second->epoch, first->epoch + 1);
  EXPECT_GE(second->time_ns, first->time_ns);
  EXPECT_GE(second->fresh_pages + second->overwritten_pages, 1U);
  EXPECT_NE(second->segment_bytes, 0U);
  EXPECT_EQ(second->kept, 0);
  EXPECT_EQ(perdure_checkpoint_log_at(log, size, &first), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(first, nullptr);
  EXPECT_OK(perdure_checkpoint_log_free(log));
  EXPECT_EQ(perdure_checkpoint_log_read(beside("other").c_str(), &log), PERDURE_NOT_FOUND);
  EXPECT_EQ(log, nullptr);
  EXPECT_EQ(perdure_checkpoint_log_read(scratch.directory().c_str(), &log), PERDURE_NOT_A_STORE);
}

TEST_F(checkpoint_test, RefusesALongLabel) {
  EXPECT_OK(perdure_checkpoint(store, std::string(63, 'l').c_str()));
  EXPECT_EQ(perdure_checkpoint(store, std::string(64, 'l').c_str()), PERDURE_INVALID_ARGUMENT);
  perdure_pending_checkpoint* pending = garbage<perdure_pending_checkpoint>();
  EXPECT_EQ(perdure_checkpoint_async(store, std::string(64, 'l').c_str(), &pending),
            PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(pending, nullptr);
}

TEST_F(checkpoint_test, MayBecomeDurableInTheBackground) {
  *number = 1;
  perdure_pending_checkpoint* pending = nullptr;
  ASSERT_OK(perdure_checkpoint_async(store, "in the background", &pending));
  *number = 2;
  std::uint64_t epoch = 0;
  EXPECT_OK(perdure_pending_checkpoint_wait(pending, &epoch));
  EXPECT_OK(perdure_pending_checkpoint_wait(pending, nullptr));
  int ready = -1;
  EXPECT_OK(perdure_pending_checkpoint_ready(pending, &ready));
  EXPECT_EQ(ready, 1);
  perdure_status outcome = PERDURE_INTERNAL;
  EXPECT_OK(perdure_pending_checkpoint_error(pending, &outcome));
  EXPECT_EQ(outcome, PERDURE_OK);
  perdure_store_info info{};
  info.struct_size = sizeof info;
  EXPECT_OK(perdure_store_info_get(store, &info));
  EXPECT_EQ(info.epoch, epoch);
  drop_changes();
  EXPECT_EQ(*number, 1);
  // It outlives the store it belongs to.
  EXPECT_OK(perdure_pending_checkpoint_wait(pending, nullptr));
  EXPECT_OK(perdure_pending_checkpoint_free(pending));
}

TEST_F(checkpoint_test, HandleMayBeFreedAtOnce) {
  *number = 1;
  perdure_pending_checkpoint* pending = nullptr;
  ASSERT_OK(perdure_checkpoint_async(store, nullptr, &pending));
  EXPECT_OK(perdure_pending_checkpoint_free(pending));
  EXPECT_OK(perdure_wait_applied(store));
  drop_changes();
  EXPECT_EQ(*number, 1);
}

TEST_F(checkpoint_test, ManyThreadsWait) {
  *number = 1;
  perdure_pending_checkpoint* pending = nullptr;
  ASSERT_OK(perdure_checkpoint_async(store, nullptr, &pending));
  std::vector<perdure_status> outcomes(4, PERDURE_INTERNAL);
  {
    std::vector<std::jthread> threads;
    for (perdure_status& mine : outcomes)
      threads.emplace_back([&mine, pending] { mine = perdure_pending_checkpoint_wait(pending, nullptr); });
  }
  EXPECT_EQ(outcomes, std::vector<perdure_status>(4, PERDURE_OK));
  EXPECT_OK(perdure_pending_checkpoint_free(pending));
}

TEST(checkpoint_failure, LeavesTheProgramRunningAndTheLastCheckpointInPlace) {
  const scratch_directory scratch;
  const std::string path = scratch.path().string();
  ASSERT_TRUE(in_another_process([&] {
    void* data = nullptr;
    perdure_store* const store = create_with_bytes(path, "bytes", 1 << 20, &data);
    if (store == nullptr) return 2;
    std::memset(data, 1, 1 << 20);
    if (perdure_checkpoint(store, nullptr) != PERDURE_OK) return 3;
    std::memset(data, 2, 1 << 20);
    {
      const file_size_limit limit(4096);
      const perdure_status status = perdure_checkpoint(store, nullptr);
      if (status == PERDURE_OK || status != perdure_last_error_code()) return 4;
      if (std::strlen(perdure_last_error_message()) == 0) return 5;
      // It fails before it departs or on the way, but never unseen.
      perdure_pending_checkpoint* pending = nullptr;
      if (perdure_checkpoint_async(store, nullptr, &pending) == PERDURE_OK) {
        perdure_status outcome = PERDURE_OK;
        if (perdure_pending_checkpoint_wait(pending, nullptr) == PERDURE_OK) return 6;
        if (perdure_pending_checkpoint_error(pending, &outcome) != PERDURE_OK || outcome == PERDURE_OK)
          return 7;
        if (perdure_last_error_code() != outcome) return 8;
        if (perdure_pending_checkpoint_free(pending) != PERDURE_OK) return 9;
      } else if (pending != nullptr) {
        return 10;
      }
      if (perdure_store_close(store) == PERDURE_OK) return 11;
    }
    // Still open, with its content.
    if (perdure_data_find(store, "bytes", "uint8", &data, nullptr) != PERDURE_OK) return 12;
    if (static_cast<char*>(data)[1 << 19] != 2) return 13;
    return perdure_store_close(store) == PERDURE_OK ? 0 : 14;
  }));
  perdure_store* store = nullptr;
  ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  void* data = nullptr;
  ASSERT_OK(perdure_data_find(store, "bytes", "uint8", &data, nullptr));
  EXPECT_EQ(static_cast<char*>(data)[1 << 19], 2);
  EXPECT_OK(perdure_store_close(store));
}

TEST_F(checkpoint_test, IsNotForReaders) {
  reopen_read_only();
  EXPECT_EQ(perdure_checkpoint(store, nullptr), PERDURE_READ_ONLY);
  perdure_pending_checkpoint* pending = nullptr;
  EXPECT_EQ(perdure_checkpoint_async(store, nullptr, &pending), PERDURE_READ_ONLY);
  EXPECT_OK(perdure_wait_applied(store));
}

TEST_F(checkpoint_test, RefusesNullArguments) {
  EXPECT_EQ(perdure_checkpoint_async(store, nullptr, nullptr), PERDURE_INVALID_ARGUMENT);
  perdure_pending_checkpoint* pending = nullptr;
  ASSERT_OK(perdure_checkpoint_async(store, nullptr, &pending));
  EXPECT_EQ(perdure_pending_checkpoint_ready(pending, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_pending_checkpoint_error(pending, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_pending_checkpoint_free(pending));
  perdure_checkpoint_log* log = nullptr;
  EXPECT_EQ(perdure_checkpoint_log_read(nullptr, &log), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_checkpoint_log_read(path.c_str(), nullptr), PERDURE_INVALID_ARGUMENT);
  ASSERT_OK(perdure_checkpoint_log_read(path.c_str(), &log));
  EXPECT_EQ(perdure_checkpoint_log_size(log, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_checkpoint_log_at(log, 0, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_checkpoint_log_free(log));
}

}  // namespace
}  // namespace perdure::c
