// Damaged descriptions of arrays: they are refused or named, and nothing is read outside of blocks.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>
#include <perdure/array_store.hpp>
#include <perdure/manager.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "array/stored_array.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

using detail::stored_array;

class DamagedArrays : public testing::Test {
 protected:
  detail::array_catalogue& catalogue() {
    return *static_cast<detail::array_catalogue*>(
        detail::core_of(store).find(unique_instance, type_stamp_of<detail::array_catalogue>()).first);
  }
  stored_array& stored(std::string_view id) { return catalogue().arrays.find(id)->second; }
  static std::vector<int> counted(std::size_t size) {
    std::vector<int> values(size);
    std::iota(values.begin(), values.end(), 1);
    return values;
  }
  /// Stores an array anew and damages it; returns what loading it says.
  std::string refusal(const array_options& options, const std::function<void(stored_array&)>& damage) {
    const std::vector<int> values = counted(16);
    arrays.erase("x");
    arrays.store("x", array_view<const int, 2>(values.data(), {4, 4}), options);
    damage(stored("x"));
    const auto load = [&] { arrays.load<std::vector<int>>("x"); };
    EXPECT_EQ(code_of(load), errc::damaged);
    const std::vector<std::string> wrong = arrays.check("x");
    EXPECT_EQ(wrong.size(), 1U);
    const std::string said = message_of(load);
    EXPECT_TRUE(wrong.empty() || wrong.front() == said) << said;
    // So that it can be erased.
    stored("x") = stored_array();
    stored("x").type = "int32";
    return said;
  }

  scratch_directory scratch{fast_directory()};
  manager store{create_only, scratch.path(), small_store()};
  array_store arrays{store};
};

TEST_F(DamagedArrays, AreRefused) {
  const array_options blocks;
  array_options chunked;
  chunked.layout = array_layout::chunked;
  chunked.chunk = {4, 4};
  const auto says = [](const std::string& said, const char* words) {
    return said.find(words) != std::string::npos ? testing::AssertionSuccess()
                                                 : testing::AssertionFailure() << said;
  };
  for (const array_options& options : {blocks, chunked}) {
    const auto after = [&](const std::function<void(stored_array&)>& damage) {
      return refusal(options, damage);
    };
    const char* const size = "another size than its part";
    EXPECT_TRUE(says(after([](stored_array& array) { array.blocks[0].bytes += 4; }), size));
    EXPECT_TRUE(says(after([](stored_array& array) { array.boxes[2] = 3; }), size));
    const char* const outside = "not inside the array";
    EXPECT_TRUE(says(after([](stored_array& array) { array.boxes[0] = 1; }), outside));
    EXPECT_TRUE(says(after([](stored_array& array) { array.boxes[1] = 5; }), outside));
    EXPECT_TRUE(says(after([](stored_array& array) { array.boxes[3] = 5; }), outside));
    const char* const contradicts = "contradicts itself";
    EXPECT_TRUE(says(after([](stored_array& array) { array.boxes.pop_back(); }), contradicts));
    EXPECT_TRUE(says(after([](stored_array& array) { array.layout = 3; }), contradicts));
    EXPECT_TRUE(says(after([](stored_array& array) { array.codec = 77; }), contradicts));
    EXPECT_TRUE(says(after([](stored_array& array) { array.type = "int32[2]"; }), contradicts));
    EXPECT_FALSE(after([](stored_array& array) { array.type = "nonsense"; }).empty());
    EXPECT_TRUE(says(after([](stored_array& array) { array.blocks[0].data = nullptr; }), "in the store"));
    EXPECT_TRUE(
        says(after([](stored_array& array) { array.blocks[0].stored_bytes = ~0ULL; }), "in the store"));
  }
  const auto after = [&](const std::function<void(stored_array&)>& damage) {
    return says(refusal(chunked, damage), "contradicts itself");
  };
  EXPECT_TRUE(after([](stored_array& array) { array.chunk.pop_back(); }));
  EXPECT_TRUE(after([](stored_array& array) { array.chunk.push_back(1); }));
  EXPECT_TRUE(after([](stored_array& array) { array.chunk[1] = 0; }));
}

