// Sets of stores: what all ranks have together, and what they are told when one of them fails.
#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/store_set.hpp>

#include "os/crc32c.hpp"
#include "ranks/set_fixture.hpp"
#include "ranks/set_manifest.hpp"
#include "support/unsynced_files.hpp"
#include "support/watched_calls.hpp"

namespace perdure {
namespace {

using a_set = ranks_set;

TEST_F(a_set, has_its_checkpoints_together) {
  for (const int ranks : {1, 2, 4}) {
    std::filesystem::remove_all(path());
    make(ranks, 3);
    expect_checkpoint(ranks, 3);
  }
}

TEST_F(a_set, counts_on_where_it_is_opened_again) {
  make(2, 2);
  std::uint64_t epoch = 0;
  on(2, set_mode::open, [&](store_set& set, int) {
    epoch = set.epoch();
    set.checkpoint("a label");
    EXPECT_EQ(set.epoch(), epoch + 1);
  });
  // Its destructor gives up, and the last checkpoint stays.
  on(2, set_mode::open_or_create, [&](store_set& set, int) {
    EXPECT_EQ(set.epoch(), epoch + 1);
    set.close();
  });
  EXPECT_EQ(store_maintenance::log(part(1)).back().label, "");
  on(2, set_mode::open, [&](store_set& set, int) { EXPECT_EQ(set.epoch(), epoch + 2); });
}

TEST_F(a_set, costs_a_reduction_and_a_broadcast_a_checkpoint) {
  on(4, set_mode::create, [&](store_set& set, int) {
    const auto before = set.counted();
    set.checkpoint("a label");
    const auto after = set.counted();
    EXPECT_EQ(after.reductions, before.reductions + 1);
    EXPECT_EQ(after.broadcasts, before.broadcasts + 1);
    EXPECT_EQ(after.gathers, before.gathers);
    EXPECT_LE(after.bytes - before.bytes, 1024u);
    set.close();
  });
}

TEST_F(a_set, has_no_checkpoint_of_one_part_alone) {
  on(2, set_mode::create, [&](store_set& set, int) {
    const std::string what = "together with those of other ranks";
    EXPECT_TRUE(fails_with(errc::invalid_argument, what, [&] { local(set).checkpoint(); }));
    EXPECT_TRUE(fails_with(errc::invalid_argument, what, [&] { local(set).close(); }));
    set.checkpoint({});
    set.close();
  });
}

TEST_F(a_set, abandons_a_checkpoint_that_one_rank_cannot_make) {
  on(3, set_mode::create, [&](store_set& set, int rank) {
    int& value = *local(set).construct<int>("number")(number(1, rank));
    set.checkpoint({});
    value = number(2, rank);
    const std::uint64_t before = set.epoch();
    const std::string label(rank == 1 ? 100 : 1, 'x');
    EXPECT_TRUE(fails_with(errc::invalid_argument, "rank 1: ", [&] { set.checkpoint(label); }));
    EXPECT_EQ(set.epoch(), before);
    if (rank == 2) value = number(3, rank);
    set.checkpoint("x");
    EXPECT_EQ(set.epoch(), before + 1);
    set.discard();
  });
  on(3, set_mode::open, [&](store_set& set, int rank) {
    EXPECT_EQ(*local(set).find<int>("number").first, number(rank == 2 ? 3 : 2, rank));
  });
}

TEST_F(a_set, tells_all_when_one_rank_throws) {
  const auto thrown = try_on(3, set_mode::create, [&](store_set& set, int rank) {
    local(set).construct<int>("number")(number(1, rank));
    set.checkpoint({});
    if (rank == 1) throw std::logic_error("a mistake of the program");
    set.checkpoint({});
  });
  for (const int rank : {0, 2}) {
    EXPECT_TRUE(fails_with(errc::rank_failed, "rank 1: it has given up",
                           [&] { std::rethrow_exception(thrown[static_cast<std::size_t>(rank)]); }));
  }
  expect_checkpoint(3, 1);
}

TEST_F(a_set, is_of_no_use_after_a_rank_has_left) {
  try_on(2, set_mode::create, [&](store_set& set, int rank) {
    if (rank == 1) return;
    EXPECT_TRUE(fails_with(errc::rank_failed, "rank 1", [&] { set.checkpoint({}); }));
    EXPECT_TRUE(fails_with(errc::rank_failed, "closed and opened again", [&] { set.checkpoint({}); }));
    EXPECT_TRUE(fails_with(errc::rank_failed, "closed without a checkpoint", [&] { set.close(); }));
    EXPECT_FALSE(set.is_open());
    EXPECT_TRUE(fails_with(errc::invalid_argument, "is closed", [&] { set.checkpoint({}); }));
  });
}

TEST_F(a_set, ends_the_time_of_those_who_wait_for_one_that_does_not_come) {
  rank_threads team(3);
  const auto thrown = team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
    auto set = open_set_of(std::move(group), set_mode::create, path());
    local(*set).construct<int>("number")(number(1, rank));
    set->checkpoint({});
    *local(*set).find<int>("number").first = number(2, rank);
    if (rank == 2) {
      team.kill(2);
      return;
    }
    EXPECT_TRUE(fails_with(errc::timed_out, "did not come", [&] { set->checkpoint({}); }));
    EXPECT_TRUE(fails_with(errc::timed_out, "closed and opened again", [&] { set->checkpoint({}); }));
  });
  expect_none(thrown);
  expect_checkpoint(3, 1);
}

