// Stores that other tools have copied, moved or linked.
#include <fcntl.h>
#include <unistd.h>

#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>

#include "os/file_identity.hpp"
#include "segment/segment.hpp"
#include "store/file/checked_block.hpp"
#include "store/file/layout.hpp"
#include "store/file/super_block.hpp"
#include "support/child_process.hpp"
#include "support/errors.hpp"
#include "support/page_pattern.hpp"
#include "support/scratch_test.hpp"
#include "support/small_store.hpp"
#include "support/stored_pages.hpp"
#include "support/unsynced_files.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t pages = 1000;

class copied_files : public scratch_test {
 protected:
  copied_files() {
    const auto store = datastore::create(path(), small_store());
    store->memory().grow(4 * mib);
    for (std::uint64_t page = 0; page < pages; ++page) put(*store, page, page + 1);
    store->checkpoint();
  }
  static void damage_page(const fs::path& store, std::uint64_t page) {
    const os::file home = os::file::open_in(os::file::open_directory(store), "heap.000", O_RDWR);
    const std::byte wrong{0x5a};
    home.write_at(&wrong, 1, store::layout::home_data_offset + page * page_size + 17);
  }
  static void go_on(const fs::path& store, std::uint64_t page, std::uint64_t value) {
    const auto opened = datastore::open(store);
    put(*opened, page, value);
    opened->checkpoint();
  }
  void copy_as_cp_does() const { fs::copy(path(), copy_, fs::copy_options::recursive); }
  void link_as_cp_does() const {
    fs::copy(path(), copy_, fs::copy_options::recursive | fs::copy_options::create_hard_links);
  }
  bool are_files_numbered_for_good() const {
    return os::lasting_identity(os::file::open_directory(path())).has_value();
  }

  const fs::path copy_ = path("copy");
};

TEST_F(copied_files, are_verified_by_the_next_writer_once) {
  if (!are_files_numbered_for_good()) GTEST_SKIP() << "this file system numbers files anew";
  copy_as_cp_does();
  damage_page(path(), 500);
  damage_page(copy_, 500);
  EXPECT_NO_THROW(datastore::open(path())) << "the original is trusted";
  EXPECT_TRUE(fails_with(errc::damaged, "page 500", [&] { datastore::open(copy_); }));
  EXPECT_TRUE(fails_with(errc::damaged, "page 500", [&] { datastore::open(copy_); }));
  const auto reader = datastore::open_read_only(copy_);
  EXPECT_TRUE(fails_with(errc::damaged, "page 500", [&] {
    reader->require_sound(reader->memory().base(), pages * page_size);
  })) << "a reader is to check what it touches";
}

TEST_F(copied_files, are_trusted_after_that) {
  copy_as_cp_does();
  go_on(copy_, 1, 7);
  damage_page(copy_, 500);
  EXPECT_NO_THROW(datastore::open(copy_));
  EXPECT_TRUE(has(*datastore::open(path()), 1, 2));
}

TEST_F(copied_files, stay_unchecked_in_copies_of_them) {
  if (!are_files_numbered_for_good()) GTEST_SKIP() << "this file system numbers files anew";
  copy_as_cp_does();
  damage_page(copy_, 500);
  store_maintenance::copy(copy_, path("copy of the copy"));
  EXPECT_TRUE(fails_with(errc::damaged, "page 500", [&] { datastore::open(path("copy of the copy")); }));
}

TEST_F(copied_files, are_not_what_a_move_makes) {
  damage_page(path(), 500);
  fs::rename(path(), copy_);
  EXPECT_NO_THROW(datastore::open(copy_));
}

TEST_F(copied_files, of_the_librarys_own_are_trusted) {
  store_maintenance::copy(path(), copy_);
  damage_page(copy_, 500);
  EXPECT_NO_THROW(datastore::open(copy_));
}

TEST_F(copied_files, that_are_hard_links_stay_as_they_are) {
  link_as_cp_does();
  go_on(path(), 1, 7);
  go_on(path(), 2, 8);
  for (const auto& entry : fs::directory_iterator(path()))
    EXPECT_EQ(fs::hard_link_count(entry.path()), 1u) << entry.path();
  EXPECT_TRUE(store_maintenance::verify(copy_).whole());
  {
    // The two are stores of their own: one is open for writing while the other is read.
    const auto store = datastore::open(path());
    const auto backup = datastore::open_read_only(copy_);
    EXPECT_TRUE(has(*backup, 1, 2));
    EXPECT_TRUE(has(*store, 1, 7));
    EXPECT_TRUE(has(*store, 2, 8));
  }
  go_on(copy_, 3, 9);
  EXPECT_TRUE(has(*datastore::open(path()), 3, 4));
  EXPECT_TRUE(store_maintenance::remove(path()));
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(copied_files, that_take_the_place_of_hard_links_are_trusted) {
  link_as_cp_does();
  damage_page(path(), 500);
  EXPECT_NO_THROW(datastore::open(path()));
}

TEST_F(copied_files, are_known_by_their_age_where_they_have_the_number_of_the_original) {
  if (!are_files_numbered_for_good()) GTEST_SKIP() << "this file system numbers files anew";
  damage_page(path(), 500);
  const os::file file = os::file::open_in(os::file::open_directory(path()), "super", O_RDWR);
  store::super_file content;
  ASSERT_EQ(file.read_at(&content, sizeof content, 0), sizeof content);
  if (content.slots[0].born_ns == 0) GTEST_SKIP() << "this file system does not say when files were made";
  for (store::layout::super_slot& slot : content.slots) {
    ++slot.born_ns;
    store::seal_block(slot);
  }
  file.write_at(&content, sizeof content, 0);
  EXPECT_TRUE(fails_with(errc::damaged, "page 500", [&] { datastore::open(path()); }));
}

TEST_F(copied_files, that_take_the_place_of_hard_links_are_durable_first) {
  link_as_cp_does();
  int renames = 0;
  const unsynced_files unsynced([&renames](const std::set<std::string>& names) {
    ++renames;
    for (const char* const name : {"super", "heap.000", "crc", "jrnl.0", "jrnl.1"})
      EXPECT_FALSE(names.contains(name)) << name;
  });
  datastore::open(path());
  EXPECT_GT(renames, 3);
}

TEST_F(copied_files, that_are_hard_links_are_replaced_through_kills) {
  link_as_cp_does();
  int kills = 0;
  for (int status = ended_at_call; status == ended_at_call; ++kills) {
    status = result_of_child([&] {
      const watched_calls calls(ending_at(kills));
      datastore::open(path());
      return 0;
    });
    ASSERT_TRUE(status == 0 || status == ended_at_call) << status;
    EXPECT_TRUE(store_maintenance::verify(path()).whole()) << kills;
    EXPECT_TRUE(store_maintenance::verify(copy_).whole()) << kills;
  }
  EXPECT_GT(kills, 10);
  go_on(path(), 1, 7);
  EXPECT_TRUE(has(*datastore::open_read_only(copy_), 1, 2));
  EXPECT_TRUE(store_maintenance::remove(path()));
  EXPECT_FALSE(fs::exists(path()));
}

}  // namespace
}  // namespace perdure
