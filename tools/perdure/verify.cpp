// perdure verify STORE: whether every byte of a store is as it was written, and whether raw pointers are
// among them.
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/inspect/raw_pointers.hpp>
#include <perdure/manager.hpp>

#include "command.hpp"
#include "findings.hpp"
#include "progress.hpp"

namespace perdure::cli {
namespace {

struct verification_wanted {
  std::filesystem::path store;
  unsigned threads = 1;
  bool pointers = false;
  bool as_json = false;
};

inspect::pointer_report look_for_pointers(const std::filesystem::path& path) {
  const manager store(open_read_only, path, {.beside_writer = reader_beside_writer::hold_writer});
  const std::uint64_t total = store.memory().stats().used_bytes;
  std::atomic<std::uint64_t> done{0};
  const progress_line line("looking for raw pointers", [&] {
    return workload::progress{done, total, "bytes"};
  });
  return inspect::find_raw_pointers(store, [&done](std::uint64_t bytes) { done = bytes; });
}

void verify_store(const verification_wanted& given) {
  verify_progress progress;
  verify_options options;
  options.threads = given.threads;
  options.progress = &progress;
  const stopwatch watch;
  const verify_report report = [&] {
    const progress_line line("verifying", [&progress] {
      return workload::progress{progress.done, progress.total, "bytes"};
    });
    return manager::verify(given.store, options);
  }();
  // What is damaged is not safe to follow.
  std::optional<inspect::pointer_report> pointers;
  if (given.pointers && report.whole()) pointers = look_for_pointers(given.store);
  if (given.as_json) {
    json value{{"store", given.store.string()}};
    value.update(to_json(report));
    if (given.pointers) value["pointers"] = pointers ? to_json(*pointers) : json(nullptr);
    value["seconds"] = watch.seconds();
    print(value);
  } else {
    output out = output::standard();
    print(out, report);
    if (pointers) {
      print(out, *pointers);
    } else if (given.pointers) {
      out.write("raw pointers were not looked for, as the store is damaged\n");
    }
    out.finish();
  }
  if (!report.whole() || (pointers && pointers->places != 0)) throw negative_result();
}

}  // namespace

void add_verify_command(command program) {
  auto given = std::make_shared<verification_wanted>();
  command verify = program.add_command("verify", "Check every byte of a store");
  verify.add_path("STORE", given->store, "The store's directory").required();
  add_threads_option(verify, given->threads);
  verify.add_flag("--pointers", given->pointers,
                  "Look for words in objects that look like raw pointers of the process that wrote them");
  add_json_option(verify, given->as_json);
  verify.footer(
      "Exit codes: 0 whole, 1 damaged, or raw pointers found. Damage is named by file, offset, page and "
      "epoch.");
  verify.callback([given] { verify_store(*given); });
}

}  // namespace perdure::cli
