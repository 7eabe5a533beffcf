// Stores on media that cannot be written to.
#include <sys/mount.h>
#include <unistd.h>

#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <vector>

#include "segment/segment.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/page_pattern.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"

namespace perdure {
namespace {

namespace fs = std::filesystem;

class read_only_media : public scratch_test {
 protected:
  ~read_only_media() override {
    if (mounted_) ::umount2(path("mount").c_str(), MNT_DETACH);
  }
  // A store whose second checkpoint is committed and not home, on a read-only mount. Says why not.
  std::string prepare() {
    fs::create_directory(path("media"));
    {
      const auto store = datastore::create(path("media") / "store", small_store());
      store->memory().grow(4 * mib);
      for (std::uint64_t page = 0; page < 900; ++page) put(*store, page, page + 1);
      store->checkpoint();
    }
    fs::copy(path("media") / "store", path("before"), fs::copy_options::recursive);
    {
      const auto store = datastore::open(path("media") / "store");
      for (std::uint64_t page = 0; page < 900; page += 9) put(*store, page, page + 5000);
      store->checkpoint();
    }
    for (const char* name : {"super", "heap.000", "crc"})
      fs::copy_file(path("before") / name, path("media") / "store" / name,
                    fs::copy_options::overwrite_existing);
    fs::remove(path("media") / "store" / "LOCK");
    fs::create_directory(path("mount"));
    if (::geteuid() != 0) return "mounting needs root";
    if (::mount(path("media").c_str(), path("mount").c_str(), nullptr, MS_BIND, nullptr) != 0)
      return "bind mounts are not allowed";
    mounted_ = true;
    if (::mount(nullptr, path("mount").c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0)
      return "read-only bind mounts are not allowed";
    return {};
  }
  static bool right(datastore& store) {
    for (std::uint64_t page = 0; page < 900; ++page) {
      const std::uint64_t number = page % 9 == 0 ? page + 5000 : page + 1;
      if (!holds(store.memory().base() + page * page_size, number)) return false;
    }
    return store.epoch() == 2;
  }

  bool mounted_ = false;
};

TEST_F(read_only_media, are_read_by_many_processes_at_the_last_commit) {
  if (const std::string why_not = prepare(); !why_not.empty()) GTEST_SKIP() << why_not;
  const fs::path where = path("mount") / "store";
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = false;
      try {
        good = right(*datastore::open_read_only(where));
      } catch (const std::exception&) {
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) EXPECT_EQ(result_of(child), 0);
  const verify_report report = store_maintenance::verify(where);
  EXPECT_TRUE(report.whole());
  EXPECT_EQ(report.epoch, 2u);
  EXPECT_EQ(report.applied_epoch, 1u);
  EXPECT_TRUE(fails_with(errc::permission_denied, "read-only", [&] { datastore::open(where); }));
  EXPECT_TRUE(fails_with(errc::permission_denied, "read-only", [&] { store_maintenance::repair(where); }));
  store_maintenance::copy(where, path("copy"));
  EXPECT_TRUE(right(*datastore::open(path("copy"))));
}

}  // namespace
}  // namespace perdure
