// A store that grows and changes until the machine under it dies, and what must be true of it afterwards.
//
// With PERDURE_TESTED_BACKING=dax in its environment the store's memory is the NVDIMM itself.
//
// usage: vm_kept_store write STORE NAME         says 'kept NAME EPOCH .' after each checkpoint, forever
//        vm_kept_store check STORE EPOCH        the store is at that epoch or at the one after it, whole
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <perdure/datastore.hpp>
#include <perdure/store_maintenance.hpp>
#include <string>

#include "segment/segment.hpp"
#include "store/tested_backing.hpp"
#include "support/page_pattern.hpp"

namespace {

using perdure::datastore;
using perdure::page_size;

constexpr std::uint64_t pages = 2048;

perdure::store_options options() {
  perdure::store_options chosen;
  chosen.capacity = std::size_t{1} << 30;
  return chosen;
}

// Epoch e rewrites the pages p with p % 7 == e % 7 among the first 256 + 16 e, so most are overwrites and
// some are fresh.
std::uint64_t pages_at(std::uint64_t epoch) {
  return std::min(pages, 256 + 16 * epoch);
}
bool writes(std::uint64_t epoch, std::uint64_t page) {
  return page < pages_at(epoch) && page % 7 == epoch % 7;
}

void change(datastore& store, std::uint64_t epoch) {
  for (std::uint64_t page = 0; page < pages; ++page) {
    if (writes(epoch, page)) perdure::fill_page(store.memory().base() + page * page_size, epoch);
  }
}

// The epoch that wrote a page last; 0: none did.
std::uint64_t last_writer(std::uint64_t epoch, std::uint64_t page) {
  for (; epoch > 0; --epoch) {
    if (writes(epoch, page)) return epoch;
  }
  return 0;
}

[[noreturn]] void write(const std::string& path, const std::string& name) {
  const auto store =
      std::filesystem::exists(path) ? perdure::tested::open(path) : perdure::tested::create(path, options());
  if (store->memory().size() == 0) store->memory().grow(pages * page_size);
  for (std::uint64_t epoch = store->epoch() + 1;; ++epoch) {
    change(*store, epoch);
    store->checkpoint();
    // The full stop shows that the machine died after the line, not in it.
    std::printf("kept %s %llu .\n", name.c_str(), static_cast<unsigned long long>(epoch));
    std::fflush(stdout);
  }
}

int check(const std::string& path, std::uint64_t acknowledged) {
  const perdure::verify_report report = perdure::store_maintenance::verify(path);
  if (!report.whole()) {
    std::printf("%s is damaged\n", path.c_str());
    return 1;
  }
  const auto store = perdure::tested::open(path);
  const std::uint64_t epoch = store->epoch();
  std::printf("%s: acknowledged %llu, found %llu\n", path.c_str(),
              static_cast<unsigned long long>(acknowledged), static_cast<unsigned long long>(epoch));
  // The next one may have been committed without the machine living to say so.
  if (epoch < acknowledged || epoch > acknowledged + 1) return 1;
  for (std::uint64_t page = 0; page < pages; ++page) {
    const std::uint64_t writer = last_writer(epoch, page);
    if (!perdure::holds(store->memory().base() + page * page_size, writer)) {
      std::printf("page %llu is not as epoch %llu wrote it\n", static_cast<unsigned long long>(page),
                  static_cast<unsigned long long>(writer));
      return 1;
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const std::string what = count == 4 ? arguments[1] : "";
    if (what == "write") write(arguments[2], arguments[3]);
    if (what == "check") return check(arguments[2], std::strtoull(arguments[3], nullptr, 10));
    std::fputs("usage: vm_kept_store write STORE NAME | check STORE EPOCH\n", stderr);
    return 2;
  } catch (const std::exception& failure) {
    std::printf("vm_kept_store: %s\n", failure.what());
    return 1;
  }
}
