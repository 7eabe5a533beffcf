// Objects whose types, or the types inside them, have changed since they were stored.
#include <gtest/gtest.h>

#include <array>
#include <boost/container/vector.hpp>
#include <cstdint>
#include <optional>
#include <perdure/perdure.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "manager/changed_types.hpp"
#include "support/errors.hpp"
#include "support/scratch_directory.hpp"
#include "support/small_store.hpp"

namespace perdure {

namespace {

struct grown {
  int id = 0;
  double added = 0;
};
struct retyped {
  int key = 0;
  float weight = 0;
};
struct swapped {
  float second = 0;
  int first = 0;
};
struct renamed_member {
  int new_name = 0;
};
struct rectangle {
  int height = 0;
  int width = 0;
};
struct moved_up {
  int kept = 0;
  int added = 0;
};
struct framed {
  double frame = 0;
  std::optional<rectangle> inner;
};
enum class colour : std::int32_t { red };
struct coloured {
  colour c = colour::red;
};
struct with_array {
  char name[100] = {};
  unsigned numbers[3] = {};
};
struct nested {
  retyped inner;
  double other = 0;
};
struct versioned {
  int value = 0;
};
class hidden {
 public:
  float value() const { return value_; }

 private:
  float value_ = 0;
};
struct tree {
  vector<tree> children;
  retyped load;
};

/// What the earlier program called `retyped`.
struct retyped_then {
  int key = 0;
  int weight = 0;
};
struct not_retyped_then {
  int key = 0;
  double weight = 0;
};

}  // namespace

template <>
inline constexpr std::uint32_t layout_version<versioned> = 1;

namespace {

struct type_layout_test : testing::Test {
  void SetUp() override {
    manager store(create_only, path, small_store());
    store_as_the_earlier_program(store);
  }
  /// What is said when the object is looked for as a `T`.
  template <class T>
  std::string refusal(const char* name) const {
    manager store(open_only, path);
    try {
      store.find<T>(name);
    } catch (const error& failure) {
      EXPECT_EQ(failure.code(), errc::wrong_type);
      return failure.what();
    }
    return "taken for what it is not";
  }
  template <class T>
  void expect_refused(const char* name, const char* says) const {
    const std::string said = refusal<T>(name);
    EXPECT_NE(said.find(says), std::string::npos) << said;
  }
  scratch_directory scratch;
  std::filesystem::path path = scratch.path();
};

TEST_F(type_layout_test, NamesTheMemberThatHasChanged) {
  expect_refused<retyped>("direct", "changed since: weight was int (4 bytes), and is now float (4 bytes)");
  expect_refused<vector<retyped>>("vector", "[i].weight was int");
  expect_refused<vector<grown>>("grown", "[i].added, double (8 bytes), is new");
  expect_refused<swapped>("swapped", "second was int (4 bytes), and is now float");
  expect_refused<with_array>("with_array", "numbers was int [3] (12 bytes), and is now unsigned int [3]");
  expect_refused<coloured>("coloured", "c was unsigned int (4 bytes), and is now int (4 bytes)");
}

TEST_F(type_layout_test, LooksIntoEveryHolder) {
  expect_refused<flat_map<int, retyped>>("flat_map", "[i].second.weight was int");
  expect_refused<map<int, retyped>>("map", "[i].second.weight was int");
  expect_refused<boost::container::vector<retyped, allocator<retyped>>>("boost", "[i].weight was int");
  expect_refused<std::pair<int, retyped>>("pair", "second.weight was int");
  expect_refused<std::tuple<int, retyped>>("tuple", "<1>.weight was int");
  expect_refused<std::array<retyped, 3>>("array", "weight was int");
  expect_refused<std::optional<retyped>>("optional", "weight was int");
  expect_refused<std::variant<int, retyped>>("variant", "<1>.weight was int");
  expect_refused<vector<flat_map<string, std::pair<int, std::array<nested, 2>>>>>("deep",
                                                                                  ".inner.weight was int");
}

TEST_F(type_layout_test, ItsAuthorSpeaksForWhatCannotBeSeen) {
  expect_refused<versioned>("versioned", "layout version 0");
  // A class that is no aggregate, of the same size: only a version could tell.
  manager store(open_only, path);
  EXPECT_NE(store.find<hidden>("hidden").first, nullptr);
}

TEST_F(type_layout_test, AMemberMayGetAnotherName) {
  manager store(open_only, path);
  EXPECT_EQ(store.find<renamed_member>("renamed member").first->new_name, 5);
}

TEST_F(type_layout_test, AMemberMayNotGetTheNameThatAnotherHad) {
  expect_refused<rectangle>("rectangle",
                            "layout has changed since: members of it have changed places: width was member "
                            "1, and is now member 2; docs/types.md");
  expect_refused<moved_up>("moved up", "of it have changed places: kept was member 2, and is now member 1");
  expect_refused<vector<framed>>("framed",
                                 "members of [i].inner.<0> have changed places: width was member 1");
}

TEST_F(type_layout_test, ObjectsOfBothOrdersAreKnownByTheirOwn) {
  {
    manager store(open_only, path);
    store.construct<rectangle>("turned")(rectangle{5, 6});
    EXPECT_EQ(store.find<rectangle>("turned").first->width, 6);
    EXPECT_NE(store.find<rectangle>("rectangle", same_layout).first, nullptr);
  }
  expect_refused<rectangle>("rectangle", "changed places");
  manager store(open_only, path);
  const rectangle* const turned = store.find<rectangle>("turned").first;
  EXPECT_EQ(turned->width, 6);
  EXPECT_TRUE(store.get_instance_info(turned).is_type<rectangle>());
  EXPECT_FALSE(
      store.get_instance_info(store.find<rectangle>("rectangle", same_layout).first).is_type<rectangle>());
  EXPECT_TRUE(store.destroy<rectangle>("rectangle", same_layout));
  EXPECT_TRUE(store.check().empty());
}

TEST_F(type_layout_test, RefusesToReplaceOrDestroyWhatHasChanged) {
  manager store(open_only, path);
  EXPECT_EQ(code_of([&] { store.find_or_construct<vector<retyped>>("vector")(); }), errc::wrong_type);
  EXPECT_EQ(code_of([&] { store.destroy<vector<retyped>>("vector"); }), errc::wrong_type);
  void* const object = store.find<vector<retyped_then>>("vector", same_layout).first;
  EXPECT_EQ(code_of([&] { store.destroy_ptr(static_cast<vector<retyped>*>(object)); }), errc::wrong_type);
}

TEST_F(type_layout_test, ConvertsWhatHasChanged) {
  {
    manager store(open_only, path);
    auto [before, length] = store.find<vector<retyped_then>>("convertible", same_layout);
    ASSERT_NE(before, nullptr);
    EXPECT_EQ(length, 1U);
    vector<retyped> now(store.get_allocator());
    for (const retyped_then& r : *before) now.push_back({r.key, static_cast<float>(r.weight)});
    EXPECT_TRUE(store.destroy<vector<retyped_then>>("convertible", same_layout));
    store.construct<vector<retyped>>("convertible")(std::move(now));
    EXPECT_TRUE(store.check().empty());
  }
  manager store(open_only, path);
  const auto* const converted = store.find<vector<retyped>>("convertible").first;
  ASSERT_NE(converted, nullptr);
  EXPECT_EQ(converted->front().key, 7);
  EXPECT_EQ(converted->front().weight, 8.0F);
}

TEST_F(type_layout_test, NamesTypesWithoutTheirDefaults) {
  expect_refused<vector<int>>(
      "vector",
      "\"vector\" was stored as perdure::vector<perdure::(anonymous namespace)::retyped>, "
      "not as perdure::vector<int>");
  expect_refused<std::vector<retyped, fallback_allocator<retyped>>>("vector", ", not as std::vector<");
  // Where the defaults are all that differs they are told.
  expect_refused<vector<retyped, fallback_allocator<retyped>>>("vector", "perdure::fallback_allocator<");
  EXPECT_EQ(short_type_name("a::b<c, perdure::allocator<c> >"), "a::b<c>");
  EXPECT_EQ(short_type_name("not < a name"), "not < a name");
}

TEST_F(type_layout_test, SaysWhatFindsARenamedType) {
  expect_refused<vector<retyped_then>>("vector",
                                       "; only names differ: if it is the same type under another name, "
                                       "find it with perdure::same_layout, as docs/types.md says");
  EXPECT_EQ(refusal<vector<not_retyped_then>>("vector").find("same_layout"), std::string::npos);
  EXPECT_EQ(refusal<int>("vector").find("same_layout"), std::string::npos);
  {
    manager store(open_only, path);
    using renamed = vector<retyped_then>;
    renamed now(std::move(*store.find<renamed>("convertible", same_layout).first));
    EXPECT_TRUE(store.destroy<renamed>("convertible", same_layout));
    store.construct<renamed>("convertible")(std::move(now));
    EXPECT_TRUE(store.check().empty());
  }
  manager store(open_only, path);
  EXPECT_EQ(store.find<vector<retyped_then>>("convertible").first->front().weight, 8);
}

TEST_F(type_layout_test, TheSameLayoutIsMoreThanTheSameSize) {
  manager store(open_only, path);
  const auto refused = [&]<class T>(std::type_identity<T>, const char* name) {
    EXPECT_EQ(code_of([&] { store.find<T>(name, same_layout); }), errc::wrong_type);
  };
  refused(std::type_identity<vector<not_retyped_then>>{}, "vector");
  refused(std::type_identity<vector<retyped>>{}, "vector");
  refused(std::type_identity<stable_vector<retyped_then>>{}, "vector");
  refused(std::type_identity<flat_map<int, not_retyped_then>>{}, "flat_map");
  refused(std::type_identity<flat_map<long, retyped_then>>{}, "flat_map");
  refused(std::type_identity<float>{}, "direct");
  refused(std::type_identity<std::tuple<float, retyped_then>>{}, "tuple");
  EXPECT_NE((store.find<flat_map<int, retyped_then>>("flat_map", same_layout).first), nullptr);
  EXPECT_NE((store.find<std::tuple<int, retyped_then>>("tuple", same_layout).first), nullptr);
  EXPECT_EQ((store.find<vector<retyped_then>>("nothing", same_layout).first), nullptr);
}

TEST_F(type_layout_test, ATypeThatHoldsItselfIsDescribedOnce) {
  const std::string& of_tree = type_stamp_of<tree>().layout;
  EXPECT_EQ(std::count(of_tree.begin(), of_tree.end(), '\n'), 6) << of_tree;
  struct leaf {
    std::array<int, 2> pair;
    std::array<int, 2> same;
  };
  const std::string& layout = type_stamp_of<leaf>().layout;
  EXPECT_EQ(std::count(layout.begin(), layout.end(), '\n'), 4) << layout;
}

// What a compiler says of a type is part of every store: these have to stay what they are, with every
// compiler.

struct plain {
  int id;
  double weights[3];
  colour shade;
};

TEST_F(type_layout_test, SaysTheSameWithEveryCompiler) {
  EXPECT_EQ(type_stamp_of<int>().layout, "");
  const auto hash = [](const char* layout) {
    return detail::make_type_stamp("4pair", 4, 4, 0, true, layout).hash;
  };
  EXPECT_EQ(hash("0 4 4 0 1 o i \n1 4 4 0 1 o i .x\n"), hash("0 4 4 0 1 o i \n1 4 4 0 1 o i .y\n"));
  EXPECT_EQ(hash("0 4 4 0 1 o i \n1 4 4 0 1 o i .x\n"), 0xafd469223c52ec7eU);
  const std::string name = typeid(plain).name();
  const std::string shade = typeid(colour).name();
  EXPECT_EQ(type_stamp_of<plain>().layout,
            "0 40 8 0 1 a " + name +
                " \n1 4 4 0 1 o i .id\n1 24 8 0 1 a A3_d .weights\n2 8 8 0 1 o d [i]\n1 4 4 0 1 a " + shade +
                " .shade\n2 4 4 0 1 o i \n");
  EXPECT_EQ((type_stamp_of<std::pair<int, char>>().layout),
            "0 8 4 0 0 h St4pairIicE \n1 4 4 0 1 o i .first\n1 1 1 0 1 o c .second\n");
}

}  // namespace

}  // namespace perdure