TEST_F(a_set, wants_the_same_calls_of_all_ranks) {
  const auto thrown = try_on(2, set_mode::create, [&](store_set& set, int rank) {
    EXPECT_TRUE(fails_with(errc::invalid_argument,
                           "rank 0 makes a checkpoint and rank 1 takes a snapshot at the same time", [&] {
                             if (rank == 0) set.checkpoint({});
                             set.snapshot(path("copy"));
                           }));
    set.checkpoint({});
    if (rank == 0) return set.discard();
    set.close();
  });
  EXPECT_FALSE(thrown[0]);
  EXPECT_TRUE(fails_with(errc::invalid_argument, "rank 0 discards its changes and rank 1 closes the set",
                         [&] { std::rethrow_exception(thrown[1]); }));
  rank_threads team(2);
  expect_same(team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
    open_set_of(std::move(group), rank == 0 ? set_mode::open : set_mode::create, path());
  }),
              errc::invalid_argument, "rank 0 opens a set of stores and rank 1 creates a set of stores");
}

TEST_F(a_set, is_opened_for_writing_by_as_many_ranks) {
  make(3);
  expect_same(try_on(2, set_mode::open, [](store_set&, int) {}), errc::invalid_argument,
              "is a set of 3 ranks and is opened by 2");
  expect_checkpoint(3, 1);
}

TEST_F(a_set, is_opened_for_reading_by_any_number_of_ranks) {
  make(3);
  for (const int ranks : {1, 2, 3, 5}) {
    on(ranks, set_mode::open_read_only, [&](store_set& set, int rank) {
      EXPECT_TRUE(set.read_only());
      EXPECT_EQ(set.parts(), 3u);
      EXPECT_TRUE(fails_with(errc::read_only, "for reading only", [&] { set.checkpoint({}); }));
      if (ranks == 3) {
        EXPECT_EQ(*local(set).find<int>("number").first, number(1, rank));
      } else {
        EXPECT_TRUE(fails_with(errc::invalid_argument, "open parts one by one", [&] { set.own(); }));
      }
      for (int part = 0; part < 3; ++part) {
        const auto opened =
            set.open_part(static_cast<std::uint32_t>(part), detail::opener_of_managers<relocatable>());
        const auto& store = static_cast<detail::managed_part<relocatable>&>(*opened).manager();
        EXPECT_EQ(*store.find<int>("number").first, number(1, part));
      }
      EXPECT_TRUE(fails_with(errc::invalid_argument, "none with the number 3", [&] { set.path_of_part(3); }));
      set.close();
    });
  }
}

TEST_F(a_set, is_open_for_writing_in_one_program_at_a_time) {
  make(2);
  on(2, set_mode::open, [&](store_set& set, int rank) {
    if (rank == 0) {
      rank_threads others(2);
      const auto open = [&](set_mode how) {
        return others.run([&](int, std::unique_ptr<detail::rank_group> group) {
          open_set_of(std::move(group), how, path());
        });
      };
      expect_same(open(set_mode::open), errc::in_use, "another program has the set open for writing");
      expect_same(open(set_mode::open_or_create), errc::in_use, "is in use");
      expect_same(open(set_mode::create), errc::already_exists, "open it, or choose another path");
      expect_same(others.run([&](int, std::unique_ptr<detail::rank_group> group) {
        store_set::repartition(std::move(group), path(), small_set());
      }),
                  errc::in_use, "is in use");
    }
    set.checkpoint({});
    set.close();
  });
}

TEST_F(a_set, is_read_beside_the_program_that_writes_it) {
  make(2, 1);
  on(2, set_mode::open, [&](store_set& set, int rank) {
    *local(set).find<int>("number").first = number(2, rank);
    if (rank == 0) {
      detail::set_options options = small_set();
      options.store.beside_writer = reader_beside_writer::hold_writer;
      rank_threads others(2);
      expect_none(others.run([&](int reader, std::unique_ptr<detail::rank_group> group) {
        const auto there = open_set_of(std::move(group), set_mode::open_read_only, path(), options);
        EXPECT_EQ(*local(*there).find<int>("number").first, number(1, reader));
        there->close();
      }));
    }
    set.checkpoint({});
    set.close();
  });
  expect_checkpoint(2, 2);
}

TEST_F(a_set, that_does_not_exist_is_not_found) {
  for (const set_mode how : {set_mode::open, set_mode::open_read_only})
    expect_same(try_on(2, how, [](store_set&, int) {}), errc::not_found, "create it first");
  std::ofstream(path()) << "a file";
  expect_same(try_on(2, set_mode::open, [](store_set&, int) {}), errc::not_a_store, "this is not");
  expect_same(try_on(2, set_mode::create, [](store_set&, int) {}), errc::already_exists, "is no directory");
}

TEST_F(a_set, is_made_anew_where_its_creation_was_not_finished) {
  rank_threads team(2);
  team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
    if (rank == 1) team.kill(1);
    open_set_of(std::move(group), set_mode::create, path());
  });
  ASSERT_TRUE(std::filesystem::exists(path()));
  expect_same(try_on(2, set_mode::open, [](store_set&, int) {}), errc::not_a_store, "was not finished");
  make(2);
  expect_checkpoint(2, 1);
}

