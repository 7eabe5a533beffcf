// A store of three home files to be damaged: some pages written, some overwritten, some never touched.
#pragma once

#include <filesystem>
#include <perdure/datastore.hpp>
#include <span>

#include "segment/segment.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {

class three_files_test : public scratch_test {
 protected:
  three_files_test() : scratch_test(fast_directory()) {}

  static constexpr std::uint64_t pages = 10 * mib / page_size;

  /// At epoch 2; what is released then is gone. Made once, then copied.
  void make_store(std::span<const detail::page_run> released = {}) {
    namespace fs = std::filesystem;
    if (fs::exists(path("master"))) {
      fs::remove_all(path());
      fs::copy(path("master"), path(), fs::copy_options::recursive);
      return;
    }
    const auto store = datastore::create(path(), store_of_files(4 * mib));
    store->memory().grow(pages * page_size);
    for (std::uint64_t page = 0; page < pages; page += 5) put(*store, page, page + 1);
    store->checkpoint();
    for (std::uint64_t page = 0; page < pages; page += 50) put(*store, page, page + 7000);
    store->checkpoint(released);
    store->close();
    fs::copy(path(), path("master"), fs::copy_options::recursive);
  }
  static std::uint64_t number_of(std::uint64_t page) {
    return page % 50 == 0 ? page + 7000 : page % 5 == 0 ? page + 1 : 0;
  }
};

}  // namespace perdure
