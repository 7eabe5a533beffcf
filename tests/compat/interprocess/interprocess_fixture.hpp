// A path for a store of one test, and what a call throws as Boost's code.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#ifdef IN_PLACE_OF_BOOST
#include <boost/interprocess/managed_mapped_file.hpp>
#else
#include <perdure_interprocess/managed_mapped_file.hpp>
#endif
#include <perdure_interprocess/exceptions.hpp>
#include <string>

#include "support/scratch_directory.hpp"

#ifdef IN_PLACE_OF_BOOST
namespace bip = boost::interprocess;
#else
namespace bip = perdure_interprocess;
#endif

namespace perdure {

using perdure_interprocess::store_exception;
using segment_manager = bip::managed_mapped_file::segment_manager;
inline constexpr std::size_t gib = std::size_t{1} << 30;

/// `no_error` if it throws none of Boost's exceptions.
inline bip::error_code_t thrown_by(const std::function<void()>& body) {
  try {
    body();
  } catch (const bip::interprocess_exception& failure) {
    return failure.get_error_code();
  }
  return bip::no_error;
}

struct empty_path_test : testing::Test {
  scratch_directory scratch;
  std::string path = scratch.path().string();
};

struct open_file_test : empty_path_test {
  bip::managed_mapped_file file{bip::create_only, path.c_str(), 64 << 20};
};

}  // namespace perdure