TEST_F(a_set, has_no_parts_of_an_earlier_attempt_to_make_it) {
  detail::set_options elsewhere = small_set();
  elsewhere.parts_directory = path("device");
  for (const detail::set_options& options : {small_set(), elsewhere}) {
    std::filesystem::remove_all(path());
    {
      const watched_calls full([](const os::file_call& call, std::string_view) {
        return rank_threads::current_rank() == 1 && call.operation == os::file_operation::write ? ENOSPC : 0;
      });
      expect_same(try_on(
                      4, set_mode::create, [](store_set&, int) {}, options),
                  errc::no_space, "rank 1: ");
    }
    if (options.parts_directory.empty()) {
      ASSERT_TRUE(std::filesystem::exists(part(3)));
    } else {
      ASSERT_TRUE(std::filesystem::exists(part(3).string() + ".where"));
      ASSERT_FALSE(std::filesystem::is_empty(path("device")));
    }
    make(2);
    EXPECT_EQ(names_in(path() / "set.0001"), (std::vector<std::string>{"part.00000", "part.00001"}));
    if (!options.parts_directory.empty()) {
      EXPECT_TRUE(std::filesystem::is_empty(path("device")));
    }
    expect_checkpoint(2, 1);
  }
}

TEST_F(a_set, has_no_parts_that_its_manifest_does_not_name_once_it_is_opened_for_writing) {
  make(2, 0);
  std::filesystem::rename(path(), path("new"));
  const std::filesystem::path new_parts = path("new") / "set.0001";
  make(2);
  const std::filesystem::path left = path() / "set.0002";
  const auto leave_over = [&] {
    // A part that is whole, one that was being removed, some that were being made, and one nobody knows the
    // place of.
    std::filesystem::create_directories(left / "part.00001");
    std::filesystem::copy(new_parts / "part.00000", left / "part.00000",
                          std::filesystem::copy_options::recursive);
    std::filesystem::create_directories(left / "part.00002");
    std::ofstream(left / "part.00002" / "jrnl.0") << "half";
    std::filesystem::create_directories(left / ".part.00003.new-0123abcd");
    std::ofstream(left / ".part.00003.new-0123abcd" / "heap.000") << "half";
    std::ofstream(left / "part.00004.where") << "a mach";
    std::filesystem::copy(new_parts / "part.00001", path("device") / "set.0002" / "part.00005",
                          std::filesystem::copy_options::recursive);
    std::ofstream(left / "part.00005.where") << host() << '\n'
                                             << (path("device") / "set.0002" / "part.00005").string() << '\n';
    std::filesystem::copy(part(1), part(2), std::filesystem::copy_options::recursive);
  };
  std::filesystem::create_directories(path("device") / "set.0002");
  leave_over();
  on(2, set_mode::open_read_only, [](store_set& set, int) { set.close(); });
  EXPECT_TRUE(std::filesystem::exists(left / "part.00000"));
  EXPECT_TRUE(std::filesystem::exists(part(2)));
  expect_checkpoint(2, 1);
  EXPECT_EQ(names_in(path()), (std::vector<std::string>{"manifest", "set.0001"}));
  EXPECT_EQ(names_in(path() / "set.0001"), (std::vector<std::string>{"part.00000", "part.00001"}));
  EXPECT_FALSE(std::filesystem::exists(path("device")));
  // What lies on another machine cannot be removed from here, and is not forgotten.
  std::filesystem::create_directory(left);
  std::ofstream(left / "part.00000.where") << "another-machine\n/device/part.00000\n";
  expect_checkpoint(2, 1);
  EXPECT_TRUE(std::filesystem::exists(left / "part.00000.where"));
}

TEST_F(a_set, is_made_in_no_directory_of_anything_else) {
  std::filesystem::create_directory(path());
  std::ofstream(path() / "letter") << "to somebody";
  for (const set_mode how : {set_mode::create, set_mode::open_or_create})
    expect_same(try_on(2, how, [](store_set&, int) {}), errc::already_exists, "choose another path");
  EXPECT_TRUE(std::filesystem::exists(path() / "letter"));
  expect_same(try_on(2, set_mode::open, [](store_set&, int) {}), errc::not_a_store, "no file `manifest`");
}

// ---- what may be wrong with the files --------------------------------------------------------------------

TEST_F(a_set, whose_manifest_is_lost_is_not_made_anew) {
  make(2);
  std::filesystem::rename(path() / "manifest", path("manifest"));
  for (const set_mode how : {set_mode::create, set_mode::open_or_create})
    expect_same(try_on(2, how, [](store_set&, int) {}), errc::already_exists, "if that was lost, restore it");
  std::filesystem::rename(path("manifest"), path() / "manifest");
  expect_checkpoint(2, 1);
}

