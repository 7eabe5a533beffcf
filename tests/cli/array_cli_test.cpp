// Arrays of stores on the command line: to files of other formats and back, parts of them, and files that
// lie.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <perdure/array_store.hpp>
#include <thread>

#include "formats/npy_bytes.hpp"
#include "formats/zarr_bytes.hpp"
#include "support/program.hpp"
#include "support/scratch_directory.hpp"

namespace {

using perdure::test::npy_bytes;

class ArrayCommands : public testing::Test {
 protected:
  using arguments = std::vector<std::string>;

  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  static perdure::test::outcome array(arguments a) {
    a.insert(a.begin(), "array");
    return perdure::test::perdure_run(std::move(a));
  }
  static std::string ok(const arguments& a) {
    const perdure::test::outcome o = array(a);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(o.err, "");
    return o.out;
  }
  static nlohmann::json ok_json(arguments a) {
    a.push_back("--json");
    return nlohmann::json::parse(ok(a));
  }
  /// A line of what is wrong, and never a signal.
  static std::string fails(const arguments& a, int status = 1) {
    const perdure::test::outcome o = array(a);
    EXPECT_EQ(o.status, status) << o.out << o.err;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    return o.err;
  }
  static std::string bytes_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  static std::vector<double> numbers(std::size_t count) {
    std::vector<double> all(count);
    std::iota(all.begin(), all.end(), 0.5);
    return all;
  }

  /// A store of arrays of all sorts of types.
  std::string store_of_all() const {
    perdure::array_store store(perdure::create_only, path("all"));
    const std::vector<double> some = numbers(60);
    const perdure::array_view<const double> box(some.data(), {3, 4, 5});
    store.store("run/box", box, {.dimensions = {"z", "y", "x"}});
    store.array("run/box").set_attribute("units", "K");
    store.array("run/box").set_attribute("level", std::int64_t{7});
    store.store(
        "run/chunked", box,
        {.layout = perdure::array_layout::chunked, .chunk = {2, 2, 2}, .codec = perdure::compression::zstd});
    store.store("numbers", std::vector<std::int64_t>{-1, INT64_MAX, INT64_MIN});
    store.store("one", 2.5F);
    store.store("none", std::vector<std::int16_t>{});
    store.store("names", std::vector<std::string>{"a", "", "zw\xc3\xb6lf"});
    store.close();
    return path("all");
  }

