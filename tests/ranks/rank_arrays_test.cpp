// Arrays of several ranks: stored by one decomposition, loaded by others.
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <perdure/store_set.hpp>
#include <random>

#include "array/busy_worker.hpp"
#include "ranks/boxes.hpp"
#include "ranks/coverage.hpp"
#include "ranks/set_fixture.hpp"

namespace perdure {
namespace {

using detail::box_list;

// ---- boxes -----------------------------------------------------------------------------------------------

box_list boxes_of(std::size_t rank, std::initializer_list<std::pair<extents, extents>> all) {
  box_list result(rank);
  for (const auto& [offset, count] : all) result.add(slab{offset, count, {}});
  return result;
}

// Which elements of a small array are in how many boxes.
std::map<std::vector<std::uint64_t>, int> elements_of(const box_list& boxes) {
  std::map<std::vector<std::uint64_t>, int> all;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    std::vector<std::uint64_t> at(boxes.offset(i), boxes.offset(i) + boxes.rank());
    for (;;) {
      ++all[at];
      std::size_t d = boxes.rank();
      while (d-- > 0) {
        if (++at[d] < boxes.end(i, d)) break;
        at[d] = boxes.begin(i, d);
      }
      if (d == static_cast<std::size_t>(-1)) break;
    }
  }
  return all;
}

box_list some_boxes(std::mt19937& random, std::size_t rank, int count) {
  box_list boxes(rank);
  for (int i = 0; i < count; ++i) {
    slab one{extents::all(rank, 0), extents::all(rank, 0), {}};
    for (std::size_t d = 0; d < rank; ++d) {
      one.offset[d] = random() % 6;
      one.count[d] = random() % 4;
    }
    boxes.add(one);
  }
  return boxes;
}

TEST(boxes, are_cut_as_their_elements_say) {
  std::mt19937 random(1);
  for (int times = 0; times < 400; ++times) {
    const std::size_t rank = random() % 4;
    const box_list a = some_boxes(random, rank, 4);
    const box_list b = some_boxes(random, rank, 4);
    const auto of_a = elements_of(a);
    const auto of_b = elements_of(b);
    const bool has_overlap =
        std::any_of(of_a.begin(), of_a.end(), [](const auto& one) { return one.second > 1; });
    const auto found = find_overlap(a);
    ASSERT_EQ(found.has_value(), has_overlap);
    const box_list apart = disjoint(a);
    const auto of_apart = elements_of(apart);
    EXPECT_EQ(of_apart.size(), of_a.size());
    EXPECT_EQ(apart.elements(), of_a.size());
    const auto of_rest = elements_of(without(apart, b));
    for (const auto& [at, times_in] : of_apart) {
      EXPECT_EQ(times_in, 1);
      EXPECT_EQ(of_rest.count(at), of_b.contains(at) ? 0u : 1u);
    }
    EXPECT_EQ(elements_of(common(a, slab::whole(extents::all(rank, 9)))), of_a);
  }
}

TEST(boxes, of_a_grid_overlap_only_where_one_is_added) {
  box_list grid(2);
  for (std::uint64_t i = 0; i < 40; ++i)
    for (std::uint64_t j = 0; j < 40; ++j) grid.add(slab{{3 * i, 2 * j}, {3, 2}, {}});
  EXPECT_FALSE(find_overlap(grid));
  EXPECT_EQ(grid.elements(), 40u * 40u * 6u);
  grid.add(slab{{61, 33}, {1, 1}, {}});
  EXPECT_EQ(find_overlap(grid), std::pair(std::size_t{20 * 40 + 16}, std::size_t{1600}));
}

detail::array_parts array_of(const extents& dims, box_list boxes) {
  return {"f64", dims, std::move(boxes)};
}

TEST(coverage, adds_up_where_each_element_is_written_once) {
  constexpr std::uint64_t modulus = detail::vote::cover_modulus;
  const extents dims{6, 9};
  const auto sum = [&](const std::vector<box_list>& ranks) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      all = (all + detail::cover_of("T", array_of(dims, ranks[i]), static_cast<int>(i),
                                    static_cast<int>(ranks.size()))) %
            modulus;
    return all;
  };
  const box_list top = boxes_of(2, {{{0, 0}, {2, 9}}});
  const box_list left = boxes_of(2, {{{2, 0}, {4, 4}}});
  const box_list right = boxes_of(2, {{{2, 4}, {4, 5}}});
  EXPECT_EQ(sum({top, left, right}), 0u);
  EXPECT_EQ(sum({boxes_of(2, {{{0, 0}, {6, 9}}})}), 0u);
  EXPECT_EQ(sum({boxes_of(2, {{{0, 0}, {2, 9}}, {{2, 4}, {4, 5}}}), left}), 0u);
  // A gap, an overlap, and both of the same size.
  EXPECT_NE(sum({top, left, box_list(2)}), 0u);
  EXPECT_NE(sum({top, left, right, boxes_of(2, {{{5, 8}, {1, 1}}})}), 0u);
  EXPECT_NE(sum({top, left, boxes_of(2, {{{2, 3}, {4, 5}}})}), 0u);
  EXPECT_NE(sum({top, left, boxes_of(2, {{{2, 4}, {4, 4}}, {{0, 8}, {4, 1}}})}), 0u);
}

TEST(coverage, is_not_read_from_messages_that_are_cut_short) {
  const std::string whole = detail::to_bytes({{"T", array_of({6, 9}, boxes_of(2, {{{0, 0}, {2, 9}}}))}});
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes) {
    detail::cover_book book;
    EXPECT_TRUE(fails_with(errc::io, "cut short", [&] { book.look({whole.substr(0, bytes)}); })) << bytes;
  }
  detail::cover_book book;
  book.look({whole});
}

// ---- arrays ----------------------------------------------------------------------------------------------

