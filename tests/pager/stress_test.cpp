// Many threads and little memory.
#include <atomic>
#include <chrono>
#include <thread>

#include "os/thread_sanitizer.hpp"
#include "patterned_file.hpp"

namespace perdure::pager {
namespace {

// How many times fewer repetitions there are. AddressSanitizer sees no races, and what they lead to is looked
// for without it.
#ifdef PERDURE_THREAD_SANITIZER
constexpr std::size_t slower = 8;
#elif defined(__SANITIZE_ADDRESS__)
constexpr std::size_t slower = 4;
#else
constexpr std::size_t slower = 1;
#endif

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::size_t below(std::size_t end) noexcept {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>((state_ >> 33) % end);
  }

 private:
  std::uint64_t state_;
};

template <class Work>
void in_threads(std::size_t count, Work&& work) {
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < count; ++t) threads.emplace_back([&work, t] { work(t); });
  for (std::thread& thread : threads) thread.join();
}

class under_stress : public pager_test, public testing::WithParamInterface<transfer> {};

INSTANTIATE_TEST_SUITE_P(transfers, under_stress, testing::Values(transfer::automatic, transfer::buffered),
                         [](const auto& of) {
                           return std::string(of.param == transfer::buffered ? "buffered" : "direct");
                         });

TEST_P(under_stress, each_page_read_has_its_content) {
  constexpr std::size_t pages = 8192;
  options o = with_budget(pages / 16);
  o.transfer = GetParam();
  const region mapped = map(make_file(pages), o);
  std::atomic<std::size_t> wrong{0};
  in_threads(8, [&](std::size_t t) {
    random_numbers random(t);
    const std::uint64_t* const words = words_of(mapped);
    const auto look_at = [&](std::size_t page) {
      for (std::size_t i = page * words_of_page; i < (page + 1) * words_of_page; i += 61)
        if (words[i] != pattern(i)) ++wrong;
    };
    for (std::size_t i = 0; i < 6000 / slower; ++i) look_at(random.below(pages));
    // Every page at least once, in another order in each thread.
    for (std::size_t i = 0; i < pages / slower; ++i) look_at(t % 2 == 0 ? i : pages - 1 - i);
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_LE(mapped.statistics().most_resident_bytes, pages / 16 * page_size);
  EXPECT_EQ(mapped.failure(), std::nullopt);
}

// Every thread adds to its own words, which lie beside those of the others in every page.
TEST_P(under_stress, no_update_is_lost) {
  constexpr std::size_t pages = 512;
  constexpr std::size_t threads = 8;
  constexpr std::size_t additions = 8000 / slower;
  const auto file = path("numbers");
  const std::vector<std::uint64_t> zeros(pages * words_of_page);
  for (const mode m : {mode::write_back, mode::private_copy}) {
    write_file(file, zeros.data(), zeros.size() * sizeof(std::uint64_t));
    options o = with_budget(pages / 4, m);
    o.transfer = GetParam();
    std::vector<std::vector<std::uint64_t>> expected(threads, std::vector<std::uint64_t>(pages));
    region mapped = map(file, o);
    std::atomic<bool> done{false};
    std::thread flusher([&] {
      while (!done) {
        mapped.flush();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    });
    in_threads(threads, [&](std::size_t t) {
      random_numbers random(t);
      for (std::size_t i = 0; i < additions; ++i) {
        const std::size_t page = random.below(pages);
        words_of(mapped)[page * words_of_page + t * 8] += i;
        expected[t][page] += i;
      }
    });
    done = true;
    flusher.join();
    for (std::size_t page = 0; page < pages; ++page)
      for (std::size_t t = 0; t < threads; ++t)
        ASSERT_EQ(words_of(mapped)[page * words_of_page + t * 8], expected[t][page]);
    mapped.flush();
    const auto there = words_in(file);
    for (std::size_t page = 0; page < pages; ++page)
      for (std::size_t t = 0; t < threads; ++t)
        ASSERT_EQ(there[page * words_of_page + t * 8], m == mode::write_back ? expected[t][page] : 0);
    EXPECT_LE(mapped.statistics().most_resident_bytes, pages / 4 * page_size);
    EXPECT_GT(mapped.statistics().evictions, 0u);
  }
}

TEST_P(under_stress, no_update_of_shared_words_is_lost) {
  constexpr std::size_t pages = 256;
  constexpr std::size_t threads = 4;
  constexpr std::size_t additions = 20000 / slower;
  const auto file = path("numbers");
  const std::vector<std::uint64_t> zeros(pages * words_of_page);
  write_file(file, zeros.data(), zeros.size() * sizeof(std::uint64_t));
  options o = with_budget(pages / 4, mode::write_back);
  o.transfer = GetParam();
  {
    const region mapped = map(file, o);
    in_threads(threads, [&](std::size_t t) {
      random_numbers random(t);
      for (std::size_t i = 0; i < additions; ++i)
        std::atomic_ref(words_of(mapped)[random.below(pages) * words_of_page + random.below(4)]).fetch_add(1);
    });
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words_in(file)) sum += word;
  EXPECT_EQ(sum, threads * additions);
}

TEST_P(under_stress, one_page_more_than_threads_is_enough) {
  constexpr std::size_t pages = 64;
  for (const std::size_t threads : {3, 8}) {
    options o = with_budget(threads + 1, mode::write_back);
    o.transfer = GetParam();
    std::vector<std::uint64_t> words(pages * words_of_page);
    write_file(path("few"), words.data(), words.size() * sizeof(std::uint64_t));
    {
      const region mapped = map(path("few"), o);
      in_threads(threads, [&](std::size_t t) {
        random_numbers random(t);
        for (std::size_t i = 0; i < 2000 / slower; ++i)
          ++words_of(mapped)[random.below(pages) * words_of_page + t];
      });
      EXPECT_LE(mapped.statistics().most_resident_bytes, (threads + 1) * page_size);
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t word : words_in(path("few"))) sum += word;
    EXPECT_EQ(sum, threads * (2000 / slower));
  }
}

TEST_P(under_stress, pins_prefetches_and_evictions_do_not_disturb_each_other) {
  constexpr std::size_t pages = 1024;
  options o = with_budget(256, mode::write_back);
  o.transfer = GetParam();
  region mapped = map(make_file(pages), o);
  std::atomic<std::size_t> wrong{0};
  in_threads(6, [&](std::size_t t) {
    random_numbers random(t);
    for (std::size_t i = 0; i < 400 / slower; ++i) {
      const std::size_t page = random.below(pages - 8);
      const byte_range range{page * page_size, (1 + random.below(8)) * page_size};
      switch (t % 3 == 0 ? random.below(4) : 4) {
        case 0: {
          const pin held = mapped.pin(mapped.data() + range.offset, range.bytes,
                                      random.below(2) == 0 ? pin_for::reading : pin_for::writing);
          if (words_of(mapped)[page * words_of_page + 100] != pattern(page * words_of_page + 100)) ++wrong;
          break;
        }
        case 1:
          mapped.prefetch(range);
          break;
        case 2:
          mapped.advise(range, advice::dont_need);
          break;
        case 3:
          mapped.flush();
          break;
        default:
          // Words that nobody else writes; the rest of the page is as it was.
          words_of(mapped)[page * words_of_page + t] = i;
          if (words_of(mapped)[page * words_of_page + t] != i) ++wrong;
          if (words_of(mapped)[page * words_of_page + 200] != pattern(page * words_of_page + 200)) ++wrong;
      }
    }
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_LE(mapped.statistics().most_resident_bytes, 256 * page_size);
}

}  // namespace
}  // namespace perdure::pager
