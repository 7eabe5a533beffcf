// Requests of programs for a checkpoint.
#include "store/commit/checkpoint_request.hpp"

#include <gtest/gtest.h>

#include <perdure/checkpoint_log.hpp>
#include <string>

#include "page_sets.hpp"
#include "support/errors.hpp"

namespace perdure::store {
namespace {

std::vector<detail::page_run> sound(const std::vector<detail::page_run>& released, std::uint64_t pages) {
  return sound_released(released, pages, "the store");
}

TEST(released_pages, lie_in_the_segment) {
  for (const detail::page_run outside :
       {detail::page_run{0, 11}, {9, 2}, {10, 1}, {11, 1}, {12, 0}, {~0ull, 2}})
    EXPECT_TRUE(fails_with(errc::invalid_argument, "the store",
                           [&] {
                             sound({{0, 1}, outside}, 10);
                           }))
        << outside.first << " " << outside.count;
  for (const detail::page_run inside : {detail::page_run{0, 10}, {9, 1}, {10, 0}})
    EXPECT_EQ(pages_in(sound({inside}, 10)), pages_in({inside}));
}

TEST(released_pages, may_come_in_any_order) {
  EXPECT_EQ(sound({{7, 1}, {2, 3}, {3, 4}, {9, 0}}, 10), (std::vector<detail::page_run>{{2, 6}}));
}

TEST(label, is_at_most_so_long) {
  EXPECT_NO_THROW(require_label(std::string(max_label_length, 'x')));
  EXPECT_TRUE(fails_with(errc::invalid_argument, std::to_string(max_label_length + 1),
                         [&] { require_label(std::string(max_label_length + 1, 'x')); }));
}

}  // namespace
}  // namespace perdure::store