class an_array_of_ranks : public ranks_set {
 protected:
  static double value(std::uint64_t step, std::uint64_t i, std::uint64_t j) {
    return static_cast<double>(step * 1000000 + i * 1000 + j);
  }
  static void write(array_store& arrays, std::uint64_t step, const extents& offset, const extents& count) {
    std::vector<double> elements;
    for (std::uint64_t i = 0; i < count[0]; ++i)
      for (std::uint64_t j = 0; j < count[1]; ++j)
        elements.push_back(value(step, offset[0] + i, offset[1] + j));
    arrays.store("field", array_view<const double, 2>(elements.data(), count), offset);
  }
  static void expect_part(const array_store& arrays, std::uint64_t step, const slab& where) {
    std::vector<double> elements = arrays.array("field").read<double>(where);
    for (std::uint64_t i = 0; i < where.count[0]; ++i) {
      for (std::uint64_t j = 0; j < where.count[1]; ++j) {
        const std::uint64_t row = where.offset[0] + i * (where.stride.empty() ? 1 : where.stride[0]);
        const std::uint64_t column = where.offset[1] + j * (where.stride.empty() ? 1 : where.stride[1]);
        ASSERT_EQ(elements[i * where.count[1] + j], value(step, row, column)) << row << ' ' << column;
      }
    }
  }
  static array_store arrays_of(store_set& set) { return array_store(set.arrays()); }
  /// Rows 0 to 11 of 10 columns, by so many ranks.
  static slab rows_of(int rank, int ranks) {
    const auto row = [&](int of) { return static_cast<std::uint64_t>(12 * of / ranks); };
    return {{row(rank), 0}, {row(rank + 1) - row(rank), 10}, {}};
  }
  static void write_rows(array_store& arrays, std::uint64_t step, int rank, int ranks) {
    const slab rows = rows_of(rank, ranks);
    write(arrays, step, rows.offset, rows.count);
  }
  void make_field(int ranks, const array_options& options = {}) {
    on(ranks, set_mode::create, [&](store_set& set, int rank) {
      array_store arrays = arrays_of(set);
      arrays.create<double>("field", {12, 10}, options);
      write_rows(arrays, 1, rank, ranks);
      set.checkpoint({});
      set.close();
    });
  }
};

TEST_F(an_array_of_ranks, is_loaded_by_any_decomposition) {
  make_field(4);
  for (const int ranks : {1, 2, 3, 4, 7}) {
    on(ranks, set_mode::open_read_only, [&](store_set& set, int rank) {
      const array_store arrays = arrays_of(set);
      EXPECT_EQ(arrays.dims("field"), (extents{12, 10}));
      expect_part(arrays, 1, rows_of(rank, ranks));
      expect_part(arrays, 1, slab::whole({12, 10}));
      expect_part(arrays, 1, {{0, static_cast<std::uint64_t>(rank)}, {12, 1}, {}});
      expect_part(arrays, 1, {{1, 0}, {6, 4}, {2, 3}});
      EXPECT_EQ(arrays.list(), std::vector<std::string>{"field"});
      EXPECT_EQ(arrays.check("field"), std::vector<std::string>{});
      set.close();
    });
  }
}

TEST_F(an_array_of_ranks, is_loaded_from_others_while_all_write) {
  make_field(3);
  on(3, set_mode::open, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    write_rows(arrays, 2, rank, 3);
    // Of others what they had at the last checkpoint.
    expect_part(arrays, 2, rows_of(rank, 3));
    expect_part(arrays, 1, rows_of((rank + 1) % 3, 3));
    set.checkpoint({});
    expect_part(arrays, 2, slab::whole({12, 10}));
    EXPECT_TRUE(fails_with(errc::not_found, "no array named \"none\"", [&] { arrays.dims("none"); }));
    EXPECT_FALSE(arrays.contains("none"));
    set.close();
  });
}

TEST_F(an_array_of_ranks, needs_no_words_where_all_of_it_is_written) {
  on(4, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    arrays.create<double>("field", {12, 10});
    for (std::uint64_t step = 1; step < 4; ++step) {
      write_rows(arrays, step, rank, 4);
      set.checkpoint({});
    }
    EXPECT_EQ(set.counted().gathers, 0u);
    EXPECT_EQ(set.counted().reductions, 2u + 3u);
    // Only partly written: looked at once, and again when that changes.
    arrays.create<int>("some", {100});
    for (int step = 0; step < 3; ++step) {
      if (rank == 2)
        arrays.store("some", array_view<const int, 1>(std::vector<int>(5, step).data(), {5}), {7});
      set.checkpoint({});
      EXPECT_EQ(set.counted().gathers, 1u);
    }
    EXPECT_EQ(set.counted().reductions, 2u + 3u + 4u);
    if (rank == 1) arrays.store("some", array_view<const int, 1>(std::vector<int>(5, 1).data(), {5}), {12});
    set.checkpoint({});
    EXPECT_EQ(set.counted().gathers, 2u);
    set.close();
  });
}

TEST_F(an_array_of_ranks, is_viewed_where_a_rank_has_its_part) {
  make_field(3);
  on(3, set_mode::open, [&](store_set& set, int rank) {
    const array_store arrays = arrays_of(set);
    const slab own = rows_of(rank, 3);
    EXPECT_EQ((arrays.array("field").view<double, 2>(own)(0, 4)), value(1, own.offset[0], 4));
    EXPECT_TRUE(fails_with(errc::unsupported, "not in one piece",
                           [&] { arrays.array("field").view<double>(rows_of((rank + 1) % 3, 3)); }));
    set.close();
  });
  on(2, set_mode::open_read_only, [&](store_set& set, int) {
    const array_store arrays = arrays_of(set);
    for (int of = 0; of < 3; ++of) {
      const slab part = rows_of(of, 3);
      EXPECT_EQ((arrays.array("field").view<double, 2>(part)(1, 9)), value(1, part.offset[0] + 1, 9));
    }
    EXPECT_TRUE(fails_with(errc::unsupported, "not in one piece", [&] {
      arrays.array("field").view<double>({{0, 0}, {12, 10}, {}});
    }));
    EXPECT_TRUE(fails_with(errc::not_found, "none", [&] {
      arrays.array("none").view<double>({{0}, {1}, {}});
    }));
    set.close();
  });
}

TEST_F(an_array_of_ranks, is_not_checkpointed_where_two_have_written_the_same) {
  make_field(3);
  on(3, set_mode::open, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    const std::uint64_t before = set.epoch();
    write_rows(arrays, 2, rank, 3);
    if (rank == 1) write(arrays, 2, {8, 3}, {1, 4});
    for (int times = 0; times < 2; ++times) {
      EXPECT_TRUE(fails_with(
          errc::conflict,
          "rank 1 and rank 2 have both written the part at [8, 3] of [1, 4] elements of the array \"field\"",
          [&] { set.checkpoint({}); }));
    }
    EXPECT_EQ(set.epoch(), before);
    // All of it anew.
    arrays.erase("field");
    arrays.create<double>("field", {12, 10});
    write_rows(arrays, 3, rank, 3);
    set.checkpoint({});
    expect_part(arrays, 3, slab::whole({12, 10}));
    set.close();
  });
}

TEST_F(an_array_of_ranks, has_fewer_parts_than_a_message_holds) {
  rank_threads team(2);
  team.limit_gathers(300);
  expect_none(team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
    const auto set = open_set_of(std::move(group), set_mode::create, path());
    array_store arrays = arrays_of(*set);
    arrays.create<double>("field", {12, 10});
    for (std::uint64_t i = 0; i < 12 && rank == 1; ++i) write(arrays, 1, {i, i % 3}, {1, 4});
    EXPECT_TRUE(
        fails_with(errc::out_of_capacity, "rank 1: it has written so many", [&] { set->checkpoint({}); }));
    if (rank == 1) write(arrays, 1, {0, 0}, {12, 10});
    set->checkpoint({});
    set->close();
  }));
}