class a_damaged_manifest : public a_set {
 protected:
  a_damaged_manifest() { make(2, 3); }
  void flip(std::streamoff at) {
    std::fstream file(path() / "manifest", std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const int byte = file.get();
    file.seekp(at);
    file.put(static_cast<char>(byte ^ 0x10));
  }
  void expect_refused(const std::string& words) {
    for (const set_mode how : {set_mode::open, set_mode::open_read_only})
      expect_same(try_on(2, how, [](store_set&, int) {}), errc::damaged, words);
  }
};

TEST_F(a_damaged_manifest, is_refused_when_it_is_cut_short) {
  for (const std::uintmax_t size : {0, 100, 4096, 8191}) {
    std::filesystem::resize_file(path() / "manifest", size);
    expect_refused("has " + std::to_string(size) + " bytes");
  }
  std::filesystem::resize_file(path() / "manifest", 8192 + 1);
  expect_refused("bytes instead of");
}

TEST_F(a_damaged_manifest, loses_no_checkpoint_by_one_flipped_bit) {
  for (std::streamoff at = 0; at < 8192; at += at % 2048 < 128 ? 3 : 480) {
    flip(at);
    expect_checkpoint(2, 3);
  }
}

TEST_F(a_damaged_manifest, is_refused_when_nothing_of_it_is_sound) {
  const std::string zeros(8192, '\0');
  std::ofstream(path() / "manifest", std::ios::binary) << zeros;
  expect_refused("none of its records");
}

TEST_F(a_damaged_manifest, is_refused_when_it_is_sound_and_absurd) {
  const std::function<void(detail::manifest_record&)> changes[] = {
      [](detail::manifest_record& record) { record.ranks = 0; },
      [](detail::manifest_record& record) { record.ranks = (1U << 30) + 1; },
      [](detail::manifest_record& record) { record.number = 0; },
  };
  for (const auto& change : changes) {
    const os::file file = os::file::open_in(os::file::open_directory(path()), "manifest", O_RDWR);
    for (const std::uint64_t place : {0, 2048, 4096, 6144}) {
      detail::manifest_record record;
      ASSERT_EQ(file.read_at(&record, sizeof record, place), sizeof record);
      change(record);
      record.crc = os::crc32c(0, &record, offsetof(detail::manifest_record, crc));
      file.write_at(&record, sizeof record, place);
    }
    expect_refused("cannot be");
  }
}

TEST_F(a_damaged_manifest, does_not_go_back_when_its_newest_slot_is_lost) {
  // Neither record of either slot can be told from which is newer but by reading: each is lost in turn.
  for (const std::streamoff slot : {0, 4096}) {
    const auto kept = path("kept");
    std::filesystem::copy_file(path() / "manifest", kept, std::filesystem::copy_options::overwrite_existing);
    flip(slot + 30);
    flip(slot + 2048 + 30);
    const auto thrown = try_on(2, set_mode::open, [&](store_set& set, int rank) {
      EXPECT_EQ(*local(set).find<int>("number").first, number(3, rank));
      set.discard();
    });
    if (thrown[0]) expect_same(thrown, errc::conflict, "restore");
    std::filesystem::copy_file(kept, path() / "manifest", std::filesystem::copy_options::overwrite_existing);
  }
  expect_checkpoint(2, 3);
}

TEST_F(a_set, whose_part_is_missing_is_refused_on_all_ranks) {
  make(3);
  std::filesystem::rename(part(1), path("elsewhere"));
  for (const set_mode how : {set_mode::open, set_mode::open_read_only})
    expect_same(try_on(3, how, [](store_set&, int) {}), errc::damaged, "rank 1: ");
  expect_same(try_on(2, set_mode::open_read_only, [](store_set&, int) {}), errc::damaged,
              "part 1 of the set is missing");
  std::filesystem::rename(path("elsewhere"), part(1));
  expect_checkpoint(3, 1);
}

TEST_F(a_set, whose_parts_have_changed_places_is_refused_on_all_ranks) {
  make(2);
  std::filesystem::rename(part(0), path("elsewhere"));
  std::filesystem::rename(part(1), part(0));
  std::filesystem::rename(path("elsewhere"), part(1));
  for (const set_mode how : {set_mode::open, set_mode::open_read_only})
    expect_same(try_on(2, how, [](store_set&, int) {}), errc::conflict,
                "is part 1 of 2, in the place of part 0");
}

TEST_F(a_set, with_a_part_of_another_set_or_of_none_is_refused_on_all_ranks) {
  make(2);
  std::filesystem::rename(path(), path("other"));
  make(2);
  std::filesystem::rename(part(1), path("elsewhere"));
  std::filesystem::copy(path("other") / "set.0001" / "part.00001", part(1),
                        std::filesystem::copy_options::recursive);
  expect_same(try_on(2, set_mode::open, [](store_set&, int) {}), errc::conflict, "is a part of another set");
  std::filesystem::remove_all(part(1));
  manager(create_only, part(1), small_store()).close();
  expect_same(try_on(2, set_mode::open, [](store_set&, int) {}), errc::conflict, "belongs to no set");
}

TEST_F(a_set, with_a_part_of_another_time_is_refused_though_its_checkpoint_has_the_same_number) {
  make(2, 1);
  std::filesystem::copy(path(), path("backup"), std::filesystem::copy_options::recursive);
  const auto go_on = [&] {
    on(2, set_mode::open, [&](store_set& set, int) {
      set.checkpoint({});
      set.close();
    });
  };
  go_on();
  std::filesystem::rename(part(1), path("lost"));
  std::filesystem::remove_all(path());
  std::filesystem::rename(path("backup"), path());
  go_on();
  expect_checkpoint(2, 1);
  std::filesystem::rename(part(1), path("own"));
  std::filesystem::rename(path("lost"), part(1));
  for (const set_mode how : {set_mode::open, set_mode::open_read_only})
    expect_same(try_on(2, how, [](store_set&, int) {}), errc::conflict, "at another checkpoint");
  EXPECT_FALSE(verify_set(path()).whole());
  std::filesystem::rename(part(1), path("lost"));
  std::filesystem::rename(path("own"), part(1));
  expect_checkpoint(2, 1);
  EXPECT_TRUE(verify_set(path()).whole());
}

TEST_F(a_set, with_a_part_of_another_checkpoint_is_refused_on_all_ranks) {
  make(2, 1);
  std::filesystem::copy(part(1), path("old"), std::filesystem::copy_options::recursive);
  on(2, set_mode::open, [&](store_set& set, int) {
    set.checkpoint({});
    set.close();
  });
  std::filesystem::rename(part(1), path("new"));
  std::filesystem::copy(path("old"), part(1), std::filesystem::copy_options::recursive);
  for (const set_mode how : {set_mode::open, set_mode::open_read_only})
    expect_same(try_on(2, how, [](store_set&, int) {}), errc::conflict, "it is an older one");
  std::filesystem::remove_all(part(1));
  std::filesystem::rename(path("new"), part(1));
  {
    store_options options;
    options.last_decided = store_maintenance::inspect(part(0)).epoch;
    manager alone(open_only, part(0), options);
    alone.construct<int>("more")(1);
  }
  for (const set_mode how : {set_mode::open, set_mode::open_read_only})
    expect_same(try_on(2, how, [](store_set&, int) {}), errc::conflict, "restore");
}

// ---- copies ----------------------------------------------------------------------------------------------

TEST_F(a_set, is_copied_at_its_last_checkpoint) {
  make(2, 1);
  on(2, set_mode::open, [&](store_set& set, int rank) {
    *local(set).find<int>("number").first = number(2, rank);
    set.snapshot(path("snapshot"));
    EXPECT_TRUE(
        fails_with(errc::already_exists, "holds a set of stores", [&] { set.snapshot(path("snapshot")); }));
    set.checkpoint({});
    set.close();
  });
  rank_threads team(3);
  expect_none(team.run([&](int, std::unique_ptr<detail::rank_group> group) {
    store_set::copy(std::move(group), path(), path("copy"));
  }));
  expect_checkpoint(2, 2);
  std::filesystem::remove_all(path());
  std::filesystem::rename(path("snapshot"), path());
  expect_checkpoint(2, 1);
  std::filesystem::remove_all(path());
  std::filesystem::rename(path("copy"), path());
  expect_checkpoint(2, 2);
}

TEST_F(a_set, is_flushed_to_an_earlier_copy_while_it_goes_on) {
  make(2, 1);
  on(2, set_mode::open, [&](store_set& set, int rank) {
    for (int i = 2; i < 5; ++i) {
      const auto copy = set.snapshot_async(path("slow"));
      // The copy is of what was checkpointed before.
      *local(set).find<int>("number").first = number(i, rank);
      EXPECT_TRUE(
          fails_with(errc::invalid_argument, "finish that first", [&] { set.snapshot(path("other")); }));
      EXPECT_TRUE(fails_with(errc::invalid_argument, "finish it before closing", [&] { set.close(); }));
      set.checkpoint({});
      copy->finish();
      EXPECT_TRUE(copy->ready());
    }
    set.discard();
  });
  expect_checkpoint(2, 4);
  EXPECT_EQ(names_in(path("slow")).size(), 2u) << "parts of an earlier copy are left";
  std::filesystem::rename(path(), path("fast"));
  std::filesystem::rename(path("slow"), path());
  expect_checkpoint(2, 3);
  {
    rank_threads others(2);
    expect_none(others.run([&](int, std::unique_ptr<detail::rank_group> group) {
      open_set_of(std::move(group), set_mode::create, path("unrelated"))->close();
    }));
  }
  rank_threads team(2);
  expect_same(team.run([&](int, std::unique_ptr<detail::rank_group> group) {
    const auto set = open_set_of(std::move(group), set_mode::open, path("fast"));
    set->snapshot_async(path("unrelated"))->finish();
  }),
              errc::already_exists, "no earlier copy");
}

TEST_F(a_set, is_closed_without_a_checkpoint_where_another_rank_left_its_copy) {
  make(2, 1);
  std::array<std::unique_ptr<detail::set_copy>, 2> copies;
  try_on(2, set_mode::open, [&](store_set& set, int rank) {
    auto& copy = copies[static_cast<std::size_t>(rank)];
    copy = set.snapshot_async(path("copy"));
    if (rank == 1) return;
    EXPECT_TRUE(fails_with(errc::rank_failed, "rank 1", [&] { copy->finish(); }));
    EXPECT_TRUE(fails_with(errc::rank_failed, "another rank has closed", [&] { set.close(); }));
  });
}

TEST_F(a_set, whose_copy_ends_without_it_has_none) {
  make(2, 1);
  std::array<std::unique_ptr<detail::set_copy>, 2> copies;
  on(2, set_mode::open, [&](store_set& set, int rank) {
    copies[static_cast<std::size_t>(rank)] = set.snapshot_async(path("copy"));
    set.discard();
  });
  for (auto& copy : copies)
    EXPECT_TRUE(fails_with(errc::invalid_argument, "was closed before", [&] { copy->finish(); }));
  EXPECT_FALSE(std::filesystem::exists(path("copy") / "manifest"));
}

// ---- parts elsewhere -------------------------------------------------------------------------------------

TEST_F(a_set, may_have_its_parts_on_devices_of_the_ranks) {
  detail::set_options options = small_set();
  options.parts_directory = path("device");
  on(
      2, set_mode::create,
      [&](store_set& set, int rank) {
        local(set).construct<int>("number")(number(1, rank));
        set.close();
      },
      options);
  EXPECT_FALSE(std::filesystem::exists(part(0)));
  // They are found without being told.
  expect_checkpoint(2, 1);
  const std::filesystem::path where = part(1).string() + ".where";
  std::string host;
  std::string place;
  {
    std::ifstream text(where);
    std::getline(text, host);
    std::getline(text, place);
  }
  EXPECT_TRUE(place.starts_with(path("device").string()));
  on(2, set_mode::open, [&](store_set& set, int) { set.snapshot(path("shared")); });
  std::ofstream(where) << "another-machine\n" << place << '\n';
  for (const set_mode how : {set_mode::open, set_mode::open_read_only})
    expect_same(try_on(2, how, [](store_set&, int) {}), errc::not_found,
                "lies on the machine another-machine");
  // Ranks that have no part of their own need it only when they ask for it.
  on(1, set_mode::open_read_only, [&](store_set& set, int) {
    const detail::opener_of_managers<relocatable> opener;
    EXPECT_TRUE(set.open_part(0, opener));
    EXPECT_TRUE(fails_with(errc::not_found, "another-machine", [&] { set.open_part(1, opener); }));
    set.close();
  });
  std::ofstream(where) << "nonsense";
  expect_same(try_on(2, set_mode::open, [](store_set&, int) {}), errc::damaged, "names no machine");
  // What was moved to where all can reach it.
  std::filesystem::rename(path(), path("before"));
  std::filesystem::rename(path("shared"), path());
  EXPECT_TRUE(std::filesystem::exists(part(1)));
  expect_checkpoint(2, 1);
}

TEST_F(a_set, is_read_from_copies_on_devices_of_the_ranks) {
  make(3, 2);
  const auto read = [&](int ranks, set_mode how, const std::function<void(detail::set_options&, int)>& choose,
                        const set_program& what) {
    rank_threads team(ranks);
    return team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
      detail::set_options options = small_set();
      options.stage_directory = path("fast") / std::to_string(rank);
      std::filesystem::create_directories(options.stage_directory);
      choose(options, rank);
      const auto set = open_set_of(std::move(group), how, path(), options);
      what(*set, rank);
      set->close();
    });
  };
  const auto as_it_is = [](detail::set_options&, int) {};
  const auto look = [&](store_set& set, int rank) {
    EXPECT_EQ(*local(set).find<int>("number").first, number(2, rank));
    const std::filesystem::path copy = path("fast") / std::to_string(rank) / part(rank).filename();
    EXPECT_EQ(set.path_of_part(static_cast<std::uint32_t>(rank)), copy);
    EXPECT_TRUE(std::filesystem::exists(copy / "super"));
    const int other = (rank + 1) % 3;
    EXPECT_EQ(set.path_of_part(static_cast<std::uint32_t>(other)), part(other));
  };
  // What is there from another time is no part of it.
  for (int times = 0; times < 2; ++times) expect_none(read(3, set_mode::open_read_only, as_it_is, look));
  expect_same(read(2, set_mode::open_read_only, as_it_is, [](store_set&, int) {}), errc::invalid_argument,
              "has 3 parts and is opened by 2 ranks");
  expect_same(read(3, set_mode::open, as_it_is, [](store_set&, int) {}), errc::invalid_argument,
              "leave stage_directory out");
  const auto one_is_missing = [&](detail::set_options& options, int rank) {
    if (rank == 1) options.stage_directory = path("nowhere") / "else";
  };
  expect_same(read(3, set_mode::open_read_only, one_is_missing, [](store_set&, int) {}), errc::not_found,
              "rank 1: ");
  {
    const watched_calls watch([&](const os::file_call& call, std::string_view) {
      return rank_threads::current_rank() == 2 && call.operation == os::file_operation::write ? ENOSPC : 0;
    });
    expect_same(read(3, set_mode::open_read_only, as_it_is, [](store_set&, int) {}), errc::no_space,
                "rank 2: ");
  }
  expect_checkpoint(3, 2);
}

