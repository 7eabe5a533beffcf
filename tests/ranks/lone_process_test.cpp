// Sets of stores in one process without MPI, and what nobody may do to a part alone.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <perdure/store_set.hpp>

#include "ranks/set_fixture.hpp"
#include "support/flipped_bit.hpp"
#include "support/loop_mount.hpp"

namespace perdure {
namespace {

class a_set_in_one_process : public ranks_set {
 protected:
  /// Three parts: a number in each, and arrays of all layouts.
  void make_arrays(bool with_objects = true) {
    on(3, set_mode::create, [&](store_set& set, int rank) {
      if (with_objects) local(set).construct<int>("number")(number(1, rank));
      array_store arrays(set.arrays());
      arrays.create<double>("field", {6, 10});
      std::vector<double> rows(20);
      std::iota(rows.begin(), rows.end(), 20.0 * rank);
      arrays.store("field", array_view<const double, 2>(rows.data(), {2, 10}),
                   {2 * static_cast<std::uint64_t>(rank), 0});
      if (rank == 2) {
        arrays.store("names", std::vector<std::string>{"x", "yz"});
        arrays.store("fixed", std::vector<int>{4, 5}, {.layout = array_layout::contiguous});
        arrays.array("fixed").set_attribute("unit", std::string("s"));
      }
      set.checkpoint("made");
      set.close();
    });
  }
  static std::vector<double> field() {
    std::vector<double> all(60);
    std::iota(all.begin(), all.end(), 0.0);
    return all;
  }
  void expect_arrays(const std::filesystem::path& where, const store_options& options = {}) {
    const set_reader set(where, options);
    const array_store arrays = set.arrays();
    EXPECT_EQ(arrays.list(), (std::vector<std::string>{"field", "fixed", "names"}));
    EXPECT_EQ(arrays.load<std::vector<double>>("field"), field());
    EXPECT_EQ(arrays.load<std::vector<std::string>>("names"), (std::vector<std::string>{"x", "yz"}));
    EXPECT_EQ(arrays.array("fixed").attribute<std::string>("unit"), "s");
  }
  /// Names and sizes of all files below the set's directory.
  std::vector<std::string> files(const std::filesystem::path& below) const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(below))
      all.push_back(entry.path().string() +
                    (entry.is_regular_file() ? ' ' + std::to_string(entry.file_size()) : ""));
    std::sort(all.begin(), all.end());
    return all;
  }
  /// Makes a part look as if it lay on another machine.
  void move_to_another_machine(int which) {
    std::filesystem::rename(part(which), path("elsewhere"));
    std::ofstream(part(which).string() + ".where") << "another-machine\n/device/part.0000" << which << '\n';
  }
};

TEST_F(a_set_in_one_process, shows_the_arrays_of_all_parts) {
  make_arrays();
  expect_arrays(path());
  const set_reader set(path());
  EXPECT_EQ(set.parts(), 3u);
  EXPECT_EQ(set.path(), path());
  array_store arrays = set.arrays();
  EXPECT_EQ(arrays.path(), path());
  EXPECT_EQ(arrays.array("field").read<double>({{1, 9}, {5, 1}, {}}),
            (std::vector<double>{19, 29, 39, 49, 59}));
  const auto fixed = arrays.view<int, 1>("fixed");
  EXPECT_EQ(fixed(1), 5);
  // What the parts hold is added up.
  EXPECT_EQ(arrays.info("field").blocks, 3u);
  EXPECT_EQ(arrays.info("field").stored_bytes, 60 * sizeof(double));
  EXPECT_TRUE(fails_with(errc::not_found, "no array named \"none\"", [&] { arrays.info("none"); }));
}

TEST_F(a_set_in_one_process, is_not_changed) {
  make_arrays();
  const set_reader set(path());
  array_store arrays = set.arrays();
  EXPECT_TRUE(fails_with(errc::read_only, "reading only", [&] { arrays.store("new", 1); }));
  EXPECT_TRUE(fails_with(errc::read_only, "reading only", [&] { arrays.erase("field"); }));
  EXPECT_TRUE(fails_with(errc::read_only, "it has no checkpoints", [&] { arrays.checkpoint(); }));
  EXPECT_TRUE(fails_with(errc::read_only, "reading only", [&] { set.open_part(0).construct<int>("x")(1); }));
}

TEST_F(a_set_in_one_process, shows_the_objects_of_each_part) {
  make_arrays();
  const set_reader set(path());
  for (std::uint32_t i = 0; i < 3; ++i)
    EXPECT_EQ(*set.open_part(i).find<int>("number").first, number(1, static_cast<int>(i)));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "none with the number 3", [&] { set.open_part(3); }));
}

