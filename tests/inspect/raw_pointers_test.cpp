// Raw pointers that are found in stores.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <perdure/container/list.hpp>
#include <perdure/inspect/raw_pointers.hpp>
#include <perdure/perdure.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/scratch_test.hpp"

namespace {
using perdure::inspect::pointer_report;
using perdure::inspect::pointing_bytes;

/// The compiler cannot see what is in it.
class holder {
 public:
  explicit holder(const void* address) : address_(address) {}

 private:
  std::uint64_t number_ = 7;
  const void* address_;
};

/// An address as programs and the memory they map have, always the same.
const void* of_process() {
  const std::byte here{};
  const std::uintptr_t high = reinterpret_cast<std::uintptr_t>(&here) >> 32;
  return reinterpret_cast<const void*>((high << 32) + 0x5b6c7d80);
}

class raw_pointers : public perdure::scratch_test {
 protected:
  pointer_report found() const {
    return perdure::inspect::find_raw_pointers(perdure::manager(perdure::open_read_only, path("store")));
  }
};

TEST_F(raw_pointers, are_told_with_object_type_offset_and_word) {
  const void* inside = nullptr;
  {
    perdure::manager store(perdure::create_only, path("store"));
    inside = store.construct<int>("target")(1);
    store.construct<holder>("bad")(inside);
    store.construct<holder>("sound")(nullptr);
    store.construct<holder>(perdure::unique_instance)(of_process());
    store.construct<perdure::vector<holder>>("more")(3, holder(inside));
  }
  const pointer_report report = found();
  EXPECT_EQ(report.places, 3U);
  EXPECT_EQ(report.words, 5U);
  std::map<std::string, pointing_bytes> rows;
  for (const pointing_bytes& row : report.found)
    rows[!row.kind ? "block" : *row.kind == perdure::instance_kind::named ? "named" : "unique"] = row;
  EXPECT_EQ(rows["named"].name, "bad");
  EXPECT_NE(rows["named"].type.find("holder"), std::string::npos);
  EXPECT_EQ(rows["named"].offset, 8U);
  EXPECT_EQ(rows["named"].word, reinterpret_cast<std::uintptr_t>(inside));
  EXPECT_GE(rows["named"].epoch, 1U);
  EXPECT_EQ(rows["unique"].epoch, 0U);
  EXPECT_EQ(rows["block"].words, 3U);
  EXPECT_EQ(rows["block"].offset, 8U);
}

TEST_F(raw_pointers, of_earlier_programs_are_known_too) {
  {
    perdure::manager store(perdure::create_only, path("store"));
    store.construct<holder>("bad")(store.construct<int>("target")(1));
  }
  {
    // Held, so that the next one is mapped elsewhere.
    perdure::manager other(perdure::create_only, path("other"));
    perdure::manager store(perdure::open_only, path("store"));
    *store.find<int>("target").first = 2;
  }
  std::set<std::uint64_t> addresses;
  for (const perdure::checkpoint_record& one : perdure::store_maintenance::log(path("store")))
    addresses.insert(one.address);
  EXPECT_EQ(addresses.size(), 2u);
  perdure::manager::copy(path("store"), path("copy"));
  perdure::manager::remove(path("store"));
  std::filesystem::rename(path("copy"), path("store"));
  const std::vector<pointing_bytes> places = found().found;
  ASSERT_FALSE(places.empty());
  EXPECT_EQ(places[0].name, "bad");
  EXPECT_LT(places[0].epoch, perdure::store_maintenance::inspect(path("store")).epoch);
}

TEST_F(raw_pointers, are_not_seen_in_what_else_is_stored) {
  {
    perdure::manager store(perdure::create_only, path("store"));
    std::mt19937_64 random(3);
    auto& numbers = *store.construct<perdure::vector<double>>("numbers")();
    auto& keys = *store.construct<perdure::flat_map<std::uint64_t, perdure::string>>("keys")();
    auto& ids = *store.construct<perdure::vector<std::uint32_t>>("ids")();
    auto& nodes = *store.construct<perdure::list<std::uint64_t>>("nodes")();
    for (int i = 0; i < 50'000; ++i) {
      numbers.push_back(static_cast<double>(random()) / 1e3);
      ids.push_back(static_cast<std::uint32_t>(random() % 100'000));
      if (i % 8 == 0) keys.try_emplace(random(), std::to_string(i) + " words of text, MERCUR");
      if (i % 8 == 0) nodes.push_back(random() >> 1);
    }
    auto* const text = static_cast<char*>(store.allocate(4096));
    for (int i = 0; i < 4096; i += 8) std::memcpy(text + i, "hatchU\0", 8);
    store.construct<perdure::offset_ptr<char>>("text")(text);
  }
  const pointer_report report = found();
  EXPECT_EQ(report.places, 0U);
  EXPECT_GT(report.bytes_read, 600'000U);
}

TEST_F(raw_pointers, into_a_pinned_store_are_right) {
  {
    perdure::pinned_manager store(perdure::create_only, path("store"), {.capacity = std::size_t{1} << 30});
    store.construct<holder>("right")(store.construct<int>("target")(1));
  }
  EXPECT_EQ(found().places, 0U);
  {
    perdure::pinned_manager store(perdure::open_only, path("store"));
    store.construct<holder>("wrong")(of_process());
  }
  ASSERT_EQ(found().found.size(), 1U);
  EXPECT_EQ(found().found[0].name, "wrong");
}

}  // namespace
