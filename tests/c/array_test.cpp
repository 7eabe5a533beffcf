// Arrays by name: whole and in parts, in every layout, of elements of one length and of any; and with C++.
#include "perdure/c/array.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "c/c_store.hpp"
#include "perdure/array_store.hpp"

namespace perdure::c {
namespace {

class array_test : public c_store_test {
 protected:
  static std::vector<double> counted(std::size_t size) {
    std::vector<double> values(size);
    std::iota(values.begin(), values.end(), 0);
    return values;
  }
  static perdure_array_options in_layout(std::int32_t layout) {
    perdure_array_options options{};
    options.struct_size = sizeof options;
    options.layout = layout;
    return options;
  }
};

TEST_F(array_test, IsStoredAndReadWholeAndInParts) {
  const std::vector<double> values = counted(60);
  const std::uint64_t dims[] = {6, 10};
  for (const std::int32_t layout :
       {PERDURE_LAYOUT_BLOCKS, PERDURE_LAYOUT_CONTIGUOUS, PERDURE_LAYOUT_CHUNKED}) {
    const std::string id = "run/x" + std::to_string(layout);
    perdure_array_options options = in_layout(layout);
    const std::uint64_t chunk[] = {4, 4};
    const char* const names[] = {"y", "x"};
    if (layout == PERDURE_LAYOUT_CHUNKED) options.chunk = chunk;
    options.dimensions = names;
    ASSERT_OK(perdure_array_store(store, id.c_str(), "float64", 2, dims, values.data(), &options));
    std::vector<double> all(60);
    ASSERT_OK(perdure_array_read(store, id.c_str(), "float64", nullptr, all.data(), 480));
    EXPECT_EQ(all, values);

    // Rows 1, 3, 5 of columns 2 to 4, read column by column.
    const std::uint64_t offset[] = {1, 2};
    const std::uint64_t count[] = {3, 3};
    const std::uint64_t stride[] = {2, 1};
    const std::int64_t columns[] = {8, 24};
    const perdure_array_part part{2, offset, count, stride, columns};
    std::vector<double> some(9);
    ASSERT_OK(perdure_array_read(store, id.c_str(), "float64", &part, some.data(), 72));
    EXPECT_EQ(some, (std::vector<double>{12, 32, 52, 13, 33, 53, 14, 34, 54}));
    for (double& one : some) one += 100;
    ASSERT_OK(perdure_array_write(store, id.c_str(), "float64", &part, some.data()));
    ASSERT_OK(perdure_array_read(store, id.c_str(), "float64", nullptr, all.data(), 480));
    EXPECT_EQ(all[12], 112);
    EXPECT_EQ(all[54], 154);
    EXPECT_EQ(all[22], 22);

    perdure_array_list* list = nullptr;
    ASSERT_OK(perdure_array_find(store, id.c_str(), &list));
    const perdure_array_info* info = nullptr;
    ASSERT_OK(perdure_array_list_at(list, 0, &info));
    EXPECT_STREQ(info->id, id.c_str());
    EXPECT_STREQ(info->type, "float64");
    ASSERT_EQ(info->rank, 2U);
    EXPECT_EQ(info->dims[0], 6U);
    EXPECT_EQ(info->dims[1], 10U);
    EXPECT_STREQ(info->dimensions[1], "x");
    EXPECT_EQ(info->chunk != nullptr, layout == PERDURE_LAYOUT_CHUNKED);
    EXPECT_EQ(info->elements, 60U);
    EXPECT_EQ(info->element_size, 8U);
    EXPECT_EQ(info->bytes, 480U);
    EXPECT_EQ(info->layout, layout);
    EXPECT_EQ(info->compression, PERDURE_COMPRESSION_NONE);
    EXPECT_OK(perdure_array_list_free(list));
    EXPECT_OK(perdure_array_check(store, id.c_str(), nullptr));
    EXPECT_OK(perdure_array_prefetch(store, id.c_str()));
  }
  perdure_array_list* list = nullptr;
  ASSERT_OK(perdure_array_list_create(store, "run", &list));
  std::size_t size = 0;
  ASSERT_OK(perdure_array_list_size(list, &size));
  EXPECT_EQ(size, 3U);
  const perdure_array_info* info = nullptr;
  EXPECT_EQ(perdure_array_list_at(list, 3, &info), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_array_list_free(list));
  ASSERT_OK(perdure_array_list_create(store, "ru", &list));
  ASSERT_OK(perdure_array_list_size(list, &size));
  EXPECT_EQ(size, 0U);
  EXPECT_OK(perdure_array_list_free(list));
  EXPECT_OK(perdure_array_erase(store, "run/x0"));
  EXPECT_EQ(perdure_array_erase(store, "run/x0"), PERDURE_NOT_FOUND);
}

TEST_F(array_test, IsCreatedAppendedToAndResized) {
  const std::uint64_t dims[] = {0, 3};
  perdure_array_options options = in_layout(PERDURE_LAYOUT_CHUNKED);
  ASSERT_OK(perdure_array_create(store, "steps", "int32", 2, dims, &options));
  EXPECT_EQ(perdure_array_create(store, "steps", "int32", 2, dims, nullptr), PERDURE_ALREADY_EXISTS);
  const std::int32_t two[] = {1, 2, 3, 4, 5, 6};
  ASSERT_OK(perdure_array_append(store, "steps", "int32", 2, two));
  ASSERT_OK(perdure_array_append(store, "steps", "int32", 1, two));
  std::int32_t all[9] = {};
  ASSERT_OK(perdure_array_read(store, "steps", "int32", nullptr, all, sizeof all));
  EXPECT_EQ(all[8], 3);
  const std::uint64_t less[] = {1, 2};
  ASSERT_OK(perdure_array_resize(store, "steps", 2, less));
  ASSERT_OK(perdure_array_read(store, "steps", "int32", nullptr, all, 8));
  EXPECT_EQ(all[1], 2);
  const std::uint8_t one = 7;
  ASSERT_OK(perdure_array_store(store, "single", "uint8", 0, nullptr, &one, nullptr));
  EXPECT_EQ(perdure_array_append(store, "single", "uint8", 1, &one), PERDURE_INVALID_ARGUMENT);
}

TEST_F(array_test, IsViewedWhereItLies) {
  const std::vector<double> values = counted(100000);
  const std::uint64_t dims[] = {100000};
  const perdure_array_options options = in_layout(PERDURE_LAYOUT_CONTIGUOUS);
  ASSERT_OK(perdure_array_store(store, "blocks", "float64", 1, dims, values.data(), nullptr));
  ASSERT_OK(perdure_array_store(store, "contiguous", "float64", 1, dims, values.data(), &options));
  perdure_array_view* view = nullptr;
  void* data = nullptr;
  std::size_t bytes = 0;
  EXPECT_EQ(perdure_array_view_create(store, "blocks", "float64", 1, &view, &data, &bytes),
            PERDURE_UNSUPPORTED);
  EXPECT_EQ(perdure_array_view_create(store, "blocks", "int64", 0, &view, &data, &bytes), PERDURE_WRONG_TYPE);
  ASSERT_OK(perdure_array_view_create(store, "contiguous", "float64", 1, &view, &data, nullptr));
  static_cast<double*>(data)[7] = 0.5;
  EXPECT_OK(perdure_array_view_free(view));
  EXPECT_EQ(perdure_array_view_free(view), PERDURE_INVALID_ARGUMENT);
  ASSERT_OK(perdure_array_view_create(store, "blocks", "float64", 0, &view, &data, &bytes));
  EXPECT_EQ(bytes, 800000U);
  // The view is of the array as it was.
  const std::vector<double> others(100000, 1);
  ASSERT_OK(perdure_array_store(store, "blocks", "float64", 1, dims, others.data(), nullptr));
  ASSERT_OK(perdure_checkpoint(store, nullptr));
  ASSERT_OK(perdure_array_store(store, "more", "float64", 1, dims, others.data(), nullptr));
  EXPECT_EQ(static_cast<const double*>(data)[99999], 99999);
  close();
  EXPECT_OK(perdure_array_view_free(view));
  const array_store in_cpp(open_read_only, path);
  EXPECT_EQ((in_cpp.view<double, 1>("contiguous")(7)), 0.5);
  EXPECT_EQ((in_cpp.view<double, 1>("blocks")(99999)), 1);
}

TEST_F(array_test, HoldsTextsAndLists) {
  ASSERT_OK(perdure_array_store_text(store, "title", "a run", 5));
  ASSERT_OK(perdure_array_store_text(store, "none", nullptr, 0));
  const std::uint64_t ends[] = {3, 3, 5};
  const std::uint64_t three[] = {3};
  ASSERT_OK(perdure_array_store_variable(store, "names", "string", 1, three, "abcd\0", ends, nullptr));
  const double numbers[] = {1, 2, 3};
  const std::uint64_t number_ends[] = {16, 16, 24};
  ASSERT_OK(
      perdure_array_store_variable(store, "lists", "list<float64>", 1, three, numbers, number_ends, nullptr));
  const std::uint64_t odd[] = {15, 16, 24};
  EXPECT_EQ(perdure_array_store_variable(store, "odd", "list<float64>", 1, three, numbers, odd, nullptr),
            PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_array_store(store, "odd", "string", 1, three, numbers, nullptr),
            PERDURE_INVALID_ARGUMENT);
  reopen_read_only();
  perdure_text_list* texts = nullptr;
  const char* text = nullptr;
  std::size_t size = 0;
  ASSERT_OK(perdure_array_read_variable(store, "names", "string", &texts));
  ASSERT_OK(perdure_text_list_size(texts, &size));
  EXPECT_EQ(size, 3U);
  ASSERT_OK(perdure_text_list_at(texts, 2, &text));
  ASSERT_OK(perdure_text_list_length(texts, 2, &size));
  EXPECT_EQ(std::string(text, size), std::string("d\0", 2));
  EXPECT_EQ(perdure_text_list_length(texts, 3, &size), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_text_list_free(texts));
  ASSERT_OK(perdure_array_read_variable(store, "lists", "list<float64>", &texts));
  ASSERT_OK(perdure_text_list_at(texts, 2, &text));
  EXPECT_EQ(*reinterpret_cast<const double*>(text), 3);
  EXPECT_OK(perdure_text_list_free(texts));
  EXPECT_EQ(perdure_array_read_variable(store, "lists", "string", &texts), PERDURE_WRONG_TYPE);
  EXPECT_EQ(perdure_array_store_text(store, "title", "x", 1), PERDURE_READ_ONLY);
  close();
  const array_store in_cpp(open_read_only, path);
  EXPECT_EQ(in_cpp.load<std::string>("title"), "a run");
  EXPECT_EQ(in_cpp.load<std::vector<std::vector<double>>>("lists"),
            (std::vector<std::vector<double>>{{1, 2}, {}, {3}}));
}

TEST_F(array_test, HasAttributes) {
  const std::uint8_t one = 7;
  ASSERT_OK(perdure_array_store(store, "x", "uint8", 0, nullptr, &one, nullptr));
  const double range[] = {-1, 1};
  const std::uint64_t two[] = {2};
  ASSERT_OK(perdure_array_attribute_set(store, "x", "range", "float64", 1, two, range, sizeof range));
  ASSERT_OK(perdure_array_attribute_set(store, "x", "units", "string", 0, nullptr, "K", 1));
  EXPECT_EQ(perdure_array_attribute_set(store, "x", "range", "float64", 1, two, range, 8),
            PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_array_attribute_set(store, "y", "range", "float64", 1, two, range, 16),
            PERDURE_NOT_FOUND);
  double found[2] = {};
  std::size_t size = 0;
  ASSERT_OK(perdure_array_attribute_get(store, "x", "range", "float64", found, sizeof found, &size));
  EXPECT_EQ(size, 16U);
  EXPECT_EQ(found[1], 1);
  EXPECT_OK(perdure_array_attribute_get(store, "x", "range", "float64", nullptr, 0, &size));
  EXPECT_EQ(perdure_array_attribute_get(store, "x", "range", "float64", found, 8, &size),
            PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_array_attribute_get(store, "x", "range", "int64", found, 16, &size), PERDURE_WRONG_TYPE);
  EXPECT_EQ(perdure_array_attribute_get(store, "x", "none", "int64", found, 16, &size), PERDURE_NOT_FOUND);
  perdure_array_attribute_list* list = nullptr;
  ASSERT_OK(perdure_array_attribute_list_create(store, "x", &list));
  ASSERT_OK(perdure_array_attribute_list_size(list, &size));
  EXPECT_EQ(size, 2U);
  const perdure_array_attribute* attribute = nullptr;
  ASSERT_OK(perdure_array_attribute_list_at(list, 1, &attribute));
  EXPECT_STREQ(attribute->key, "units");
  EXPECT_STREQ(attribute->type, "string");
  EXPECT_STREQ(static_cast<const char*>(attribute->value), "K");
  ASSERT_OK(perdure_array_attribute_list_at(list, 0, &attribute));
  EXPECT_EQ(attribute->rank, 1U);
  EXPECT_EQ(attribute->dims[0], 2U);
  EXPECT_OK(perdure_array_attribute_list_free(list));
  EXPECT_OK(perdure_array_attribute_remove(store, "x", "units"));
  EXPECT_EQ(perdure_array_attribute_remove(store, "x", "units"), PERDURE_NOT_FOUND);
  close();
  const array_store in_cpp(open_read_only, path);
  EXPECT_EQ(in_cpp["x"].attribute<std::vector<double>>("range"), (std::vector<double>{-1, 1}));
}

TEST_F(array_test, ReplacesAnyArrayWhereItMay) {
  const std::vector<double> values = counted(6);
  const std::uint64_t dims[] = {2, 3};
  const std::int32_t single = 7;
  ASSERT_OK(perdure_array_store(store, "x", "float64", 2, dims, values.data(), nullptr));
  ASSERT_OK(perdure_array_attribute_set(store, "x", "units", "string", 0, nullptr, "K", 1));
  perdure_array_options options = in_layout(PERDURE_LAYOUT_BLOCKS);
  EXPECT_EQ(perdure_array_store(store, "x", "int32", 0, nullptr, &single, &options), PERDURE_WRONG_TYPE);
  EXPECT_EQ(perdure_array_create(store, "x", "int32", 2, dims, &options), PERDURE_ALREADY_EXISTS);
  options.replaces_any = 1;
  ASSERT_OK(perdure_array_store(store, "x", "int32", 0, nullptr, &single, &options));
  std::int32_t found = 0;
  ASSERT_OK(perdure_array_read(store, "x", "int32", nullptr, &found, sizeof found));
  EXPECT_EQ(found, 7);
  EXPECT_EQ(perdure_array_attribute_get(store, "x", "units", "string", nullptr, 0, nullptr),
            PERDURE_NOT_FOUND);
  ASSERT_OK(perdure_array_create(store, "x", "float32", 2, dims, &options));
  EXPECT_EQ(perdure_array_create(store, "x", "float32", 2, dims, &options), PERDURE_ALREADY_EXISTS);
  const std::uint64_t end = 2;
  ASSERT_OK(perdure_array_store_variable(store, "x", "string", 0, nullptr, "ab", &end, &options));

  // Programs that know less of the options have the rest at its default.
  perdure_array_options older = in_layout(PERDURE_LAYOUT_BLOCKS);
  older.struct_size = offsetof(perdure_array_options, replaces_any);
  older.replaces_any = 1;
  EXPECT_EQ(perdure_array_store(store, "x", "int32", 0, nullptr, &single, &older), PERDURE_WRONG_TYPE);
}

TEST_F(array_test, NamesIndicesInFortransOrderWhereItIsAskedTo) {
  ASSERT_OK(perdure_store_close(store));
  perdure_store_options options = small_options();
  options.indices = 2;
  EXPECT_EQ(perdure_store_open(path.c_str(), &options, &store), PERDURE_INVALID_ARGUMENT);
  options.indices = PERDURE_INDICES_FORTRAN;
  ASSERT_OK(perdure_store_open(path.c_str(), &options, &store));
  const std::vector<double> values = counted(12);
  const std::uint64_t dims[] = {4, 3};
  ASSERT_OK(perdure_array_store(store, "x", "float64", 2, dims, values.data(), nullptr));
  const std::uint64_t offset[] = {3, 0};
  const std::uint64_t count[] = {2, 3};
  const perdure_array_part part{2, offset, count, nullptr, nullptr};
  double elements[6] = {};
  const auto message = [](perdure_status status) {
    EXPECT_EQ(status, PERDURE_INVALID_ARGUMENT);
    return std::string(perdure_last_error_message());
  };
  const std::string in_fortran =
      message(perdure_array_read(store, "x", "float64", &part, elements, sizeof elements));
  EXPECT_NE(in_fortran.find("the part at (1, 4) of (3, 2) elements is not inside the array \"x\" of (3, 4)"),
            std::string::npos)
      << in_fortran;
  EXPECT_NE(message(perdure_array_read(store, "x", "float64", nullptr, elements, 8)).find("(3, 4)"),
            std::string::npos);
  perdure_store* another = nullptr;
  options.indices = PERDURE_INDICES_C;
  ASSERT_OK(perdure_store_create(beside("another").c_str(), &options, &another));
  ASSERT_OK(perdure_array_store(another, "x", "float64", 2, dims, values.data(), nullptr));
  const std::string in_c =
      message(perdure_array_read(another, "x", "float64", &part, elements, sizeof elements));
  EXPECT_NE(in_c.find("at [3, 0] of [2, 3] elements is not inside the array \"x\" of [4, 3]"),
            std::string::npos)
      << in_c;
  ASSERT_OK(perdure_store_discard(another));
}

TEST_F(array_test, RefusesWhatCannotBe) {
  const std::vector<double> values = counted(6);
  const std::uint64_t dims[] = {2, 3};
  const std::uint64_t huge[] = {1ULL << 62, 3};
  ASSERT_OK(perdure_array_store(store, "x", "float64", 2, dims, values.data(), nullptr));
  std::vector<double> all(6);
  const auto refused = [&](perdure_status status) {
    EXPECT_EQ(status, PERDURE_INVALID_ARGUMENT) << perdure_last_error_message();
  };
  refused(perdure_array_read(store, "x", "float64", nullptr, all.data(), 40));
  refused(perdure_array_read(store, "x", "float64", nullptr, nullptr, 48));
  refused(perdure_array_store(store, "x", "float64", 2, nullptr, values.data(), nullptr));
  refused(perdure_array_store(store, "x", "float64", 2, dims, nullptr, nullptr));
  refused(perdure_array_store(store, "x", "float64", 33, dims, values.data(), nullptr));
  refused(perdure_array_store(store, "y", "float64", 2, huge, values.data(), nullptr));
  refused(perdure_array_store(store, "y", "float64[3]", 1, dims, values.data(), nullptr));
  refused(perdure_array_store(store, "/y", "float64", 2, dims, values.data(), nullptr));
  refused(perdure_array_store(store, nullptr, "float64", 2, dims, values.data(), nullptr));
  perdure_array_options options = in_layout(3);
  refused(perdure_array_store(store, "y", "float64", 2, dims, values.data(), &options));
  options = in_layout(0);
  options.compression = 9;
  refused(perdure_array_store(store, "y", "float64", 2, dims, values.data(), &options));
  const char* const names[] = {"y", nullptr};
  options = in_layout(0);
  options.dimensions = names;
  refused(perdure_array_store(store, "y", "float64", 2, dims, values.data(), &options));
  EXPECT_EQ(perdure_array_store(store, "y", "double", 2, dims, values.data(), nullptr), PERDURE_BAD_INPUT);
  EXPECT_EQ(perdure_array_store(store, "x", "float32", 2, dims, values.data(), nullptr), PERDURE_WRONG_TYPE);
  const std::uint64_t count[] = {2, 4};
  perdure_array_part part{2, nullptr, count, nullptr, nullptr};
  refused(perdure_array_read(store, "x", "float64", &part, all.data(), 64));
  refused(perdure_array_write(store, "x", "float64", &part, values.data()));
  const std::int64_t strides[] = {-24, 8};
  part = {2, nullptr, dims, nullptr, strides};
  refused(perdure_array_read(store, "x", "float64", &part, all.data(), 48));
  const std::int64_t wide[] = {24, 16};
  part.memory_strides = wide;
  refused(perdure_array_read(store, "x", "float64", &part, all.data(), 48));
  part = {2, nullptr, nullptr, nullptr, nullptr};
  refused(perdure_array_read(store, "x", "float64", &part, all.data(), 48));
}

TEST_F(array_test, IsStoredInTheBackground) {
  const std::vector<double> values = counted(60);
  const std::uint64_t dims[] = {6, 10};
  perdure_pending_store* whole = nullptr;
  perdure_pending_store* part_of_it = nullptr;
  ASSERT_OK(perdure_array_store_async(store, "x", "float64", 2, dims, values.data(), nullptr, &whole));
  ASSERT_OK(perdure_pending_store_wait(whole));
  int ready = 0;
  EXPECT_OK(perdure_pending_store_ready(whole, &ready));
  EXPECT_EQ(ready, 1);
  const std::uint64_t offset[] = {5, 0};
  const std::uint64_t count[] = {1, 10};
  const perdure_array_part last_row{2, offset, count, nullptr, nullptr};
  ASSERT_OK(perdure_array_write_async(store, "x", "float64", &last_row, values.data() + 10, &part_of_it));
  EXPECT_OK(perdure_pending_store_free(part_of_it));
  EXPECT_EQ(perdure_pending_store_wait(part_of_it), PERDURE_INVALID_ARGUMENT);
  reopen();
  EXPECT_OK(perdure_pending_store_wait(whole));
  EXPECT_OK(perdure_pending_store_free(whole));
  EXPECT_OK(perdure_pending_store_free(nullptr));
  std::vector<double> all(60);
  ASSERT_OK(perdure_array_read(store, "x", "float64", nullptr, all.data(), 480));
  EXPECT_EQ(all[49], 49);
  EXPECT_EQ(all[50], 10);
  EXPECT_EQ(all[59], 19);
}

TEST_F(array_test, TellsWhatKeptItFromBeingStoredInTheBackground) {
  const std::vector<double> values = counted(6);
  const std::uint64_t dims[] = {6};
  ASSERT_OK(perdure_array_store(store, "x", "float64", 1, dims, values.data(), nullptr));
  perdure_pending_store* pending = nullptr;
  ASSERT_OK(perdure_array_store_async(store, "x", "int64", 1, dims, values.data(), nullptr, &pending));
  EXPECT_EQ(perdure_checkpoint(store, nullptr), PERDURE_WRONG_TYPE);
  EXPECT_OK(perdure_checkpoint(store, nullptr));
  EXPECT_EQ(perdure_pending_store_wait(pending), PERDURE_WRONG_TYPE);
  EXPECT_OK(perdure_pending_store_free(pending));
  EXPECT_EQ(perdure_array_store_async(store, "x", "string", 1, dims, values.data(), nullptr, &pending),
            PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(pending, nullptr);
  EXPECT_EQ(perdure_array_store_async(store, "x", "float64", 1, dims, values.data(), nullptr, nullptr),
            PERDURE_INVALID_ARGUMENT);
  reopen_read_only();
  EXPECT_EQ(perdure_array_store_async(store, "x", "float64", 1, dims, values.data(), nullptr, &pending),
            PERDURE_READ_ONLY);
}

TEST_F(array_test, IsCompressedByBlosc) {
  if (!is_available(compression::blosc)) GTEST_SKIP() << "built without blosc";
  const std::vector<double> values = counted(60'000);
  const std::uint64_t dims[] = {60'000};
  perdure_array_options options = in_layout(PERDURE_LAYOUT_CHUNKED);
  options.compression = PERDURE_COMPRESSION_BLOSC;
  ASSERT_OK(perdure_array_store(store, "x", "float64", 1, dims, values.data(), &options));
  perdure_array_list* list = nullptr;
  ASSERT_OK(perdure_array_find(store, "x", &list));
  const perdure_array_info* info = nullptr;
  ASSERT_OK(perdure_array_list_at(list, 0, &info));
  EXPECT_EQ(info->compression, PERDURE_COMPRESSION_BLOSC);
  EXPECT_LT(info->stored_bytes, info->bytes / 2);
  EXPECT_OK(perdure_array_list_free(list));
}

}  // namespace
}  // namespace perdure::c
