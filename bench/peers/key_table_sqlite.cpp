// The table of bench_key_table by SQLite, all keys in one transaction.
#include <sqlite3.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "programs/key_table.hpp"

namespace perdure::bench {
namespace {

using database = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;
using statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

void require(bool is_done, const database& of) {
  if (!is_done) throw std::runtime_error(std::string("SQLite: ") + sqlite3_errmsg(of.get()));
}

database open(const std::filesystem::path& path, int flags) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
  database made(opened, &sqlite3_close);
  require(status == SQLITE_OK, made);
  return made;
}

void execute(const database& in, const char* text) {
  require(sqlite3_exec(in.get(), text, nullptr, nullptr, nullptr) == SQLITE_OK, in);
}

statement prepare(const database& in, const char* text) {
  sqlite3_stmt* made = nullptr;
  require(sqlite3_prepare_v2(in.get(), text, -1, &made, nullptr) == SQLITE_OK, in);
  return {made, &sqlite3_finalize};
}

void bind(const statement& to, int place, std::uint64_t value) {
  sqlite3_bind_int64(to.get(), place, static_cast<sqlite3_int64>(value));
}

}  // namespace

key_table sqlite_table() {
  return {
      [](const std::filesystem::path& path, std::uint64_t keys) {
        const database file = open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        execute(file, "CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER); BEGIN");
        const statement insert = prepare(file, "INSERT INTO t VALUES (?, ?)");
        for (std::uint64_t i = 0; i < keys; ++i) {
          bind(insert, 1, key_of(i));
          bind(insert, 2, i);
          require(sqlite3_step(insert.get()) == SQLITE_DONE, file);
          sqlite3_reset(insert.get());
        }
        execute(file, "COMMIT");
      },
      [](const std::filesystem::path& path, std::uint64_t keys, std::uint64_t count, std::uint64_t stride) {
        const database file = open(path, SQLITE_OPEN_READONLY);
        const statement select = prepare(file, "SELECT v FROM t WHERE k = ?");
        std::uint64_t sum = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
          bind(select, 1, key_of(i * stride % keys));
          require(sqlite3_step(select.get()) == SQLITE_ROW, file);
          sum += static_cast<std::uint64_t>(sqlite3_column_int64(select.get(), 0));
          sqlite3_reset(select.get());
        }
        return sum;
      }};
}

}  // namespace perdure::bench