TEST_F(DamagedArrays, AreNamedByTheirChecksums) {
  arrays.store("x", counted(1000));
  EXPECT_TRUE(arrays.check("x").empty());
  std::to_address(stored("x").blocks[0].data)[3999] ^= std::byte{1};
  const std::vector<std::string> wrong = arrays.check("x");
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_NE(wrong[0].find("the block at [0] contradicts its checksum"), std::string::npos) << wrong[0];
  array_options contiguous;
  contiguous.layout = array_layout::contiguous;
  arrays.store("y", counted(1000), contiguous);
  std::to_address(stored("y").blocks[0].data)[0] ^= std::byte{1};
  EXPECT_TRUE(arrays.check("y").empty()) << "it is written in place";
}

TEST_F(DamagedArrays, OfManyChunksHaveAGridThatIsChecked) {
  array_options chunked;
  chunked.layout = array_layout::chunked;
  chunked.chunk = {2};
  arrays.store("x", counted(200), chunked);
  std::vector<int> some(20);
  const auto view = [&some] { return untyped_view::row_major(some.data(), {20}, sizeof(int)); };
  EXPECT_EQ(arrays.untyped()->read_held("x", {{7}, {20}, {}}, view()), 20U);
  EXPECT_EQ(some.front(), 8);
  EXPECT_EQ(some.back(), 27);
  stored("x").chunks.find(5)->second = 100;
  EXPECT_TRUE(fails_with(errc::damaged, "names a block that it does not have", [&] {
    arrays["x"].read<int>({{8}, {4}, {}});
  }));
  EXPECT_TRUE(fails_with(errc::damaged, "names a block that it does not have", [&] {
    arrays["x"].write({{10}, {2}, {}}, counted(2));
  }));
  EXPECT_EQ(arrays["x"].read<int>({{12}, {4}, {}}), (std::vector<int>{13, 14, 15, 16}));
}

TEST_F(DamagedArrays, OfTextsAreCutShort) {
  const std::vector<std::string> names{"a", "bc", "def"};
  const auto is_refused = [&](const char* words, const std::function<void(stored_array&)>& damage) {
    arrays.erase("names");
    arrays.store("names", names);
    damage(stored("names"));
    return fails_with(errc::damaged, words, [&] { arrays.load<std::vector<std::string>>("names"); });
  };
  EXPECT_TRUE(is_refused("cut short", [](stored_array& array) { array.dims[0] = array.boxes[1] = 4; }));
  EXPECT_TRUE(is_refused("cut short", [](stored_array& array) { ++array.blocks[0].bytes; }));
  EXPECT_TRUE(is_refused("more blocks", [](stored_array& array) {
    array.blocks.push_back(array.blocks[0]);
    for (const std::uint64_t n : {0, 3}) array.boxes.push_back(n);
  }));
  const char* const ends = "ends before it begins, or outside";
  const auto end_of = [](stored_array& array, std::size_t i) {
    return std::to_address(array.blocks[0].data) + i * sizeof(std::uint64_t);
  };
  EXPECT_TRUE(is_refused(ends, [&](stored_array& array) { *end_of(array, 2) = std::byte{7}; }));
  EXPECT_TRUE(is_refused(ends, [&](stored_array& array) { *end_of(array, 1) = std::byte{0}; }));
}

