// Opening, closing, and what concerns a store as a whole.
#include <sys/mman.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "c/c_store.hpp"
#include "perdure/manager.hpp"

namespace perdure::c {
namespace {

TEST_F(c_store_test, IsCreatedOnce) {
  perdure_store* second = garbage<perdure_store>();
  EXPECT_EQ(perdure_store_create(path.c_str(), nullptr, &second), PERDURE_ALREADY_EXISTS);
  EXPECT_EQ(second, nullptr);
  EXPECT_NE(std::string(perdure_last_error_message()).find(path), std::string::npos);
}

TEST_F(c_store_test, OpensWhatIsThereOnly) {
  close();
  EXPECT_EQ(perdure_store_open(beside("other").c_str(), nullptr, &store), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_store_open_read_only(beside("other").c_str(), nullptr, &store), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_store_open(scratch.directory().c_str(), nullptr, &store), PERDURE_NOT_A_STORE);
  EXPECT_OK(perdure_store_open(path.c_str(), nullptr, &store));
}

TEST_F(c_store_test, OpensOrCreates) {
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 8, 0, &data));
  close();
  ASSERT_OK(perdure_store_open_or_create(path.c_str(), nullptr, &store));
  EXPECT_OK(perdure_data_find(store, "bytes", "uint8", &data, nullptr));
  close();
  const perdure_store_options options = small_options();
  ASSERT_OK(perdure_store_open_or_create(beside("new").c_str(), &options, &store));
  EXPECT_EQ(perdure_data_find(store, "bytes", "uint8", &data, nullptr), PERDURE_NOT_FOUND);
}

TEST_F(c_store_test, HasOneWriter) {
  perdure_store* second = nullptr;
  EXPECT_EQ(perdure_store_open(path.c_str(), nullptr, &second), PERDURE_IN_USE);
  EXPECT_EQ(perdure_store_open_read_only(path.c_str(), nullptr, &second), PERDURE_IN_USE);
}

TEST_F(c_store_test, OpensForReading) {
  int read_only = -1;
  EXPECT_OK(perdure_store_is_read_only(store, &read_only));
  EXPECT_EQ(read_only, 0);
  reopen_read_only();
  EXPECT_OK(perdure_store_is_read_only(store, &read_only));
  EXPECT_EQ(read_only, 1);
  perdure_store* second = nullptr;
  EXPECT_OK(perdure_store_open_read_only(path.c_str(), nullptr, &second));
  EXPECT_OK(perdure_store_close(second));
  EXPECT_EQ(perdure_store_is_read_only(store, nullptr), PERDURE_INVALID_ARGUMENT);
}

TEST_F(c_store_test, ClosesWithACheckpointAndDiscardsWithout) {
  void* data = nullptr;
  ASSERT_OK(perdure_data_create(store, "kept", "uint8", 8, 0, &data));
  reopen();
  ASSERT_OK(perdure_data_create(store, "dropped", "uint8", 8, 0, &data));
  ASSERT_OK(perdure_store_discard(store));
  ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  EXPECT_OK(perdure_data_find(store, "kept", "uint8", &data, nullptr));
  EXPECT_EQ(perdure_data_find(store, "dropped", "uint8", &data, nullptr), PERDURE_NOT_FOUND);
}

TEST_F(c_store_test, ClosingAndDiscardingNothingIsFine) {
  EXPECT_OK(perdure_store_close(nullptr));
  EXPECT_OK(perdure_store_discard(nullptr));
}

TEST_F(c_store_test, TellsItsPath) {
  const char* told = nullptr;
  ASSERT_OK(perdure_store_path(store, &told));
  EXPECT_STREQ(told, path.c_str());
  EXPECT_EQ(perdure_store_path(store, nullptr), PERDURE_INVALID_ARGUMENT);
}

TEST_F(c_store_test, IsCheckedWhileOpen) {
  perdure_text_list* wrong = nullptr;
  ASSERT_OK(perdure_store_check(store, &wrong));
  std::size_t size = 1;
  EXPECT_OK(perdure_text_list_size(wrong, &size));
  EXPECT_EQ(size, 0U);
  const char* text = nullptr;
  EXPECT_EQ(perdure_text_list_at(wrong, 0, &text), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(text, nullptr);
  EXPECT_OK(perdure_text_list_free(wrong));
  EXPECT_OK(perdure_store_check(store, nullptr));
}

TEST_F(c_store_test, CheckTellsWhatIsWrong) {
  void* bytes = nullptr;
  ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 64, 0, &bytes));
  // The bytes before it are the directory's.
  std::memset(static_cast<char*>(bytes) - 24, 0x5a, 24);
  perdure_text_list* wrong = nullptr;
  EXPECT_EQ(perdure_store_check(store, &wrong), PERDURE_DAMAGED);
  std::size_t size = 0;
  ASSERT_OK(perdure_text_list_size(wrong, &size));
  ASSERT_NE(size, 0U);
  const char* text = nullptr;
  ASSERT_OK(perdure_text_list_at(wrong, 0, &text));
  EXPECT_NE(std::string(perdure_last_error_message()).find(text), std::string::npos);
  EXPECT_OK(perdure_text_list_free(wrong));
}

