// Arrays by name: every kind of value, layouts, parts, what is refused, what a crash and others see.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numeric>
#include <perdure/array_store.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_file_system.hpp"
#include "support/small_store.hpp"

namespace perdure {
namespace {

struct particle {
  std::uint64_t id;
  float at[3];
  bool fixed;
  bool operator==(const particle&) const = default;
};
struct species {
  std::string name;
  int charge = 0;
};

}  // namespace

template <>
struct array_codec<species> {
  static std::string encode(const species& value) { return value.name + ":" + std::to_string(value.charge); }
  static species decode(std::string_view bytes) {
    const std::size_t colon = bytes.find(':');
    return {std::string(bytes.substr(0, colon)), std::stoi(std::string(bytes.substr(colon + 1)))};
  }
};

namespace {

class array_store_test : public testing::Test {
 protected:
  array_store create() { return array_store(create_only, scratch.path(), small_store()); }
  array_store open() { return array_store(open_only, scratch.path()); }
  static std::vector<double> counted(std::size_t size, double from = 0) {
    std::vector<double> values(size);
    std::iota(values.begin(), values.end(), from);
    return values;
  }
  bool is_sound() const { return manager::verify(scratch.path()).whole(); }

  scratch_directory scratch;
};

TEST_F(array_store_test, KeepsEveryKindOfValue) {
  const std::vector<particle> particles{{1, {1, 2, 3}, true}, {2, {4, 5, 6}, false}};
  const std::vector<std::string> names{"hydrogen", "", "a name of more than twenty-two characters"};
  const std::vector<std::vector<float>> lists{{1, 2}, {}, {3}};
  const std::array<std::array<short, 3>, 2> table{{{1, 2, 3}, {4, 5, 6}}};
  const auto check = [&](const array_store& arrays) {
    EXPECT_EQ(arrays.load<int>("int"), -5);
    EXPECT_EQ(arrays.load<double>("run/dt"), 1e-3);
    EXPECT_EQ(arrays.load<bool>("flag"), true);
    EXPECT_EQ(arrays.load<std::complex<double>>("z"), (std::complex<double>(1, 2)));
    EXPECT_EQ(float(arrays.load<float16>("half")), 0.5F);
    EXPECT_EQ(float(arrays.load<bfloat16>("brain")), 0.5F);
    EXPECT_EQ(arrays.load<std::string>("title"), "a run");
    EXPECT_EQ(arrays.load<particle>("first"), particles[0]);
    EXPECT_EQ(arrays.load<std::vector<particle>>("run/particles"), particles);
    EXPECT_EQ(arrays.load<std::vector<std::string>>("names"), names);
    EXPECT_EQ(arrays.load<std::vector<std::vector<float>>>("lists"), lists);
    EXPECT_EQ((arrays.load<std::array<std::array<short, 3>, 2>>("table")), table);
    EXPECT_EQ((arrays.load<std::vector<std::array<short, 3>>>("table")),
              (std::vector(table.begin(), table.end())));
    EXPECT_EQ(arrays.dims("table"), (extents{2, 3}));
    EXPECT_EQ(arrays.load<std::vector<double>>("empty"), std::vector<double>());
    EXPECT_EQ(arrays.load<species>("species").name, "neon");
    EXPECT_EQ(arrays.load<species>("species").charge, -2);
    EXPECT_EQ(arrays.info("run/particles").type.text(), "{24/8 id:uint64@0 at:float32[3]@8 fixed:bool@20}");
    EXPECT_EQ(arrays.list("run"), (std::vector<std::string>{"run/dt", "run/particles"}));
    EXPECT_EQ(arrays.size(), 15U);
  };
  {
    auto arrays = create();
    arrays.store("int", -5);
    arrays.store("run/dt", 1e-3);
    arrays.store("flag", true);
    arrays.store("z", std::complex<double>(1, 2));
    arrays.store("half", float16(0.5F));
    arrays.store("brain", bfloat16(0.5F));
    arrays.store("title", "a run");
    arrays.store("first", particles[0]);
    arrays.store("run/particles", particles);
    arrays.store("names", names);
    arrays.store("lists", lists);
    arrays.store("table", table);
    arrays.store("empty", std::vector<double>());
    arrays.store("species", species{"neon", -2});
    arrays.store("runner", std::string(70000, 'x'));
    check(arrays);
  }
  check(open());
  const array_store read(open_read_only, scratch.path());
  check(read);
  EXPECT_TRUE(read.check("run/particles").empty());
}

TEST_F(array_store_test, RefusesWhatDoesNotFit) {
  auto arrays = create();
  arrays.store("x", counted(12));
  EXPECT_EQ(code_of([&] { arrays.load<float>("x"); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { arrays.load<std::vector<float>>("x"); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { arrays.load<std::vector<std::string>>("x"); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { arrays.load<double>("x"); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { arrays.load<std::vector<double>>("y"); }), errc::not_found);
  EXPECT_EQ(code_of([&] { arrays.store("x", 5); }), errc::wrong_type);
  EXPECT_EQ(
      message_of([&] { arrays.load<std::vector<int>>("x"); }),
      "the array \"x\" has elements of type float64, not int32: load it as what it is, or erase it before "
      "storing another");
  std::vector<double> few(11);
  EXPECT_EQ(code_of([&] { arrays.load("x", array_view<double, 1>(std::span(few))); }),
            errc::invalid_argument);
  EXPECT_EQ(code_of([&] { arrays["x"].read({{8}, {5}}, few); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { arrays["x"].write({{2}, {11}}, few); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { arrays["x"].write({{~0ULL - 3}, {11}}, few); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { arrays["x"].write({{0, 0}, {1, 11}}, few); }), errc::invalid_argument);
  for (const char* id : {"", "/x", "x/", "a//b"})
    EXPECT_TRUE(code_of([&] { arrays.store(id, 1); }) == errc::invalid_argument &&
                code_of([&] { arrays.create<int>(id, {1}); }) == errc::invalid_argument)
        << id;
  EXPECT_TRUE(fails_with(errc::invalid_argument, "cannot be compressed", [&] {
    arrays.store("new", few, {.layout = array_layout::contiguous, .codec = compression::lz4});
  }));
  EXPECT_TRUE(fails_with(errc::unsupported, "no compression of the number 77",
                         [&] { arrays.store("new", few, {.codec = static_cast<compression>(77)}); }));
  EXPECT_EQ(code_of([] { compression_named("gzip"); }), errc::invalid_argument);
  EXPECT_EQ(code_of([] { array_layout_named("rows"); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { arrays.create<double>("big", {1ULL << 40, 1ULL << 40}); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { arrays.create<double>("x", {1}); }), errc::already_exists);
  array_options options;
  options.dimensions = {"only one"};
  EXPECT_EQ(code_of([&] { arrays.create<double>("named", {1, 2}, options); }), errc::invalid_argument);
  EXPECT_EQ(arrays.list(), std::vector<std::string>{"x"});
  arrays.close();
  const array_store read(open_read_only, scratch.path());
  EXPECT_EQ(code_of([&] { array_store(open_read_only, scratch.path()).store("z", 1); }), errc::read_only);
}

TEST_F(array_store_test, StoresOverAnArray) {
  auto arrays = create();
  arrays.store("x", counted(100000));
  arrays.checkpoint();
  const auto before = arrays.view<double>("x");
  arrays.store("x", counted(200000, 5));
  EXPECT_EQ(arrays.dims("x"), extents{200000});
  EXPECT_EQ(arrays.load<std::vector<double>>("x"), counted(200000, 5));
  // The view is of the array as it was, also beside checkpoints and other arrays.
  for (int i = 0; i < 3; ++i) {
    arrays.checkpoint();
    arrays.store("y" + std::to_string(i), counted(100000, 7));
    EXPECT_EQ(std::vector<double>(before.data(), before.data() + before.size()), counted(100000));
  }
}

TEST_F(array_store_test, ReplacesAnArrayOfAnotherTypeIfToldTo) {
  const array_options any{.replaces_any = true};
  {
    array_store arrays = create();
    arrays.store("x", 1);
    arrays.array("x").set_attribute("unit", "K");
    EXPECT_TRUE(
        fails_with(errc::wrong_type, "erase it before storing another", [&] { arrays.store("x", 1.5); }));
    const auto view = arrays.view<int>("x");
    // What is of the same type keeps its attributes, as ever.
    arrays.store("x", 2, any);
    EXPECT_TRUE(arrays.array("x").has_attribute("unit"));
    arrays.store("x", counted(100000), any);
    EXPECT_FALSE(arrays.array("x").has_attribute("unit"));
    EXPECT_EQ(view.data()[0], 1);
    EXPECT_EQ(arrays.load<std::vector<double>>("x"), counted(100000));
    arrays.store("x", "a text", any);
    EXPECT_EQ(arrays.load<std::string>("x"), "a text");
    // Made anew where type or shape is another, and left alone where it is the same.
    arrays.create<int>("x", {2, 3}, any).write(slab::whole({2, 3}), std::vector<int>{1, 2, 3, 4, 5, 6});
    EXPECT_EQ(code_of([&] { arrays.create<int>("x", {2, 3}, any); }), errc::already_exists);
    EXPECT_EQ(code_of([&] { arrays.create<int>("x", {3, 2}); }), errc::already_exists);
    EXPECT_EQ(arrays.load<std::vector<int>>("x")[5], 6);
    arrays.create<int>("x", {3, 2}, {.layout = array_layout::contiguous, .replaces_any = true});
    EXPECT_EQ(arrays.load<std::vector<int>>("x"), std::vector<int>(6, 0));
    EXPECT_EQ(arrays.size(), 1U);
    // Where there is no room for the new one the old one stays.
    const int one = 1;
    EXPECT_ANY_THROW(arrays.store("x", array_view<const int, 1>(&one, {std::uint64_t{1} << 40}), any));
    EXPECT_ANY_THROW(arrays.create<double>("x", {std::uint64_t{1} << 40},
                                           {.layout = array_layout::contiguous, .replaces_any = true}));
    EXPECT_EQ(arrays.dims("x"), (extents{3, 2}));
    arrays.close();
  }
  EXPECT_TRUE(is_sound());
  EXPECT_TRUE(open().check("x").empty());
}

TEST_F(array_store_test, ShowsReadersAndSnapshotsTheOldTypeOrTheNewOne) {
  const array_options any{.replaces_any = true};
  manager store(create_only, scratch.path(), small_store());
  array_store arrays(store);
  arrays.store("x", 1);
  store.checkpoint();
  std::atomic<bool> is_done{false};
  {
    std::jthread reader([&] {
      while (!is_done) {
        EXPECT_EQ(arrays.list(), std::vector<std::string>{"x"});
        const array_info info = arrays.info("x");
        EXPECT_TRUE(info.type == data_type(element_kind::int32) ||
                    info.type == data_type(element_kind::text) || info.dims == extents{50000});
      }
    });
    std::jthread writer([&] {
      for (int i = 0; !is_done; ++i) {
        arrays.store("x", i, any);
        arrays.store("x", "a text", any);
        if (i % 16 == 0) arrays.store("x", counted(50000), any);
      }
    });
    for (int i = 0; i < 20; ++i) {
      store.checkpoint();
      const auto copy = scratch.directory() / ("copy" + std::to_string(i));
      store.snapshot(copy);
      const array_store found(open_read_only, copy);
      EXPECT_EQ(found.size(), 1U);
      EXPECT_TRUE(found.contains("x"));
      EXPECT_TRUE(found.check("x").empty());
      std::filesystem::remove_all(copy);
    }
    is_done = true;
  }
  store.close();
  EXPECT_TRUE(is_sound());
}

TEST_F(array_store_test, GivesBackSpace) {
  auto arrays = create();
  const std::vector<double> values = counted(1 << 20);
  for (int step = 0; step < 40; ++step) {
    arrays.store("x", values);
    if (step % 2 == 0) arrays.checkpoint();
  }
  arrays.erase("x");
  arrays.checkpoint();
  arrays.checkpoint();
  arrays.store("small", 1);
  arrays.close();
  manager store(open_only, scratch.path());
  EXPECT_LT(store.store().info().size, 80U << 20);
  EXPECT_LT(store.store().info().disk_bytes, 40U << 20);
  EXPECT_TRUE(store.check().empty());
}

TEST_F(array_store_test, LosesNoBlocksInACrash) {
  {
    auto arrays = create();
    arrays.store("x", counted(1 << 18));
    arrays.checkpoint();
    arrays.store("x", counted(1 << 18, 1));
    arrays.checkpoint();  // the old block is unlinked in it
    arrays.discard();
  }
  std::size_t used = 0;
  {
    auto arrays = open();
    EXPECT_EQ(arrays.load<std::vector<double>>("x"), counted(1 << 18, 1));
    arrays.erase("x");
    arrays.checkpoint();
    arrays.store("y", 1);
    arrays.checkpoint();
    arrays.close();
    manager store(open_only, scratch.path());
    used = store.memory().stats().used_bytes;
  }
  EXPECT_LT(used, 1U << 20);
  EXPECT_TRUE(is_sound());
}

TEST_F(array_store_test, IsAsOfTheLastCheckpointAfterACrash) {
  {
    auto arrays = create();
    arrays.store("x", counted(50000));
    arrays.store("n", 1);
    arrays.checkpoint();
    arrays.store("x", counted(60000, 9));
    arrays.store("n", 2);
    arrays.store("m", 3);
    arrays.discard();
  }
  const auto arrays = open();
  EXPECT_EQ(arrays.load<int>("n"), 1);
  EXPECT_EQ(arrays.load<std::vector<double>>("x"), counted(50000));
  EXPECT_FALSE(arrays.contains("m"));
}

TEST_F(array_store_test, ViewsAPartThatLiesInOnePiece) {
  auto arrays = create();
  const std::vector<double> values = counted(60);
  arrays.store("whole", array_view<const double, 2>(values.data(), {6, 10}));
  const auto rows = arrays["whole"].view<double, 2>({{2, 0}, {3, 10}, {}});
  EXPECT_EQ(rows.dims(), (extents{3, 10}));
  EXPECT_EQ(rows(0, 0), 20);
  EXPECT_EQ(rows(2, 9), 49);
  EXPECT_EQ(arrays["whole"].view<double>({{6, 0}, {0, 10}, {}}).size(), 0U);
  const auto view_of = [&](const std::string& id, const slab& where) {
    return code_of([&] { arrays[id].view<double>(where); });
  };
  EXPECT_EQ(view_of("whole", {{0, 0}, {6, 9}, {}}), errc::unsupported);  // not beside each other
  EXPECT_EQ(view_of("whole", {{0, 0}, {3, 10}, {2, 1}}), errc::unsupported);
  EXPECT_EQ(view_of("whole", {{4, 0}, {3, 10}, {}}), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { arrays["whole"].view<float>({{0, 0}, {1, 10}, {}}); }), errc::wrong_type);
  EXPECT_EQ(view_of("none", {{0}, {1}, {}}), errc::not_found);

  // Two blocks, and elements that nobody has written between them.
  arrays.create<double>("parts", {100});
  arrays["parts"].write({{10}, {20}, {}}, counted(20, 1));
  arrays["parts"].write({{40}, {20}, {}}, counted(20, 2));
  EXPECT_EQ((arrays["parts"].view<double, 1>({{45}, {15}, {}})(0)), counted(20, 2)[5]);
  EXPECT_EQ(view_of("parts", {{20}, {30}, {}}), errc::unsupported);
  EXPECT_EQ(view_of("parts", {{30}, {10}, {}}), errc::unsupported);
  EXPECT_EQ(view_of("parts", {{5}, {10}, {}}), errc::unsupported);
  arrays.store("packed", counted(1000), {.codec = compression::lz4});
  EXPECT_EQ(view_of("packed", {{0}, {10}, {}}), errc::unsupported);
  arrays.store("texts", std::vector<std::string>{"a", "b"});
  EXPECT_TRUE(fails_with(errc::unsupported, "of any length", [&] {
    arrays.untyped()->view_part("texts", arrays.info("texts").type, {{0}, {1}, {}});
  }));
  // The view is of the array as it was.
  arrays.store("whole", array_view<const double, 2>(counted(60, 500).data(), {6, 10}));
  arrays.checkpoint();
  EXPECT_EQ(rows(0, 0), 20);
}

TEST_F(array_store_test, ViewsWhatLiesInOnePiece) {
  auto arrays = create();
  const std::vector<double> values = counted(60);
  arrays.store("blocks", array_view<const double, 2>(values.data(), {6, 10}));
  EXPECT_EQ((arrays.view<double, 2>("blocks")(5, 9)), 59);
  EXPECT_EQ(code_of([&] { arrays.view_to_write<double>("blocks"); }), errc::unsupported);
  EXPECT_EQ(code_of([&] { arrays.view<float>("blocks"); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { arrays.view<double, 1>("blocks"); }), errc::invalid_argument);

  array_options contiguous;
  contiguous.layout = array_layout::contiguous;
  arrays.create<double>("contiguous", {6, 10}, contiguous);
  {
    const auto view = arrays.view_to_write<double, 2>("contiguous");
    EXPECT_EQ(view(3, 3), 0);
    view(3, 3) = 7;
  }
  const std::vector<double> row = counted(10, 100);
  arrays["contiguous"].write({{5, 0}, {1, 10}}, row);
  EXPECT_EQ((arrays.view<double, 2>("contiguous")(5, 4)), 104);

  array_options chunked;
  chunked.layout = array_layout::chunked;
  chunked.chunk = {4, 4};
  arrays.store("chunked", array_view<const double, 2>(values.data(), {6, 10}), chunked);
  EXPECT_FALSE(arrays.info("chunked").is_viewable);
  EXPECT_EQ(arrays.info("chunked").blocks, 6U);
  EXPECT_EQ(code_of([&] { arrays.view<double>("chunked"); }), errc::unsupported);
  EXPECT_EQ(arrays.load<std::vector<double>>("chunked"), values);
  arrays.close();
  const auto again = open();
  EXPECT_EQ((again.view<double, 2>("contiguous")(3, 3)), 7);
  EXPECT_EQ(again.load<std::vector<double>>("chunked"), values);
}

TEST_F(array_store_test, ChoosesChunksOfAMebibyte) {
  auto arrays = create();
  const array_options chunked{.layout = array_layout::chunked};
  arrays.create<double>("large", {1000, 1000}, chunked);
  EXPECT_EQ(arrays.info("large").chunk, (extents{131, 1000}));
  arrays.create<double>("long", {3, 1000000}, chunked);
  EXPECT_EQ(arrays.info("long").chunk, (extents{1, 131072}));
  arrays.create<double>("small", {6, 10}, chunked);
  EXPECT_EQ(arrays.info("small").chunk, (extents{6, 10}));
  arrays.erase("small");
  arrays.store("small", array_view<const double, 2>(counted(60).data(), {6, 10}), chunked);
  EXPECT_FALSE(arrays.info("small").is_viewable) << "it grows by chunks";
  arrays.create<double>("empty", {0, 10}, chunked);
  EXPECT_EQ(arrays.info("empty").chunk, (extents{1, 10}));
}

TEST_F(array_store_test, HasTextsThatAreLoadedAsAWhole) {
  auto arrays = create();
  arrays.store("none", std::vector<std::string>());
  EXPECT_EQ(arrays.load<std::vector<std::string>>("none"), std::vector<std::string>());
  arrays.store("names", std::vector<std::string>{"a", "bc"});
  const auto untyped = arrays.untyped();
  const data_type texts = arrays.info("names").type;
  EXPECT_TRUE(fails_with(errc::invalid_argument, "stored as a whole", [&] {
    untyped->write("names", texts, slab::whole({2}), {nullptr, {2}, {}});
  }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "loaded as a whole", [&] {
    untyped->read("names", texts, slab::whole({2}), {nullptr, {2}, {}});
  }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "3 elements are given for an array of [2]", [&] {
    untyped->store_variable("names", texts, {2}, {{0, 0, 0}, {}}, {});
  }));
  arrays.close();
  EXPECT_TRUE(fails_with(errc::invalid_argument, "closed", [&] { untyped->count(); }));
}

TEST(Attributes, OfNullHaveTypesOfTheirOwn) {
  EXPECT_TRUE(is_null(null_type()));
  EXPECT_TRUE(is_null(null_type(element_kind::int32)));
  EXPECT_EQ(type_without_value(null_type(element_kind::int32)), data_type(element_kind::int32));
  for (const data_type& other : {data_type(), data_type(element_kind::int32), data_type::opaque("null", 4, 1),
                                 data_type::opaque("nullable", 0, 1)}) {
    EXPECT_FALSE(is_null(other)) << other.text();
    EXPECT_EQ(code_of([&] { type_without_value(other); }), errc::invalid_argument) << other.text();
  }
}

TEST_F(array_store_test, ViewsKeepTheStoreOpen) {
  stored_view<const double, 1> view;
  {
    auto arrays = create();
    arrays.store("x", counted(100000));
    view = arrays.view<double, 1>("x");
  }
  EXPECT_EQ(view(99999), 99999);
}

TEST_F(array_store_test, CompressesBlocks) {
  auto arrays = create();
  std::vector<std::int32_t> values(300000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i / 7);
  for (const compression codec :
       {compression::none, compression::lz4, compression::zstd, compression::blosc}) {
    if (!is_available(codec)) continue;
    for (const bool shuffle : {false, true}) {
      array_options options;
      options.codec = codec;
      options.shuffle = shuffle;
      const std::string id = std::string(to_string(codec)) + (shuffle ? "-shuffled" : "");
      arrays.store(id, values, options);
      EXPECT_EQ(arrays.load<std::vector<std::int32_t>>(id), values);
      const array_info info = arrays.info(id);
      EXPECT_EQ(info.bytes, values.size() * 4);
      if (codec != compression::none) {
        EXPECT_LT(info.stored_bytes, info.bytes / 2) << id;
        EXPECT_FALSE(info.is_viewable) << id;
        arrays.store("few", std::vector<int>(1000), options);
        EXPECT_LT(arrays.info("few").stored_bytes, 1000U) << id;
      }
      EXPECT_EQ(arrays[id].read<std::int32_t>({{1000}, {5}, {7}}),
                (std::vector<std::int32_t>{142, 143, 144, 145, 146}));
      EXPECT_TRUE(arrays.check(id).empty());
    }
  }
  // What does not become smaller is stored as it is.
  std::vector<std::uint64_t> noise(10000);
  std::uint64_t state = 1;
  for (std::uint64_t& one : noise) one = state = state * 6364136223846793005U + 1442695040888963407U;
  array_options options;
  options.codec = compression::zstd;
  options.shuffle = false;
  if (!is_available(compression::zstd)) GTEST_SKIP() << "built without zstd";
  for (std::uint64_t& one : noise) one ^= one >> 33;
  arrays.store("noise", noise, options);
  EXPECT_LE(arrays.info("noise").stored_bytes, noise.size() * 8);
  EXPECT_EQ(arrays.load<std::vector<std::uint64_t>>("noise"), noise);
}

TEST_F(array_store_test, AppendsRows) {
  auto arrays = create();
  array_options options;
  for (const array_layout layout : {array_layout::blocks, array_layout::chunked}) {
    options.layout = layout;
    const std::string id(to_string(layout));
    arrays.create<double>(id, {0, 3, 4}, options);
    std::vector<double> all;
    for (int step = 0; step < 20; ++step) {
      const std::vector<double> values = counted(12, step * 12);
      arrays[id].append(array_view<const double, 2>(values.data(), {3, 4}));
      all.insert(all.end(), values.begin(), values.end());
      if (step % 5 == 0) arrays.checkpoint();
    }
    EXPECT_EQ(arrays.dims(id), (extents{20, 3, 4}));
    EXPECT_EQ(arrays.load<std::vector<double>>(id), all);
    EXPECT_EQ(code_of([&] {
                arrays[id].append(array_view<const double, 2>(all.data(), {4, 3}));
              }),
              errc::invalid_argument);
    EXPECT_EQ(code_of([&] {
                arrays[id].append(array_view<const double, 2>(all.data(), {2, 4}));
              }),
              errc::invalid_argument);
    const std::vector<double> more = counted(24, 1000);
    arrays[id].append(array_view<const double, 3>(more.data(), {2, 3, 4}));
    EXPECT_EQ(arrays.dims(id)[0], 22U);
    EXPECT_EQ(arrays[id].read<double>({{21, 2, 3}, {1, 1, 1}}), std::vector<double>{1023});
  }
}

TEST_F(array_store_test, StoresWhatASourceGivesInPieces) {
  manager store(create_only, scratch.path(), small_store());
  const auto core = untyped_arrays::of(detail::core_of(store));
  const extents dims{600, 7, 400};  // 13 MB
  const auto value = [&](std::uint64_t i, std::uint64_t j, std::uint64_t k) {
    return static_cast<double>((i * 7 + j) * 400 + k);
  };
  std::size_t most = 0;
  const element_source source = [&](const slab& part, std::byte* to) {
    most = std::max<std::size_t>(most, part.count.elements() * 8);
    auto* at = reinterpret_cast<double*>(to);
    for (std::uint64_t i = 0; i < part.count[0]; ++i)
      for (std::uint64_t j = 0; j < part.count[1]; ++j)
        for (std::uint64_t k = 0; k < part.count[2]; ++k)
          *at++ = value(part.offset[0] + i, part.offset[1] + j, part.offset[2] + k);
  };
  for (const array_layout layout : {array_layout::blocks, array_layout::contiguous, array_layout::chunked}) {
    array_options options;
    options.layout = layout;
    if (layout == array_layout::chunked) options.chunk = {50, 4, 100};
    core->store_from("x", element_kind::float64, dims, source, options);
    EXPECT_EQ(core->info("x").is_viewable, layout != array_layout::chunked);
    EXPECT_TRUE(core->check("x").empty());
    std::vector<double> all(dims.elements());
    core->read("x", element_kind::float64, slab::whole(dims), untyped_view::row_major(all.data(), dims, 8));
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<double>(i));
  }
  EXPECT_LT(most, std::size_t{5} << 20);
  // What fails leaves what was there.
  int left = 2;
  const element_source failing = [&](const slab&, std::byte*) {
    if (--left == 0) throw std::runtime_error("no more");
  };
  for (const array_layout layout : {array_layout::blocks, array_layout::chunked}) {
    array_options options;
    options.layout = layout;
    left = 2;
    EXPECT_THROW(core->store_from("x", element_kind::float64, dims, failing, options), std::runtime_error);
  }
  double last = 0;
  core->read("x", element_kind::float64, {{599, 6, 399}, {1, 1, 1}, {}},
             untyped_view::row_major(&last, {1, 1, 1}, 8));
  EXPECT_EQ(last, value(599, 6, 399));
  EXPECT_TRUE(store.check().empty());
}

TEST_F(array_store_test, StoresTheStoredPartsOfASparseArray) {
  manager store(create_only, scratch.path(), small_store());
  const auto core = untyped_arrays::of(detail::core_of(store));
  // 240 GB, of which three chunks are stored.
  const extents dims{3, 10'000'000'000};
  std::uint64_t asked = 0;
  const element_source source = [&](const slab& part, std::byte* to) {
    asked += part.count.elements();
    auto* at = reinterpret_cast<double*>(to);
    for (std::uint64_t i = 0; i < part.count[0]; ++i)
      for (std::uint64_t j = 0; j < part.count[1]; ++j)
        *at++ = static_cast<double>(part.offset[0] + i + part.offset[1] + j);
  };
  array_options options;
  options.layout = array_layout::chunked;
  options.chunk = {2, 100};
  // The second part overlaps the first one, and has elements of another chunk.
  const slab parts[]{{{0, 0}, {2, 100}, {}}, {{1, 50}, {1, 100}, {}}, {{2, 9'999'999'900}, {1, 100}, {}}};
  core->store_sparse("x", element_kind::float64, dims, parts, source, options);
  EXPECT_EQ(asked, 500U);
  EXPECT_EQ(core->parts("x").size(), 3U);
  const auto at = [&](std::uint64_t i, std::uint64_t j) {
    double value = -1;
    core->read("x", element_kind::float64, {{i, j}, {1, 1}, {}}, untyped_view::row_major(&value, {1, 1}, 8));
    return value;
  };
  EXPECT_EQ(at(1, 199), 200);
  EXPECT_EQ(at(2, 9'999'999'999), 10'000'000'001);
  EXPECT_EQ(at(2, 0), 0);
  EXPECT_EQ(at(0, 5'000'000'000), 0);
  EXPECT_TRUE(core->check("x").empty());
  // A part outside, and a source that fails, leave what was there.
  const slab outside[]{{{0, 9'999'999'999}, {1, 2}, {}}};
  EXPECT_TRUE(fails_with(errc::invalid_argument, "x", [&] {
    core->store_sparse("x", element_kind::float64, dims, outside, source, options);
  }));
  const element_source failing = [](const slab&, std::byte*) { throw std::runtime_error("no more"); };
  EXPECT_THROW(core->store_sparse("x", element_kind::float64, dims, parts, failing, options),
               std::runtime_error);
  EXPECT_EQ(at(1, 199), 200);
  EXPECT_TRUE(fails_with(errc::wrong_type, "x", [&] {
    core->store_sparse("x", element_kind::float32, dims, {parts, 1}, source, options);
  }));
  EXPECT_EQ(at(1, 199), 200);
  // As a whole where elements lie beside each other.
  options.layout = array_layout::contiguous;
  const slab some[]{{{0, 0}, {1, 1}, {}}};
  core->store_sparse("y", element_kind::float64, {2, 3}, some, source, options);
  EXPECT_TRUE(core->info("y").is_viewable);
  EXPECT_TRUE(store.check().empty());
}

TEST_F(array_store_test, AppendsToChunksThatAreNotFull) {
  auto arrays = create();
  array_options options;
  options.layout = array_layout::chunked;
  options.chunk = {8, 2};
  arrays.create<double>("x", {0, 3}, options);
  std::vector<double> all;
  for (int step = 0; step < 20; ++step) {
    const std::vector<double> values = counted(3, step * 3);
    arrays["x"].append(array_view<const double, 1>(std::span(values)));
    all.insert(all.end(), values.begin(), values.end());
    ASSERT_EQ(arrays.load<std::vector<double>>("x"), all);
  }
  EXPECT_EQ(arrays.info("x").blocks, 6U);
  EXPECT_TRUE(arrays.check("x").empty());
  EXPECT_EQ(code_of([&] { arrays.create("y", data_type::parse("float64[3]"), {2}); }),
            errc::invalid_argument);
}

TEST_F(array_store_test, ResizesAnArray) {
  auto arrays = create();
  array_options options;
  for (const array_layout layout : {array_layout::blocks, array_layout::chunked}) {
    options.layout = layout;
    if (layout == array_layout::chunked) options.chunk = {4, 4};
    const std::string id(to_string(layout));
    const std::vector<double> values = counted(100);
    arrays.store(id, array_view<const double, 2>(values.data(), {10, 10}), options);
    arrays[id].resize({6, 5});
    arrays[id].resize({12, 12});
    const std::vector<double> now = arrays.load<std::vector<double>>(id);
    for (std::size_t i = 0; i < 12; ++i)
      for (std::size_t j = 0; j < 12; ++j)
        EXPECT_EQ(now[i * 12 + j], i < 6 && j < 5 ? values[i * 10 + j] : 0.0) << id << ' ' << i << ' ' << j;
  }
  EXPECT_EQ(code_of([&] { arrays["blocks"].resize({1}); }), errc::invalid_argument);
  arrays.store("fixed", counted(10), {.layout = array_layout::contiguous});
  arrays["fixed"].resize({10});
  EXPECT_EQ(code_of([&] { arrays["fixed"].resize({11}); }), errc::unsupported);
}

TEST_F(array_store_test, HasAttributes) {
  {
    auto arrays = create();
    array_options options;
    options.dimensions = {"y", "x"};
    arrays.create<float>("t", {3, 4}, options);
    auto t = arrays["t"];
    t.set_attribute("units", "K");
    t.set_attribute("scale", 0.5);
    t.set_attribute("range", std::vector<int>{1, 2, 3});
    t.set_attribute("large", std::vector<double>(200000, 1.5));
    t.set_attribute("units", "C");
    EXPECT_TRUE(t.remove_attribute("scale"));
    EXPECT_FALSE(t.remove_attribute("scale"));
  }
  const auto arrays = open();
  const auto t = arrays["t"];
  EXPECT_EQ(t.attribute<std::string>("units"), "C");
  EXPECT_EQ(t.attribute<std::vector<int>>("range"), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(t.attribute<std::vector<double>>("large").size(), 200000U);
  EXPECT_EQ(code_of([&] { t.attribute<double>("units"); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { t.attribute<double>("scale"); }), errc::not_found);
  EXPECT_EQ(t.attributes(), (std::vector<std::string>{"large", "range", "units"}));
  EXPECT_EQ(t.info().dimensions, (std::vector<std::string>{"y", "x"}));
}

TEST_F(array_store_test, AttributesAreListsOfTextsToo) {
  const std::vector<std::string> names{"first", "", std::string("a\0b", 3), "\u00e9"};
  {
    auto arrays = create();
    arrays.store("t", 1);
    arrays["t"].set_attribute("names", names);
    arrays["t"].set_attribute("literals", std::vector<const char*>{"x", "yy"});
    arrays["t"].set_attribute("one", std::vector<std::string>{"alone"});
    arrays["t"].set_attribute("none", std::vector<std::string>{});
    arrays["t"].set_attribute("text", "alone");
  }
  const auto arrays = open();
  const auto t = arrays["t"];
  using texts = std::vector<std::string>;
  EXPECT_EQ(t.attribute<texts>("names"), names);
  EXPECT_EQ(t.attribute<texts>("literals"), (texts{"x", "yy"}));
  EXPECT_EQ(t.attribute<texts>("one"), texts{"alone"});
  EXPECT_EQ(t.attribute<texts>("none"), texts{});
  EXPECT_EQ(code_of([&] { t.attribute<std::string>("one"); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { t.attribute<texts>("text"); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { t.attribute<std::vector<int>>("names"); }), errc::wrong_type);
}

TEST_F(array_store_test, AnAttributeMayHaveNoValue) {
  {
    auto arrays = create();
    arrays.store("t", 1);
    arrays["t"].set_attribute("missing", nullptr);
    arrays["t"].set_attribute("zero", 0);
    arrays["t"].set_attribute("empty", "");
    arrays.untyped()->set_attribute("t", "no float", null_type(element_kind::float32), {}, {});
  }
  const auto arrays = open();
  const auto t = arrays["t"];
  EXPECT_TRUE(t.is_null_attribute("missing"));
  EXPECT_TRUE(t.is_null_attribute("no float"));
  EXPECT_FALSE(t.is_null_attribute("zero"));
  EXPECT_FALSE(t.is_null_attribute("empty"));
  EXPECT_FALSE(t.is_null_attribute("not there"));
  EXPECT_EQ(code_of([&] { t.attribute<int>("missing"); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { t.attribute<std::string>("missing"); }), errc::wrong_type);
  EXPECT_EQ(type_without_value(arrays.untyped()->attribute("t", "missing")->type), data_type());
  EXPECT_EQ(type_without_value(arrays.untyped()->attribute("t", "no float")->type), element_kind::float32);
}

TEST_F(array_store_test, RefusesAttributesWhoseBytesAreNotThoseOfTheirType) {
  auto arrays = create();
  arrays.store("t", 1);
  const auto set = [&](const data_type& type, const extents& dims, std::string_view bytes) {
    return code_of(
        [&] { arrays.untyped()->set_attribute("t", "k", type, dims, std::as_bytes(std::span(bytes))); });
  };
  const std::string packed = pack_elements({{1, 3}, "abb"});
  arrays.untyped()->set_attribute("t", "k", element_kind::text, {2}, std::as_bytes(std::span(packed)));
  EXPECT_EQ(set(element_kind::text, {3}, packed), errc::invalid_argument);
  EXPECT_EQ(set(element_kind::text, {1}, packed), errc::invalid_argument);
  EXPECT_EQ(set(element_kind::text, {2}, packed.substr(0, packed.size() - 1)), errc::invalid_argument);
  EXPECT_EQ(set(element_kind::text, {2}, pack_elements({{3, 1}, "a"})), errc::invalid_argument);
  EXPECT_EQ(set(element_kind::text, {std::uint64_t{1} << 61}, ""), errc::invalid_argument);
  EXPECT_EQ(set(element_kind::float64, {2}, "12345678"), errc::invalid_argument);
  EXPECT_EQ(set(data_type::list_of(element_kind::float64), {}, "1234"), errc::invalid_argument);
}

TEST_F(array_store_test, SharesAManagersStore) {
  manager store(create_only, scratch.path(), small_store());
  store.construct<int>("object")(7);
  array_store arrays(store);
  array_store others(store);
  arrays.store("x", counted(1000));
  EXPECT_EQ(others.load<std::vector<double>>("x"), counted(1000));
  store.checkpoint();
  EXPECT_EQ(*store.find<int>("object").first, 7);
  store.close();
  EXPECT_EQ(code_of([&] { arrays.store("y", 1); }), errc::invalid_argument);
  EXPECT_EQ(code_of([&] { arrays.load<int>("y"); }), errc::invalid_argument);
}

TEST_F(array_store_test, ThreadsStoreAndLoadAndSeeWholeArrays) {
  auto arrays = create();
  constexpr std::size_t size = 40000;
  arrays.store("shared", std::vector<std::uint64_t>(size, 0));
  std::atomic<bool> ends{false};
  std::atomic<int> torn{0};
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 2; ++t)
      threads.emplace_back([&] {
        while (!ends) {
          const auto values = arrays.load<std::vector<std::uint64_t>>("shared");
          if (values.front() != values.back() || values.size() != size) ++torn;
          const auto view = arrays.view<std::uint64_t, 1>("shared");
          const std::uint64_t first = view(0);
          for (std::size_t i = 0; i < size; i += 97)
            if (view(i) != first) ++torn;
        }
      });
    threads.emplace_back([&] {
      for (int i = 0; i < 30; ++i) {
        arrays.checkpoint();
        arrays.store("other" + std::to_string(i % 5), std::vector<int>(30000, i));
      }
    });
    for (std::uint64_t i = 1; i < 100; ++i) arrays.store("shared", std::vector<std::uint64_t>(size, i));
    ends = true;
  }
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(arrays.load<std::vector<std::uint64_t>>("shared")[17], 99U);
  arrays.close();
  EXPECT_TRUE(is_sound());
}

TEST_F(array_store_test, ThreadsWritePartsOfOneArrayAndLoseNone) {
  constexpr std::size_t rows = 24;
  constexpr std::size_t columns = 640;
  auto arrays = create();
  for (const array_options& options :
       {array_options{}, array_options{.layout = array_layout::contiguous},
        array_options{.layout = array_layout::chunked, .chunk = {4, 640}},   // no chunk is of two threads
        array_options{.layout = array_layout::chunked, .chunk = {7, 100}}})  // most are
    for (const bool strided : {false, true}) {
      arrays.erase("field");
      auto field = arrays.create<std::uint64_t>("field", {rows, columns}, options);
      std::vector<std::jthread> threads;
      for (std::uint64_t t = 0; t < 4; ++t)
        threads.emplace_back([&arrays, t, strided] {
          auto mine = arrays.array("field");
          for (std::size_t step = 0; step < rows / 4; step += 2) {
            std::vector<std::uint64_t> two(2 * columns);
            const std::size_t first = strided ? step * 4 + t : t * (rows / 4) + step;
            const std::size_t stride = strided ? 4 : 1;
            for (std::size_t i = 0; i < two.size(); ++i)
              two[i] = (first + i / columns * stride) * columns + i % columns;
            mine.write({{first, 0}, {2, columns}, {stride, 1}},
                       array_view<const std::uint64_t, 2>(two.data(), {2, columns}));
            arrays.store("own" + std::to_string(t), two);
          }
        });
      threads.clear();
      const auto values = arrays.load<std::vector<std::uint64_t>>("field");
      for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], i);
    }
  arrays.close();
  EXPECT_TRUE(is_sound());
}

TEST_F(array_store_test, ThreadsReplaceSmallArraysThatOthersLoad) {
  auto arrays = create();
  arrays.store("small", std::vector<int>(50, 0));
  std::atomic<bool> ends{false};
  std::atomic<int> torn{0};
  {
    std::jthread reader([&] {
      while (!ends) {
        const auto values = arrays.load<std::vector<int>>("small");
        for (const int value : values)
          if (value != values[0] || static_cast<int>(values.size()) != 50 + value % 3) ++torn;
      }
    });
    for (int i = 1; i < 3000; ++i)
      arrays.store("small", std::vector<int>(50 + static_cast<std::size_t>(i % 3), i));
    ends = true;
  }
  EXPECT_EQ(torn, 0);
}

TEST_F(array_store_test, ManySmallArraysAreStoredAndListed) {
  auto arrays = create();
  for (int i = 0; i < 3000; ++i)
    arrays.store("group" + std::to_string(i % 10) + "/a" + std::to_string(i), i * 1.5);
  EXPECT_EQ(arrays.size(), 3000U);
  EXPECT_EQ(arrays.list("group3").size(), 300U);
  arrays.close();
  const auto again = open();
  for (int i = 0; i < 3000; ++i)
    ASSERT_EQ(again.load<double>("group" + std::to_string(i % 10) + "/a" + std::to_string(i)), i * 1.5);
}

// The failed attempt has written its pages home and to a journal; erasing must give their space back at once.
TEST_F(a_small_file_system, takes_checkpoints_again_once_arrays_are_erased) {
  if (!mounted_) GTEST_SKIP() << "needs the right to mount";
  const std::vector<double> values(400'000, 1.5);
  {
    array_store arrays(create_only, store());
    int next = 0;
    const auto name = [](int i) { return "x" + std::to_string(i); };
    EXPECT_TRUE(fails_with(errc::no_space, "", [&] {
      for (;; ++next) {
        arrays.store(name(next), values);
        arrays.checkpoint();
      }
    }));
    ASSERT_GE(next, 2);
    arrays.erase(name(next));
    EXPECT_NO_THROW(arrays.checkpoint());
    arrays.erase(name(0));
    arrays.store("small", 1);
    EXPECT_NO_THROW(arrays.close());
  }
  ASSERT_TRUE(manager::verify(store()).whole());
  const array_store arrays(open_read_only, store());
  EXPECT_EQ(arrays.load<int>("small"), 1);
  EXPECT_EQ(arrays.load<std::vector<double>>("x1"), values);
  EXPECT_FALSE(arrays.contains("x0"));
}

}  // namespace
}  // namespace perdure
