// Objects whose types, or the types inside them, have changed since they were stored.
#include <gtest/gtest.h>

#include <array>
#include <bitset>
#include <boost/container/vector.hpp>
#include <boost/optional.hpp>
#include <boost/tuple/tuple.hpp>
#include <boost/variant.hpp>
#include <boost/variant2/variant.hpp>
#include <chrono>
#include <complex>
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
class private_members {
 public:
  PERDURE_MEMBERS(value_, id_, more_)

 private:
  float value_ = 0;
  short id_ = 0;
  short more_ = 0;
};
struct base {
  float a = 0;
};
struct derived : base {
  PERDURE_MEMBERS(a, b)
  int b = 0;
};
class described_later {
 public:
  PERDURE_MEMBERS(value_)
  int value() const { return value_; }

 private:
  int value_ = 0;
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
  expect_refused<boost::optional<retyped>>("boost optional", "weight was int");
  expect_refused<boost::variant<int, retyped>>("boost variant", "<1>.weight was int");
  expect_refused<boost::variant2::variant<int, retyped>>("boost variant2", "<1>.weight was int");
  expect_refused<boost::tuple<int, retyped>>("boost tuple", "<1>.weight was int");
  expect_refused<vector<flat_map<string, std::pair<int, std::array<nested, 2>>>>>("deep",
                                                                                  ".inner.weight was int");
}

TEST_F(type_layout_test, ItsAuthorSpeaksForWhatCannotBeSeen) {
  expect_refused<versioned>("versioned", "layout version 0");
  // A class that is no aggregate, of the same size: only a version could tell.
  manager store(open_only, path);
  EXPECT_NE(store.find<hidden>("hidden").first, nullptr);
}

TEST_F(type_layout_test, SeesMembersThatTheirClassNames) {
  expect_refused<vector<private_members>>("private members",
                                          "[i].value_ was int (4 bytes), and is now float (4 bytes)");
  expect_refused<derived>("derived", "a was int (4 bytes), and is now float (4 bytes)");
  // The earlier program did not name them.
  manager store(open_only, path);
  EXPECT_EQ(store.find<described_later>("described later").first->value(), 6);
}

TEST_F(type_layout_test, IsKnownWhereEveryMemberIs) {
  static_assert(layout_is_known<int> && layout_is_known<retyped[3]> && layout_is_known<const nested>);
  static_assert(layout_is_known<vector<flat_map<string, std::pair<int, std::array<nested, 2>>>>>);
  static_assert(layout_is_known<tree> && layout_is_known<std::variant<int, std::optional<string>>>);
  static_assert(layout_is_known<versioned> && layout_is_known<private_members> && layout_is_known<derived>);
  static_assert(layout_is_known<offset_ptr<hidden>> && layout_is_known<std::chrono::seconds>);
  static_assert(layout_is_known<std::chrono::system_clock::time_point> && layout_is_known<std::bitset<70>>);
  static_assert(layout_is_known<std::complex<double>>);
  static_assert(!layout_is_known<hidden> && !layout_is_known<vector<std::pair<int, hidden>>>);
  struct with_base : base {
    int b = 0;
  };
  struct with_union {
    union {
      int i;
      float f;
    } value;
  };
  static_assert(!layout_is_known<with_base> && !layout_is_known<with_union>);
  store_options strict;
  strict.known_layouts_only = true;
  manager store(open_only, path, strict);
  const auto is_refused = [](const auto& call) {
    return fails_with(errc::unsupported,
                      "hidden is not known, as it, or something in it, has private members", call);
  };
  EXPECT_TRUE(is_refused([&] { store.find<hidden>("hidden"); }));
  EXPECT_TRUE(is_refused([&] { store.construct<hidden>("another")(); }));
  EXPECT_TRUE(is_refused([&] { store.find_or_construct<hidden>("hidden")(); }));
  EXPECT_TRUE(is_refused([&] { store.destroy<hidden>("hidden"); }));
  EXPECT_NE(store.find<vector<private_members>>("nothing").second, 1U);
}

struct with_bit_field {
  PERDURE_MEMBERS(bits)
  unsigned bits : 3;
};