TEST_F(an_array_of_ranks, may_be_written_over_by_the_same_rank) {
  on(2, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    arrays.create<double>("field", {12, 10});
    // Parts of one rank that overlap each other.
    for (std::uint64_t i = 0; i < 4; ++i)
      write(arrays, 5, {6u * static_cast<unsigned>(rank) + i, 0}, {3, 10});
    set.checkpoint({});
    EXPECT_EQ(set.counted().gathers, 0u);
    expect_part(arrays, 5, slab::whole({12, 10}));
    set.close();
  });
  on(3, set_mode::open_read_only, [&](store_set& set, int) {
    expect_part(arrays_of(set), 5, slab::whole({12, 10}));
  });
}

TEST_F(an_array_of_ranks, is_the_same_on_all_of_them) {
  on(3, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    arrays.create<double>("field", rank == 1 ? extents{12, 11} : extents{12, 10});
    EXPECT_TRUE(fails_with(errc::conflict,
                           "the array \"field\" is [12, 10] on rank 0 and [12, 11] on rank 1: all ranks must",
                           [&] { set.checkpoint({}); }));
    arrays.erase("field");
    if (rank == 2) {
      arrays.create<float>("field", {12, 10});
    } else {
      arrays.create<double>("field", {12, 10});
    }
    EXPECT_TRUE(fails_with(errc::wrong_type, "on rank 2: all ranks must", [&] { set.checkpoint({}); }));
    arrays.erase("field");
    arrays.create<double>("field", {12, 10});
    write_rows(arrays, 1, rank, 3);
    arrays.array("field").resize(rank == 0 ? extents{14, 10} : extents{13, 10});
    EXPECT_TRUE(fails_with(errc::conflict, "is [14, 10] on rank 0 and [13, 10] on rank 1",
                           [&] { set.checkpoint({}); }));
    if (rank != 0) arrays.array("field").resize({14, 10});
    if (rank == 2) write(arrays, 1, {12, 0}, {2, 10});
    set.checkpoint({});
    expect_part(arrays, 1, slab::whole({14, 10}));
    set.close();
  });
}

TEST_F(an_array_of_ranks, is_laid_out_and_named_alike_by_all_of_them) {
  struct making {
    array_options of_most;
    array_options of_rank_1;
    std::string words;
  };
  const std::string all_alike = " on rank 1: all ranks must create it as the same";
  const array_options chunked{.layout = array_layout::chunked, .chunk = {2, 5}};
  std::vector<making> makings = {
      {{}, chunked, "is in blocks on rank 0 and in chunks of [2, 5]"},
      {chunked,
       {.layout = array_layout::chunked, .chunk = {4, 5}},
       "is in chunks of [2, 5] on rank 0 and in chunks of [4, 5]"},
      {{.dimensions = {"y", "x"}},
       {.dimensions = {"x", "y"}},
       "the dimensions of the array \"field\" are named \"y\", \"x\" on rank 0 and named \"x\", \"y\""},
      {{}, {.dimensions = {"y", "x"}}, "are not named on rank 0 and named \"y\", \"x\""}};
  if (is_available(compression::zstd))
    makings.push_back(
        {{}, {.codec = compression::zstd}, "is in blocks on rank 0 and in blocks, compressed by zstd"});
  for (const making& one : makings) {
    SCOPED_TRACE(one.words);
    std::filesystem::remove_all(path());
    on(3, set_mode::create, [&](store_set& set, int rank) {
      array_store arrays = arrays_of(set);
      const std::uint64_t before = set.epoch();
      arrays.create<double>("field", {12, 10}, rank == 1 ? one.of_rank_1 : one.of_most);
      write_rows(arrays, 1, rank, 3);
      EXPECT_TRUE(fails_with(errc::conflict, one.words + all_alike, [&] { set.checkpoint({}); }));
      EXPECT_EQ(set.epoch(), before);
      if (rank == 1) {
        arrays.erase("field");
        arrays.create<double>("field", {12, 10}, one.of_most);
        write_rows(arrays, 1, rank, 3);
      }
      set.checkpoint({});
      expect_part(arrays, 1, slab::whole({12, 10}));
      set.close();
    });
  }
}

TEST_F(an_array_of_ranks, has_no_attribute_of_two_values) {
  make_field(3);
  on(3, set_mode::open, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    const std::uint64_t before = set.epoch();
    const auto field = [&] { return arrays.array("field"); };
    field().set_attribute("units", std::string(rank == 2 ? "C" : "K"));
    for (int times = 0; times < 2; ++times) {
      EXPECT_TRUE(fails_with(errc::conflict,
                             "the attribute \"units\" of the array \"field\" has another value on rank 0 "
                             "than on rank 2: set it on one",
                             [&] { set.checkpoint({}); }));
    }
    EXPECT_EQ(set.epoch(), before);
    if (rank == 2) field().remove_attribute("units");
    set.checkpoint({});
    if (rank == 2) field().set_attribute("units", 273.15);
    EXPECT_TRUE(fails_with(errc::conflict, "on rank 0 than on rank 2", [&] { set.checkpoint({}); }));
    if (rank == 2) field().set_attribute("units", std::string("K"));
    set.checkpoint({});
    // Values that all ranks change alike take no closer look, as none is of one rank only.
    const std::uint64_t gathers = set.counted().gathers;
    for (int step = 0; step < 3; ++step) {
      field().set_attribute("time", step);
      set.checkpoint({});
    }
    EXPECT_EQ(set.counted().gathers, gathers);
    if (rank == 1) field().set_attribute("note", std::string("of rank 1 alone"));
    set.checkpoint({});
    EXPECT_EQ(field().attribute<std::string>("note"), "of rank 1 alone");
    set.close();
  });
  on(2, set_mode::open_read_only, [&](store_set& set, int) {
    const array_store arrays = arrays_of(set);
    EXPECT_EQ(arrays.array("field").attribute<std::string>("units"), "K");
    EXPECT_EQ(arrays.array("field").attribute<int>("time"), 2);
  });
}

