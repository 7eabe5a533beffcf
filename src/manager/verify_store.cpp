// Verification of a store with all that is in it: files first, then the heap and the directory of objects.
#include <string>
#include <utility>

#include "heap/metadata.hpp"
#include "manager/name_directory.hpp"
#include "perdure/datastore.hpp"
#include "perdure/detail/manager_core.hpp"
#include "perdure/error.hpp"
#include "perdure/store_maintenance.hpp"
#include "segment/segment.hpp"
#include "store/file/layout.hpp"

namespace perdure::detail {

namespace {

void add(verify_report& report, store_section part, bool damage, std::string what) {
  if (damage) ++report.damages;
  report.findings.push_back({part, damage, "heap.000", store::layout::home_data_offset, std::nullopt,
                             report.epoch, std::move(what)});
}

}  // namespace

verify_report verify_store(const std::filesystem::path& path, const verify_options& options) {
  verify_report report = store_maintenance::verify(path, options);
  // Metadata in damaged pages is not worth following, and not safe to follow.
  if (!report.whole() || report.epoch == 0) return report;
  std::unique_ptr<datastore> store;
  try {
    store = datastore::open_read_only(path, {.beside_writer = reader_beside_writer::hold_writer});
  } catch (const error& failure) {
    if (failure.code() == errc::damaged) {
      add(report, store_section::heap, true, failure.what());
    } else {
      add(report, store_section::heap, false, std::string("its objects were not checked: ") + failure.what());
    }
    return report;
  }
  segment& memory = store->memory();
  if (memory.size() < data_offset || metadata(memory.base()).header().magic != heap_magic) {
    add(report, store_section::heap, false, "the segment holds no heap: only its pages were checked");
    return report;
  }
  try {
    const std::unique_ptr<heap> objects = heap::attach(memory);
    for (std::string& wrong : objects->check()) add(report, store_section::heap, true, std::move(wrong));
    if (!report.whole()) return report;
    const name_directory directory(checked_memory(*objects, memory, path.string()));
    for (std::string& wrong : directory.check()) add(report, store_section::objects, true, std::move(wrong));
  } catch (const error& failure) {
    add(report, store_section::objects, true, failure.what());
  }
  return report;
}

}  // namespace perdure::detail