  perdure::scratch_directory dir_;
};

TEST_F(ArrayCommands, NpyFilesAreImportedDescribedAndExported) {
  const std::string file = npy_bytes("<f8", "(2, 3, )", numbers(6));
  ok({"import", path("new") + ":t", write("t.npy", file)});
  const nlohmann::json stat = ok_json({"stat", path("new") + ":t"});
  EXPECT_EQ(stat["dtype"], "float64");
  EXPECT_EQ(stat["shape"], nlohmann::json({2, 3}));
  EXPECT_EQ(stat["bytes"], 48);
  EXPECT_EQ(stat["layout"], "blocks");
  ok({"export", path("new") + ":t", path("out.npy")});
  EXPECT_EQ(bytes_of(path("out.npy")), file);
  for (const char* const codec : {"lz4", "blosc"})
    ok({"import", path("new") + ":t", path("t.npy"), "--chunk", "1,2", "--compression", codec});
  EXPECT_EQ(ok_json({"stat", path("new") + ":t"})["layout"], "chunked");
  ok({"export", path("new") + ":t", path("out.npy")});
  EXPECT_EQ(bytes_of(path("out.npy")), file);
  EXPECT_EQ(ok({"export", path("new") + ":t", "-", "--format", "npy"}), file);
  EXPECT_NE(ok({"ls", path("new")}).find("float64 [2, 3]"), std::string::npos);
  EXPECT_EQ(ok({"stat", path("new") + ":t", "--check"}).find("damage"), std::string::npos);
}

TEST_F(ArrayCommands, PartsAsNumPyHasThem) {
  ok({"import", path("s") + ":t[0]", write("t.npy", npy_bytes("<f8", "(3, 4, 2)", numbers(24)))});
  const std::string t = path("s") + ":t[0]";
  EXPECT_EQ(ok({"dump", t + "[2,1:3,...]"}), "18.5 19.5\n20.5 21.5\n");
  EXPECT_EQ(ok_json({"dump", t + "[1,:2]"})["data"], nlohmann::json({{8.5, 9.5}, {10.5, 11.5}}));
  EXPECT_EQ(ok_json({"dump", t + "[5:]"})["shape"], nlohmann::json({0, 4, 2}));
  EXPECT_NE(fails({"dump", t + "[3]"}).find("which has 3"), std::string::npos);
  fails({"dump", t + "[::-1]"}, 2);
  fails({"dump", t + "[a]"}, 2);
  fails({"dump", path("s")}, 2);
}

TEST_F(ArrayCommands, StoresAndGroupsGoToAFileAndBack) {
  const std::string all = store_of_all();
  ok({"export", all, path("all.zarr"), "--compress"});
  ok({"import", path("back"), path("all.zarr")});
  EXPECT_EQ(ok({"diff", all, path("back")}), "6 arrays are the same\n");
  const perdure::test::outcome o = array({"export", all, path("all.h5")});
  if (o.err.find("there is no module") == std::string::npos) {
    ASSERT_EQ(o.status, 0) << o.err;
    ok({"import", path("back"), path("all.h5"), "--replace"});
    EXPECT_EQ(ok({"diff", all, path("back")}), "6 arrays are the same\n");
    EXPECT_EQ(ok_json({"stat", path("back") + ":run/box"})["dimensions"], nlohmann::json({"z", "y", "x"}));
  }
  const perdure::test::outcome npz = array({"export", all + ":run", path("group.npz")});
  EXPECT_EQ(npz.status, 0);
  EXPECT_EQ(npz.err,
            "perdure: " + path("group.npz") +
                ": box loses 2 attributes and the names of its dimensions: the format npz has none\n");
  EXPECT_NE(fails({"export", all + ":run", path("strict.npz"), "--strict"}).find("box loses 2 attributes"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("strict.npz")));
  ok({"import", path("group") + ":other", path("group.npz"), "--member", "box"});
  EXPECT_EQ(ok({"dump", all + ":run/box[1]"}), ok({"dump", path("group") + ":other[1]"}));
}

TEST_F(ArrayCommands, AModuleThatIsNotInstalledIsOneSentenceAndNoFile) {
  const std::string all = store_of_all();
  ::setenv("PERDURE_FORMAT_MODULES", dir_.directory().c_str(), 1);
  const std::string written = fails({"export", all, path("all.h5")});
  const std::string read = fails(
      {"import", path("never"), write("t.h5", std::string("\x89HDF\r\n\x1a\n", 8) + std::string(99, 0))});
  ::unsetenv("PERDURE_FORMAT_MODULES");
  for (const std::string& message : {written, read}) {
    EXPECT_NE(message.find("there is no module perdure_hdf5.so"), std::string::npos) << message;
    EXPECT_NE(message.find("libhdf5-dev"), std::string::npos) << message;
  }
  EXPECT_FALSE(std::filesystem::exists(path("all.h5")));
  EXPECT_FALSE(std::filesystem::exists(path("never")));
}

TEST_F(ArrayCommands, TablesOfTextAreImportedAndExported) {
  const std::string file = write("t.csv", "# a comment\nx,y\n1,2.5\n-3,nan\n");
  EXPECT_EQ(array({"import", path("s") + ":t", file}).err,
            "perdure: " + file + ": the array loses 1 comment (#), in line 1\n");
  EXPECT_EQ(ok({"dump", path("s") + ":t"}), "{\"x\": 1, \"y\": 2.5} {\"x\": -3, \"y\": \"nan\"}\n");
  ok({"export", path("s") + ":t", path("out.csv")});
  EXPECT_EQ(bytes_of(path("out.csv")), "x,y\n1,2.5\n-3,nan\n");
  ok({"import", path("s") + ":u", write("u.tsv", "1\t2\n3\t4\n"), "--type", "float32"});
  EXPECT_EQ(ok_json({"stat", path("s") + ":u"})["dtype"], "float32");
  EXPECT_NE(fails({"import", path("s") + ":v", write("v.csv", "1,2\n3\n")}).find("line 2"),
            std::string::npos);
  ok({"import", path("s") + ":people", write("p.csv", "name,age\nann,3\n")});
  EXPECT_EQ(ok({"dump", path("s") + ":people"}), "{\"name\": \"ann\", \"age\": 3}\n");
  EXPECT_NE(
      fails({"import", path("s") + ":v", write("n.csv", "NA\n1\n")}).find("--header yes or --header no"),
      std::string::npos);
  ok({"import", path("s") + ":cities", write("c.csv", "name,city\nann,rome\n"), "--header", "yes"});
  EXPECT_EQ(ok({"dump", path("s") + ":cities"}), "{\"name\": \"ann\", \"city\": \"rome\"}\n");
  ok({"import", path("s") + ":commas", write("k.csv", "1,234;5\n"), "--decimal", ",", "--separator", ";"});
  EXPECT_EQ(ok({"dump", path("s") + ":commas"}), "1.234 5\n");
  const perdure::test::outcome named = array({"import", path("s") + ":x", write("x.csv", "x\n1\n")});
  EXPECT_EQ(named.err, "perdure: " + path("x.csv") + ": the array loses the name of its column, \"x\"\n");
  EXPECT_NE(fails({"import", path("s") + ":v", write("w.csv", "1\nx\n"), "--type", "int8"}).find("line 2"),
            std::string::npos);
}

TEST_F(ArrayCommands, ZarrDirectoriesOfBothVersionsAreImportedAndStaySparse) {
  using perdure::test::write_file;
  const std::filesystem::path old = path("old");
  write_file(old / ".zgroup", R"({"zarr_format": 2})");
  write_file(old / ".zattrs", R"({"title": "t"})");
  write_file(old / "a" / ".zarray", perdure::test::zarr_2_json("\"|u1\"", "[2]", "[2]"));
  write_file(old / "a" / "0", "\1\2");
  write_file(old / "b" / ".zarray", perdure::test::zarr_2_json("\"<M8[s]\"", "[1]", "[1]"));
  const perdure::test::outcome import = array({"import", path("s"), old.string()});
  EXPECT_EQ(import.status, 0);
  EXPECT_NE(import.err.find("b is skipped: its elements are dates"), std::string::npos) << import.err;
  EXPECT_EQ(ok({"dump", path("s") + ":a"}), "1 2\n");
  EXPECT_EQ(ok_json({"stat", path("s") + ":.attributes"})["attributes"]["title"], "t");
  fails({"import", path("strict"), old.string(), "--strict"});
  EXPECT_FALSE(std::filesystem::exists(path("strict")));
  // 384 GiB, of which 160 bytes are there.
  const std::filesystem::path sparse = path("sparse.zarr");
  write_file(sparse / "zarr.json", perdure::test::zarr_3_json("\"float64\"", "[12, 4294967296]", "[5, 4]"));
  write_file(sparse / "c" / "1" / "1", std::string(160, '\1'));
  ok({"import", path("t") + ":x", sparse.string()});
  EXPECT_EQ(ok_json({"stat", path("t") + ":x"})["shape"], nlohmann::json({12, 4294967296}));
  std::uintmax_t taken = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("t")))
    if (entry.is_regular_file()) {
      struct stat facts {};
      ASSERT_EQ(::stat(entry.path().c_str(), &facts), 0);
      taken += static_cast<std::uintmax_t>(facts.st_blocks) * 512;
    }
  EXPECT_LT(taken, std::uintmax_t{16} << 20);
}

