// Tables of text: what their elements are found to be, and what they may look like.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <perdure/array_store.hpp>
#include <perdure/formats/array_comparison.hpp>
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
}

TEST_F(Csv, ColumnsOfDifferentKindsAreATable) {
  const array_file file = open("name,age\nann,3\nrobert,4\n");
  EXPECT_EQ(file.at("").what().type.text(), "{16/8 name:char[6]@0 age:int64@8}");
  EXPECT_EQ(json_of("name,age\nann,3\nrobert,4\n"),
            R"([{"name": "ann", "age": 3}, {"name": "robert", "age": 4}])");
  // Without names they are called as NumPy calls them.
  EXPECT_EQ(json_of("ann,3\nbob,4\n"), R"([{"f0": "ann", "f1": 3}, {"f0": "bob", "f1": 4}])");
  EXPECT_EQ(json_of("true,3\nfalse,4\n"), R"([{"f0": true, "f1": 3}, {"f0": false, "f1": 4}])");
  EXPECT_EQ(json_of("\"1\",2\n"), R"([{"f0": "1", "f1": 2}])");
  // A column without a name numbers the rows.
  EXPECT_EQ(json_of(",a\n0,1\n1,2\n"), R"([{"f0": 0, "a": 1}, {"f0": 1, "a": 2}])");
  EXPECT_EQ(json_of("a,b,\n1,2,\n"), R"([{"a": 1, "b": 2, "f2": "nan"}])");
  EXPECT_TRUE(fails_with(errc::bad_input, "two columns are called \"a\"", [&] { open("a,a\n1,2\n"); }));
  EXPECT_TRUE(fails_with(errc::bad_input, "line 2: a text has a zero byte",
                         [&] { open(std::string("a,b\n1,x\0\n", 9)); }));
  // One long text does not make every row long.
  std::string rows = "a,b\n1," + std::string(std::size_t{1} << 20, 'x') + '\n';
  for (int i = 0; i < 2000; ++i) rows += "1,y\n";
  EXPECT_TRUE(fails_with(errc::bad_input, "the column \"b\"", [&] { open(rows); }));
}

TEST_F(Csv, ALineOfNamesIsNoDataAndDataAreNoNames) {
  // A mark of the order of bytes is no part of a name.
  EXPECT_EQ(json_of("\xEF\xBB\xBF"
                    "a,b\n1,2\n"),
            R"([{"a": 1, "b": 2}])");
  EXPECT_TRUE(fails_with(errc::bad_input, "UTF-16", [&] {
    open(
        std::string("\xFF\xFE"
                    "1\0\n\0",
                    6));
  }));
  EXPECT_TRUE(
      fails_with(errc::bad_input, "line 2: \"gr\xef\xbf\xbd\" is not UTF-8", [&] { open("a\ngr\xfc\n"); }));
  // What may be a value is not taken for a name.
  for (const char* const text : {"1_000\n2\n", "NA\n1\n2\n", "2020-01-01,2020-01-02\n1,2\n", "10%\n20\n"})
    EXPECT_TRUE(fails_with(errc::bad_input, "line 1: ", [&] { open(text); })) << text;
  EXPECT_TRUE(fails_with(errc::bad_input, "--header yes or --header no", [&] { open("NA\n1\n2\n"); }));
  const auto with = [](header_line header) {
    reading_options options;
    options.table.header = header;
    return options;
  };
  const array_file named = open("10%\n20\n", with(header_line::yes));
  EXPECT_EQ(load<std::int64_t>(named.at("")), std::vector<std::int64_t>{20});
  ASSERT_EQ(named.losses().size(), 1U);
  EXPECT_EQ(named.losses()[0].what, "loses the name of its column, \"10%\"");
  EXPECT_EQ(load_texts(open("10%\n20\n", with(header_line::no)).at("")),
            (std::vector<std::string>{"10%", "20"}));
  // Texts alone have names if the options say so.
  EXPECT_EQ(texts("name,city\nann,rome\n"), (std::vector<std::string>{"name", "city", "ann", "rome"}));
  EXPECT_EQ(open("name,city\nann,rome\n", with(header_line::yes)).at("").what().type.text(),
            "{7/1 name:char[3]@0 city:char[4]@3}");
  EXPECT_EQ(open("1,2\n3,4\n", with(header_line::yes)).at("").what().type.text(),
            "{16/8 \"1\":int64@0 \"2\":int64@8}");
  EXPECT_EQ(open("x,y\n1,2\n", with(header_line::no)).at("").what().type, data_type(element_kind::text));
  EXPECT_TRUE(fails_with(errc::bad_input, "no values", [&] { open("x,y\n", with(header_line::yes)); }));
}

TEST_F(Csv, SeparatorsAreDetectedOrGiven) {
  EXPECT_EQ(json_of("1|2\n3|4\n"), "[[1, 2],\n[3, 4]]");
  EXPECT_EQ(json_of("  1.5   2\n 3 4  \n"), "[[1.5, 2],\n[3, 4]]");
  EXPECT_EQ(json_of("x y\n1 2\n"), R"([{"x": 1, "y": 2}])");
  EXPECT_EQ(texts("one two\nthree four\n"), (std::vector<std::string>{"one two", "three four"}));
  EXPECT_EQ(json_of("a\tb, c\n1\t2\n"), R"([{"a": 1, "b, c": 2}])");
  EXPECT_EQ(json_of("a;b, c\n1;2\n"), R"([{"a": 1, "b, c": 2}])");
  EXPECT_TRUE(fails_with(errc::bad_input, "--separator", [&] { open("a;b,c\nd;e,f\n"); }));
  // As spreadsheets name it.
  EXPECT_EQ(json_of("sep=;\r\na,1;b\r\n1;2\r\n"), R"([{"a,1": 1, "b": 2}])");
  EXPECT_EQ(json_of("\xEF\xBB\xBFsep=|\n1|2\n"), "[[1, 2]]");
  EXPECT_TRUE(fails_with(errc::bad_input, "no values", [&] { open("sep=;\n"); }));
  EXPECT_TRUE(fails_with(errc::bad_input, "carriage return", [&] { open("1,2\r3,4\r"); }));
  reading_options options;
  options.table.separator = ';';
  EXPECT_EQ(load_texts(open("a;b,c\nd;e,f\n", options).at("")),
            (std::vector<std::string>{"a", "b,c", "d", "e,f"}));
  options.table.decimal = ';';
  EXPECT_TRUE(fails_with(errc::invalid_argument, "same character", [&] { open("1;2\n", options); }));
}

