// The table of bench_key_table by LMDB, all keys in one transaction.
#include <lmdb.h>

#include <stdexcept>
#include <string>

#include "programs/key_table.hpp"

namespace perdure::bench {
namespace {

void require(int status) {
  if (status != MDB_SUCCESS) throw std::runtime_error(std::string("LMDB: ") + mdb_strerror(status));
}

/// An environment of one file, with a transaction.
class transaction {
 public:
  transaction(const std::filesystem::path& path, unsigned environment_flags, unsigned flags) {
    require(mdb_env_create(&environment_));
    require(mdb_env_set_mapsize(environment_, std::size_t{64} << 30));
    constexpr mdb_mode_t mode = 0644;
    require(mdb_env_open(environment_, path.c_str(), MDB_NOSUBDIR | environment_flags, mode));
    require(mdb_txn_begin(environment_, nullptr, flags, &transaction_));
    require(mdb_dbi_open(transaction_, nullptr, MDB_INTEGERKEY, &table_));
  }
  transaction(const transaction&) = delete;
  transaction& operator=(const transaction&) = delete;
  ~transaction() {
    if (transaction_ != nullptr) mdb_txn_abort(transaction_);
    mdb_env_close(environment_);
  }

  void put(std::uint64_t key, std::uint64_t value) {
    MDB_val key_bytes{sizeof key, &key};
    MDB_val value_bytes{sizeof value, &value};
    require(mdb_put(transaction_, table_, &key_bytes, &value_bytes, 0));
  }
  std::uint64_t get(std::uint64_t key) {
    MDB_val key_bytes{sizeof key, &key};
    MDB_val value{};
    require(mdb_get(transaction_, table_, &key_bytes, &value));
    return *static_cast<const std::uint64_t*>(value.mv_data);
  }
  void commit() {
    MDB_txn* const own = transaction_;
    transaction_ = nullptr;
    require(mdb_txn_commit(own));
  }

 private:
  MDB_env* environment_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  MDB_dbi table_ = 0;
};

}  // namespace

key_table lmdb_table() {
  return {
      [](const std::filesystem::path& path, std::uint64_t keys) {
        transaction all(path, 0, 0);
        for (std::uint64_t i = 0; i < keys; ++i) all.put(key_of(i), i);
        all.commit();
      },
      [](const std::filesystem::path& path, std::uint64_t keys, std::uint64_t count, std::uint64_t stride) {
        transaction reading(path, MDB_RDONLY, MDB_RDONLY);
        std::uint64_t sum = 0;
        for (std::uint64_t i = 0; i < count; ++i) sum += reading.get(key_of(i * stride % keys));
        return sum;
      }};
}

}  // namespace perdure::bench