TEST_F(ArrayCommands, DiffTellsWhatDiffers) {
  ok({"import", path("a") + ":t", write("t.npy", npy_bytes("<f8", "(4,)", numbers(4)))});
  std::vector<double> other = numbers(4);
  other[2] += 0.25;
  ok({"import", path("b") + ":t", write("u.npy", npy_bytes("<f8", "(4,)", other))});
  const perdure::test::outcome o = array({"diff", path("a"), path("b")});
  EXPECT_EQ(o.status, 1);
  EXPECT_EQ(o.err, "");
  EXPECT_EQ(o.out, "changed  t  1 of 4 elements differs, by up to 0.25\n0 arrays are the same\n");
  ok({"diff", path("a"), path("b"), "--tolerance", "0.3"});
  ok({"diff", path("a") + ":t[:2]", path("b") + ":t[:2]"});
}

TEST_F(ArrayCommands, FilesThatLieMakeNoStore) {
  const std::string good = npy_bytes("<f8", "(2, 3)", numbers(6));
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    return bad;
  };
  const std::vector<std::string> bad{
      good.substr(0, good.size() - 1), replaced("(2, 3)", "(9, 9)"), "PK\3\4" + std::string(100, '\0'),
      std::string("\x89HDF\r\n\x1a\n", 8) + std::string(500, '\xff'), "CDF\1" + std::string(500, '\xff')};
  for (const std::string& one : bad) {
    fails({"import", path("never") + ":t", write("bad.npy", one)});
    EXPECT_FALSE(std::filesystem::exists(path("never")));
  }
  fails({"import", path("never") + ":t", path("nothing.npy")});
  ok({"import", path("s") + ":t", write("good.npy", good)});
  EXPECT_NE(fails({"import", path("s") + ":t", write("other.npy", npy_bytes("<i8", "(6,)", numbers(6)))})
                .find("int64"),
            std::string::npos);
  ok({"import", path("s") + ":t", path("other.npy"), "--replace"});
  EXPECT_NE(fails({"export", path("s") + ":u", path("out.npy")}).find("no array \"u\""), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("out.npy")));
  fails({"export", path("s") + ":t", path("out.unknown")}, 2);
}

