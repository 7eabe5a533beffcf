// perdure verify --pointers.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <perdure/container/list.hpp>
#include <perdure/perdure.hpp>
#include <random>
#include <set>

#include "support/program.hpp"
#include "support/scratch_test.hpp"

namespace {
using nlohmann::json;
using perdure::test::outcome;
using perdure::test::perdure_run;

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
  json verified(int status, std::vector<std::string> more = {}) const {
    std::vector<std::string> command{"verify", "--pointers", path("store"), "--json"};
    command.insert(command.end(), more.begin(), more.end());
    const outcome o = perdure_run(command);
    EXPECT_EQ(o.status, status) << o.out << o.err;
    EXPECT_EQ(o.err, "");
    return json::parse(o.out);
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
  const json report = verified(1);
  EXPECT_EQ(report["whole"], true);
  EXPECT_EQ(report["pointers"]["places"], 3);
  EXPECT_EQ(report["pointers"]["words"], 5);
  std::map<std::string, json> rows;
  for (const json& row : report["pointers"]["found"]) rows[row["kind"]] = row;
  EXPECT_EQ(rows["named"]["name"], "bad");
  EXPECT_NE(rows["named"]["type"].get<std::string>().find("holder"), std::string::npos);
  EXPECT_EQ(rows["named"]["offset"], 8);
  EXPECT_EQ(std::stoull(rows["named"]["word"].get<std::string>(), nullptr, 16),
            reinterpret_cast<std::uintptr_t>(inside));
  EXPECT_GE(rows["named"]["mapped_for_epoch"], 1);
  EXPECT_FALSE(rows["unique"].contains("mapped_for_epoch"));
  EXPECT_EQ(rows["block"]["words"], 3);
  EXPECT_EQ(rows["block"]["offset"], 8);

  const outcome text = perdure_run({"verify", "--pointers", path("store")});
  EXPECT_EQ(text.status, 1);
  EXPECT_NE(text.out.find("looks like a raw pointer: \"bad\" ("), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("offset 8: 0x"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("5 words look like raw pointers"), std::string::npos) << text.out;
  EXPECT_EQ(perdure_run({"verify", path("store")}).status, 0);
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
  const json found = verified(1)["pointers"]["found"];
  EXPECT_EQ(found[0]["name"], "bad");
  EXPECT_LT(found[0]["mapped_for_epoch"], perdure::store_maintenance::inspect(path("store")).epoch);
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
  const json report = verified(0);
  EXPECT_EQ(report["pointers"]["places"], 0);
  EXPECT_GT(report["pointers"]["bytes_read"], 600'000);
  const outcome text = perdure_run({"verify", "--pointers", path("store")});
  EXPECT_NE(text.out.find("nothing looks like a raw pointer"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("some may be missed"), std::string::npos) << text.out;
}

TEST_F(raw_pointers, into_a_pinned_store_are_right) {
  {
    perdure::pinned_manager store(perdure::create_only, path("store"), {.capacity = std::size_t{1} << 30});
    store.construct<holder>("right")(store.construct<int>("target")(1));
  }
  EXPECT_EQ(verified(0)["pointers"]["places"], 0);
  {
    perdure::pinned_manager store(perdure::open_only, path("store"));
    store.construct<holder>("wrong")(of_process());
  }
  EXPECT_EQ(verified(1)["pointers"]["found"][0]["name"], "wrong");
}

TEST_F(raw_pointers, are_not_looked_for_in_a_damaged_store) {
  { perdure::manager store(perdure::create_only, path("store")); }
  std::fstream(path("store") / "heap.000", std::ios::in | std::ios::out | std::ios::binary)
      .seekp(2 << 20)
      .put('x');
  EXPECT_EQ(verified(1)["pointers"], nullptr);
  EXPECT_NE(perdure_run({"verify", "--pointers", path("store")}).out.find("were not looked for"),
            std::string::npos);
}

}  // namespace
