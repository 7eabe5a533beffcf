#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <perdure/workload/line_reader.hpp>
#include <perdure/workload/parallel.hpp>
#include <string>

#include "support/scratch_directory.hpp"

namespace {
using perdure::scratch_directory;
namespace workload = perdure::workload;

class LineReader : public testing::Test {
 protected:
  workload::line_reader open(const std::string& text) {
    return workload::line_reader(workload::open_byte_stream(dir_.write("lines", text)));
  }
  scratch_directory dir_;
};

TEST_F(LineReader, GivesWholeLinesWithTheirNumbers) {
  workload::line_reader reader = open("one\ntwo\n\nfour");
  workload::line_reader::block block;
  std::string all;
  while (reader.next(block)) {
    const std::string text(block.text.begin(), block.text.end());
    EXPECT_EQ(text.back(), '\n');
    EXPECT_EQ(block.first_line, 1U + static_cast<std::uint64_t>(std::count(all.begin(), all.end(), '\n')));
    all += text;
  }
  EXPECT_EQ(all, "one\ntwo\n\nfour\n");
}

TEST_F(LineReader, AnEmptyTextHasNoLines) {
  workload::line_reader reader = open("");
  workload::line_reader::block block;
  EXPECT_FALSE(reader.next(block));
}

TEST_F(LineReader, ThreadsGetEachLineOnceAndKnowItsNumber) {
  constexpr std::size_t lines = 400'000;
  std::string text;
  for (std::size_t i = 1; i <= lines; ++i) text += std::to_string(i) + " .............\n";
  workload::line_reader reader = open(text);
  std::mutex mutex;
  std::map<std::uint64_t, std::uint64_t> begins;  // of blocks, and how many lines are in each
  workload::run_threads(4, [&](unsigned) {
    workload::line_reader::block block;
    while (reader.next(block)) {
      ASSERT_EQ(block.text.back(), '\n');
      EXPECT_EQ(std::stoull(std::string(block.text.begin(), block.text.begin() + 20)), block.first_line);
      const std::lock_guard lock(mutex);
      begins[block.first_line] =
          static_cast<std::uint64_t>(std::count(block.text.begin(), block.text.end(), '\n'));
    }
  });
  EXPECT_GT(begins.size(), 3U);
  std::uint64_t next = 1;
  for (const auto& [first, count] : begins) {
    EXPECT_EQ(first, next);
    next += count;
  }
  EXPECT_EQ(next, lines + 1);
  EXPECT_EQ(reader.progress().done, text.size());
}

TEST_F(LineReader, StopsForAll) {
  workload::line_reader reader = open("a\nb\n");
  reader.stop();
  workload::line_reader::block block;
  EXPECT_FALSE(reader.next(block));
}

TEST_F(LineReader, ErrorsNameThePlace) {
  workload::line_reader reader = open(std::string(3 << 20, 'x'));
  workload::line_reader::block block;
  try {
    reader.next(block);
    ADD_FAILURE();
  } catch (const workload::line_error& e) {
    EXPECT_EQ(e.code(), perdure::errc::bad_input);
    EXPECT_EQ(e.line(), 1U);
    EXPECT_NE(std::string(e.what()).find("lines: line 1, column 1: the line is longer than"),
              std::string::npos)
        << e.what();
  }
  EXPECT_FALSE(reader.next(block));
}

}  // namespace