TEST_F(a_set, refuses_options_that_are_of_one_store) {
  detail::set_options options = small_set();
  options.store.last_decided = 2;
  expect_same(try_on(
                  2, set_mode::create, [](store_set&, int) {}, options),
              errc::invalid_argument, "leave last_decided out");
}

TEST_F(a_set, refuses_backings_that_cannot_prepare_a_checkpoint) {
  constexpr int all = -1;
  for (const int ranks : {1, 2, 4}) {
    for (const backing kind : {backing::shared_file, backing::dax}) {
      for (const int asking : {all, 0, ranks - 1}) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks, asked for by " + std::to_string(asking));
        const auto options_of = [&](int rank) {
          detail::set_options options = small_set();
          if (asking == all || asking == rank) options.store.backing = kind;
          return options;
        };
        const std::string words = (ranks == 1 ? "" : "rank " + std::to_string(std::max(asking, 0)) + ": ") +
                                  "parts of a set cannot be written with the backing " +
                                  (kind == backing::dax ? "dax" : "shared");
        const auto opening = [&](set_mode how) {
          rank_threads team(ranks);
          return team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
            open_set_of(std::move(group), how, path(), options_of(rank))->close();
          });
        };
        const auto dividing = [&] {
          rank_threads team(ranks);
          return team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
            store_set::repartition(std::move(group), path(), options_of(rank));
          });
        };
        expect_same(opening(set_mode::create), errc::unsupported, words);
        EXPECT_FALSE(std::filesystem::exists(path() / "manifest"));
        EXPECT_FALSE(std::filesystem::exists(part(0)));
        make(ranks);
        expect_same(opening(set_mode::open), errc::unsupported, words);
        expect_same(opening(set_mode::open_or_create), errc::unsupported, words);
        expect_same(dividing(), errc::unsupported, words);
        // Readers have nothing to prepare.
        expect_none(opening(set_mode::open_read_only));
        expect_checkpoint(ranks, 1);
        std::filesystem::remove_all(path());
      }
    }
  }
}