TEST_F(an_array_of_ranks, refuses_what_is_wrong_on_the_rank_that_asks) {
  const auto thrown = try_on(3, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    arrays.create<double>("field", {12, 10});
    EXPECT_TRUE(fails_with(errc::already_exists, "exists", [&] {
      arrays.create<double>("field", {12, 10});
    }));
    EXPECT_TRUE(fails_with(errc::unsupported, "divided among ranks", [&] {
      arrays.create<double>("other", {12}, {.layout = array_layout::contiguous});
    }));
    EXPECT_TRUE(fails_with(errc::not_found, "all ranks that write it must create it", [&] {
      arrays.store("other", array_view<const double, 1>(std::vector<double>(2).data(), {2}), {0});
    }));
    EXPECT_TRUE(fails_with(errc::wrong_type, "", [&] { arrays.load<std::vector<int>>("field"); }));
    EXPECT_TRUE(fails_with(errc::unsupported, "resize it on all",
                           [&] { arrays.array("field").append(std::vector<double>(10)); }));
    EXPECT_TRUE(fails_with(errc::invalid_argument, "is not inside", [&] {
      arrays.array("field").read<double>({{12, 0}, {1, 1}, {}});
    }));
    write_rows(arrays, 1, rank, 3);
    set.checkpoint({});
    if (rank == 1) write(arrays, 2, {11, 0}, {2, 10});
    set.checkpoint({});
  });
  EXPECT_TRUE(
      fails_with(errc::invalid_argument, "is not inside", [&] { std::rethrow_exception(thrown[1]); }));
  for (const std::size_t rank : {0u, 2u}) {
    EXPECT_TRUE(fails_with(errc::rank_failed, "is not inside the array",
                           [&] { std::rethrow_exception(thrown[rank]); }));
  }
  on(1, set_mode::open_read_only, [&](store_set& set, int) {
    expect_part(arrays_of(set), 1, slab::whole({12, 10}));
  });
}

TEST_F(an_array_of_ranks, may_be_in_chunks_that_no_two_share) {
  for (const compression codec : {compression::none, compression::zstd}) {
    if (!is_available(codec)) continue;
    std::filesystem::remove_all(path());
    const array_options chunked{.layout = array_layout::chunked, .chunk = {2, 5}, .codec = codec};
    on(2, set_mode::create, [&](store_set& set, int rank) {
      array_store arrays = arrays_of(set);
      arrays.create<double>("field", {12, 10}, chunked);
      EXPECT_TRUE(fails_with(errc::invalid_argument, "divides a chunk", [&] {
        write(arrays, 1, {1, 0}, {2, 10});
      }));
      EXPECT_TRUE(fails_with(errc::invalid_argument, "divides a chunk", [&] {
        write(arrays, 1, {0, 0}, {2, 4});
      }));
      write(arrays, 1, {6u * static_cast<unsigned>(rank), 0}, {6, 5});
      // Steps of one element, told or not, are none.
      std::vector<double> right;
      for (std::uint64_t i = 0; i < 6; ++i)
        for (std::uint64_t j = 5; j < 10; ++j)
          right.push_back(value(1, 6u * static_cast<unsigned>(rank) + i, j));
      arrays.array("field").write({{6u * static_cast<unsigned>(rank), 5}, {6, 5}, {1, 1}}, right);
      set.checkpoint({});
      EXPECT_EQ(set.counted().gathers, 0u);
      set.close();
    });
    on(3, set_mode::open_read_only,
       [&](store_set& set, int rank) { expect_part(arrays_of(set), 1, rows_of(rank, 3)); });
  }
}

TEST_F(an_array_of_ranks, may_be_stored_from_a_source_in_whole_chunks) {
  const element_source ones = [](const slab& part, std::byte* to) {
    std::fill_n(reinterpret_cast<double*>(to), part.count.elements(), 1.0);
  };
  const array_options chunked{.layout = array_layout::chunked, .chunk = {2, 5}};
  on(2, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    if (rank == 1) {
      arrays.untyped()->store_from("dense", element_kind::float64, {3, 7}, ones, chunked);
      const slab part[]{{{1, 6}, {1, 1}, {}}};
      for (int times = 0; times < 2; ++times)
        arrays.untyped()->store_sparse("sparse", element_kind::float64, {3, 7}, part, ones, chunked);
    }
    set.checkpoint({});
    EXPECT_EQ(arrays.load<std::vector<double>>("dense"), std::vector<double>(21, 1.0));
    std::vector<double> some(21);
    some[5] = some[6] = some[12] = some[13] = 1;
    EXPECT_EQ(arrays.load<std::vector<double>>("sparse"), some);
    set.close();
  });
}

TEST_F(an_array_of_ranks, may_be_written_in_the_background) {
  on(3, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    arrays.create<double>("field", {12, 10});
    const slab mine = rows_of(rank, 3);
    std::vector<double> values;
    for (std::uint64_t i = 0; i < mine.count[0]; ++i)
      for (std::uint64_t j = 0; j < 10; ++j) values.push_back(value(1, mine.offset[0] + i, j));
    const std::vector<int> whole{1, 2, 3};
    std::vector<pending_store> pending;
    if (rank == 0) {
      busy_worker busy(*arrays.untyped(), *untyped_arrays::of(detail::core_of(local(set))));
      pending.push_back(arrays.store_async("whole", whole));
      pending.push_back(arrays.array("field").write_async(mine, values));
      busy.release_soon();
      set.checkpoint({});
    } else {
      pending.push_back(arrays.array("field").write_async(mine, values));
      set.checkpoint({});
    }
    for (const pending_store& one : pending) EXPECT_TRUE(one.ready());
    expect_part(arrays, 1, slab::whole({12, 10}));
    EXPECT_EQ(arrays.load<std::vector<int>>("whole"), whole);
    set.close();
  });
  on(2, set_mode::open_read_only, [&](store_set& set, int) {
    expect_part(arrays_of(set), 1, slab::whole({12, 10}));
  });
}

TEST_F(an_array_of_ranks, that_one_fails_to_write_in_the_background_is_in_no_checkpoint) {
  on(2, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    const std::vector<double> row(10);
    arrays.create<double>("field", {12, 10});
    if (rank == 1) {
      const pending_store dropped = arrays.array("field").write_async({{12, 0}, {1, 10}}, row);
    }
    EXPECT_TRUE(fails_with(errc::invalid_argument, "the array \"field\" was not stored in the background",
                           [&] { set.checkpoint({}); }));
    EXPECT_NO_THROW(set.checkpoint({}));
    // What has begun when the set ends, ends before it.
    const pending_store last = arrays.store_async("last" + std::to_string(rank), row);
    set.discard();
    EXPECT_TRUE(last.ready());
    EXPECT_EQ(code_of([&] { arrays.store_async("more", row).wait(); }), errc::invalid_argument);
  });
}

TEST_F(an_array_of_ranks, may_be_dealt_out_element_by_element) {
  on(3, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    arrays.create<double>("field", {12, 10});
    std::vector<double> mine;
    for (std::uint64_t i = 0; i < 4; ++i)
      for (std::uint64_t j = 0; j < 10; ++j)
        mine.push_back(value(1, 3 * i + static_cast<std::uint64_t>(rank), j));
    arrays.array("field").write({{static_cast<std::uint64_t>(rank), 0}, {4, 10}, {3, 1}},
                                array_view<const double, 2>(mine.data(), {4, 10}));
    set.checkpoint({});
    EXPECT_EQ(set.counted().gathers, 0u);
    expect_part(arrays, 1, slab::whole({12, 10}));
    expect_part(arrays, 1, {{1, 2}, {5, 3}, {2, 2}});
    set.close();
  });
}

