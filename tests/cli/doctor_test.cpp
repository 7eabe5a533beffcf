// perdure doctor.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <perdure/kind.hpp>
#include <perdure/pager.hpp>

#include "support/data_files.hpp"
#include "support/program.hpp"
#include "support/scratch_directory.hpp"

namespace {

using perdure::test::outcome;
using perdure::test::perdure_run;

TEST(Doctor, ListsEveryKindWithItsSizeOrWhyItIsNotThere) {
  const outcome o = perdure_run({"doctor", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const auto kinds = nlohmann::json::parse(o.out)["kinds"];
  ASSERT_EQ(kinds.size(), perdure::static_kind_count);
  for (const auto& row : kinds) {
    const auto which = perdure::static_kind_named(row["name"].get<std::string>());
    ASSERT_TRUE(which) << row;
    EXPECT_EQ(row["available"].get<bool>(), !perdure::kind::why_unavailable(*which)) << row;
    if (!row["available"].get<bool>()) {
      EXPECT_NE(row["why_not"].get<std::string>(), "");
    }
  }
  EXPECT_GT(kinds[0]["total"].get<std::uint64_t>(), 0u);
}

TEST(Doctor, ListsTheTiersOfThePager) {
  const outcome o = perdure_run({"doctor", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const auto tiers = nlohmann::json::parse(o.out)["pager"];
  ASSERT_EQ(tiers.size(), 3u);
  EXPECT_EQ(tiers[0]["name"], "uffd_sigbus");
  EXPECT_EQ(tiers[0]["available"].get<bool>(),
            !perdure::pager::why_unavailable(perdure::pager::tier::uffd_sigbus));
  EXPECT_EQ(tiers[1]["name"], "guard");
  EXPECT_EQ(tiers[1]["available"].get<bool>(), !perdure::pager::why_unavailable(perdure::pager::tier::guard));
  EXPECT_EQ(tiers[2]["name"], "plain");
  EXPECT_TRUE(tiers[2]["available"].get<bool>());
}

TEST(Doctor, TellsOfTrackersSharedBlocksHugePagesAndLimits) {
  const perdure::scratch_directory scratch;
  const std::string at = scratch.directory().string();
  const outcome o = perdure_run({"doctor", "--at", at, "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const auto report = nlohmann::json::parse(o.out);
  const auto trackers = report["page_trackers"];
  ASSERT_EQ(trackers.size(), 3u) << trackers;
  int used = 0;
  for (const auto& row : trackers) {
    used += row["used"].get<bool>() ? 1 : 0;
    EXPECT_TRUE(row["available"].get<bool>() || !row["used"].get<bool>()) << row;
  }
  EXPECT_EQ(used, 1);
  EXPECT_TRUE(trackers[2]["available"].get<bool>()) << "mprotect works everywhere";
  EXPECT_EQ(report["shared_blocks"]["directory"], at);
  EXPECT_NE(report["huge_pages"], "");
  EXPECT_GT(report["limits"]["open_files"].get<std::uint64_t>(), 0u);
  EXPECT_TRUE(std::filesystem::is_empty(at)) << "what was tried leaves nothing behind";

  const auto elsewhere = nlohmann::json::parse(perdure_run({"doctor", "--at", at + "/absent", "--json"}).out);
  EXPECT_TRUE(elsewhere["page_trackers"][0].contains("why_not"));
  EXPECT_FALSE(elsewhere["shared_blocks"]["available"].get<bool>());
}

TEST(Doctor, TellsWhetherStoresCanBeInPersistentMemory) {
  const outcome o = perdure_run({"doctor", "--at", "/dev/shm", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const auto persistent = nlohmann::json::parse(o.out)["persistent_memory"];
  EXPECT_EQ(persistent["directory"], "/dev/shm");
  EXPECT_FALSE(persistent["available"].get<bool>());
  EXPECT_NE(persistent["why_not"].get<std::string>(), "");
  EXPECT_NE(perdure_run({"doctor", "--at", "/nowhere"}).out.find("No such file"), std::string::npos);
}

TEST(Doctor, TellsPeopleTheSame) {
  const outcome o = perdure_run({"doctor"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.out.find("  default "), std::string::npos);
  EXPECT_NE(o.out.find(" yes "), std::string::npos);
  EXPECT_NE(o.out.find("  plain "), std::string::npos);
  EXPECT_EQ(perdure_run({"doctor", "more"}).status, 2);
}

}  // namespace
