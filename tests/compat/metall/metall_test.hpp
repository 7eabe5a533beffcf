// A folder for the stores of one test, and a quiet logger: failures are what many tests are about.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <metall/metall.hpp>

#include "support/scratch_directory.hpp"

struct metall_test : testing::Test {
  metall_test() { metall::logger::set_log_level(metall::logger::level_filter::silent); }

  std::filesystem::path path(const char* name = "store") const { return scratch.directory() / name; }

  perdure::scratch_directory scratch;
};
