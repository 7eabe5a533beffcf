// Many random epochs against a model, with the store closed and opened again now and then.
#include <perdure/datastore.hpp>

#include "store/model_store.hpp"
#include "store/tested_backing.hpp"
#include "support/scratch_test.hpp"

namespace perdure {
namespace {

// The first history runs on a disk, the others where they are quick.
class a_random_history : public scratch_test, public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  a_random_history()
      : scratch_test(GetParam() == 1 || tested::wish() == "dax" ? std::filesystem::temp_directory_path()
                                                                : fast_directory()) {}
};

TEST_P(a_random_history, is_kept) {
  store_options options;
  options.capacity = std::size_t{1} << 30;
  options.home_file_size = GetParam() % 2 == 0 ? std::size_t{1} << 30 : std::size_t{4} << 20;
  auto store = tested::create(path(), options);
  model_store model(GetParam(), 6000);
  std::mt19937_64 random(GetParam() + 1000);
  for (int round = 0; round < (GetParam() == 1 ? 20 : 100); ++round) {
    const std::vector<detail::page_run> released = model.advance(store.get());
    store->checkpoint(released);
    if (random() % 6 != 0) continue;
    ASSERT_TRUE(model.matches(*store)) << "before closing";
    if (random() % 2 == 0) store->wait_applied();
    store.reset();
    if (random() % 3 == 0) {
      const auto reader = datastore::open_read_only(path());
      ASSERT_TRUE(model.matches(*reader)) << "as read";
    }
    store = tested::open(path());
    ASSERT_TRUE(model.matches(*store)) << "after opening";
  }
}

INSTANTIATE_TEST_SUITE_P(seeds, a_random_history, ::testing::Range<std::uint64_t>(1, 5));

}  // namespace
}  // namespace perdure
