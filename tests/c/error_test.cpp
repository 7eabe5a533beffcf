// Status codes, the last error of each thread, versions.
#include "perdure/c/error.h"

#include <thread>

#include "c/c_store.hpp"
#include "perdure/error.hpp"
#include "perdure/version.hpp"
#include "support/scratch_directory.hpp"

namespace perdure::c {
namespace {

TEST(c_error, StatusHasAName) {
  EXPECT_STREQ(perdure_status_name(PERDURE_OK), "ok");
  for (int status = 0; status <= PERDURE_UNDECIDED; ++status)
    EXPECT_EQ(perdure_status_name(status), to_string(static_cast<errc>(status)));
  EXPECT_STREQ(perdure_status_name(PERDURE_INTERNAL), "internal");
  for (const int other : {-1, 999, 2'000'000'000}) EXPECT_STREQ(perdure_status_name(other), "unknown");
}

TEST(c_error, LastErrorIsKeptUntilTheNext) {
  perdure_store* store = nullptr;
  const scratch_directory scratch;
  EXPECT_EQ(perdure_store_open(scratch.path().c_str(), nullptr, &store), PERDURE_NOT_FOUND);
  const std::string message = perdure_last_error_message();
  EXPECT_NE(message.find(scratch.path()), std::string::npos);
  EXPECT_OK(perdure_store_close(nullptr));
  EXPECT_EQ(perdure_last_error_code(), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_last_error_message(), message);
  EXPECT_EQ(perdure_store_open(nullptr, nullptr, &store), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_last_error_code(), PERDURE_INVALID_ARGUMENT);
  EXPECT_NE(perdure_last_error_message(), message);
}

TEST(c_error, EachThreadHasItsOwn) {
  EXPECT_EQ(perdure_store_remove(nullptr), PERDURE_INVALID_ARGUMENT);
  std::jthread([] {
    EXPECT_EQ(perdure_last_error_code(), PERDURE_OK);
    EXPECT_STREQ(perdure_last_error_message(), "");
    EXPECT_EQ(perdure_store_remove("/nowhere/at/all"), PERDURE_NOT_FOUND);
  }).join();
  EXPECT_EQ(perdure_last_error_code(), PERDURE_INVALID_ARGUMENT);
}

TEST(c_error, OldMessageMayBePartOfTheNext) {
  // The message names the path, which here is the last message.
  EXPECT_EQ(perdure_store_remove("/nowhere/at/all"), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_store_remove(perdure_last_error_message()), PERDURE_NOT_FOUND);
  EXPECT_NE(std::string(perdure_last_error_message()).find("/nowhere/at/all"), std::string::npos);
}

TEST(c_version, IsTheSameEverywhere) {
  EXPECT_EQ(perdure_version_number(), PERDURE_VERSION_NUMBER);
  EXPECT_STREQ(perdure_version_string(), version_string);
  EXPECT_EQ(std::to_string(PERDURE_VERSION_MAJOR) + "." + std::to_string(PERDURE_VERSION_MINOR) + "." +
                std::to_string(PERDURE_VERSION_PATCH),
            version_string);
}

}  // namespace
}  // namespace perdure::c