TEST_F(an_array_of_ranks, may_be_dealt_out_along_both_dimensions) {
  on(4, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    arrays.create<double>("field", {12, 10});
    const std::uint64_t first = static_cast<std::uint64_t>(rank) / 2;
    const std::uint64_t column = static_cast<std::uint64_t>(rank) % 2;
    std::vector<double> mine;
    for (std::uint64_t i = 0; i < 6; ++i)
      for (std::uint64_t j = 0; j < 5; ++j) mine.push_back(value(1, 2 * i + first, 2 * j + column));
    arrays.array("field").write({{first, column}, {6, 5}, {2, 2}},
                                array_view<const double, 2>(mine.data(), {6, 5}));
    set.checkpoint({});
    EXPECT_EQ(set.counted().gathers, 0u);
    expect_part(arrays, 1, slab::whole({12, 10}));
    set.close();
  });
}

TEST_F(an_array_of_ranks, is_loaded_by_the_rank_that_has_it_though_others_have_another) {
  make_field(3);
  on(3, set_mode::open, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    if (rank == 0) {
      arrays.array("field").resize({13, 10});
      expect_part(arrays, 1, rows_of(0, 3));
      EXPECT_TRUE(fails_with(errc::conflict, "all ranks must make it the same", [&] {
        arrays.array("field").read<double>({{11, 0}, {1, 10}, {}});
      }));
    }
    set.discard();
  });
}

TEST_F(an_array_of_ranks, is_told_of_once) {
  rank_threads team(2);
  team.limit_gathers(300);
  expect_none(team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
    const auto set = open_set_of(std::move(group), set_mode::create, path());
    array_store arrays = arrays_of(*set);
    for (int i = 0; i < 8; ++i) {
      if (rank == 1) arrays.store("number " + std::to_string(i), i);
      set->checkpoint({});
    }
    EXPECT_EQ(set->counted().gathers, 8u);
    set->close();
  }));
}

TEST_F(an_array_of_ranks, is_of_no_use_when_its_set_is_closed) {
  make_field(2);
  on(2, set_mode::open, [&](store_set& set, int) {
    const array_store arrays = arrays_of(set);
    set.close();
    EXPECT_TRUE(fails_with(errc::invalid_argument, "this set of stores is closed",
                           [&] { arrays.untyped()->attribute("field", "unit"); }));
  });
}

TEST_F(an_array_of_ranks, may_be_stored_whole_by_one_of_them) {
  on(3, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    if (rank == 1) {
      arrays.store("step", 12);
      arrays.store("names", std::vector<std::string>{"a", "bc"});
      arrays.store("table", std::vector<int>{1, 2, 3}, {.layout = array_layout::contiguous});
      arrays.array("table").set_attribute("unit", std::string("K"));
    }
    set.checkpoint({});
    EXPECT_EQ(arrays.load<int>("step"), 12);
    EXPECT_EQ(arrays.load<std::vector<std::string>>("names"), (std::vector<std::string>{"a", "bc"}));
    EXPECT_TRUE(fails_with(errc::invalid_argument, "is loaded as a whole", [&] {
      arrays.untyped()->read("names", arrays.info("names").type, slab::whole({2}), {nullptr, {2}, {}});
    }));
    EXPECT_EQ(arrays.load<std::vector<int>>("table"), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(arrays.array("table").attribute<std::string>("unit"), "K");
    EXPECT_EQ(arrays.array("table").attributes(), std::vector<std::string>{"unit"});
    EXPECT_EQ(arrays.list(), (std::vector<std::string>{"names", "step", "table"}));
    EXPECT_EQ(arrays.size(), 3u);
    if (rank == 1) {
      EXPECT_EQ(arrays.view<int>("table")(2), 3);
    } else {
      EXPECT_TRUE(fails_with(errc::unsupported, "another rank", [&] { arrays.view<int>("table"); }));
    }
    for (int step = 13; step < 16; ++step) {
      if (rank == 1) arrays.store("step", step);
      set.checkpoint({});
      EXPECT_EQ(arrays.load<int>("step"), step);
    }
    EXPECT_EQ(set.counted().gathers, 1u);
    if (rank == 2) arrays.store("step", 99);
    EXPECT_TRUE(
        fails_with(errc::conflict, "rank 1 and rank 2 have both written", [&] { set.checkpoint({}); }));
    EXPECT_EQ(rank == 2 && arrays.erase("step"), rank == 2);
    set.checkpoint({});
    set.close();
  });
  on(2, set_mode::open_read_only, [&](store_set& set, int) {
    const array_store arrays = arrays_of(set);
    EXPECT_EQ(arrays.load<int>("step"), 15);
    const auto view = arrays.view<int>("table");
    EXPECT_EQ(view(1), 2);
    EXPECT_EQ(arrays.load<std::vector<std::string>>("names").size(), 2u);
  });
}

TEST_F(an_array_of_ranks, is_none_of_those_that_a_rank_keeps_for_itself) {
  on(2, set_mode::create, [&](store_set& set, int rank) {
    array_store own(local(set));
    own.store("particles", std::vector<int>(static_cast<std::size_t>(rank) + 3, rank));
    array_store arrays = arrays_of(set);
    EXPECT_FALSE(arrays.contains("particles"));
    EXPECT_TRUE(
        fails_with(errc::already_exists, "this rank's own", [&] { arrays.create<int>("particles", {3}); }));
    arrays.create<double>("field", {12, 10});
    write_rows(arrays, 1, rank, 2);
    set.checkpoint({});
    EXPECT_EQ(set.counted().gathers, 0u);
    EXPECT_EQ(arrays.list(), std::vector<std::string>{"field"});
    set.close();
  });
  on(2, set_mode::open, [&](store_set& set, int rank) {
    EXPECT_EQ(array_store(local(set)).load<std::vector<int>>("particles"),
              std::vector<int>(static_cast<std::size_t>(rank) + 3, rank));
  });
  rank_threads team(3);
  expect_same(team.run([&](int, std::unique_ptr<detail::rank_group> group) {
    store_set::repartition(std::move(group), path(), small_set());
  }),
              errc::unsupported, "part 0 of the set holds 1 objects beside the arrays of all ranks");
  on(2, set_mode::open, [&](store_set& set, int) { set.close(); });
}

TEST_F(an_array_of_ranks, has_zeros_where_nobody_has_written) {
  on(2, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    arrays.create<int>("some", {2, 4});
    if (rank == 1)
      arrays.store("some", array_view<const int, 2>(std::vector<int>{7, 8}.data(), {1, 2}), {1, 1});
    set.checkpoint({});
    EXPECT_EQ(arrays.load<std::vector<int>>("some"), (std::vector<int>{0, 0, 0, 0, 0, 7, 8, 0}));
    set.close();
  });
}