TEST_F(Csv, DecimalCommasAreReadWhereTheyCanBeNothingElse) {
  EXPECT_EQ(json_of("1,5;2,5\n3,5;4\n"), "[[1.5, 2.5],\n[3.5, 4]]");
  EXPECT_EQ(json_of("a;b\n-0,5;1,25e3\n"), R"([{"a": -0.5, "b": 1250}])");
  EXPECT_EQ(json_of("1,5\n2,5\n"), "[[1, 5],\n[2, 5]]");
  const auto refused = [&](const std::string& text, const std::string& words, char decimal = '\0') {
    reading_options options;
    options.table.decimal = decimal;
    return fails_with(errc::bad_input, words, [&] { open(text, options); });
  };
  EXPECT_TRUE(refused("1,5;2.5\n", "line 1: \"1,5\" has a comma, and \"2.5\" in line 1 a decimal point"));
  EXPECT_TRUE(refused("1;2\n1,234;5,678\n", "line 2: \"1,234\" may be a fraction or thousands"));
  EXPECT_TRUE(refused("1;2\n1,234;5\n", "\"1,234\" is no number as it stands: write it as 1234", '.'));
  EXPECT_TRUE(refused("1;2,5\n1.234;5\n",
                      "\"1.234\" is no number as it stands: write a comma before its fraction", ','));
  EXPECT_TRUE(refused("1;2\n1,234.5;5\n", "\"1,234.5\" is no number as it stands"));
  EXPECT_TRUE(refused("1\n1_000\n", "line 2: \"1_000\" is no number as it stands: write it as 1000"));
  EXPECT_TRUE(refused("1\n1'000\n", "write it as 1000"));
  EXPECT_TRUE(refused("a;b\nx;1,20\ny;1.234,56\n",
                      "line 3: \"1.234,56\" is no number as it stands: write it as 1234,56"));
  EXPECT_TRUE(refused("x,y\n1.0D+00,2\n", "write it as 1.0e+00"));
  reading_options options;
  options.table.decimal = ',';
  EXPECT_EQ(load<double>(open("1,234\n5\n", options).at("")), (std::vector<double>{1.234, 5}));
  // Beside texts they are texts.
  EXPECT_EQ(texts("1_000\nabc\n"), (std::vector<std::string>{"1_000", "abc"}));
  const reading_options as_texts{.format = {}, .type = data_type(element_kind::text)};
  EXPECT_EQ(load_texts(open("1_000\n2\n", as_texts).at("")), (std::vector<std::string>{"1_000", "2"}));
  EXPECT_TRUE(fails_with(errc::bad_input, "line 1: \"1_000\"", [&] {
    open("1_000\n2\n", {.format = {}, .type = data_type(element_kind::int64)});
  }));
}

TEST_F(Csv, WhatIsExportedIsImported) {
  const data_type type = data_type::parse(
      "{32/8 name:char[5]@0 \"1\":int64@8 \"a,b\":float64@16 ok:bool@24 \"\\\"q\":char[2]@25}");
  const std::string bytes = [] {
    std::string two(64, '\0');
    two.replace(0, 3, "a\"b");
    two.replace(32, 5, "#x, y");
    const std::int64_t number = -7;
    const double real = std::numeric_limits<double>::quiet_NaN();
    std::memcpy(two.data() + 8, &number, 8);
    std::memcpy(two.data() + 48, &real, 8);
    two[24] = 1;
    two.replace(25, 2, "zz");
    return two;
  }();
  const auto source = source_of("t", type, const_untyped_view::row_major(bytes.data(), {2}, type.size()));
  for (const char* const name : {"out.csv", "out.tsv"}) {
    write_array(dir_ / name, *source);
    const array_file file(dir_ / name);
    EXPECT_TRUE(file.losses().empty());
    EXPECT_EQ(file.at("").what().type, type) << file.at("").what().type.text();
    EXPECT_TRUE(compare_arrays(*source, file.at("")).is_same()) << name;
  }
  // Texts alone too: they are quoted, and the names above them are not.
  const data_type texts = data_type::parse("{4/1 a:char[2]@0 b:char[2]@2}");
  const auto two = source_of("t", texts, const_untyped_view::row_major("abcdx\0yz", {2}, 4));
  write_array(dir_ / "out.csv", *two);
  EXPECT_TRUE(compare_arrays(*two, array_file(dir_ / "out.csv").at("")).is_same());
  // No rows, if the type is given.
  const auto none = source_of("t", texts, const_untyped_view::row_major("", {0}, 4));
  write_array(dir_ / "out.csv", *none);
  const array_file empty(dir_ / "out.csv", {.format = {}, .type = texts});
  EXPECT_TRUE(compare_arrays(*none, empty.at("")).is_same());
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
  EXPECT_TRUE(fails_with(errc::bad_input, "line 2 has 1 field,", [&] { open("1,2\n3\n"); }));
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
