// perdure doctor.
#include <gtest/gtest.h>

#include <cstdlib>
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
  EXPECT_EQ(report["noticed_copies"]["directory"], at);
  EXPECT_EQ(report["noticed_copies"]["available"].get<bool>(), !report["noticed_copies"].contains("why_not"));
  EXPECT_NE(report["huge_pages"], "");
  EXPECT_GT(report["limits"]["open_files"].get<std::uint64_t>(), 0u);
  EXPECT_TRUE(std::filesystem::is_empty(at)) << "what was tried leaves nothing behind";

  const auto elsewhere = nlohmann::json::parse(perdure_run({"doctor", "--at", at + "/absent", "--json"}).out);
  EXPECT_TRUE(elsewhere["page_trackers"][0].contains("why_not"));
  EXPECT_FALSE(elsewhere["shared_blocks"]["available"].get<bool>());
  EXPECT_FALSE(elsewhere["noticed_copies"]["available"].get<bool>());
}

TEST(Doctor, TellsTheTrackerThatTheEnvironmentAsksFor) {
  const perdure::scratch_directory scratch;
  const char* const before = std::getenv("PERDURE_TRACKER");
  const std::string kept = before == nullptr ? "" : before;
  const auto trackers_under = [&](const char* value) {
    ::setenv("PERDURE_TRACKER", value, 1);
    const outcome o = perdure_run({"doctor", "--at", scratch.directory().string(), "--json"});
    EXPECT_EQ(o.status, 0) << o.err;
    return nlohmann::json::parse(o.out)["page_trackers"];
  };
  const auto chosen = trackers_under("mprotect");
  const auto wrong = trackers_under("cardboard");
  const outcome text = perdure_run({"doctor", "--at", scratch.directory().string()});
  before == nullptr ? ::unsetenv("PERDURE_TRACKER") : ::setenv("PERDURE_TRACKER", kept.c_str(), 1);
  ASSERT_EQ(chosen.size(), 3u) << chosen;
  for (const auto& row : chosen) EXPECT_EQ(row["used"].get<bool>(), row["name"] == "mprotect") << row;
  // With a value that is none no store can be made, which does not hide what there is.
  ASSERT_EQ(wrong.size(), 4u) << wrong;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(wrong[i]["available"], chosen[i]["available"]) << wrong;
    EXPECT_FALSE(wrong[i]["used"].get<bool>()) << wrong;
  }
  EXPECT_NE(wrong[3]["why_not"].get<std::string>().find("PERDURE_TRACKER is 'cardboard'"), std::string::npos);
  EXPECT_NE(text.out.find("  no store can be made: PERDURE_TRACKER is 'cardboard'"), std::string::npos)
      << text.out;
}

TEST(Doctor, TellsWhatEachBackingCanDo) {
  const outcome o = perdure_run({"doctor", "--at", "/dev/shm", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const auto backings = nlohmann::json::parse(o.out)["backings"];
  ASSERT_EQ(backings.size(), 4u);
  EXPECT_EQ(backings[0]["name"], "private");
  EXPECT_TRUE(backings[0]["available"].get<bool>());
  EXPECT_TRUE(backings[1]["available"].get<bool>() || backings[1]["falls_back"] == "private") << backings[1];
  EXPECT_NE(backings[2]["why_not"].get<std::string>().find("DAX"), std::string::npos);
  EXPECT_FALSE(backings[3]["atomic_checkpoints"].get<bool>());
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

TEST(Doctor, TellsWhatTheEnvironmentAsksFor) {
  ::setenv("PERDURE_HUGE_PAGES", "yes", 1);
  ::setenv("PERDURE_KIND_CHECKS", "1", 1);
  const outcome o = perdure_run({"doctor", "--json"});
  const outcome said = perdure_run({"doctor"});
  ::unsetenv("PERDURE_HUGE_PAGES");
  ::unsetenv("PERDURE_KIND_CHECKS");
  ASSERT_EQ(o.status, 0) << o.err;
  const auto variables = nlohmann::json::parse(o.out)["environment"];
  int seen = 0;
  for (const auto& row : variables) {
    EXPECT_FALSE(row["purpose"].get<std::string>().empty()) << row;
    EXPECT_FALSE(row["default"].get<std::string>().empty()) << row;
    if (row["name"] == "PERDURE_HUGE_PAGES") {
      EXPECT_EQ(row["value"], "yes");
      EXPECT_EQ(row["why_not"], "PERDURE_HUGE_PAGES is 'yes'; it may be 0 or 1");
      ++seen;
    }
    if (row["name"] == "PERDURE_KIND_CHECKS") {
      EXPECT_EQ(row["value"], "1");
      EXPECT_FALSE(row.contains("why_not"));
      ++seen;
    }
    if (row["name"] == "PERDURE_PAGER_THRESHOLD") {
      EXPECT_TRUE(row["value"].is_null());
      EXPECT_EQ(row["default"], "64");
      ++seen;
    }
  }
  EXPECT_EQ(seen, 3) << variables;
  EXPECT_NE(said.out.find("yes    is not possible: it may be 0 or 1\n"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("PERDURE_KIND_CHECKS"), std::string::npos);
  EXPECT_EQ(said.out.find("PERDURE_PAGER_THRESHOLD"), std::string::npos) << "it is not set";
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