// Memory that is read into keeps nothing of what it had, and what lies between its rows stays.
TEST_F(an_array_of_ranks, clears_just_what_nobody_has_written) {
  constexpr std::uint64_t rows = 5;
  constexpr std::uint64_t columns = 7;
  constexpr std::uint64_t pitch = columns + 2;
  constexpr std::array<std::ptrdiff_t, 2> strides{pitch, 1};
  const auto expect_all = [&](const array_store& arrays) {
    for (const slab& where :
         {slab::whole({rows, columns}), slab{{1, 2}, {3, 3}, {}}, slab{{0, 0}, {3, 3}, {2, 3}},
          slab{{1, 1}, {2, 2}, {3, 5}}, slab{{4, 0}, {1, columns}, {}}, slab{{0, 6}, {rows, 1}, {}}}) {
      std::vector<int> got(rows * pitch, -1);
      const array_view<int, 2> to(got.data(), where.count, strides);
      arrays.array("some").read(where, to);
      for (std::uint64_t i = 0; i < rows; ++i) {
        for (std::uint64_t j = 0; j < pitch; ++j) {
          const bool is_given = i < where.count[0] && j < where.count[1];
          const std::uint64_t row = where.offset[0] + i * (where.stride.empty() ? 1 : where.stride[0]);
          const std::uint64_t column = where.offset[1] + j * (where.stride.empty() ? 1 : where.stride[1]);
          const bool is_written = (row == 1 && column >= 2 && column < 5) || (row >= 3 && column >= 5);
          const int wanted = !is_given ? -1 : is_written ? static_cast<int>(10 * row + column) : 0;
          ASSERT_EQ(got[i * pitch + j], wanted) << row << ' ' << column;
        }
      }
    }
  };
  on(2, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    arrays.create<int>("some", {rows, columns});
    if (rank == 0) {
      arrays.store("some", array_view<const int, 2>(std::vector<int>{12, 13, 14}.data(), {1, 3}), {1, 2});
    } else {
      arrays.store("some", array_view<const int, 2>(std::vector<int>{35, 36, 45, 46}.data(), {2, 2}), {3, 5});
    }
    set.checkpoint({});
    expect_all(arrays);
    set.close();
  });
  on(1, set_mode::open_read_only, [&](store_set& set, int) { expect_all(arrays_of(set)); });
}

// ---- another number of ranks -----------------------------------------------------------------------------

TEST_F(an_array_of_ranks, is_divided_anew) {
  make_field(4);
  on(4, set_mode::open, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    arrays.create<float>("chunks", {9, 4}, {.layout = array_layout::chunked, .chunk = {2, 4}});
    if (rank < 2) {
      const std::uint64_t first = rank == 0 ? 0 : 4;
      const std::vector<float> rows(20, static_cast<float>(rank + 1));
      arrays.store("chunks", array_view<const float, 2>(rows.data(), {rank == 0 ? 4u : 5u, 4}), {first, 0});
    }
    if (rank == 3) {
      arrays.store("step", 7);
      arrays.store("names", std::vector<std::string>{"x", "yz"});
      arrays.store("fixed", std::vector<int>{4, 5}, {.layout = array_layout::contiguous});
      arrays.array("step").set_attribute("unit", std::string("s"));
    }
    arrays.create<short>("sparse", {1000});
    if (rank == 2)
      arrays.store("sparse", array_view<const short, 1>(std::vector<short>{9}.data(), {1}), {700});
    set.checkpoint({});
    set.close();
  });
  std::uint64_t epoch = 0;
  for (const int ranks : {2, 3, 1, 5, 4}) {
    rank_threads team(ranks);
    detail::set_options options = small_set();
    if (ranks == 3) options.parts_directory = path("device");
    expect_none(team.run([&](int, std::unique_ptr<detail::rank_group> group) {
      store_set::repartition(std::move(group), path(), options);
    }));
    std::size_t sets = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path()))
      sets += entry.path().filename().string().starts_with("set.") ? 1 : 0;
    EXPECT_EQ(sets, 1u);
    on(ranks, set_mode::open, [&](store_set& set, int rank) {
      array_store arrays = arrays_of(set);
      if (rank == 0) {
        EXPECT_GT(set.epoch(), epoch);
        epoch = set.epoch();
      }
      expect_part(arrays, 1, slab::whole({12, 10}));
      EXPECT_EQ(arrays.load<int>("step"), 7);
      EXPECT_EQ(arrays.array("step").attribute<std::string>("unit"), "s");
      EXPECT_EQ(arrays.load<std::vector<std::string>>("names"), (std::vector<std::string>{"x", "yz"}));
      EXPECT_EQ(arrays.load<std::vector<int>>("fixed"), (std::vector<int>{4, 5}));
      const auto chunks = arrays.load<std::vector<float>>("chunks");
      EXPECT_EQ(std::accumulate(chunks.begin(), chunks.end(), 0.0F), 16.0F + 40.0F);
      EXPECT_EQ(arrays.info("chunks").chunk, (extents{2, 4}));
      const auto sparse = arrays.load<std::vector<short>>("sparse");
      EXPECT_EQ(sparse[700], 9);
      EXPECT_EQ(std::accumulate(sparse.begin(), sparse.end(), 0), 9);
      // What was not written still is not.
      EXPECT_LE(arrays.array("sparse").info().stored_bytes, 2u);
      // Its rows are this rank's.
      write_rows(arrays, 2, rank, ranks);
      if (12 % ranks == 0) {
        set.checkpoint({});
        write_rows(arrays, 1, rank, ranks);
        set.checkpoint({});
      }
      set.discard();
    });
  }
}

