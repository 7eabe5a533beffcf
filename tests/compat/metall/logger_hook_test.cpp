// A program that takes the messages itself.
#define METALL_LOGGER_EXTERN_C

#include <gtest/gtest.h>

#include <metall/metall.hpp>
#include <string>

#include "support/scratch_directory.hpp"

namespace {
std::string last_message;
metall_log_level last_level = metall_verbose;
}  // namespace

extern "C" void metall_log(metall_log_level level, const char*, size_t, const char* message) {
  last_level = level;
  last_message = message;
}

TEST(LoggerHook, TakesTheMessages) {
  const perdure::scratch_directory scratch;
  const metall::manager bad(metall::open_only, scratch.path());
  EXPECT_EQ(last_level, metall_error);
  EXPECT_NE(last_message.find(scratch.path().string()), std::string::npos);
  metall::logger::out(metall::logger::level::critical, "file", 1, "not the end here");
  EXPECT_EQ(last_level, metall_critical);
}