TEST_F(a_set, hears_of_what_only_one_rank_is_asked) {
  make(2);
  rank_threads team(2);
  expect_same(team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
    open_set_of(std::move(group), set_mode::open, rank == 1 ? std::filesystem::path() : path());
  }),
              errc::invalid_argument, "rank 1: the path of a datastore must not be empty");
}

// ---- devices that fail -----------------------------------------------------------------------------------

/// Fails what is asked for, of some rank, while it is switched on.
class a_set_on_failing_devices : public ranks_set {
 protected:
  using operations = std::initializer_list<os::file_operation>;
  static bool is_one_of(os::file_operation what, operations all) {
    return std::find(all.begin(), all.end(), what) != all.end();
  }
  static constexpr operations writes{os::file_operation::write, os::file_operation::reserve_space,
                                     os::file_operation::resize};
  static constexpr operations syncs{os::file_operation::sync, os::file_operation::sync_data};

  /// Checkpoint 2 of all ranks, of whose numbers only `rank` knows that something fails; then what is there.
  void expect_one_fails_for_all(int ranks, errc code, const std::string& words) {
    on(ranks, set_mode::open, [&](store_set& set, int rank) {
      int& value = *local(set).find<int>("number").first;
      value = number(2, rank);
      const std::uint64_t before = set.epoch();
      fails_ = true;
      EXPECT_TRUE(fails_with(code, words, [&] { set.checkpoint({}); }));
      fails_ = false;
      EXPECT_EQ(set.epoch(), before);
      set.discard();
    });
    expect_checkpoint(ranks, 1);
    on(ranks, set_mode::open, [&](store_set& set, int rank) {
      *local(set).find<int>("number").first = number(2, rank);
      fails_ = true;
      EXPECT_TRUE(fails_with(code, words, [&] { set.checkpoint({}); }));
      fails_ = false;
      // The same can be tried again.
      *local(set).find<int>("number").first = number(3, rank);
      set.checkpoint({});
      set.discard();
    });
    expect_checkpoint(ranks, 3);
  }

