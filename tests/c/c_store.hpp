// What the tests of the C API share: a store of their own, and how to say that a call did as expected.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "perdure/c/perdure.h"
#include "support/scratch_directory.hpp"

#define EXPECT_OK(call) EXPECT_EQ(call, PERDURE_OK) << perdure_last_error_message()
#define ASSERT_OK(call) ASSERT_EQ(call, PERDURE_OK) << perdure_last_error_message()

namespace perdure::c {

/// Small enough for two at a time under ThreadSanitizer.
inline perdure_store_options small_options() {
  perdure_store_options options{};
  options.struct_size = sizeof options;
  options.capacity = std::uint64_t{4} << 30;
  return options;
}

/// A new store with an array of zero bytes in it; null where that failed.
inline perdure_store* create_with_bytes(const std::string& path, const char* name, std::size_t bytes,
                                        void** data) {
  const perdure_store_options options = small_options();
  perdure_store* store = nullptr;
  if (perdure_store_create(path.c_str(), &options, &store) != PERDURE_OK) return nullptr;
  return perdure_data_create(store, name, "uint8", bytes, 0, data) == PERDURE_OK ? store : nullptr;
}

struct c_store_test : testing::Test {
  c_store_test() : path(scratch.path().string()) {}
  void SetUp() override {
    const perdure_store_options options = small_options();
    ASSERT_OK(perdure_store_create(path.c_str(), &options, &store));
  }
  void TearDown() override {
    if (store == nullptr) return;
    EXPECT_OK(perdure_store_discard(store));
  }
  /// Closes the store, so that the next opening has all there is from the disk.
  void close() {
    ASSERT_OK(perdure_store_close(store));
    store = nullptr;
  }
  void reopen() {
    close();
    ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  }
  void reopen_read_only() {
    close();
    ASSERT_OK(perdure_store_open_read_only(path.c_str(), nullptr, &store));
  }
  std::string beside(const char* name) const { return (scratch.directory() / name).string(); }

  scratch_directory scratch;
  std::string path;
  perdure_store* store = nullptr;
};

/// An address that is neither a handle nor in a store.
template <class T>
T* garbage() {
  static long long somewhere[4] = {1, 2, 3, 4};
  return reinterpret_cast<T*>(&somewhere[1]);
}

}  // namespace perdure::c