TEST_F(an_array_of_ranks, stays_whole_where_one_rank_has_stored_it_so) {
  const auto table = [](int step) { return std::vector<int>{step, step + 1, step + 2, step + 3, step + 4}; };
  on(3, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    arrays.create<double>("field", {12, 10});
    write_rows(arrays, 1, rank, 3);
    if (rank == 1) {
      arrays.store("table", table(0));
      arrays.array("table").set_attribute("unit", std::string("K"));
      arrays.store("packed", table(0), {.layout = array_layout::chunked, .chunk = {2}});
      arrays.store("name", "of rank 1");
    }
    // One that is divided after all.
    if (rank == 0) arrays.store("grown", table(0));
    set.checkpoint({});
    if (rank == 0) arrays.erase("grown");
    arrays.create<int>("grown", {6});
    arrays.store("grown", array_view<const int, 1>(table(rank).data(), {2}),
                 {2u * static_cast<unsigned>(rank)});
    set.close();
  });
  int step = 0;
  for (const int ranks : {4, 2, 1, 3}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    rank_threads team(ranks);
    expect_none(team.run([&](int, std::unique_ptr<detail::rank_group> group) {
      store_set::repartition(std::move(group), path(), small_set());
    }));
    // Rank 1 keeps it; rank 0 has it since rank 1 was not there.
    const int owner = step < 2 ? 1 : 0;
    on(ranks, set_mode::open, [&](store_set& set, int rank) {
      array_store arrays = arrays_of(set);
      EXPECT_EQ(arrays.load<std::vector<int>>("table"), table(step));
      EXPECT_EQ(arrays.array("table").attribute<std::string>("unit"), "K");
      if (rank == owner) {
        EXPECT_EQ(arrays.view<int>("table")(4), step + 4);
        arrays.store("table", table(step + 1));
        arrays.store("packed", table(step + 1), {.layout = array_layout::chunked, .chunk = {2}});
        arrays.store("name", "again");
      }
      write_rows(arrays, 2, rank, ranks);
      // The larger shares are those of the first ranks.
      const auto first = static_cast<std::uint64_t>(6 / ranks * rank + std::min(6 % ranks, rank));
      arrays.store("grown", array_view<const int, 1>(table(9).data(), {1}), {first});
      set.checkpoint({});
      set.close();
    });
    ++step;
  }
}

TEST_F(an_array_of_ranks, stays_whole_where_a_lone_rank_has_stored_it_so) {
  const std::vector<int> table{1, 2, 3, 4, 5};
  on(1, set_mode::create, [&](store_set& set, int) {
    array_store arrays = arrays_of(set);
    arrays.store("table", table);
    arrays.store("divided", table);
    set.checkpoint({});
    set.close();
  });
  // Another time it is made to be divided.
  on(1, set_mode::open, [&](store_set& set, int) {
    array_store arrays = arrays_of(set);
    arrays.erase("divided");
    arrays.create<int>("divided", {5});
    arrays.store("divided", array_view<const int, 1>(table.data(), {5}), {0});
    set.close();
  });
  rank_threads team(2);
  expect_none(team.run([&](int, std::unique_ptr<detail::rank_group> group) {
    store_set::repartition(std::move(group), path(), small_set());
  }));
  on(2, set_mode::open, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    EXPECT_EQ(arrays.load<std::vector<int>>("table"), table);
    EXPECT_EQ(arrays.load<std::vector<int>>("divided"), table);
    if (rank == 0) {
      EXPECT_EQ(arrays.view<int>("table")(4), 5);
    }
    if (rank == 1) arrays.store("divided", array_view<const int, 1>(table.data(), {2}), {3});
    set.close();
  });
}

TEST_F(an_array_of_ranks, keeps_all_elements_where_one_rank_had_stored_it_whole) {
  const std::vector<int> table{1, 2, 3, 4, 5, 6};
  on(3, set_mode::create, [&](store_set& set, int rank) {
    array_store arrays = arrays_of(set);
    arrays.create<int>("last", {6});
    if (rank == 2) arrays.store("last", table);
    if (rank == 0) {
      arrays.store("grown", table);
    } else {
      arrays.create<int>("grown", {6});
    }
    arrays.array("grown").resize({9});
    if (rank == 1) arrays.store("grown", array_view<const int, 1>(table.data(), {3}), {6});
    set.checkpoint({});
    set.close();
  });
  rank_threads team(2);
  expect_none(team.run([&](int, std::unique_ptr<detail::rank_group> group) {
    store_set::repartition(std::move(group), path(), small_set());
  }));
  on(2, set_mode::open_read_only, [&](store_set& set, int) {
    const array_store arrays = arrays_of(set);
    EXPECT_EQ(arrays.load<std::vector<int>>("last"), table);
    EXPECT_EQ(arrays.load<std::vector<int>>("grown"), (std::vector<int>{1, 2, 3, 4, 5, 6, 1, 2, 3}));
    set.close();
  });
}

TEST_F(an_array_of_ranks, is_as_before_when_dividing_it_fails) {
  make_field(4);
  rank_threads team(3);
  team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
    if (rank == 2) team.kill(2);
    store_set::repartition(std::move(group), path(), small_set());
  });
  EXPECT_TRUE(std::filesystem::exists(path() / "set.0002"));
  // A part of another rank that is not there.
  std::filesystem::rename(part(3), path("elsewhere"));
  expect_same(team.run([&](int, std::unique_ptr<detail::rank_group> group) {
    store_set::repartition(std::move(group), path(), small_set());
  }),
              errc::damaged, "part 3 of the set is missing");
  std::filesystem::rename(path("elsewhere"), part(3));
  EXPECT_FALSE(std::filesystem::exists(path() / "set.0002"));
  on(4, set_mode::open, [&](store_set& set, int) {
    expect_part(arrays_of(set), 1, slab::whole({12, 10}));
    set.close();
  });
}

/// Divides "field" at these bounds, and stores "shares" anew: in each part its number of rows, once for each.
class divider_by_bounds : public set_divider {
 public:
  explicit divider_by_bounds(std::vector<std::uint64_t> bounds) : bounds_(std::move(bounds)) {}

  set_division plan(const std::shared_ptr<const untyped_arrays>& before, std::uint32_t parts) override {
    EXPECT_TRUE(before->find("shares"));
    EXPECT_EQ(parts + 1, bounds_.size());
    return {{{"field", {bounds_, 0}}}, {"shares"}};
  }
  void store_part(const std::shared_ptr<const untyped_arrays>& before, untyped_arrays& made,
                  std::uint32_t part) override {
    EXPECT_EQ(before->info("shares").dims, (extents{5}));
    const slab mine{{bounds_[part]}, {bounds_[part + 1] - bounds_[part]}, {}};
    const std::vector<int> rows(mine.count[0], static_cast<int>(mine.count[0]));
    made.create("shares", data_type_of<int>(), {bounds_.back()}, {});
    made.write("shares", data_type_of<int>(), mine,
               const_untyped_view::row_major(rows.data(), mine.count, sizeof(int)));
    EXPECT_EQ(made.info("shares").dims, (extents{bounds_.back()}));
    if (bounds_.size() > 2) {
      EXPECT_TRUE(fails_with(errc::invalid_argument, "is being divided", [&] { made.find("nothing"); }));
    }
  }

 private:
  std::vector<std::uint64_t> bounds_;
};

