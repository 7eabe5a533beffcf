// Verification and repair.
#include "perdure/c/verify.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "c/c_store.hpp"

namespace perdure::c {
namespace {

constexpr char pattern[] = "a pattern that is in one page of the store and nowhere else";

struct verify_test : c_store_test {
  void SetUp() override {
    c_store_test::SetUp();
    void* data = nullptr;
    ASSERT_OK(perdure_data_create(store, "bytes", "uint8", 3 * 4096, 4096, &data));
    std::memcpy(static_cast<char*>(data) + 4096, pattern, sizeof pattern);
    close();
  }
  /// Changes a byte of the array in its file.
  void damage() const {
    const std::string file = path + "/heap.000";
    std::vector<char> bytes;
    {
      std::ifstream in(file, std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(in), {});
    }
    const auto at = std::search(bytes.begin(), bytes.end(), std::begin(pattern), std::end(pattern));
    ASSERT_NE(at, bytes.end());
    std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(at - bytes.begin());
    out.put('A');
  }
};

perdure_verify_summary summary_of(const perdure_verify_report* report) {
  perdure_verify_summary summary{};
  summary.struct_size = sizeof summary;
  EXPECT_OK(perdure_verify_report_summary(report, &summary));
  return summary;
}

TEST_F(verify_test, WholeStoreIsWhole) {
  EXPECT_OK(perdure_verify(path.c_str(), nullptr, nullptr));
  perdure_verify_options options{};
  options.struct_size = sizeof options;
  options.threads = 2;
  perdure_verify_report* report = nullptr;
  ASSERT_OK(perdure_verify(path.c_str(), &options, &report));
  const perdure_verify_summary summary = summary_of(report);
  EXPECT_EQ(summary.damages, 0U);
  EXPECT_NE(summary.pages, 0U);
  EXPECT_NE(summary.bytes_read, 0U);
  EXPECT_NE(summary.epoch, 0U);
  EXPECT_EQ(summary.epoch, summary.applied_epoch);
  const perdure_verify_finding* finding = garbage<const perdure_verify_finding>();
  EXPECT_EQ(perdure_verify_report_finding(report, summary.findings, &finding), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(finding, nullptr);
  EXPECT_OK(perdure_verify_report_free(report));
}

TEST_F(verify_test, DamageIsReported) {
  damage();
  EXPECT_EQ(perdure_verify(path.c_str(), nullptr, nullptr), PERDURE_DAMAGED);
  perdure_verify_report* report = nullptr;
  ASSERT_EQ(perdure_verify(path.c_str(), nullptr, &report), PERDURE_DAMAGED);
  EXPECT_NE(std::string(perdure_last_error_message()).find("heap.000"), std::string::npos);
  const perdure_verify_summary summary = summary_of(report);
  EXPECT_EQ(summary.damages, 1U);
  ASSERT_EQ(summary.findings, 1U);
  const perdure_verify_finding* finding = nullptr;
  ASSERT_OK(perdure_verify_report_finding(report, 0, &finding));
  EXPECT_STREQ(finding->section, "home_page");
  EXPECT_STREQ(finding->file, "heap.000");
  EXPECT_STRNE(finding->what, "");
  EXPECT_NE(finding->page, PERDURE_NO_PAGE);
  EXPECT_EQ(finding->damage, 1);
  EXPECT_OK(perdure_verify_report_free(report));
  perdure_store_options options = small_options();
  options.checks = PERDURE_OPEN_CHECKS_ALL;
  EXPECT_EQ(perdure_store_open(path.c_str(), &options, &store), PERDURE_DAMAGED);
  EXPECT_EQ(store, nullptr);
}

TEST_F(verify_test, RepairAcceptsDamageWhenTold) {
  damage();
  perdure_text_list* done = nullptr;
  perdure_verify_report* before = nullptr;
  perdure_verify_report* after = nullptr;
  ASSERT_EQ(perdure_repair(path.c_str(), nullptr, &done, &before, &after), PERDURE_DAMAGED);
  EXPECT_EQ(summary_of(before).damages, 1U);
  EXPECT_EQ(summary_of(after).damages, 1U);
  EXPECT_OK(perdure_text_list_free(done));
  EXPECT_OK(perdure_verify_report_free(before));
  EXPECT_OK(perdure_verify_report_free(after));

  perdure_repair_options options{};
  options.struct_size = sizeof options;
  options.accept_damage = 1;
  ASSERT_OK(perdure_repair(path.c_str(), &options, &done, nullptr, &after));
  std::size_t size = 0;
  ASSERT_OK(perdure_text_list_size(done, &size));
  ASSERT_NE(size, 0U);
  const char* text = nullptr;
  ASSERT_OK(perdure_text_list_at(done, 0, &text));
  EXPECT_STRNE(text, "");
  EXPECT_EQ(summary_of(after).damages, 0U);
  EXPECT_OK(perdure_text_list_free(done));
  EXPECT_OK(perdure_verify_report_free(after));
  EXPECT_OK(perdure_verify(path.c_str(), nullptr, nullptr));
  EXPECT_OK(perdure_repair(path.c_str(), nullptr, nullptr, nullptr, nullptr));
}

TEST_F(verify_test, RefusesWhatIsNoStoreAndWrongArguments) {
  perdure_verify_report* report = garbage<perdure_verify_report>();
  EXPECT_EQ(perdure_verify(beside("other").c_str(), nullptr, &report), PERDURE_NOT_FOUND);
  EXPECT_EQ(report, nullptr);
  EXPECT_EQ(perdure_repair(beside("other").c_str(), nullptr, nullptr, nullptr, &report), PERDURE_NOT_FOUND);
  EXPECT_EQ(perdure_verify(nullptr, nullptr, &report), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_repair(nullptr, nullptr, nullptr, nullptr, nullptr), PERDURE_INVALID_ARGUMENT);
  const perdure_verify_options no_size{};
  EXPECT_EQ(perdure_verify(path.c_str(), &no_size, nullptr), PERDURE_INVALID_ARGUMENT);
  perdure_verify_options reserved{};
  reserved.struct_size = sizeof reserved;
  reserved.reserved = 1;
  EXPECT_EQ(perdure_verify(path.c_str(), &reserved, nullptr), PERDURE_INVALID_ARGUMENT);
  const perdure_repair_options no_size_either{};
  EXPECT_EQ(perdure_repair(path.c_str(), &no_size_either, nullptr, nullptr, nullptr),
            PERDURE_INVALID_ARGUMENT);
  ASSERT_OK(perdure_verify(path.c_str(), nullptr, &report));
  EXPECT_EQ(perdure_verify_report_summary(report, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_EQ(perdure_verify_report_finding(report, 0, nullptr), PERDURE_INVALID_ARGUMENT);
  EXPECT_OK(perdure_verify_report_free(report));
}

TEST_F(verify_test, RepairNeedsAStoreThatNooneWrites) {
  ASSERT_OK(perdure_store_open(path.c_str(), nullptr, &store));
  ASSERT_OK(perdure_verify(path.c_str(), nullptr, nullptr));
  EXPECT_EQ(perdure_repair(path.c_str(), nullptr, nullptr, nullptr, nullptr), PERDURE_IN_USE);
}

}  // namespace
}  // namespace perdure::c
