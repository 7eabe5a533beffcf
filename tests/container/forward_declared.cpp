// The forward declarations suffice for pointers, and name the types that the other headers define.
#include <perdure/perdure_fwd.hpp>

namespace {

struct mentions {
  perdure::manager* manager = nullptr;
  perdure::pinned_manager* pinned = nullptr;
  perdure::datastore* store = nullptr;
  perdure::array_store* arrays = nullptr;
  perdure::array_view<double>* view = nullptr;
  perdure::string* text = nullptr;
  perdure::vector<int>* numbers = nullptr;
  perdure::flat_map<perdure::string, long>* counts = nullptr;
  perdure::flat_set<int>* unique = nullptr;
  perdure::list<int>* linked = nullptr;
  perdure::deque<int>* queued = nullptr;
  perdure::offset_ptr<int>* pointer = nullptr;
};

}  // namespace

#include <gtest/gtest.h>

#include <perdure/perdure.hpp>

namespace {

TEST(ForwardDeclarations, NameTheTypesThatHeadersDefine) {
  perdure::vector<int> numbers{1, 2};
  perdure::flat_map<perdure::string, long> counts;
  counts["a"] = 1;
  mentions all;
  all.numbers = &numbers;
  all.counts = &counts;
  EXPECT_EQ(all.numbers->size(), 2);
  EXPECT_EQ(all.counts->at("a"), 1);
  EXPECT_EQ(all.manager, nullptr);
}

}  // namespace
