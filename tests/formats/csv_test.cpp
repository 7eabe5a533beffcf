// Tables of text: what their elements are found to be, and what they may look like.
#include <gtest/gtest.h>

#include <perdure/array_store.hpp>
#include <perdure/formats/array_file.hpp>
#include <perdure/formats/array_text.hpp>

#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "workload/compressed.hpp"

namespace {

using namespace perdure;
using namespace perdure::formats;

class Csv : public testing::Test {
 protected:
  array_file open(const std::string& text, const reading_options& options = {}) const {
    return array_file(dir_.write("t.csv", text), options);
  }
  std::vector<std::string> texts(const std::string& text) const {
    const array_file file = open(text);
    return load_texts(file.at(""));
  }
  std::string json_of(const std::string& text) const {
    const array_file file = open(text);
    std::string out;
    write_text(file.at(""), text_style::json, [&](std::string_view some) { out += some; });
    return out;
  }

  scratch_directory dir_{fast_directory()};
};

TEST_F(Csv, NumbersAreOfTheSmallestTypeThatHasThemAll) {
  EXPECT_EQ(open("1,-2\n").at("").what().type, data_type(element_kind::int64));
  EXPECT_EQ(open("1,18446744073709551615\n").at("").what().type, data_type(element_kind::uint64));
  EXPECT_EQ(open("1,2.5\n").at("").what().type, data_type(element_kind::float64));
  EXPECT_EQ(open("true\nfalse\n").at("").what().type, data_type(element_kind::boolean));
  EXPECT_EQ(open("1,1+2j\n").at("").what().type, data_type(element_kind::complex128));
  EXPECT_EQ(json_of("1;2\n3;4\n"), "[[1, 2],\n[3, 4]]");
  EXPECT_EQ(json_of("1\t2\r\n3\t4\r\n"), "[[1, 2],\n[3, 4]]");
  EXPECT_EQ(json_of("\xEF\xBB\xBF"
                    "1\n2"),
            "[1, 2]");
  EXPECT_EQ(json_of("1,\n,4\n"), "[[1, \"nan\"],\n[\"nan\", 4]]");
  const array_file asked = open("1,2\n3,4\n", {.format = {}, .type = data_type(element_kind::float32)});
  EXPECT_EQ(load<float>(asked.at("")), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(Csv, ALineOfNamesMakesStructs) {
  EXPECT_EQ(json_of("# a comment\n\nx,y\n1,2.5\n-3,nan\n"),
            "[{\"x\": 1, \"y\": 2.5}, {\"x\": -3, \"y\": \"nan\"}]");
  const array_file file = open("x,y\n1,2.5\n");
  write_array(dir_ / "out.csv", file.at(""));
  std::ifstream stream(dir_ / "out.csv");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "x,y\n1,2.5\n");
  EXPECT_TRUE(fails_with(errc::unsupported, "has texts", [&] { open("x,y\n1,a\n"); }));
}

TEST_F(Csv, QuotedFieldsHaveDelimitersQuotesAndLines) {
  EXPECT_EQ(texts("\"a,b\",\"c\"\"d\"\n \"e,f\n"), (std::vector<std::string>{"a,b", "c\"d", " \"e", "f"}));
  EXPECT_EQ(texts("\"one\ntwo\"\n\"\"\n"), (std::vector<std::string>{"one\ntwo", ""}));
  // Across the blocks in which the file is read, more than once.
  const std::string large(std::size_t{3} << 20, '\n');
  EXPECT_EQ(texts("a\n\"" + large + "\"\nb\n"), (std::vector<std::string>{"a", large, "b"}));
  EXPECT_TRUE(fails_with(errc::bad_input, "line 2", [&] { open("\"a\"\n\"b\nc\n"); }));
  EXPECT_TRUE(fails_with(errc::bad_input, "line 2: something stands behind", [&] { open("a\n\"b\"c\n"); }));
}

TEST_F(Csv, RowsThatDoNotFitAreRefusedWithTheirLine) {
  EXPECT_TRUE(fails_with(errc::bad_input, "line 2 has 1 fields", [&] { open("1,2\n3\n"); }));
  EXPECT_TRUE(fails_with(errc::bad_input, "line 3", [&] {
    open("1\n2\nx\n", {.format = file_format::csv, .type = data_type(element_kind::int8)});
  }));
  EXPECT_TRUE(fails_with(errc::bad_input, "no values", [&] { open("# nothing\n"); }));
}

TEST_F(Csv, CompressedTablesAreRead) {
  const std::string table = "1,2\n3,4\n";
  for (const auto& [name, bytes] : {std::pair<std::string, std::string>{"t.csv.gz", test::gzip(table)},
                                    {"t.tsv.zst", test::zstd(table)},
                                    {"T.CSV.xz", test::xz(table)}}) {
    const array_file file(dir_.write(name, bytes));
    EXPECT_EQ(file.format(), file_format::csv);
    EXPECT_EQ(load<std::int64_t>(file.at("")), (std::vector<std::int64_t>{1, 2, 3, 4})) << name;
  }
  EXPECT_TRUE(fails_with(errc::bad_input, "t.csv.gz", [&] {
    const std::string bytes = test::gzip(table);
    array_file{dir_.write("t.csv.gz", bytes.substr(0, bytes.size() - 4))};
  }));
}

}  // namespace