class a_divided_array_of_ranks : public an_array_of_ranks {
 protected:
  void make_shares() {
    make_field(4);
    on(4, set_mode::open, [&](store_set& set, int rank) {
      array_store arrays = arrays_of(set);
      if (rank == 1) {
        arrays.store("shares", std::vector<int>{1, 2, 3, 4, 5});
        arrays.array("shares").set_attribute("unit", std::string("rows"));
      }
      if (rank == 2) {
        arrays.store("step", 7);
        arrays.store("fixed", std::vector<int>{4, 5}, {.layout = array_layout::contiguous});
      }
      arrays.create<int>("chunks", {12}, {.layout = array_layout::chunked, .chunk = {4}});
      set.checkpoint({});
      set.close();
    });
  }
  std::vector<std::exception_ptr> divide(int ranks,
                                         const std::function<std::unique_ptr<set_divider>(int)>& make) {
    rank_threads team(ranks);
    return team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
      const auto divider = make(rank);
      store_set::repartition(std::move(group), path(), small_set(), 0, divider.get());
    });
  }
};

TEST_F(a_divided_array_of_ranks, goes_where_the_program_says) {
  make_shares();
  const std::vector<std::vector<std::uint64_t>> all{{0, 1, 1, 12}, {0, 12}};
  for (const auto& bounds : all) {
    const int ranks = static_cast<int>(bounds.size()) - 1;
    if (ranks == 3) {
      expect_none(divide(ranks, [&](int) { return std::make_unique<divider_by_bounds>(bounds); }));
    } else {
      std::filesystem::remove_all(path());
      make_shares();
      divider_by_bounds divider(bounds);
      repartition_set(path(), 1, small_store(), &divider);
    }
    on(ranks, set_mode::open, [&](store_set& set, int rank) {
      array_store arrays = arrays_of(set);
      expect_part(arrays, 1, slab::whole({12, 10}));
      EXPECT_EQ(arrays.load<int>("step"), 7);
      const std::vector<int> shares = arrays.load<std::vector<int>>("shares");
      EXPECT_EQ(shares.size(), 12u);
      EXPECT_EQ(shares[0], static_cast<int>(bounds[1]));
      EXPECT_EQ(arrays.array("shares").attributes(), std::vector<std::string>());
      const auto part = static_cast<std::size_t>(rank);
      const std::uint64_t rows = bounds[part + 1] - bounds[part];
      const std::vector<slab> held = untyped_arrays::of(set.own().core())->parts("field");
      std::uint64_t here = 0;
      for (const slab& one : held) {
        EXPECT_GE(one.offset[0], bounds[part]);
        here += one.count[0];
      }
      EXPECT_EQ(here, rows);
      // Its ranks write there.
      const std::vector<double> mine(rows * 10, 3);
      arrays.store("field", array_view<const double, 2>(mine.data(), {rows, 10}), {bounds[part], 0});
      set.checkpoint({});
      set.close();
    });
  }
}

TEST_F(a_divided_array_of_ranks, is_divided_along_any_dimension) {
  make_shares();
  class divider : public set_divider {
   public:
    set_division plan(const std::shared_ptr<const untyped_arrays>&, std::uint32_t) override {
      return {{{"field", {{0, 3, 10}, 1}}}, {}};
    }
    void store_part(const std::shared_ptr<const untyped_arrays>&, untyped_arrays&, std::uint32_t) override {}
  };
  expect_none(divide(2, [&](int) { return std::make_unique<divider>(); }));
  on(2, set_mode::open, [&](store_set& set, int rank) {
    expect_part(arrays_of(set), 1, slab::whole({12, 10}));
    std::uint64_t held = 0;
    for (const slab& one : untyped_arrays::of(set.own().core())->parts("field")) held += one.count.elements();
    EXPECT_EQ(held, rank == 0 ? 36u : 84u);
    set.close();
  });
}

TEST_F(a_divided_array_of_ranks, is_as_before_when_the_program_divides_it_wrongly) {
  make_shares();
  /// Returns the division that it is made with.
  class divider : public set_divider {
   public:
    divider(set_division division, bool fails_to_store)
        : division_(std::move(division)), fails_to_store_(fails_to_store) {}
    set_division plan(const std::shared_ptr<const untyped_arrays>&, std::uint32_t) override {
      return division_;
    }
    void store_part(const std::shared_ptr<const untyped_arrays>&, untyped_arrays&, std::uint32_t) override {
      if (fails_to_store_) throw error(errc::unsupported, "there is nothing to store");
    }

   private:
    set_division division_;
    bool fails_to_store_;
  };
  const auto fails = [&](const set_division& division, errc code, const std::string& words) {
    expect_same(divide(2, [&](int rank) { return std::make_unique<divider>(division, rank == 1); }), code,
                words);
    EXPECT_FALSE(std::filesystem::exists(path() / "set.0002"));
  };
  fails({{{"field", {{0, 6}, 0}}}, {}}, errc::invalid_argument, "2 parts have 3 bounds, and there are 2");
  fails({{{"field", {{0, 6, 11}, 0}}}, {}}, errc::invalid_argument, "do not ascend from 0 to its length 12");
  fails({{{"field", {{1, 6, 12}, 0}}}, {}}, errc::invalid_argument, "do not ascend");
  fails({{{"field", {{0, 13, 12}, 0}}}, {}}, errc::invalid_argument, "do not ascend");
  fails({{{"chunks", {{0, 6, 12}, 0}}}, {}}, errc::invalid_argument, "the bound 6 cuts a chunk");
  fails({{{"fixed", {{0, 1, 2}, 0}}}, {}}, errc::invalid_argument, "is stored as a whole");
  fails({{{"step", {{0, 0, 0}, 0}}}, {}}, errc::invalid_argument, "has no dimension 0");
  fails({{{"field", {{0, 5, 10}, 2}}}, {}}, errc::invalid_argument, "has no dimension 2");
  fails({{{"nothing", {{0, 0, 0}, 0}}}, {}}, errc::not_found, "no array named \"nothing\"");
  fails({{}, {"nothing"}}, errc::not_found, "no array named \"nothing\"");
  fails({{}, {"shares", "shares"}}, errc::invalid_argument, "named twice");
  fails({{{"field", {{0, 6, 12}, 0}}}, {"field"}}, errc::invalid_argument, "named twice");
  fails({{{"field", {{0, 6, 12}, 0}}}, {}}, errc::unsupported, "rank 1: there is nothing to store");
  // A rank that divides without the rules of the others.
  expect_same(divide(2,
                     [&](int rank) {
                       return rank == 0 ? nullptr : std::make_unique<divider>(set_division{}, false);
                     }),
              errc::invalid_argument, "divides arrays of a set by rules of its own");
  // A part that one rank cannot read.
  std::filesystem::rename(part(3), path("elsewhere"));
  expect_same(divide(2, [&](int) { return std::make_unique<divider>(set_division{}, false); }), errc::damaged,
              "part 3 of the set is missing");
  std::filesystem::rename(path("elsewhere"), part(3));
  on(4, set_mode::open, [&](store_set& set, int) {
    expect_part(arrays_of(set), 1, slab::whole({12, 10}));
    set.close();
  });
}

}  // namespace
}  // namespace perdure
