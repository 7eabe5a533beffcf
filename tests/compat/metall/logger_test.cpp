// The logger as it is without a hook.
#include <cerrno>
#include <string>

#include "compat/metall/metall_test.hpp"

namespace {

using metall::logger;

struct logger_test : metall_test {
  static std::string logged(logger::level level) {
    testing::internal::CaptureStderr();
    logger::out(level, "file.cpp", 12, "what happened");
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(logger_test, WritesFromTheLevelThatIsSet) {
  logger::set_log_level(logger::level_filter::warning);
  EXPECT_EQ(logged(logger::level::error), "file.cpp at line 12 --- what happened\n");
  EXPECT_NE(logged(logger::level::warning), "");
  EXPECT_EQ(logged(logger::level::info), "");
  EXPECT_TRUE(logger::log_level().should_log(logger::level::critical));
  EXPECT_FALSE(logger::log_level().should_log(logger::level::verbose));
  logger::set_log_level(logger::level_filter::verbose);
  EXPECT_NE(logged(logger::level::verbose), "");
  logger::set_log_level(logger::level::info);
  EXPECT_EQ(logged(logger::level::debug), "");
  logger::set_log_level(logger::level_filter::silent);
  EXPECT_EQ(logged(logger::level::error), "");
}

TEST_F(logger_test, TellsTheMeaningOfErrno) {
  logger::set_log_level(logger::level_filter::error);
  testing::internal::CaptureStderr();
  errno = ENOENT;
  logger::perror(logger::level::error, "file.cpp", 1, "cannot open");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cannot open: No such file"), std::string::npos);
}

TEST_F(logger_test, CriticalMessagesAbortUnlessToldNotTo) {
  EXPECT_TRUE(logger::abort_on_critical_error());
  EXPECT_DEATH(logger::out(logger::level::critical, "file.cpp", 1, "the end"), "");
  logger::abort_on_critical_error(false);
  logger::out(logger::level::critical, "file.cpp", 1, "not the end");
  logger::abort_on_critical_error(true);
}

TEST_F(logger_test, IsToldWhyAStoreCannotBeOpened) {
  logger::set_log_level(logger::level_filter::error);
  testing::internal::CaptureStderr();
  const metall::manager bad(metall::open_only, path("nowhere"));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("nowhere"), std::string::npos);
}

}  // namespace