TEST_F(a_set_in_one_process, outlives_its_reader_in_its_arrays) {
  make_arrays();
  const array_store arrays = set_reader(path()).arrays();
  EXPECT_EQ(arrays.load<std::vector<double>>("field"), field());
}

TEST_F(a_set_in_one_process, is_read_beside_the_program_that_writes_it) {
  make_arrays();
  on(3, set_mode::open, [&](store_set& set, int rank) {
    array_store arrays(set.arrays());
    if (rank == 2) arrays.store("new", 1);
    if (rank == 0) expect_arrays(path(), {.beside_writer = reader_beside_writer::hold_writer});
    set.checkpoint({});
    set.close();
  });
  EXPECT_EQ(set_reader(path()).arrays().load<int>("new"), 1);
}

// ---- as a whole ------------------------------------------------------------------------------------------

TEST_F(a_set_in_one_process, tells_what_it_records) {
  make_arrays();
  EXPECT_TRUE(is_set(path()));
  EXPECT_FALSE(is_set(part(0)));
  EXPECT_FALSE(is_set(path("none")));
  const set_info info = inspect_set(path());
  EXPECT_EQ(info.epoch, set_reader(path()).epoch());
  ASSERT_EQ(info.parts.size(), 3u);
  EXPECT_EQ(info.parts[2].path, part(2));
  EXPECT_TRUE(info.parts[2].is_here);
  const std::vector<checkpoint_record> log = log_of_set(path());
  ASSERT_GE(log.size(), 2u);
  EXPECT_EQ(log[log.size() - 2].label, "made");
  EXPECT_EQ(log.back().epoch, info.epoch);
  std::uint64_t pages = 0;
  for (int i = 0; i < 3; ++i) pages += store_maintenance::log(part(i)).back().bytes();
  EXPECT_EQ(log.back().bytes(), pages);
  for (int i = 0; i < 3; ++i)
    EXPECT_GE(log.back().time_ns, store_maintenance::log(part(i)).back().time_ns) << "part " << i;
  EXPECT_TRUE(fails_with(errc::not_found, "create it first", [&] { inspect_set(path("none")); }));
  std::filesystem::create_directory(path("empty"));
  EXPECT_TRUE(fails_with(errc::not_a_store, "no file `manifest`", [&] { inspect_set(path("empty")); }));
}

TEST_F(a_set_in_one_process, is_verified_in_all_its_parts) {
  make_arrays();
  set_verify_report report = verify_set(path());
  EXPECT_TRUE(report.whole());
  EXPECT_EQ(report.parts.size(), 3u);
  // Sound, and not of this set.
  std::filesystem::rename(part(0), path("elsewhere"));
  std::filesystem::rename(part(1), part(0));
  std::filesystem::rename(path("elsewhere"), part(1));
  report = verify_set(path());
  EXPECT_FALSE(report.whole());
  EXPECT_NE(report.problem.value_or("").find("put the parts back"), std::string::npos);
  std::filesystem::rename(part(0), path("elsewhere"));
  std::filesystem::rename(part(1), part(0));
  std::filesystem::rename(path("elsewhere"), part(1));
  flip_bit(part(1) / "heap.000", (std::uint64_t{2} << 20) + 100, 0);
  report = verify_set(path());
  EXPECT_FALSE(report.whole());
  EXPECT_TRUE(report.parts[0].whole());
  EXPECT_FALSE(report.parts[1].whole());
}

TEST_F(a_set_in_one_process, is_copied) {
  make_arrays();
  copy_set(path(), path("copy"));
  expect_arrays(path("copy"));
  EXPECT_TRUE(fails_with(errc::already_exists, "holds a set", [&] { copy_set(path(), path("copy")); }));
  EXPECT_TRUE(remove_set(path()));
  std::filesystem::rename(path("copy"), path());
  on(3, set_mode::open, [](store_set& set, int) { set.close(); });
  expect_arrays(path());
}

TEST_F(a_set_in_one_process, is_removed) {
  make_arrays();
  EXPECT_TRUE(remove_set(path()));
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_FALSE(remove_set(path()));
  // A directory stays for what else is in it.
  make_arrays();
  std::ofstream(path() / "letter") << "to somebody";
  EXPECT_TRUE(remove_set(path()));
  EXPECT_EQ(names_in(path()), std::vector<std::string>{"letter"});
  EXPECT_TRUE(fails_with(errc::not_a_store, "left as it is", [&] { remove_set(path()); }));
}