TEST_F(type_layout_test, NamesNoBitFields) {
  EXPECT_TRUE(fails_with(errc::unsupported, "PERDURE_MEMBERS(bits) names something that is no member",
                         [] { type_stamp_of<with_bit_field>(); }));
}

TEST_F(type_layout_test, AMemberMayGetAnotherName) {
  manager store(open_only, path);
  EXPECT_EQ(store.find<renamed_member>("renamed member").first->new_name, 5);
}

TEST_F(type_layout_test, AMemberMayNotGetTheNameThatAnotherHad) {
  expect_refused<rectangle>("rectangle",
                            "layout has changed since: members of it have changed places: width was member "
                            "1, and is now member 2; docs/reference/types.md");
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

TEST_F(type_layout_test, ConvertsAUniqueInstanceThatHasChanged) {
  manager store(open_only, path);
  EXPECT_EQ(code_of([&] { store.find<retyped>(unique_instance); }), errc::wrong_type);
  EXPECT_EQ(store.find<retyped_then>(unique_instance).first, nullptr);
  EXPECT_EQ(store.find<not_retyped_then>(unique_instance, same_layout).first, nullptr);
  const auto [before, length] = store.find<retyped_then>(unique_instance, same_layout);
  ASSERT_NE(before, nullptr);
  EXPECT_EQ(length, 1U);
  const retyped now{before->key, static_cast<float>(before->weight)};
  EXPECT_FALSE(store.destroy<not_retyped_then>(unique_instance, same_layout));
  EXPECT_TRUE(store.destroy<retyped_then>(unique_instance, same_layout));
  EXPECT_EQ(store.find<retyped_then>(unique_instance, same_layout).first, nullptr);
  store.construct<retyped>(unique_instance)(now);
  EXPECT_EQ(store.find<retyped>(unique_instance).first->weight, 4.0F);
  EXPECT_TRUE(store.check().empty());
}

TEST_F(type_layout_test, DoesNotChooseAmongUniqueInstancesOfTheSameLayout) {
  manager store(open_only, path);
  store.construct<rectangle>(unique_instance)();
  EXPECT_EQ(code_of([&] { store.destroy<retyped_then>(unique_instance, same_layout); }), errc::wrong_type);
  try {
    store.find<retyped_then>(unique_instance, same_layout);
    ADD_FAILURE() << "one of two was chosen";
  } catch (const error& failure) {
    for (const char* const said :
         {"more than one unique instance has the layout of", "::retyped", "::rectangle", "unique_objects()"})
      EXPECT_NE(std::string(failure.what()).find(said), std::string::npos) << failure.what();
  }
  store.construct<retyped_then>(unique_instance)();
  EXPECT_NE(store.find<retyped_then>(unique_instance, same_layout).first, nullptr);
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
  EXPECT_EQ(short_type_name("std::vector<int, perdure::pinned_allocator<int> >"), "std::vector<int>");
  EXPECT_EQ(short_type_name("std::__cxx11::list<std::__cxx11::basic_string<char, std::char_traits<char>, "
                            "perdure::pinned_allocator<char> >, perdure::pinned_allocator<c> >"),
            "std::list<std::string>");
  EXPECT_EQ(short_type_name("not < a name"), "not < a name");
}

TEST_F(type_layout_test, NamesTypesOfOtherInterfacesWithoutTheirDefaults) {
  const std::string boost =
      "perdure_interprocess::segment_manager<char, perdure_interprocess::rbtree_best_fit<"
      "boost::interprocess::mutex_family, perdure::offset_ptr<void>, 0ul>, perdure_interprocess::iset_index> "
      ">";
  const std::string metall =
      "metall::kernel::manager_kernel<metall::kernel::storage, metall::kernel::segment_storage, unsigned "
      "int, "
      "2097152ul> >";
  EXPECT_EQ(short_type_name("boost::container::vector<int, perdure_interprocess::allocator<int, " + boost +
                            ", void>"),
            "boost::container::vector<int>");
  EXPECT_EQ(short_type_name("boost::container::list<int, perdure_interprocess::detail::pool_allocator<int, " +
                            boost + " >"),
            "boost::container::list<int>");
  const std::string vector = "boost::container::vector<int, metall::stl_allocator<int, " + metall + ", void>";
  EXPECT_EQ(short_type_name("boost::container::vector<" + vector +
                            ", boost::container::scoped_allocator_adaptor<metall::stl_allocator<" + vector +
                            ", " + metall + " >, void>"),
            "boost::container::vector<boost::container::vector<int>>");
  EXPECT_EQ(short_type_name("boost::container::vector<int, metall::container::fallback_allocator_adaptor<"
                            "metall::stl_allocator<int, " +
                            metall + " >, void>"),
            "boost::container::vector<int>");
  // An allocator that is no default, as there is nothing else, without its store.
  EXPECT_EQ(short_type_name("metall::json::value<metall::stl_allocator<std::byte, " + metall + " >"),
            "metall::json::value<metall::stl_allocator<std::byte>>");
}

TEST_F(type_layout_test, SaysWhatFindsARenamedType) {
  expect_refused<vector<retyped_then>>("vector",
                                       "; only names differ: if it is the same type under another name, "
                                       "find it with perdure::same_layout, as docs/reference/types.md says");
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
  EXPECT_EQ(std::count(layout.begin(), layout.end(), '\n'), 5) << layout;
}

/// Whether an object is found whose type an earlier library described so, where this one says `now`.
bool is_found(const std::string& before, const std::string& now) {
  const type_stamp stored = detail::make_type_stamp("4pair", 4, 4, 0, true, {before});
  const type_stamp asked = detail::make_type_stamp("4pair", 4, 4, 0, true, {now});
  return detail::is_stamp_of(stored.hash, stored.layout, asked);
}

TEST_F(type_layout_test, TakesWhatWasStoredByALibraryThatSawLess) {
  const std::string opaque = "0 4 4 0 1 a 4pair \n1 4 4 0 1 o 3box .b\n";
  const std::string seen =
      "0 4 4 0 1 a 4pair \n1 4 4 0 1 h 3box .b\n2 4 4 0 1 a 3rec .<0>\n3 4 4 0 1 o i .x\n";
  EXPECT_TRUE(is_found(opaque, seen));
  EXPECT_TRUE(is_found("", seen));
  EXPECT_FALSE(is_found(seen, opaque));
  EXPECT_FALSE(is_found(seen, ""));
  EXPECT_FALSE(is_found(opaque, "0 4 4 0 1 a 4pair \n1 8 4 0 1 h 3box .b\n2 4 4 0 1 o i .<0>\n"));
  EXPECT_FALSE(is_found(opaque, "0 4 4 0 1 a 4pair \n1 4 4 0 1 h 3bag .b\n2 4 4 0 1 o i .<0>\n"));
  EXPECT_FALSE(is_found(opaque, "0 4 4 0 1 a 4pair \n1 4 4 0 1 o 3box .b\n1 4 4 0 1 o i .new\n"));
  // The author's word is no description.
  EXPECT_FALSE(is_found("0 4 4 0 1 a 4pair \n1 4 4 1 1 o 3box .b\n", seen));

  // What is inside a type is told where it is met first, which is another place now.
  const std::string later = "1 4 4 0 1 a 3rec .r\n";
  const auto whole = [&](const char* type) { return later + "2 4 4 0 1 o " + type + " .x\n"; };
  EXPECT_TRUE(is_found(opaque + whole("i"), seen + later));
  EXPECT_FALSE(is_found(opaque + whole("f"), seen + later));
  // Types that hold themselves.
  const std::string tree = "1 8 8 0 1 a 4tree .t\n2 8 8 0 1 h 4many .m\n3 8 8 0 1 a 4tree [i]\n";
  const std::string of_trees = "0 4 4 0 1 a 4pair \n1 4 4 0 1 h 3box .b\n2 8 8 0 1 a 4tree .<0>\n";
  EXPECT_TRUE(is_found(opaque + tree,
                       of_trees + "3 8 8 0 1 h 4many .m\n4 8 8 0 1 a 4tree [i]\n1 8 8 0 1 a 4tree .t\n"));

  // Of text that is not what the stamp was made of nothing is known.
  const std::uint64_t hash = detail::make_type_stamp("4pair", 4, 4, 0, true, {opaque}).hash;
  const type_stamp asked = detail::make_type_stamp("4pair", 4, 4, 0, true, {seen});
  EXPECT_TRUE(detail::is_stamp_of(hash, opaque, asked));
  EXPECT_FALSE(detail::is_stamp_of(hash, opaque.substr(0, opaque.find('\n') + 1), asked));
  EXPECT_FALSE(detail::is_stamp_of(hash, "unreadable", asked));
}

class described {
 public:
  static auto stored_form() {
    return stored_members(stored_member("letter", &described::letter_),
                          stored_member("rows", &described::rows_));
  }

 private:
  char letter_ = 0;
  vector<retyped> rows_;
};

TEST_F(type_layout_test, KeepsTheFormOfATypeBesideItsLayout) {
  const type_stamp& stamp = type_stamp_of<described>();
  const std::string name = typeid(described).name();
  const std::string rows = typeid(vector<retyped>).name();
  const std::string row = typeid(retyped).name();
  EXPECT_EQ(stamp.layout, "0 40 8 0 0 a " + name + " \n1 1 1 0 1 o c .letter\n1 32 8 0 0 h " + rows +
                              " .rows\n2 8 4 0 1 a " + row +
                              " [i]\n3 4 4 0 1 o i .key\n3 4 4 0 1 o f .weight\n");
  EXPECT_EQ(stamp.form, "+ 0 0 40 8 0 members " + name +
                            " \n+ 1 0 1 1 1 - c .letter\n+ 1 8 32 8 0 array:8,16,24 " + rows +
                            " .rows\n+ 2 0 8 4 1 members " + row +
                            " [i]\n+ 3 0 4 4 1 - i .key\n+ 3 4 4 4 1 - f .weight\n");
  // A library that did not look into such classes has stored some.
  const type_stamp before =
      detail::make_type_stamp(name.c_str(), sizeof(described), alignof(described), 0, false);
  EXPECT_TRUE(detail::is_stamp_of(before.hash, before.layout, stamp));
  EXPECT_EQ(type_stamp_of<rectangle>().form, "");

  const scratch_directory other;
  {
    manager store(create_only, other.path(), small_store());
    store.construct<described>("d")();
    store.construct<flat_map<int, described>>("m")();
  }
  const manager store(open_read_only, other.path());
  for (const object_info& object : store.named_objects()) {
    EXPECT_EQ(object.form().empty(), false) << object.name();
    EXPECT_EQ(object.layout().find('+'), std::string_view::npos) << object.layout();
  }
  EXPECT_NE(store.find<described>("d").first, nullptr);
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
    return detail::make_type_stamp("4pair", 4, 4, 0, true, {layout}).hash;
  };
  EXPECT_EQ(hash("0 4 4 0 1 o i \n1 4 4 0 1 o i .x\n"), hash("0 4 4 0 1 o i \n1 4 4 0 1 o i .y\n"));
  EXPECT_EQ(hash("0 4 4 0 1 o i \n1 4 4 0 1 o i .x\n"), 0xafd469223c52ec7eU);
  const std::string name = typeid(plain).name();
  const std::string shade = typeid(colour).name();
  EXPECT_EQ(type_stamp_of<plain>().layout,
            "0 40 8 0 1 a " + name +
                " \n1 4 4 0 1 o i .id\n1 24 8 0 1 a A3_d .weights\n2 8 8 0 1 o d [i]\n1 4 4 0 1 a " + shade +
                " .shade\n2 4 4 0 1 o i \n= {40/8 id:int32@0 weights:float64[3]@8 shade:int32@32}\n");
  EXPECT_EQ((type_stamp_of<std::pair<int, char>>().layout),
            "0 8 4 0 0 h St4pairIicE \n1 4 4 0 1 o i .first\n1 1 1 0 1 o c .second\n");
}

}  // namespace

}  // namespace perdure
