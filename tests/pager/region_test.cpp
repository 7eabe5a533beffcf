// Mapping, modes, tiers, pins, advice: what one thread sees.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <system_error>
#include <tuple>

#include "os/memory_limits.hpp"
#include "patterned_file.hpp"
#include "support/errors.hpp"

namespace perdure::pager {
namespace {

class on_each_tier : public pager_test, public testing::WithParamInterface<std::tuple<tier, transfer>> {
 protected:
  void SetUp() override {
    if (const auto reason = why_unavailable(std::get<0>(GetParam()))) GTEST_SKIP() << *reason;
  }
  options wanted(std::size_t pages, mode m = mode::read_only) {
    options o = with_budget(pages, m, std::get<0>(GetParam()));
    o.transfer = std::get<1>(GetParam());
    return o;
  }
};

INSTANTIATE_TEST_SUITE_P(tiers, on_each_tier,
                         testing::Values(std::tuple(tier::uffd_sigbus, transfer::automatic),
                                         std::tuple(tier::uffd_sigbus, transfer::buffered),
                                         std::tuple(tier::guard, transfer::automatic),
                                         std::tuple(tier::plain, transfer::automatic)),
                         [](const auto& of) {
                           return std::string(to_string(std::get<0>(of.param))) +
                                  (std::get<1>(of.param) == transfer::buffered ? "_buffered" : "");
                         });

TEST_P(on_each_tier, has_the_bytes_of_the_file) {
  constexpr std::size_t pages = 512;
  const region mapped = map(make_file(pages), wanted(32));
  EXPECT_EQ(mapped.tier(), std::get<0>(GetParam()));
  ASSERT_EQ(mapped.size(), pages * page_size);
  const std::uint64_t* const words = words_of(mapped);
  for (std::size_t round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < pages * words_of_page; ++i) ASSERT_EQ(words[i], pattern(i)) << i;
  }
  for (std::size_t i = 0; i < 4 * pages; ++i) {
    const std::size_t word = i * 7919 * 67 % (pages * words_of_page);
    ASSERT_EQ(words[word], pattern(word)) << word;
  }
}

TEST_P(on_each_tier, ends_with_zeros_after_an_odd_end_and_leaves_the_size_alone) {
  const std::vector<std::uint64_t> words = patterned(10 * words_of_page);
  constexpr std::size_t size = 9 * page_size + 1234;
  for (const mode m : {mode::read_only, mode::private_copy, mode::write_back}) {
    write_file(path("odd"), words.data(), size);
    {
      region mapped = map(path("odd"), wanted(4, m));
      ASSERT_EQ(mapped.size(), size);
      EXPECT_EQ(std::memcmp(mapped.data(), words.data(), size), 0);
      for (std::size_t i = size; i < 10 * page_size; ++i) ASSERT_EQ(mapped.data()[i], std::byte{0});
      if (m == mode::read_only) continue;
      mapped.data()[size - 1] = std::byte{77};
      mapped.advise({0, size}, advice::dont_need);
      mapped.flush();
      for (std::size_t i = 0; i < 9; ++i)
        EXPECT_EQ(words_of(mapped)[i * words_of_page], words[i * words_of_page]);
      EXPECT_EQ(mapped.data()[size - 1], std::byte{77});
    }
    EXPECT_EQ(std::filesystem::file_size(path("odd")), size);
    std::ifstream file(path("odd"), std::ios::binary);
    file.seekg(size - 1);
    EXPECT_EQ(file.get() == 77, m == mode::write_back);
  }
}

TEST_P(on_each_tier, writes_back_what_was_evicted_flushed_or_left_at_the_end) {
  constexpr std::size_t pages = 300;
  const auto file = make_file(pages);
  {
    region mapped = map(file, wanted(16, mode::write_back));
    for (std::size_t p = 0; p < pages; ++p) words_of(mapped)[p * words_of_page + p % words_of_page] = p;
    mapped.flush();
    const auto there = words_in(file);
    for (std::size_t p = 0; p < pages; ++p) {
      ASSERT_EQ(there[p * words_of_page + p % words_of_page], p);
      ASSERT_EQ(words_of(mapped)[p * words_of_page + p % words_of_page], p);
    }
    words_of(mapped)[5 * words_of_page] = 4711;
    words_of(mapped)[pages * words_of_page - 1] = 4712;
  }
  const auto there = words_in(file);
  EXPECT_EQ(there[5 * words_of_page], 4711u);
  EXPECT_EQ(there[pages * words_of_page - 1], 4712u);
  EXPECT_EQ(there[17], pattern(17));
}

TEST_P(on_each_tier, keeps_private_changes_and_leaves_the_file_alone) {
  constexpr std::size_t pages = 300;
  const auto file = make_file(pages);
  {
    region mapped = map(file, wanted(16, mode::private_copy));
    for (std::size_t round = 1; round <= 3; ++round) {
      for (std::size_t p = 0; p < pages; p += 2) {
        std::uint64_t& word = words_of(mapped)[p * words_of_page + 1];
        ASSERT_EQ(word, round == 1 ? pattern(p * words_of_page + 1) : p + round - 1);
        word = p + round;
      }
      for (std::size_t p = 1; p < pages; p += 2)
        ASSERT_EQ(words_of(mapped)[p * words_of_page + 1], pattern(p * words_of_page + 1));
    }
    mapped.flush();
  }
  EXPECT_EQ(words_in(file), patterned(pages * words_of_page));
}

TEST_P(on_each_tier, takes_a_descriptor_and_leaves_it_to_its_owner) {
  const auto file = make_file(20);
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  {
    const region mapped = map(descriptor, wanted(8));
    EXPECT_EQ(words_of(mapped)[19 * words_of_page], pattern(19 * words_of_page));
    EXPECT_TRUE(
        fails_with(errc::permission_denied, "", [&] { map(descriptor, wanted(8, mode::write_back)); }));
  }
  EXPECT_EQ(::fcntl(descriptor, F_GETFD), FD_CLOEXEC);
  const region mapped = map(descriptor, wanted(8));
  ::close(descriptor);
  EXPECT_EQ(words_of(mapped)[7], pattern(7));
}

TEST_P(on_each_tier, refuses_what_cannot_be_mapped) {
  const auto file = make_file(20);
  write_file(path("empty"), "", 0);
  std::filesystem::create_directory(path("directory"));
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_TRUE(fails_with(errc::not_found, "", [&] { map(path("nothing"), wanted(8)); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "", [&] { map(path("empty"), wanted(8)); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "", [&] { map(path("directory"), wanted(8)); }));
  EXPECT_TRUE(
      fails_with(errc::invalid_argument, "", [&] { map(path("directory"), wanted(8, mode::write_back)); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "", [&] { map(path("fifo"), wanted(8)); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "", [&] { map(-1, wanted(8)); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "", [&] { map(file, wanted(0)); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "", [&] { map(file, wanted(3)); }));
  options strange = wanted(8);
  strange.mode = static_cast<mode>(17);
  EXPECT_TRUE(fails_with(errc::invalid_argument, "", [&] { map(file, strange); }));
  region mapped = map(file, wanted(8));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "", [&] { mapped.prefetch({0, mapped.size() + 1}); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "", [&] {
    mapped.advise({mapped.size() + 1, 0}, advice::dont_need);
  }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "",
                         [&] { auto p = mapped.pin(mapped.data() + 10, mapped.size()); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "", [&] { auto p = mapped.pin(&file, 1); }));
  EXPECT_TRUE(
      fails_with(errc::read_only, "", [&] { auto p = mapped.pin(mapped.data(), 1, pin_for::writing); }));
}

// Page tables for all of a region are made when it is mapped in this tier.
TEST_F(pager_test, does_not_put_guards_into_more_than_memory_has_page_tables_for) {
  if (const auto reason = why_unavailable(tier::guard)) GTEST_SKIP() << *reason;
  const std::uint64_t usable = os::usable_memory() / page_size * page_size;
  { const std::ofstream file(path("sparse")); }
  std::error_code too_large;
  std::filesystem::resize_file(path("sparse"), 17 * usable, too_large);
  if (too_large) GTEST_SKIP() << too_large.message();
  EXPECT_TRUE(fails_with(errc::unsupported, "page tables",
                         [&] { map(path("sparse"), with_budget(8, mode::read_only, tier::guard)); }));
  options part = with_budget(8, mode::read_only, tier::guard);
  part.bytes = 1 << 20;
  EXPECT_EQ(map(path("sparse"), part).tier(), tier::guard);
  options any = with_budget(8, mode::read_only, tier::automatic);
  EXPECT_NE(map(path("sparse"), any).tier(), tier::guard);
  // It takes twice as much where stores are allowed.
  options half = with_budget(8, mode::write_back, tier::guard);
  half.bytes = 9 * usable;
  EXPECT_TRUE(fails_with(errc::unsupported, "page tables", [&] { map(path("sparse"), half); }));
}

TEST_P(on_each_tier, gives_system_calls_what_is_pinned) {
  const auto file = make_file(64);
  region mapped = map(file, wanted(20, mode::write_back));
  const int out = ::open(path("out").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  constexpr std::size_t bytes = 10 * page_size;
  std::byte* const from = mapped.data() + 3 * page_size + 100;
  {
    const pin held = mapped.pin(from, bytes);
    for (std::size_t p = 20; p < 64; ++p)
      ASSERT_EQ(words_of(mapped)[p * words_of_page], pattern(p * words_of_page));
    ASSERT_EQ(::pwrite(out, from, bytes, 0), static_cast<ssize_t>(bytes)) << std::strerror(errno);
  }
  std::byte* const to = mapped.data() + 30 * page_size + 8;
  {
    const pin held = mapped.pin(to, bytes, pin_for::writing);
    mapped.flush();
    for (std::size_t p = 0; p < 20; ++p)
      ASSERT_EQ(words_of(mapped)[p * words_of_page], pattern(p * words_of_page));
    ASSERT_EQ(::pread(out, to, bytes, 0), static_cast<ssize_t>(bytes)) << std::strerror(errno);
  }
  for (std::size_t p = 0; p < 20; ++p)
    ASSERT_EQ(words_of(mapped)[p * words_of_page], pattern(p * words_of_page));
  EXPECT_EQ(std::memcmp(to, from, bytes), 0);
  mapped.flush();
  EXPECT_EQ(words_in(file)[30 * words_of_page + 1],
            (pattern(3 * words_of_page + 12) >> 32) | (pattern(3 * words_of_page + 13) << 32));
  ::close(out);
}

TEST_P(on_each_tier, brings_in_what_is_asked_for_and_drops_what_is_not_needed) {
  region mapped = map(make_file(256), wanted(128, mode::write_back));
  mapped.prefetch({0, 40 * page_size});
  const byte_range scattered[] = {
      {50 * page_size, 1}, {60 * page_size + 4000, 200}, {255 * page_size, 10}, {9, 0}};
  mapped.prefetch(scattered);
  mapped.advise({100 * page_size, page_size}, advice::will_need);
  for (std::size_t i = 0; i < 256 * words_of_page; ++i) ASSERT_EQ(words_of(mapped)[i], pattern(i));
  words_of(mapped)[77] = 1;
  mapped.advise({0, mapped.size()}, advice::dont_need);
  EXPECT_EQ(words_of(mapped)[77], 1u);
  mapped.advise({0, mapped.size()}, advice::random);
  for (std::size_t i = 512; i < 256 * words_of_page; i += 512) ASSERT_EQ(words_of(mapped)[i], pattern(i));
  mapped.advise({0, mapped.size()}, advice::normal);
}

TEST_P(on_each_tier, maps_a_part_of_the_file) {
  const auto file = make_file(100);
  constexpr std::size_t first = 10;
  constexpr std::size_t bytes = 40 * page_size + 1000;
  const auto part = [&](mode m) {
    options o = wanted(8, m);
    o.offset = first * page_size;
    o.bytes = bytes;
    return o;
  };
  {
    const region mapped = map(file, part(mode::read_only));
    ASSERT_EQ(mapped.size(), bytes);
    for (std::size_t i = 0; i < bytes / sizeof(std::uint64_t); ++i)
      ASSERT_EQ(words_of(mapped)[i], pattern(first * words_of_page + i)) << i;
    options rest = part(mode::read_only);
    rest.bytes = 0;
    const region up_to_the_end = map(file, rest);
    ASSERT_EQ(up_to_the_end.size(), (100 - first) * page_size);
    EXPECT_EQ(words_of(up_to_the_end)[89 * words_of_page + 3], pattern(99 * words_of_page + 3));
  }
  {
    region mapped = map(file, part(mode::private_copy));
    for (std::size_t p = 0; p < 40; ++p) words_of(mapped)[p * words_of_page] = p;
    for (std::size_t p = 0; p < 40; ++p) {
      ASSERT_EQ(words_of(mapped)[p * words_of_page], p);
      ASSERT_EQ(words_of(mapped)[p * words_of_page + 1], pattern((first + p) * words_of_page + 1));
    }
  }
  EXPECT_EQ(words_in(file), patterned(100 * words_of_page));
  {
    region mapped = map(file, part(mode::write_back));
    for (std::size_t p = 0; p < 40; ++p) words_of(mapped)[p * words_of_page] = p;
    words_of(mapped)[bytes / sizeof(std::uint64_t) - 1] = 4711;
    mapped.flush();
  }
  const auto there = words_in(file);
  auto expected = patterned(100 * words_of_page);
  for (std::size_t p = 0; p < 40; ++p) expected[(first + p) * words_of_page] = p;
  expected[first * words_of_page + bytes / sizeof(std::uint64_t) - 1] = 4711;
  EXPECT_EQ(there, expected);
}

TEST_P(on_each_tier, refuses_parts_that_the_file_lacks) {
  const auto file = make_file(20);
  const auto fails = [&](std::uint64_t offset, std::uint64_t bytes) {
    options o = wanted(8);
    o.offset = offset;
    o.bytes = bytes;
    return fails_with(errc::invalid_argument, "", [&] { map(file, o); });
  };
  EXPECT_TRUE(fails(1, 10));
  EXPECT_TRUE(fails(20 * page_size, 0));
  EXPECT_TRUE(fails(std::uint64_t{1} << 63, 0));
  EXPECT_TRUE(fails(0, 20 * page_size + 1));
  EXPECT_TRUE(fails(19 * page_size, page_size + 1));
  EXPECT_TRUE(fails(page_size, ~std::uint64_t{0}));
}

TEST_P(on_each_tier, can_be_handed_over_to_the_kernel) {
  const auto file = make_file(100);
  options o = wanted(8);
  o.offset = page_size;
  std::byte* data = nullptr;
  {
    region mapped = map(file, o);
    data = mapped.data();
    EXPECT_EQ(words_of(mapped)[3 * words_of_page], pattern(4 * words_of_page));
    mapped.hand_over();
    mapped.hand_over();
    EXPECT_EQ(mapped.tier(), tier::plain);
    EXPECT_EQ(mapped.data(), data);
    mapped.prefetch({0, 10});
    mapped.advise({0, 10}, advice::dont_need);
  }
  // The object is gone, the memory is the caller's.
  const auto* const words = reinterpret_cast<std::uint64_t*>(data);
  for (std::size_t i = 0; i < 99 * words_of_page; ++i) ASSERT_EQ(words[i], pattern(i + words_of_page));
  EXPECT_EQ(::mprotect(data, page_size, PROT_READ | PROT_WRITE), 0);
  data[0] = std::byte{1};
  EXPECT_EQ(::munmap(data, 99 * page_size), 0);
  EXPECT_EQ(words_in(file)[words_of_page], pattern(words_of_page));
  region changed = map(file, wanted(8, mode::write_back));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "changed", [&] { changed.hand_over(); }));
}

TEST_P(on_each_tier, can_be_moved) {
  const auto file = make_file(64);
  region first = map(file, wanted(8));
  const std::uint64_t* const words = words_of(first);
  EXPECT_EQ(words[0], pattern(0));
  region second = std::move(first);
  EXPECT_EQ(words[63 * words_of_page], pattern(63 * words_of_page));
  second = map(file, wanted(16));
  EXPECT_EQ(words_of(second)[40 * words_of_page], pattern(40 * words_of_page));
  pin held = second.pin(second.data(), 1);
  held = pin();
  held = second.pin(second.data(), 5);
}

class the_pager : public pager_test {};

TEST_F(the_pager, never_has_more_than_its_budget_in_memory) {
  constexpr std::size_t budget = 50;
  const region mapped = map(make_file(1000), with_budget(budget));
  for (std::size_t i = 0; i < 5000; ++i) {
    const std::size_t word = pattern(i) % (1000 * words_of_page);
    ASSERT_EQ(words_of(mapped)[word], pattern(word));
    if (i % 64 != 0) continue;
    ASSERT_LE(mapped.statistics().resident_bytes, budget * page_size);
  }
  const statistics s = mapped.statistics();
  EXPECT_LE(s.most_resident_bytes, budget * page_size);
  EXPECT_GE(s.most_resident_bytes, (budget - budget / 16) * page_size);
  EXPECT_GE(s.evictions, 4000u - budget);
  EXPECT_EQ(s.bytes_written, 0u);
  EXPECT_EQ(s.bytes_read, (s.loads + s.read_ahead) * page_size);
  EXPECT_EQ(s.resident_bytes, (s.loads + s.read_ahead - s.evictions) * page_size);
  EXPECT_GE(s.faults, s.loads);
  std::uint64_t timed = 0;
  for (const std::uint64_t n : s.latency) timed += n;
  EXPECT_EQ(timed, s.loads);
}

TEST_F(the_pager, answers_one_fault_for_each_page_touched_and_none_for_those_in_memory) {
  region mapped = map(make_file(400), with_budget(400));
  mapped.advise({}, advice::random);
  for (std::size_t round = 0; round < 3; ++round) {
    for (std::size_t p = 0; p < 400; ++p)
      ASSERT_EQ(words_of(mapped)[p * words_of_page], pattern(p * words_of_page));
  }
  EXPECT_EQ(mapped.statistics().faults, 400u);
  EXPECT_EQ(mapped.statistics().loads, 400u);
  EXPECT_EQ(mapped.statistics().evictions, 0u);
}

TEST_F(the_pager, reads_ahead_of_a_thread_that_goes_from_page_to_page) {
  // On a busy machine some of what was read ahead may be evicted before its turn, and read again: not every
  // time.
  std::uint64_t fewest_read = std::numeric_limits<std::uint64_t>::max();
  for (int round = 0; round < 5 && fewest_read > 4096u + 64; ++round) {
    const region mapped = map(make_file(4096), with_budget(1024));
    for (std::size_t p = 0; p < 4096; ++p)
      ASSERT_EQ(words_of(mapped)[p * words_of_page], pattern(p * words_of_page));
    const statistics s = mapped.statistics();
    EXPECT_LT(s.faults, 300u);
    fewest_read = std::min(fewest_read, s.loads + s.read_ahead);
  }
  EXPECT_LE(fewest_read, 4096u + 64);
}

TEST_F(the_pager, does_not_read_ahead_of_random_touches) {
  const region mapped = map(make_file(4096), with_budget(1024));
  std::uint64_t x = 1;
  for (std::size_t i = 0; i < 4096; ++i) {
    x = x * 6364136223846793005U + 1442695040888963407U;
    const std::size_t p = (x >> 33) % 4096;
    ASSERT_EQ(words_of(mapped)[p * words_of_page], pattern(p * words_of_page));
  }
  EXPECT_LT(mapped.statistics().read_ahead, 400u);
}

TEST_F(the_pager, brings_in_what_lies_around_touches_that_are_close) {
  constexpr std::size_t units = 200;
  const auto touch_units = [](const region& mapped) {
    for (std::size_t unit = 0; unit < units; ++unit) {
      for (std::size_t i = 0; i < 12; ++i) {
        const std::size_t p = unit * 401 % 1024 * 16 + (7 * i + 3) % 16;
        ASSERT_EQ(words_of(mapped)[p * words_of_page], pattern(p * words_of_page));
      }
    }
  };
  const auto file = make_file(16384 + 5);
  region mapped = map(file, with_budget(4096));
  for (const std::size_t p : {16386, 16385, 16388, 16384, 16387})
    ASSERT_EQ(words_of(mapped)[p * words_of_page], pattern(p * words_of_page));
  EXPECT_EQ(mapped.statistics().bytes_read, 5 * page_size);

  mapped = map(file, with_budget(4096));
  touch_units(mapped);
  EXPECT_LT(mapped.statistics().faults, units * 5);
  EXPECT_LE(mapped.statistics().bytes_read, units * 16 * page_size);

  mapped = map(file, with_budget(4096));
  mapped.advise({}, advice::random);
  touch_units(mapped);
  EXPECT_EQ(mapped.statistics().bytes_read, units * 12 * page_size);
}

// Each read is followed by a store at first, and by none later.
TEST_F(the_pager, lets_pages_come_in_writable_while_what_is_read_is_stored_to) {
  if (tier_under_test() == tier::guard) GTEST_SKIP() << "what is touched there is writable";
  constexpr std::size_t pages = 2048;
  const auto file = make_file(pages);
  std::uint64_t x = 1;
  const auto next_page = [&x] {
    x = x * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>((x >> 33) % pages);
  };
  std::vector<std::uint64_t> stored(pages);
  {
    const region mapped = map(file, with_budget(256, mode::write_back));
    volatile std::uint64_t* const words = words_of(mapped);
    for (std::size_t i = 0; i < 8192; ++i) {
      const std::size_t p = next_page();
      words[p * words_of_page + 9] = words[p * words_of_page + 9] + i;
      stored[p] += i;
    }
    statistics s = mapped.statistics();
    EXPECT_LT(s.first_stores, s.loads / 2);

    const auto read_some = [&] {
      for (std::size_t i = 0; i < 8192; ++i) {
        const std::size_t p = next_page();
        ASSERT_EQ(words[p * words_of_page + 9], pattern(p * words_of_page + 9) + stored[p]);
      }
    };
    read_some();
    s = mapped.statistics();
    read_some();
    // A few that were stored to before may have stayed until now.
    EXPECT_LT(mapped.statistics().bytes_written - s.bytes_written, 256 * page_size);
  }
  const auto there = words_in(file);
  for (std::size_t p = 0; p < pages; ++p)
    ASSERT_EQ(there[p * words_of_page + 9], pattern(p * words_of_page + 9) + stored[p]);
}

TEST_F(the_pager, keeps_what_comes_back_when_much_passes_by) {
  constexpr std::size_t often = 64;
  region mapped = map(make_file(8192), with_budget(256));
  mapped.advise({}, advice::random);
  std::size_t cold = often;
  std::uint64_t misses = 0;
  for (std::size_t round = 0; round < 60; ++round) {
    const std::uint64_t before = mapped.statistics().faults;
    for (std::size_t p = 0; p < often; ++p)
      ASSERT_EQ(words_of(mapped)[p * words_of_page], pattern(p * words_of_page));
    if (round >= 20) misses += mapped.statistics().faults - before;
    for (std::size_t i = 0; i < 128; ++i, cold = cold + 1 < 8192 ? cold + 1 : often)
      ASSERT_EQ(words_of(mapped)[cold * words_of_page], pattern(cold * words_of_page));
  }
  // A single queue of that length would miss a third of them and more.
  EXPECT_LT(misses, 40 * often / 4);
}

TEST_F(the_pager, counts_first_stores_and_what_it_writes) {
  if (tier_under_test() == tier::guard) GTEST_SKIP() << "what is touched there is writable";
  region mapped = map(make_file(64), with_budget(64, mode::write_back));
  mapped.advise({}, advice::random);
  for (std::size_t p = 0; p < 32; ++p)
    ASSERT_EQ(words_of(mapped)[p * words_of_page], pattern(p * words_of_page));
  for (std::size_t p = 0; p < 48; ++p) words_of(mapped)[p * words_of_page] = p;
  for (std::size_t p = 0; p < 48; ++p) words_of(mapped)[p * words_of_page + 1] = p;
  EXPECT_EQ(mapped.statistics().first_stores, 32u);
  EXPECT_EQ(mapped.statistics().faults, 80u);
  mapped.flush();
  EXPECT_EQ(mapped.statistics().bytes_written, 48 * page_size);
  mapped.flush();
  EXPECT_EQ(mapped.statistics().bytes_written, 48 * page_size);
  words_of(mapped)[3] = 3;
  mapped.flush();
  EXPECT_EQ(mapped.statistics().bytes_written, 49 * page_size);
}

TEST_F(the_pager, refuses_pins_that_leave_no_room) {
  region mapped = map(make_file(100), with_budget(12));
  const pin most = mapped.pin(mapped.data(), 8 * page_size);
  EXPECT_TRUE(
      fails_with(errc::out_of_capacity, "", [&] { auto p = mapped.pin(mapped.data() + 20 * page_size, 1); }));
  EXPECT_TRUE(fails_with(errc::out_of_capacity, "",
                         [&] { auto p = mapped.pin(mapped.data() + 7 * page_size, 2 * page_size); }));
  for (std::size_t i = 0; i < 100 * words_of_page; ++i) ASSERT_EQ(words_of(mapped)[i], pattern(i));
  { const pin same = mapped.pin(mapped.data() + 4096, page_size); }
}

TEST_F(the_pager, fails_system_calls_on_what_is_not_pinned) {
  const region mapped = map(make_file(100), with_budget(12));
  const int out = ::open(path("out").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  EXPECT_EQ(::pwrite(out, mapped.data() + 50 * page_size, 10, 0), -1);
  EXPECT_EQ(errno, EFAULT);
  ::close(out);
}

TEST_F(the_pager, spills_where_it_is_told_to) {
  std::filesystem::create_directory(path("spill"));
  options o = with_budget(8, mode::private_copy);
  o.spill_directory = path("spill");
  const region mapped = map(make_file(100), o);
  for (std::size_t p = 0; p < 100; ++p) words_of(mapped)[p * words_of_page] = p;
  for (std::size_t p = 0; p < 100; ++p) ASSERT_EQ(words_of(mapped)[p * words_of_page], p);
  EXPECT_TRUE(std::filesystem::is_empty(path("spill")));
  o.spill_directory = path("nowhere");
  EXPECT_TRUE(fails_with(errc::not_found, "", [&] { map(path("data"), o); }));
}

TEST_F(the_pager, is_chosen_by_the_environment_where_the_program_leaves_it_open) {
  const auto file = make_file(10);
  ::setenv("PERDURE_PAGER_TIER", "plain", 1);
  EXPECT_EQ(map(file, with_budget(8, mode::read_only, tier::automatic)).tier(), tier::plain);
  EXPECT_EQ(map(file, with_budget(8)).tier(), tier_under_test());
  ::setenv("PERDURE_PAGER_TIER", "magic", 1);
  EXPECT_TRUE(fails_with(errc::invalid_argument, "",
                         [&] { map(file, with_budget(8, mode::read_only, tier::automatic)); }));
  ::unsetenv("PERDURE_PAGER_TIER");
  EXPECT_EQ(map(file, with_budget(8, mode::read_only, tier::automatic)).tier(),
            !why_unavailable(tier::uffd_sigbus) ? tier::uffd_sigbus
            : !why_unavailable(tier::guard)     ? tier::guard
                                                : tier::plain);
  EXPECT_EQ(why_unavailable(tier::plain), std::nullopt);
}

}  // namespace
}  // namespace perdure::pager