TEST_F(c_store_test, ExistsAndIsRemoved) {
  int exists = -1;
  EXPECT_OK(perdure_store_exists(path.c_str(), &exists));
  EXPECT_EQ(exists, 1);
  EXPECT_EQ(perdure_store_remove(path.c_str()), PERDURE_IN_USE);
  close();
  EXPECT_OK(perdure_store_remove(path.c_str()));
  EXPECT_OK(perdure_store_exists(path.c_str(), &exists));
  EXPECT_EQ(exists, 0);
  EXPECT_EQ(perdure_store_remove(path.c_str()), PERDURE_NOT_FOUND);
  EXPECT_OK(perdure_store_exists(scratch.directory().c_str(), &exists));
  EXPECT_EQ(exists, 0);
  std::ofstream(beside("file")) << "text";
  EXPECT_EQ(perdure_store_remove(beside("file").c_str()), PERDURE_NOT_A_STORE);
  EXPECT_EQ(perdure_store_remove(nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_store_exists(nullptr, &exists), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_store_exists(path.c_str(), nullptr), PERDURE_INVALID_ARGUMENT);
}

TEST_F(c_store_test, RefusesWrongArgumentsOfOpening) {
  perdure_store* other = nullptr;
  const std::string where = beside("other");
  EXPECT_EQ(perdure_store_create(nullptr, nullptr, &other), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_store_create(where.c_str(), nullptr, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_store_open("", nullptr, &other), PERDURE_INVALID_ARGUMENT);

  perdure_store_options options{};
  EXPECT_EQ(perdure_store_create(where.c_str(), &options, &other), PERDURE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(perdure_last_error_message()).find("struct_size"), std::string::npos);
  options = small_options();
  options.struct_size = std::size_t{1} << 40;
  EXPECT_EQ(perdure_store_create(where.c_str(), &options, &other), PERDURE_INVALID_ARGUMENT);
  options = small_options();
  options.backing = 7;
  EXPECT_EQ(perdure_store_create(where.c_str(), &options, &other), PERDURE_INVALID_ARGUMENT);
  options = small_options();
  options.checks = -1;
  EXPECT_EQ(perdure_store_create(where.c_str(), &options, &other), PERDURE_INVALID_ARGUMENT);
  options = small_options();
  options.home_file_size = 12345;
  EXPECT_EQ(perdure_store_create(where.c_str(), &options, &other), PERDURE_INVALID_ARGUMENT);
  int exists = -1;
  EXPECT_OK(perdure_store_exists(where.c_str(), &exists));
  EXPECT_EQ(exists, 0);
}

TEST_F(c_store_test, TakesOptionsOfOtherVersions) {
  close();
  struct {
    perdure_store_options known;
    std::uint64_t later[2];
  } newer{small_options(), {0, 0}};
  newer.known.struct_size = sizeof newer;
  EXPECT_OK(perdure_store_create(beside("newer").c_str(), &newer.known, &store));
  EXPECT_OK(perdure_store_close(store));
  store = nullptr;
  newer.later[1] = 1;
  EXPECT_EQ(perdure_store_open(beside("newer").c_str(), &newer.known, &store), PERDURE_UNSUPPORTED);

  const struct {
    std::size_t struct_size;
    std::uint64_t capacity;
  } older{sizeof older, std::uint64_t{2} << 30};
  ASSERT_OK(perdure_store_create(beside("older").c_str(),
                                 reinterpret_cast<const perdure_store_options*>(&older), &store));
  perdure_store_info info{};
  info.struct_size = sizeof info;
  EXPECT_OK(perdure_store_info_get(store, &info));
  EXPECT_EQ(info.capacity, older.capacity);
}

TEST_F(c_store_test, OptionsReachTheStore) {
  close();
  perdure_store_options options = small_options();
  options.home_file_size = std::uint64_t{64} << 20;
  options.pinned = 1;
  ASSERT_OK(perdure_store_create(beside("pinned").c_str(), &options, &store));
  perdure_store_info info{};
  info.struct_size = sizeof info;
  EXPECT_OK(perdure_store_info_get(store, &info));
  EXPECT_EQ(info.home_file_size, options.home_file_size);
  EXPECT_EQ(info.pinned, 1);
  void* base = nullptr;
  EXPECT_OK(perdure_base(store, &base, nullptr));
  EXPECT_EQ(reinterpret_cast<void*>(info.address), base);
  close();
  options = small_options();
  options.checks = PERDURE_OPEN_CHECKS_ALL;
  EXPECT_OK(perdure_store_open(beside("pinned").c_str(), &options, &store));
  close();
  options.checks = PERDURE_OPEN_CHECKS_LAZILY;
  EXPECT_OK(perdure_store_open(beside("pinned").c_str(), &options, &store));
  close();
  options.backing = PERDURE_BACKING_PAGED;
  EXPECT_OK(perdure_store_open(beside("pinned").c_str(), &options, &store));
  close();
  options.backing = PERDURE_BACKING_SHARED;
  options.checks = PERDURE_OPEN_CHECKS_JOURNAL;
  EXPECT_OK(perdure_store_open(path.c_str(), &options, &store));
}

TEST_F(c_store_test, WaitsForAnotherWriterAsLongAsItIsToldTo) {
  perdure_store_options options = small_options();
  perdure_store* second = nullptr;
  const auto waited = [&](std::int64_t wait_ms) {
    options.wait_ms = wait_ms;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(perdure_store_open(path.c_str(), &options, &second), PERDURE_IN_USE);
    return std::chrono::steady_clock::now() - start;
  };
  EXPECT_GE(waited(300), std::chrono::milliseconds(300));
  // As the environment says, unless the program does.
  ASSERT_EQ(::setenv("PERDURE_WAIT", "1", 1), 0);
  EXPECT_GE(waited(0), std::chrono::seconds(1));
  ASSERT_EQ(::setenv("PERDURE_WAIT", "60", 1), 0);
  EXPECT_LT(waited(-1), std::chrono::seconds(60));
  ASSERT_EQ(::unsetenv("PERDURE_WAIT"), 0);
  std::thread closing([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_OK(perdure_store_close(store));
  });
  options.wait_ms = 60000;
  EXPECT_OK(perdure_store_open(path.c_str(), &options, &second));
  closing.join();
  store = second;
}

TEST_F(c_store_test, IsInPersistentMemoryWhereThereIsSome) {
  perdure_store_options options = small_options();
  options.backing = PERDURE_BACKING_DAX;
  const std::string where = beside("persistent");
  close();
  const perdure_status status = perdure_store_create(where.c_str(), &options, &store);
  EXPECT_TRUE(status == PERDURE_OK || status == PERDURE_UNSUPPORTED) << perdure_last_error_message();
  options.backing = 99;
  EXPECT_EQ(perdure_store_create(beside("none").c_str(), &options, &store), PERDURE_INVALID_ARGUMENT);
}

TEST_F(c_store_test, IsPinnedWhereAsked) {
  close();
  constexpr std::size_t gib = std::size_t{1} << 30;
  // Address space that was free a moment ago.
  void* const room = ::mmap(nullptr, 6 * gib, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(room, MAP_FAILED);
  ASSERT_EQ(::munmap(room, 6 * gib), 0);
  perdure_store_options options = small_options();
  options.pinned = 1;
  options.address = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(room) + gib - 1) / gib * gib);
  const std::string where = beside("pinned");
  ASSERT_OK(perdure_store_create(where.c_str(), &options, &store));
  void* base = nullptr;
  ASSERT_OK(perdure_base(store, &base, nullptr));
  EXPECT_EQ(base, options.address);
  close();
  void* const taken = ::mmap(base, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(taken, base);
  EXPECT_EQ(perdure_store_open(where.c_str(), nullptr, &store), PERDURE_ADDRESS_TAKEN);
  ASSERT_EQ(::munmap(taken, 4096), 0);
  EXPECT_OK(perdure_store_open(where.c_str(), nullptr, &store));
}

TEST_F(c_store_test, OpensKeptCheckpointsByLabelAndByEpoch) {
  close();
  perdure_store_options options = small_options();
  options.keep_last = 2;
  options.keep_full_copies = 1;
  ASSERT_OK(perdure_store_open(path.c_str(), &options, &store));
  void* memory = nullptr;
  ASSERT_OK(perdure_data_create(store, "number", "int32", 1, 0, &memory));
  int& number = *static_cast<int*>(memory);
  number = 1;
  ASSERT_OK(perdure_checkpoint(store, "one"));
  number = 2;
  ASSERT_OK(perdure_checkpoint(store, "kept"));
  ASSERT_OK(perdure_wait_applied(store));
  perdure_checkpoint_log* log = nullptr;
  ASSERT_OK(perdure_checkpoint_log_read(path.c_str(), &log));
  std::size_t size = 0;
  ASSERT_OK(perdure_checkpoint_log_size(log, &size));
  const perdure_checkpoint_record* last = nullptr;
  ASSERT_OK(perdure_checkpoint_log_at(log, size - 1, &last));
  EXPECT_EQ(last->kept, 1);
  const auto number_in = [](perdure_store* opened) {
    void* found = nullptr;
    EXPECT_OK(perdure_data_find(opened, "number", "int32", &found, nullptr));
    const int value = found == nullptr ? 0 : *static_cast<const int*>(found);
    EXPECT_EQ(perdure_checkpoint(opened, nullptr), PERDURE_READ_ONLY);
    EXPECT_OK(perdure_store_close(opened));
    return value;
  };
  perdure_store* earlier = nullptr;
  ASSERT_OK(perdure_store_open_kept(path.c_str(), "one", 0, nullptr, &earlier));
  EXPECT_EQ(number_in(earlier), 1);
  ASSERT_OK(perdure_store_open_kept(path.c_str(), nullptr, last->epoch, nullptr, &earlier));
  EXPECT_EQ(number_in(earlier), 2);
  ASSERT_OK(perdure_store_open_read_only((path + "@one").c_str(), nullptr, &earlier));
  EXPECT_EQ(number_in(earlier), 1);
  EXPECT_EQ(perdure_store_open_kept(path.c_str(), "two", 0, nullptr, &earlier), PERDURE_NOT_FOUND);
  EXPECT_EQ(earlier, nullptr);
  EXPECT_EQ(perdure_store_open_kept(path.c_str(), nullptr, 999, nullptr, &earlier), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_store_open_kept(nullptr, "one", 0, nullptr, &earlier), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_store_open((path + "@one").c_str(), nullptr, &earlier), PERDURE_READ_ONLY);
  EXPECT_EQ(perdure_store_create((path + "@two").c_str(), nullptr, &earlier), PERDURE_READ_ONLY);
  EXPECT_OK(perdure_checkpoint_log_free(log));
}

TEST_F(c_store_test, RecordsWhatItIs) {
  perdure_store_info info{};
  info.struct_size = sizeof info;
  ASSERT_OK(perdure_store_info_get(store, &info));
  EXPECT_EQ(std::strlen(info.uuid), 36U);
  EXPECT_NE(std::string(info.abi).find("little-endian"), std::string::npos);
  EXPECT_EQ(info.capacity, std::uint64_t{4} << 30);
  EXPECT_NE(info.format_version, 0U);
  EXPECT_NE(info.epoch, 0U);
  EXPECT_NE(info.size, 0U);
  EXPECT_NE(info.disk_bytes, 0U);
  EXPECT_EQ(info.pinned, 0);
  close();
  perdure_store_info inspected{};
  inspected.struct_size = sizeof inspected;
  ASSERT_OK(perdure_store_inspect(path.c_str(), &inspected));
  EXPECT_STREQ(inspected.uuid, info.uuid);
  EXPECT_EQ(perdure_store_inspect(beside("other").c_str(), &inspected), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_store_inspect(scratch.directory().c_str(), &inspected), PERDURE_NOT_A_STORE);
  EXPECT_EQ(perdure_store_inspect(nullptr, &inspected), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_store_inspect(path.c_str(), nullptr), PERDURE_INVALID_ARGUMENT);
  inspected.struct_size = 0;
  EXPECT_EQ(perdure_store_inspect(path.c_str(), &inspected), PERDURE_INVALID_ARGUMENT);
}

TEST_F(c_store_test, FillsStructsOfOtherVersions) {
  struct {
    perdure_store_info known;
    std::uint64_t later;
  } newer{};
  newer.known.struct_size = sizeof newer;
  newer.later = 5;
  ASSERT_OK(perdure_store_info_get(store, &newer.known));
  EXPECT_EQ(newer.known.struct_size, sizeof newer);
  EXPECT_EQ(newer.later, 0U);

  perdure_store_info older{};
  older.struct_size = offsetof(perdure_store_info, capacity);
  older.capacity = 77;
  ASSERT_OK(perdure_store_info_get(store, &older));
  EXPECT_EQ(std::strlen(older.uuid), 36U);
  EXPECT_EQ(older.capacity, 77U);
}

}  // namespace
}  // namespace perdure::c
