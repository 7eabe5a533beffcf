// perdure verify STORE: whether every byte of a store, or of all parts of a set of stores, is as it was
// written, and whether raw pointers are among them.
#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <perdure/inspect/raw_pointers.hpp>
#include <perdure/manager.hpp>
#include <perdure/store_set.hpp>
#include <vector>

#include "command.hpp"
#include "findings.hpp"
#include "progress.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

struct verification_wanted {
  std::filesystem::path store;
  unsigned threads = 1;
  bool pointers = false;
  bool as_json = false;
};

constexpr store_options quick_reader{.beside_writer = reader_beside_writer::hold_writer};

inspect::pointer_report look_for_pointers(const manager& store) {
  const std::uint64_t total = store.memory().stats().used_bytes;
  std::atomic<std::uint64_t> done{0};
  const progress_line line("looking for raw pointers", [&] {
    return workload::progress{done, total, "bytes"};
  });
  return inspect::find_raw_pointers(store, [&done](std::uint64_t bytes) { done = bytes; });
}

/// Findings in a store, or in a part of a set.
struct outcome {
  verify_report report;
  std::optional<inspect::pointer_report> pointers;

  bool is_good() const { return report.whole() && (!pointers || pointers->places == 0); }
  json as_json(const verification_wanted& given) const {
    json value = to_json(report);
    if (given.pointers) value["pointers"] = pointers ? to_json(*pointers) : json(nullptr);
    return value;
  }
  void print_to(output& out, const verification_wanted& given) const {
    print(out, report);
    if (pointers) {
      print(out, *pointers);
    } else if (given.pointers) {
      out.write("raw pointers were not looked for, as the store is damaged\n");
    }
  }
};

void verify_store(const verification_wanted& given) {
  const stopwatch watch;
  outcome found{manager::verify(given.store, {.threads = given.threads}), std::nullopt};
  // What is damaged is not safe to follow.
  if (given.pointers && found.report.whole())
    found.pointers = look_for_pointers(manager(open_read_only, given.store, quick_reader));
  if (given.as_json) {
    json value{{"store", given.store.string()}};
    value.update(found.as_json(given));
    value["seconds"] = watch.seconds();
    print(value);
  } else {
    output out = output::standard();
    found.print_to(out, given);
    out.finish();
  }
  if (!found.is_good()) throw negative_result();
}

void verify_parts(const verification_wanted& given) {
  const stopwatch watch;
  set_verify_report report = verify_set(given.store, {.threads = given.threads});
  const bool is_whole = report.whole();
  std::optional<set_reader> set;
  if (given.pointers && is_whole) set.emplace(given.store, quick_reader);
  bool is_good = is_whole;
  json parts = json::array();
  output out = output::standard();
  for (verify_report& of_part : report.parts) {
    outcome found{std::move(of_part), std::nullopt};
    const auto number = static_cast<std::uint32_t>(parts.size());
    if (set) found.pointers = look_for_pointers(set->open_part(number));
    is_good = is_good && found.is_good();
    parts.push_back(found.as_json(given));
    if (given.as_json) continue;
    out.write("part " + std::to_string(number) + '\n');
    found.print_to(out, given);
  }
  if (given.as_json) {
    json value{{"set", given.store.string()}, {"whole", is_whole}, {"epoch", report.epoch}};
    if (report.problem) value["problem"] = *report.problem;
    value["parts"] = std::move(parts);
    value["seconds"] = watch.seconds();
    print(value);
  } else {
    if (report.problem) out.write("damage: " + *report.problem + '\n');
    out.write((is_whole ? "whole" : "damaged") + std::string(" set of ") +
              counted(report.parts.size(), "part", "parts") + " at epoch " + grouped(report.epoch) + '\n');
    out.finish();
  }
  if (!is_good) throw negative_result();
}

}  // namespace

void add_verify_command(command program) {
  auto given = std::make_shared<verification_wanted>();
  command verify = program.add_command("verify", "Check every byte of a store, or of a set of stores");
  verify.add_path("STORE", given->store, store_to_read).required();
  add_threads_option(verify, given->threads);
  verify.add_flag("--pointers", given->pointers,
                  "Look for words in objects that look like raw pointers of the process that wrote them");
  add_wait_option(verify);
  add_json_option(verify, given->as_json);
  verify.footer(
      "Exit codes: 0 whole, 1 damaged, or raw pointers found. Damage is named by file, offset, page and "
      "epoch.");
  verify.example("web.store", "Check every byte of a store");
  verify.example("web.store@monday --json", "Check a kept checkpoint, for a script");
  verify.callback([given] { is_set(given->store) ? verify_parts(*given) : verify_store(*given); });
}

}  // namespace perdure::cli
