// perdure verify STORE: whether every byte of a store is as it was written.
#include <filesystem>
#include <memory>
#include <perdure/manager.hpp>

#include "command.hpp"
#include "findings.hpp"
#include "progress.hpp"

namespace perdure::cli {
namespace {

void verify_store(const std::filesystem::path& path, unsigned threads, bool as_json) {
  verify_progress progress;
  verify_options options;
  options.threads = threads;
  options.progress = &progress;
  const stopwatch watch;
  const verify_report report = [&] {
    const progress_line line("verifying", [&progress] {
      return progress_line::state{progress.done, progress.total, "bytes"};
    });
    return manager::verify(path, options);
  }();
  if (as_json) {
    json value{{"store", path.string()}};
    value.update(to_json(report));
    value["seconds"] = watch.seconds();
    print(value);
  } else {
    output out = output::standard();
    print(out, report);
    out.finish();
  }
  if (!report.whole()) throw negative_result();
}

}  // namespace

void add_verify_command(command program) {
  struct options {
    std::filesystem::path store;
    unsigned threads = 1;
    bool as_json = false;
  };
  auto given = std::make_shared<options>();
  command verify = program.add_command("verify", "Check every byte of a store");
  verify.add_path("STORE", given->store, "The store's directory").required();
  add_threads_option(verify, given->threads);
  add_json_option(verify, given->as_json);
  verify.footer("Exit codes: 0 whole, 1 damaged. Damage is named by file, offset, page and epoch.");
  verify.callback([given] { verify_store(given->store, given->threads, given->as_json); });
}

}  // namespace perdure::cli