TEST_F(DamagedArrays, ThatAreCompressedGiveNothingElse) {
  for (const compression codec : {compression::lz4, compression::zstd, compression::blosc}) {
    if (!is_available(codec)) continue;
    SCOPED_TRACE(to_string(codec));
    array_options packed;
    packed.codec = codec;
    const auto is_refused = [&](const std::function<void(stored_array&)>& damage) {
      arrays.erase("x");
      arrays.store("x", counted(5000), packed);
      damage(stored("x"));
      return fails_with(errc::damaged, "compressed bytes", [&] { arrays.load<std::vector<int>>("x"); });
    };
    EXPECT_TRUE(is_refused([](stored_array& array) { --array.blocks[0].stored_bytes; }));
    EXPECT_TRUE(is_refused([](stored_array& array) { array.blocks[0].stored_bytes = 3; }));
    EXPECT_TRUE(is_refused([](stored_array& array) {
      std::fill_n(std::to_address(array.blocks[0].data), array.blocks[0].stored_bytes, std::byte{0x5a});
    }));
    // The block has another length than the part.
    EXPECT_TRUE(is_refused([](stored_array& array) {
      array.dims[0] = array.boxes[1] = 4000;
      array.blocks[0].bytes = 16000;
    }));
    EXPECT_TRUE(is_refused([](stored_array& array) {
      array.dims[0] = array.boxes[1] = 6000;
      array.blocks[0].bytes = 24000;
    }));
  }
}

TEST_F(DamagedArrays, SayOfEachBlockWhetherItsBytesAreSortedByPlace) {
  arrays.store("x", std::vector<std::uint32_t>{0x04030201, 0x08070605});
  EXPECT_TRUE(arrays.info("x").is_viewable);
  stored("x").blocks[0].shuffled = 1;
  EXPECT_FALSE(arrays.info("x").is_viewable);
  // Byte b of element i is at place 2 b + i.
  EXPECT_EQ(arrays.load<std::vector<std::uint32_t>>("x"),
            (std::vector<std::uint32_t>{0x07050301, 0x08060402}));
  stored("x").blocks[0].stored_bytes = 7;
  EXPECT_TRUE(fails_with(errc::damaged, "", [&] { arrays.load<std::vector<std::uint32_t>>("x"); }));
}

// Blocks that belong to no array are noted, so that the next opening gives them back.
TEST_F(DamagedArrays, HaveNoBlocksThatNobodyKnows) {
  array_options chunked;
  chunked.layout = array_layout::chunked;
  chunked.chunk = {2};
  int asked = 0;
  const element_source failing = [&asked](const slab&, std::byte* to) {
    if (++asked == 3) throw std::runtime_error("no more");
    std::memset(to, 0, 8);
  };
  EXPECT_THROW(arrays.untyped()->store_from("x", element_kind::int32, {20}, failing, chunked),
               std::runtime_error);
  EXPECT_TRUE(catalogue().unlinked.empty());
  auto* const left = static_cast<std::byte*>(detail::core_of(store).memory().allocate(100));
  catalogue().unlinked.push_back({offset_ptr<std::byte>(left), 100});
  store.close();
  store = manager(open_only, scratch.path());
  arrays = array_store(store);
  EXPECT_TRUE(catalogue().unlinked.empty());
}

// The last checkpoint has the block until the next one counts.
TEST_F(DamagedArrays, GiveLargeBlocksBackOnlyWhenNoCheckpointHasThem) {
  arrays.store("x", counted(std::size_t{1} << 20));
  store.checkpoint();
  arrays.erase("x");
  {
    const watched_calls broken(failing(os::file_operation::write, "jrnl.", EIO));
    EXPECT_EQ(code_of([&] { store.checkpoint(); }), errc::io);
  }
  arrays.store("y", 1);
  EXPECT_EQ(catalogue().unlinked.size(), 1U);
  store.checkpoint();
  arrays.store("z", 1);
  EXPECT_TRUE(catalogue().unlinked.empty());
}

TEST_F(DamagedArrays, OfALaterVersionAreNotOpened) {
  const std::filesystem::path path = scratch.path();
  catalogue().version = 2;
  store.close();
  EXPECT_TRUE(fails_with(errc::too_new, "later version (2)", [&] { array_store(open_read_only, path); }));
}

}  // namespace
}  // namespace perdure
