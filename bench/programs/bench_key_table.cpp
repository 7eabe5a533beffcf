// A table from keys to values that is kept: made durable, opened for one look-up, and opened for all of them.
// Prints JSON. A peer does the same with a table of its own.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <perdure/container/flat_map.hpp>
#include <perdure/manager.hpp>
#include <stdexcept>
#include <string>

#include "key_table.hpp"
#include "measure.hpp"

namespace perdure::bench {
namespace {

using table_in_store = perdure::flat_map<std::uint64_t, std::uint64_t>;

key_table own_table() {
  return {
      [](const std::filesystem::path& path, std::uint64_t keys) {
        manager store(create_only, path);
        table_in_store& table = *store.construct<table_in_store>("table")();
        for (std::uint64_t i = 0; i < keys; ++i) table.emplace(key_of(i), i);
        store.close();
      },
      [](const std::filesystem::path& path, std::uint64_t keys, std::uint64_t count, std::uint64_t stride) {
        const manager store(open_read_only, path);
        const table_in_store& table = *store.find<table_in_store>("table").first;
        std::uint64_t sum = 0;
        for (std::uint64_t i = 0; i < count; ++i) sum += table.find(key_of(i * stride % keys))->second;
        return sum;
      }};
}

int run(int argc, char** argv) {
  std::string kind;
  std::filesystem::path path;
  std::uint64_t keys = 1'000'000;
  std::map<std::string, key_table> kinds{{"perdure", own_table()}};
#ifdef WITH_LMDB
  kinds.emplace("lmdb", lmdb_table());
#endif
#ifdef WITH_SQLITE
  kinds.emplace("sqlite", sqlite_table());
#endif
  CLI::App parser("A table from keys to values that is kept");
  parser.require_subcommand(1);
  parser.add_option("--kind", kind, "Library: perdure, and lmdb and sqlite where they were found")
      ->required();
  parser.add_option("--path", path, "Where the table is")->required();
  parser.add_option("--keys", keys, "Number of keys");
  CLI::App* const make = parser.add_subcommand("make", "Make it and have it durable");
  CLI::App* const first = parser.add_subcommand("first", "Open it and look up one key");
  parser.add_subcommand("all", "Open it and look up all keys, in an order like a random one");
  CLI11_PARSE(parser, argc, argv);
  const auto found = kinds.find(kind);
  if (found == kinds.end()) throw std::runtime_error("this program has no table of " + kind);
  constexpr std::uint64_t stride = 370'003;  // a prime, so that all keys have their turn
  const stopwatch watch;
  if (*make) {
    found->second.make(path, keys);
  } else {
    const std::uint64_t count = *first ? 1 : keys;
    const std::uint64_t sum = found->second.find(path, keys, count, stride);
    if (!*first && sum != keys * (keys - 1) / 2) throw std::runtime_error("the table has other values");
  }
  std::cout << nlohmann::json{{"seconds", watch.wall()}, {"cpu_seconds", watch.cpu()}}.dump() << '\n';
  return 0;
}

}  // namespace
}  // namespace perdure::bench

int main(int argc, char** argv) {
  try {
    return perdure::bench::run(argc, argv);
  } catch (const std::exception& failure) {
    std::cerr << "bench_key_table: " << failure.what() << '\n';
    return 1;
  }
}
