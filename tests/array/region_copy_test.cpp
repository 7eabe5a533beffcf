// Parts of arrays copied and filled with strides of any kind, against loops over single elements.
#include "array/region_copy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <perdure/detail/index_order.hpp>
#include <vector>

#include "array/array_geometry.hpp"
#include "array/slab_access.hpp"
#include "support/errors.hpp"
#include "support/random_stream.hpp"

namespace perdure::detail {
namespace {

using strides = std::array<std::ptrdiff_t, max_rank>;

/// Strides for a region within memory, with gaps between some of its dimensions, and how many bytes it spans.
std::pair<strides, std::size_t> some_strides(random_stream& random, const extents& count,
                                             std::size_t element) {
  strides steps{};
  auto step = static_cast<std::ptrdiff_t>(element * (random.one_in(2) ? 1 : 1 + random.below(3)));
  for (std::size_t i = count.rank(); i-- > 0;) {
    steps[i] = step;
    step *= static_cast<std::ptrdiff_t>(std::max<std::uint64_t>(count[i], 1));
    if (random.one_in(3)) step += static_cast<std::ptrdiff_t>(element * random.below(3));
  }
  return {steps, static_cast<std::size_t>(step)};
}

/// Calls `visit(to, from)` with the places of each element.
template <class Visit>
void for_each_element(const extents& count, const strides& to, const strides& from, Visit&& visit) {
  for (std::uint64_t number = 0; number < count.elements(); ++number) {
    std::ptrdiff_t t = 0;
    std::ptrdiff_t f = 0;
    std::uint64_t rest = number;
    for (std::size_t i = count.rank(); i-- > 0;) {
      const auto at = static_cast<std::ptrdiff_t>(rest % count[i]);
      rest /= count[i];
      t += at * to[i];
      f += at * from[i];
    }
    visit(t, f);
  }
}

TEST(Regions, AreCopiedAndFilledElementByElement) {
  random_stream random(1);
  for (int times = 0; times < 3000; ++times) {
    const std::size_t sizes[] = {1, 2, 3, 4, 8, 16};
    const std::size_t element = sizes[random.below(std::size(sizes))];
    extents count;
    for (std::size_t rank = random.below(4); rank > 0; --rank)
      count.push_back(random.one_in(12) ? 0 : 1 + random.below(4));
    const auto [to_steps, to_bytes] = some_strides(random, count, element);
    const auto [from_steps, from_bytes] = some_strides(random, count, element);
    std::vector<std::byte> from(from_bytes + element);
    for (std::byte& one : from) one = static_cast<std::byte>(random.below(256));
    // A margin behind shows what is written too much.
    std::vector<std::byte> copied(to_bytes + 64, std::byte{7});
    std::vector<std::byte> filled = copied;
    std::vector<std::byte> expected_copy = copied;
    std::vector<std::byte> expected_fill = copied;
    for_each_element(count, to_steps, from_steps, [&](std::ptrdiff_t t, std::ptrdiff_t f) {
      std::memcpy(expected_copy.data() + t, from.data() + f, element);
      std::memset(expected_fill.data() + t, 0, element);
    });
    copy_region(count, element, copied.data(), to_steps, from.data(), from_steps);
    fill_region(count, element, filled.data(), to_steps, std::byte{0});
    ASSERT_EQ(copied, expected_copy) << count.text() << ' ' << element;
    ASSERT_EQ(filled, expected_fill) << count.text() << ' ' << element;
    if (count.elements() == 0) continue;
    const strides dense = row_major_strides(count, element);
    EXPECT_TRUE(is_dense(count, dense, element)) << count.text();
    bool differs = false;
    for (std::size_t i = 0; i < count.rank(); ++i) differs |= count[i] != 1 && to_steps[i] != dense[i];
    EXPECT_EQ(is_dense(count, to_steps, element), !differs) << count.text();
  }
}

TEST(Slabs, AreStridedWhereTheyPassElementsOver) {
  EXPECT_FALSE(is_strided({{0}, {5}, {}}));
  EXPECT_FALSE(is_strided({{0}, {5}, {1}}));
  EXPECT_FALSE(is_strided({{0, 0}, {1, 5}, {3, 1}})) << "one element has no next one";
  EXPECT_TRUE(is_strided({{0, 0}, {2, 5}, {3, 1}}));
}

TEST(Slabs, HaveAsManyStridesAsDimensions) {
  const extents dims{4, 4};
  require_slab("x", dims, {{0, 0}, {2, 2}, {2, 2}}, {2, 2});
  for (const slab& wrong :
       {slab{{0, 0}, {2, 2}, {2}}, slab{{0, 0}, {2, 2}, {1, 1, 1}}, slab{{0}, {2, 2}, {}},
        slab{{0, 0}, {2}, {}}, slab{{0, 0}, {2, 2}, {0, 1}}, slab{{0, 0}, {2, 2}, {4, 1}}})
    EXPECT_EQ(code_of([&] { require_slab("x", dims, wrong, {2, 2}); }), errc::invalid_argument);
}

TEST(Places, AreNamedInTheOrderOfTheProgramsLanguage) {
  EXPECT_EQ(shape_text({2, 3}), "[2, 3]");
  EXPECT_EQ(place_text({2, 3}), "[2, 3]");
  EXPECT_EQ(names_text({"y", "x"}), "\"y\", \"x\"");
  {
    const messages_in order(index_order::fortran);
    EXPECT_EQ(shape_text({2, 3}), "(3, 2)");
    EXPECT_EQ(place_text({2, 3}), "(4, 3)");
    EXPECT_EQ(names_text({"y", "x"}), "\"x\", \"y\"");
  }
  EXPECT_EQ(shape_text({}), "[]");
}

}  // namespace
}  // namespace perdure::detail