TEST_F(ArrayCommands, AKilledImportLeavesTheOldArrayOrTheNew) {
  const std::size_t count = 4 << 20;
  const arguments import_old{"import", path("s") + ":t",
                             write("old.npy", npy_bytes("<f8", "(3,)", numbers(3)))};
  const std::string large =
      write("new.npy", npy_bytes("<f8", "(" + std::to_string(count) + ",)", numbers(count)));
  ok(import_old);
  // Each kill comes later than the last one, until an import has ended before it; then earlier. So they come
  // around the moment at which the array is replaced, however fast the machine is and whatever else it does;
  // and were all imports to end first, the last kills would come at once.
  auto delay = std::chrono::microseconds(5000);
  int kept = 0;
  for (int tries = 0; tries < 12 || (kept == 0 && tries < 100); ++tries) {
    perdure::test::process import(
        {perdure::test::perdure_program(), "array", "import", path("s") + ":t", large});
    std::this_thread::sleep_for(delay);
    import.kill();
    const int status = import.wait().status;
    const nlohmann::json shape = ok_json({"stat", path("s") + ":t", "--check"})["shape"];
    if (shape == nlohmann::json({count})) {
      ok(import_old);
      delay = delay * 2 / 3;
      continue;
    }
    ASSERT_EQ(shape, nlohmann::json({3}));
    ASSERT_EQ(status, -SIGKILL);
    ++kept;
    delay = delay * 3 / 2;
  }
  EXPECT_GT(kept, 0);
}

}  // namespace
