#include "lookup_plans.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "complaint.hpp"
#include "type_names.hpp"
#include "units.hpp"

namespace perdure::cli {
namespace {

constexpr std::uint64_t least_budget = std::uint64_t{1} << 20;
/// Memory of the program itself.
constexpr std::uint64_t own_bytes = std::uint64_t{16} << 20;

const std::vector<std::pair<std::string, kmer::lookup_plan>> plan_names{
    {"faults", kmer::lookup_plan::faults},
    {"sweep", kmer::lookup_plan::sweep},
    {"auto", kmer::lookup_plan::automatic}};

std::string name_of(kmer::lookup_plan plan) {
  for (const auto& [name, one] : plan_names)
    if (one == plan) return name;
  return "unknown";
}

std::string pages_at(const kmer::plan_choice::cost& cost) {
  const std::string pages = counted(cost.pages, "page", "pages");
  return cost.pages_per_second > 0 ? pages + " at " + per_second(cost.pages_per_second) + " pages/s" : pages;
}

}  // namespace

void plan_options::check() const {
  if (budget == 0 && plan != kmer::lookup_plan::automatic)
    throw usage_error("--plan says how an index larger than memory is read: give --budget too");
  if (budget != 0 && budget < least_budget) throw usage_error("--budget is at least 1MiB");
}

void plan_options::set(kmer::classify_options& how) const {
  if (budget == 0) return;
  const std::uint64_t rest = budget - of_store();
  how.budget = rest - std::min(own_bytes, rest / 2);
  how.plan = plan;
}

void add_plan_options(command target, plan_options& given) {
  target.add_size("--budget", given.budget,
                  "Take no more memory than this, as 256MiB, for indexes larger than memory: reads are "
                  "classified in large batches, whose pages of the index are read together");
  target
      .add_choice("--plan", given.plan, plan_names,
                  "With --budget, how the index is read. faults: the pages that a batch needs; sweep: all "
                  "pages, in order; auto: the one that takes less time, by rates that are measured")
      .default_text("auto");
}

void plan_choices::add(const kmer::plan_choice& made) {
  if (prints_ && !last_)
    remark("perdure", "plan " + name_of(made.chosen) + ": faults would read " + pages_at(made.faults) +
                          ", a sweep " + pages_at(made.sweep));
  last_ = made;
}

json plan_choices::told(const plan_options& given, const kmer::classify_result& found) const {
  json value{{"plan", name_of(given.plan)}, {"budget", given.budget}};
  const auto work_of = [](const kmer::plan_work& work) {
    return json{{"pages", work.pages}, {"seconds", work.seconds}};
  };
  value["faults"] = work_of(found.faults);
  value["sweep"] = work_of(found.sweep);
  if (last_) {
    const auto cost_of = [](const kmer::plan_choice::cost& cost) {
      return json{{"pages", cost.pages}, {"pages_per_second", cost.pages_per_second}};
    };
    value["chosen"] = name_of(last_->chosen);
    value["choice"] = {{"faults", cost_of(last_->faults)}, {"sweep", cost_of(last_->sweep)}};
  }
  return value;
}

void write_plans(output& out, const kmer::classify_result& found) {
  for (const auto& [name, work] :
       {std::pair{"faults         ", &found.faults}, std::pair{"sweep          ", &found.sweep}})
    if (work->pages != 0)
      out.write(name + counted(work->pages, "page", "pages") + " read in " + in_seconds(work->seconds) +
                " (" + per_second(work->pages_per_second()) + " pages/s)\n");
}

}  // namespace perdure::cli