  std::atomic<bool> fails_{false};
};

TEST_F(a_set_on_failing_devices, has_no_checkpoint_where_one_disk_is_full) {
  make(3);
  const watched_calls watch([&](const os::file_call& call, std::string_view) {
    return fails_ && rank_threads::current_rank() == 1 && is_one_of(call.operation, writes) ? ENOSPC : 0;
  });
  expect_one_fails_for_all(3, errc::no_space, "rank 1: ");
}

TEST_F(a_set_on_failing_devices, has_no_checkpoint_where_one_part_cannot_be_synced) {
  make(3);
  const watched_calls watch([&](const os::file_call& call, std::string_view file) {
    return fails_ && rank_threads::current_rank() == 2 && is_one_of(call.operation, syncs) &&
                   file.starts_with("jrnl.")
               ? EIO
               : 0;
  });
  expect_one_fails_for_all(3, errc::io, "rank 2: ");
}

TEST_F(a_set_on_failing_devices, has_no_checkpoint_without_its_manifest) {
  for (const operations& failing : {writes, syncs}) {
    std::filesystem::remove_all(path());
    make(2);
    bool failed = false;
    const watched_calls watch([&](const os::file_call& call, std::string_view file) {
      if (!fails_) failed = false;
      if (!fails_ || failed || file != "manifest" || !is_one_of(call.operation, failing)) return 0;
      failed = true;
      return EIO;
    });
    expect_one_fails_for_all(2, errc::io, "change");
  }
}

TEST_F(a_set_on_failing_devices, is_undecided_where_its_manifest_cannot_be_put_back) {
  for (const bool is_written : {false, true}) {
    std::filesystem::remove_all(path());
    make(2);
    {
      const watched_calls watch([&](const os::file_call& call, std::string_view file) {
        const bool is_next = call.name != nullptr && std::string_view(call.name) == ".manifest.next";
        const bool is_failing = is_one_of(call.operation, is_written ? syncs : writes) && file == "manifest";
        return fails_ && (is_failing || is_next) ? EIO : 0;
      });
      on(2, set_mode::open, [&](store_set& set, int rank) {
        *local(set).find<int>("number").first = number(2, rank);
        fails_ = true;
        EXPECT_TRUE(fails_with(errc::undecided, "nobody knows whether", [&] { set.checkpoint({}); }));
        EXPECT_TRUE(fails_with(errc::undecided, "closed and opened again", [&] { set.checkpoint({}); }));
        EXPECT_TRUE(fails_with(errc::undecided, "without a checkpoint", [&] { set.close(); }));
      });
      fails_ = false;
    }
    // What had been written before the sync failed is there.
    expect_checkpoint(2, is_written ? 2 : 1);
  }
}

TEST_F(a_set_on_failing_devices, keeps_an_earlier_copy_where_the_new_one_cannot_be_published) {
  make(2);
  std::atomic<bool> failed{false};
  const watched_calls watch([&](const os::file_call& call, std::string_view file) {
    if (!fails_ || file != "manifest" || !is_one_of(call.operation, writes) || failed.exchange(true))
      return 0;
    return ENOSPC;
  });
  on(2, set_mode::open, [&](store_set& set, int rank) {
    set.snapshot_async(path("slow"))->finish();
    *local(set).find<int>("number").first = number(2, rank);
    set.checkpoint({});
    const auto copy = set.snapshot_async(path("slow"));
    fails_ = true;
    EXPECT_TRUE(fails_with(errc::no_space, "", [&] { copy->finish(); }));
    fails_ = false;
    set.discard();
  });
  std::filesystem::remove_all(path());
  std::filesystem::rename(path("slow"), path());
  expect_checkpoint(2, 1);
}

TEST_F(a_set_on_failing_devices, has_no_copy_where_one_part_cannot_be_copied) {
  make(2);
  const watched_calls watch([&](const os::file_call& call, std::string_view) {
    return fails_ && rank_threads::current_rank() == 1 && is_one_of(call.operation, syncs) ? EIO : 0;
  });
  on(2, set_mode::open, [&](store_set& set, int) {
    fails_ = true;
    EXPECT_TRUE(fails_with(errc::io, "rank 1: ", [&] { set.snapshot(path("copy")); }));
    fails_ = false;
    set.discard();
  });
  EXPECT_FALSE(is_set(path("copy")) && std::filesystem::exists(path("copy") / "manifest"));
}

