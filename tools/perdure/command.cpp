#include "command.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace perdure::cli {

void print(const json& value) {
  output out = output::standard();
  out.write(value.dump(2, ' ', false, json::error_handler_t::replace));
  out.write("\n");
  out.finish();
}

void add_json_option(command target, bool& as_json) {
  target.add_flag_anywhere("--json", as_json, "Print the result as a JSON object");
}

void add_wait_option(command target) {
  target
      .add_number("--wait", 0, 1'000'000,
                  "Wait up to so many seconds for other programs that keep this one from the store",
                  [](std::uint64_t seconds) {
                    // Everything that opens a store goes by it.
                    ::setenv("PERDURE_WAIT", std::to_string(seconds).c_str(), 1);
                  })
      .default_text("PERDURE_WAIT, else 0");
}

void add_threads_option(command target, unsigned& threads) {
  if (!target.may_be_called()) return;
  cpu_set_t set;
  threads = ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
  threads = std::clamp(threads, 1u, 1024u);
  target
      .add_number("--threads", 1, 1024, "Number of threads",
                  [&threads](std::uint64_t n) { threads = static_cast<unsigned>(n); })
      .default_text("one for each processor that this process may use");
}

void add_verify_option(command target, verify_mode& mode, const char* name) {
  static constexpr std::array<std::string_view, 3> names{"journal", "open", "lazy"};
  static_assert(base::has_choices("PERDURE_VERIFY", names));
  target
      .add_choice(name, mode,
                  {{std::string(names[0]), verify_mode::journal},
                   {std::string(names[1]), verify_mode::open},
                   {std::string(names[2]), verify_mode::lazy}},
                  "What of the store is checked. journal: what opening needs; open: every byte, first; "
                  "lazy: each page before it is first used")
      .environment_variable("PERDURE_VERIFY")
      .default_text("journal");
}

store_options settings_for(verify_mode verify, std::uint64_t budget) {
  store_options settings;
  settings.verify = verify;
  if (budget != 0) {
    settings.backing = backing::paged;
    settings.memory_budget = budget;
  }
  return settings;
}

}  // namespace perdure::cli