TEST_F(a_set_in_one_process, is_not_removed_while_somebody_has_it_open) {
  make_arrays();
  on(3, set_mode::open, [&](store_set& set, int rank) {
    if (rank == 0) {
      EXPECT_TRUE(fails_with(errc::in_use, "in use", [&] { remove_set(path()); }));
    }
    set.checkpoint({});
    set.close();
  });
  {
    const manager reader = set_reader(path()).open_part(1);
    EXPECT_TRUE(fails_with(errc::in_use, "in use", [&] { remove_set(path()); }));
  }
  expect_arrays(path());
}

TEST_F(a_set_in_one_process, is_removed_when_it_is_damaged_or_half_removed) {
  make_arrays();
  std::ofstream(path() / "manifest") << "nonsense";
  std::filesystem::remove_all(part(1));
  EXPECT_TRUE(fails_with(errc::damaged, "manifest", [&] { set_reader reader(path()); }));
  EXPECT_TRUE(remove_set(path()));
  EXPECT_FALSE(std::filesystem::exists(path()));
  make_arrays();
  std::filesystem::rename(path() / "manifest", path() / ".manifest.new");
  store_maintenance::remove(part(0));
  EXPECT_TRUE(is_set(path()));
  EXPECT_TRUE(fails_with(errc::not_a_store, "was not finished", [&] { inspect_set(path()); }));
  EXPECT_TRUE(remove_set(path()));
  EXPECT_FALSE(std::filesystem::exists(path()));
  make_arrays();
  std::filesystem::remove(path() / "manifest");
  EXPECT_TRUE(is_set(path()));
  EXPECT_TRUE(remove_set(path()));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(a_set_in_one_process, is_divided_among_any_number_of_parts) {
  make_arrays(false);
  std::uint64_t epoch = inspect_set(path()).epoch;
  for (const std::uint32_t parts : {1u, 5u, 2u}) {
    repartition_set(path(), parts, small_store());
    EXPECT_EQ(inspect_set(path()).parts.size(), parts);
    EXPECT_GT(inspect_set(path()).epoch, epoch);
    epoch = inspect_set(path()).epoch;
    expect_arrays(path());
    EXPECT_EQ(names_in(path()).size(), 2u);
    EXPECT_TRUE(verify_set(path()).whole());
  }
  on(2, set_mode::open, [](store_set& set, int rank) {
    array_store arrays(set.arrays());
    const std::vector<double> rows(30, rank);
    arrays.store("field", array_view<const double, 2>(rows.data(), {3, 10}),
                 {3 * static_cast<std::uint64_t>(rank), 0});
    set.close();
  });
  EXPECT_EQ(set_reader(path()).arrays().load<std::vector<double>>("field").back(), 1.0);
  EXPECT_EQ(log_of_set(path()).back().epoch, inspect_set(path()).epoch);
}

TEST_F(a_set_in_one_process, is_as_before_where_it_cannot_be_divided) {
  make_arrays();
  const std::vector<std::string> before = files(path());
  EXPECT_TRUE(fails_with(errc::unsupported, "1 objects beside", [&] { repartition_set(path(), 2); }));
  EXPECT_TRUE(fails_with(errc::invalid_argument, "0 parts", [&] { repartition_set(path(), 0); }));
  EXPECT_EQ(files(path()), before);
  expect_arrays(path());
}

TEST_F(a_set_in_one_process, names_the_parts_that_are_missing_or_elsewhere) {
  make_arrays();
  const auto expect_refused = [&](errc code, const std::string& words) {
    const std::vector<std::string> before = files(path());
    EXPECT_TRUE(fails_with(code, words, [&] { set_reader reader(path()); }));
    EXPECT_TRUE(fails_with(code, words, [&] { log_of_set(path()); }));
    EXPECT_TRUE(fails_with(code, words, [&] { verify_set(path()); }));
    EXPECT_TRUE(fails_with(code, words, [&] { copy_set(path(), path("copy")); }));
    EXPECT_TRUE(fails_with(code, words, [&] { repartition_set(path(), 2); }));
    EXPECT_EQ(files(path()), before);
    EXPECT_FALSE(std::filesystem::exists(path("copy")));
  };
  std::filesystem::rename(part(1), path("elsewhere"));
  expect_refused(errc::damaged, "part 1 (" + part(1).string() + ") of the set is missing");
  EXPECT_TRUE(inspect_set(path()).parts[1].is_missing);
  std::filesystem::rename(path("elsewhere"), part(1));
  move_to_another_machine(2);
  const std::string place = "part 2 (machine another-machine, /device/part.00002) lies elsewhere";
  expect_refused(errc::not_found, place);
  EXPECT_FALSE(inspect_set(path()).parts[2].is_here);
  EXPECT_EQ(inspect_set(path()).parts[2].machine, "another-machine");
  EXPECT_TRUE(fails_with(errc::not_found, place, [&] { remove_set(path()); }));
  EXPECT_TRUE(std::filesystem::exists(part(0)));
  EXPECT_TRUE(remove_set(path(), parts_elsewhere::forget));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

// ---- kept checkpoints ------------------------------------------------------------------------------------

class a_set_that_keeps_checkpoints : public ranks_set {
 protected:
  static detail::set_options keeping(bool full_copies) {
    detail::set_options options = small_set();
    options.store.keep_last = 2;
    options.store.keep_full_copies = full_copies;
    return options;
  }
  /// The array "x" has the label's first byte.
  static void checkpoints(const std::filesystem::path& where, set_mode how,
                          const detail::set_options& options, const std::vector<std::string>& labels) {
    rank_threads team(2);
    expect_none(team.run([&](int rank, std::unique_ptr<detail::rank_group> group) {
      const auto set = open_set_of(std::move(group), how, where, options);
      array_store arrays(set->arrays());
      for (const std::string& label : labels) {
        if (rank == 0) arrays.store("x", static_cast<int>(label.at(0)));
        set->checkpoint(label);
      }
      set->close();
    }));
  }
  static int x_of(const std::filesystem::path& name) {
    return array_store(open_read_only, name).load<int>("x");
  }
  static std::vector<std::string> labels_of(const std::filesystem::path& set) {
    std::vector<std::string> labels;
    for (const kept_checkpoint& one : kept_checkpoints_of_set(set)) labels.push_back(one.label);
    return labels;
  }
  void keeps_the_last(const std::filesystem::path& where, const detail::set_options& options) {
    checkpoints(where, set_mode::create, options, {"a", "b", "c"});
    EXPECT_EQ(labels_of(where), (std::vector<std::string>{"b", "c"}));
    const auto at = [&](const std::string& label) {
      return std::filesystem::path(where.string() + '@' + label);
    };
    EXPECT_EQ(x_of(at("b")), 'b');
    EXPECT_EQ(x_of(at(std::to_string(kept_checkpoints_of_set(where)[1].epoch))), 'c');
    EXPECT_TRUE(verify_set(at("b")).whole());
    EXPECT_EQ(log_of_set(at("b")).back().label, "b");
    const std::vector<checkpoint_record> log = log_of_set(where);
    EXPECT_EQ(std::count_if(log.begin(), log.end(), [](const checkpoint_record& one) { return one.kept; }),
              2);
    EXPECT_TRUE(fails_with(errc::not_found, "keeps no checkpoint", [&] { x_of(at("a")); }));
    // Nothing writes to a kept checkpoint, by whatever name.
    const std::filesystem::path directory = kept_checkpoints_of_set(where)[0].path;
    for (const auto& name : {at("b"), directory}) {
      for (const set_mode how : {set_mode::create, set_mode::open, set_mode::open_or_create}) {
        rank_threads team(2);
        expect_same(team.run([&](int, std::unique_ptr<detail::rank_group> group) {
          open_set_of(std::move(group), how, name);
        }),
                    errc::read_only, "kept checkpoint");
      }
      EXPECT_TRUE(fails_with(errc::read_only, "kept checkpoint", [&] { remove_set(name); }));
      EXPECT_TRUE(fails_with(errc::read_only, "kept checkpoint", [&] { repartition_set(name, 2); }));
    }
    copy_set(at("b"), path("copy of b"));
    EXPECT_EQ(x_of(path("copy of b")), 'b');
    {
      // What somebody reads stays until the next one is kept.
      const set_reader reader(at("b"));
      const manager part = reader.open_part(0);
      checkpoints(where, set_mode::open, options, {"d"});
      EXPECT_EQ(labels_of(where), (std::vector<std::string>{"b", "c", "d"}));
    }
    repartition_set(where, 1, small_store());
    EXPECT_EQ(x_of(where), 'd');
    EXPECT_EQ(x_of(at("c")), 'c');
    EXPECT_TRUE(remove_set(where));
    EXPECT_FALSE(std::filesystem::exists(where));
  }
};

TEST_F(a_set_that_keeps_checkpoints, has_full_copies_of_the_last_where_they_are_asked_for) {
  keeps_the_last(path(), keeping(true));
}

TEST_F(a_set_that_keeps_checkpoints, shares_their_blocks_on_xfs) {
  const loop_mount mount("xfs", path("image"), path("mount"));
  if (!mount) GTEST_SKIP() << mount.why_not();
  keeps_the_last(mount.path() / "set", keeping(false));
}

TEST_F(a_set_that_keeps_checkpoints, wants_a_file_system_that_shares_blocks) {
  const loop_mount mount("ext4", path("image"), path("mount"), std::uint64_t{64} << 20);
  if (!mount) GTEST_SKIP() << mount.why_not();
  rank_threads team(2);
  expect_none(team.run([&](int, std::unique_ptr<detail::rank_group> group) {
    const auto set = open_set_of(std::move(group), set_mode::create, mount.path() / "set", keeping(false));
    const std::uint64_t before = set->epoch();
    EXPECT_TRUE(fails_with(errc::unsupported, "keep full copies", [&] { set->checkpoint("label"); }));
    EXPECT_EQ(set->epoch(), before);
    set->checkpoint({});
    set->close();
  }));
}

// ---- parts alone -----------------------------------------------------------------------------------------

TEST_F(a_set_in_one_process, has_no_part_that_is_opened_for_writing_alone) {
  make_arrays();
  const std::string words = "is a part of a set of stores and cannot be opened for writing alone";
  const auto expect_refused = [&](const std::filesystem::path& one) {
    const std::vector<std::string> before = files(one);
    EXPECT_TRUE(fails_with(errc::invalid_argument, words, [&] { manager writer(open_only, one); }));
    EXPECT_TRUE(fails_with(errc::invalid_argument, words, [&] { manager writer(open_or_create, one); }));
    EXPECT_TRUE(fails_with(errc::invalid_argument, words, [&] { array_store writer(open_or_create, one); }));
    EXPECT_TRUE(fails_with(errc::invalid_argument, words, [&] { datastore::open(one); }));
    EXPECT_EQ(files(one), before);
  };
  expect_refused(part(1));
  // Nor is a copy of one, or a part of a copy, or of a set that was divided.
  store_maintenance::copy(part(1), path("copy of a part"));
  expect_refused(path("copy of a part"));
  EXPECT_TRUE(fails_with(errc::invalid_argument, words,
                         [&] { store_maintenance::stage_out(path("copy of a part"), part(1)); }));
  copy_set(path(), path("copy"));
  expect_refused(path("copy") / "set.0001" / "part.00000");
  // It may be looked at, and changed in memory.
  EXPECT_EQ(*manager(open_read_only, part(1)).find<int>("number").first, number(1, 1));
  EXPECT_EQ(*manager(open_copy_on_write, part(1)).find<int>("number").first, number(1, 1));
  EXPECT_TRUE(store_maintenance::repair(part(1)).after.whole());
  expect_arrays(path());
  on(3, set_mode::open, [](store_set& set, int) { set.close(); });
  EXPECT_TRUE(remove_set(path()));
  make_arrays(false);
  repartition_set(path(), 2, small_store());
  expect_refused(path() / "set.0002" / "part.00001");
}

TEST_F(a_set_in_one_process, keeps_its_parts_when_its_manifest_is_lost) {
  make_arrays();
  copy_set(path(), path("other"));
  std::filesystem::rename(path() / "manifest", path("manifest"));
  // As after an attempt to make it that was not finished.
  std::ofstream(path() / ".manifest.new").close();
  const std::vector<std::string> before = files(path());
  for (const set_mode how : {set_mode::create, set_mode::open_or_create})
    expect_same(try_on(3, how, [](store_set&, int) {}), errc::already_exists,
                "and no file `manifest`: if that file was lost, restore it");
  EXPECT_TRUE(fails_with(errc::already_exists, "restore it", [&] { copy_set(path("other"), path()); }));
  EXPECT_EQ(files(path()), before);
  std::filesystem::rename(path("manifest"), path() / "manifest");
  expect_arrays(path());
}

TEST_F(a_set_in_one_process, keeps_its_parts_when_an_older_manifest_takes_the_place_of_its_own) {
  make_arrays(false);
  std::filesystem::copy_file(path() / "manifest", path("older"));
  repartition_set(path(), 2, small_store());
  on(2, set_mode::open, [](store_set& set, int) { set.close(); });
  std::filesystem::rename(path() / "manifest", path("newer"));
  std::filesystem::rename(path("older"), path() / "manifest");
  expect_same(try_on(3, set_mode::open, [](store_set&, int) {}), errc::damaged,
              "part 0 of the set is missing");
  std::filesystem::rename(path("newer"), path() / "manifest");
  expect_arrays(path());
}

}  // namespace
}  // namespace perdure