// The manifest that an opening reads may be in the memory of this machine only.
TEST_F(a_set, makes_its_manifest_durable_when_it_is_opened) {
  make(1);
  const unsynced_files unsynced;
  on(1, set_mode::open, [&](store_set& set, int) {
    EXPECT_FALSE(unsynced.names().contains("store")) << "the manifest's name";
    EXPECT_FALSE(unsynced.names().contains(".manifest.next"));
    set.discard();
  });
}

TEST_F(a_set_on_failing_devices, has_a_checkpoint_that_one_part_could_not_take_down) {
  make(3);
  std::atomic<bool> is_decided = false;
  // Decisions are written by a thread of the store's own.
  const watched_calls watch([&](const os::file_call& call, std::string_view file) {
    if (!fails_) return 0;
    if (file == "manifest" && call.operation == os::file_operation::sync_data) is_decided = true;
    if (!is_decided || !file.starts_with("jrnl.") || !is_one_of(call.operation, writes)) return 0;
    const auto journal = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(call.descriptor));
    return journal.parent_path() == part(1) ? EIO : 0;
  });
  on(3, set_mode::open, [&](store_set& set, int rank) {
    *local(set).find<int>("number").first = number(2, rank);
    fails_ = true;
    set.checkpoint({});
    *local(set).find<int>("number").first = number(3, rank);
    EXPECT_TRUE(fails_with(errc::io, "rank 1: ", [&] { set.checkpoint({}); }));
    EXPECT_TRUE(fails_with(errc::io, "could not take down", [&] { set.checkpoint({}); }));
    fails_ = false;
    set.discard();
  });
  expect_checkpoint(3, 2);
}

TEST_F(a_set_on_failing_devices, is_made_by_all_or_none) {
  const watched_calls watch([&](const os::file_call& call, std::string_view) {
    return fails_ && rank_threads::current_rank() == 1 && is_one_of(call.operation, writes) ? ENOSPC : 0;
  });
  fails_ = true;
  rank_threads team(3);
  expect_same(team.run([&](int, std::unique_ptr<detail::rank_group> group) {
    open_set_of(std::move(group), set_mode::create, path());
  }),
              errc::no_space, "rank 1: ");
  fails_ = false;
  on(2, set_mode::create, [&](store_set& set, int) { set.close(); });
}

TEST_F(a_set, that_a_checkpoint_makes_is_not_there_before) {
  detail::set_options late = small_set();
  late.is_made_by_checkpoint = true;
  const auto manifest = path() / "manifest";
  on(
      2, set_mode::create,
      [&](store_set& set, int) {
        EXPECT_FALSE(std::filesystem::exists(manifest));
        set.discard();
      },
      late);
  expect_same(try_on(2, set_mode::open, [](store_set&, int) {}), errc::not_a_store, "was not finished");
  on(
      2, set_mode::create,
      [&](store_set& set, int rank) {
        int& value = *local(set).construct<int>("number")(number(1, rank));
        set.checkpoint({});
        EXPECT_TRUE(std::filesystem::exists(manifest));
        value = number(2, rank);
        set.checkpoint({});
        set.discard();
      },
      late);
  expect_checkpoint(2, 2);
}

TEST_F(a_set_on_failing_devices, that_a_checkpoint_cannot_make_is_made_by_the_next) {
  detail::set_options late = small_set();
  late.is_made_by_checkpoint = true;
  const watched_calls watch([&](const os::file_call& call, std::string_view) {
    const bool is_publishing = call.operation == os::file_operation::rename && call.new_name != nullptr &&
                               std::string_view(call.new_name) == "manifest";
    return fails_ && is_publishing ? EIO : 0;
  });
  on(
      2, set_mode::create,
      [&](store_set& set, int rank) {
        local(set).construct<int>("number")(number(1, rank));
        fails_ = true;
        EXPECT_TRUE(fails_with(errc::io, "rank 0: cannot create the set", [&] { set.checkpoint({}); }));
        EXPECT_FALSE(std::filesystem::exists(path() / "manifest"));
        EXPECT_TRUE(fails_with(errc::io, "rank 0: cannot create the set", [&] { set.checkpoint({}); }));
        fails_ = false;
        set.checkpoint({});
        set.discard();
      },
      late);
  expect_checkpoint(2, 1);
}

TEST_F(a_set_on_failing_devices, that_may_be_there_or_not_is_undecided) {
  detail::set_options late = small_set();
  late.is_made_by_checkpoint = true;
  const watched_calls watch([&](const os::file_call& call, std::string_view file) {
    const bool is_of_directory = call.operation == os::file_operation::sync && file == "store" &&
                                 std::filesystem::exists(path() / "manifest");
    return fails_ && is_of_directory ? EIO : 0;
  });
  fails_ = true;
  on(
      2, set_mode::create,
      [&](store_set& set, int rank) {
        local(set).construct<int>("number")(number(1, rank));
        EXPECT_TRUE(fails_with(errc::undecided, "whether the set is there", [&] { set.checkpoint({}); }));
        EXPECT_TRUE(fails_with(errc::undecided, "closed and opened again", [&] { set.checkpoint({}); }));
      },
      late);
  fails_ = false;
  expect_checkpoint(2, 1);
}

}  // namespace
}  // namespace perdure
