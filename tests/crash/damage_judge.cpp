#include "crash/damage_judge.hpp"

#include <algorithm>
#include <numeric>
#include <perdure/error.hpp>
#include <perdure/store_maintenance.hpp>

namespace perdure::crash {

namespace {

bool is_journal(const std::string& file) {
  return file.starts_with("jrnl.");
}

// Without which, or with another store's, nothing can be done.
bool is_needed(const std::string& file) {
  return file == "super" || file == "crc" || file.starts_with("heap.") || is_journal(file);
}

// For the kernel to say that a page is not there.
void touch_all(datastore& store) {
  const std::byte* const base = store.memory().base();
  volatile std::byte seen{};
  for (std::size_t at = 0; at < store.memory().size(); at += page_size) seen = base[at];
  static_cast<void>(seen);
}

bool is_same(const checkpoint_record& a, const checkpoint_record& b) {
  return a.epoch == b.epoch && a.time_ns == b.time_ns && a.fresh_pages == b.fresh_pages &&
         a.overwritten_pages == b.overwritten_pages && a.cleared_pages == b.cleared_pages &&
         a.segment_bytes == b.segment_bytes && a.label == b.label;
}

verify_report verify_alone(const std::filesystem::path& store) {
  verify_options options;
  options.threads = 1;
  return store_maintenance::verify(store, options);
}

}  // namespace

damage_judge::damage_judge(std::filesystem::path store, const stopped_store& original,
                           const store_files& damaged, const damage& done)
    : store_(std::move(store)), original_(original), damaged_(damaged), done_(done), allowed_{original.last} {
  if (original.at == stop::closed || !is_journal(done.file)) return;
  allowed_.push_back(original.before);
  // Everything was home but the super block's word for it; with the journal that goes too.
  if (original.at == stop::table_home) allowed_.push_back({original.before.epoch, original.last.what});
}

std::string damage_judge::compare(datastore& store) {
  std::vector<std::size_t> every(allowed_.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  std::reverse(every.begin(), every.end());
  const finding found = find_attempt(store, allowed_, every, every_page_);
  if (found.problem.empty() && found.number != 0) passed_over_ = true;
  return found.problem;
}

judgement damage_judge::judge(bool thorough) {
  judgement told;
  every_page_ = thorough || done_.file.starts_with("heap.");
  try {
    write_files(damaged_, store_);
    told = look();
    if (told.result == outcome::violation || !thorough) return told;
    if (told.problem.empty()) told.problem = check_writing();
    if (told.problem.empty()) told.problem = check_repair(false);
    if (told.problem.empty()) told.problem = check_repair(true);
  } catch (const std::exception& failure) {
    told.problem = std::string("not an error of the library's: ") + failure.what();
  }
  if (!told.problem.empty()) told.result = outcome::violation;
  return told;
}

judgement damage_judge::look() {
  try {
    const verify_report report = verify_alone(store_);
    reported_ = !report.whole();
    noted_ = !report.findings.empty();
  } catch (const error&) {
    reported_ = true;
  }
  const bool must_be_reported =
      (done_.kind == harm::gone || done_.kind == harm::foreign) && is_needed(done_.file);
  if (must_be_reported && !reported_) return {outcome::violation, "verification finds nothing"};
  std::string problem;
  try {
    const auto store = datastore::open_read_only(store_);
    if (must_be_reported) return {outcome::violation, "it can be opened"};
    if (!reported_) problem = compare(*store);
    if (reported_ && done_.kind == harm::cut) touch_all(*store);
  } catch (const error& failure) {
    if (!reported_) problem = std::string("verification finds nothing, but opening fails: ") + failure.what();
  }
  try {
    static_cast<void>(store_maintenance::inspect(store_));
  } catch (const error& failure) {
    if (!reported_)
      problem = std::string("verification finds nothing, but inspecting fails: ") + failure.what();
  }
  if (passed_over_ && !noted_) problem = "a journal is passed over, and verification says nothing of it";
  if (problem.empty()) problem = check_log();
  if (!problem.empty()) return {outcome::violation, problem};
  return {reported_ ? outcome::reported : passed_over_ ? outcome::passed_over : outcome::harmless, {}};
}

// Lines may be missing; none may be wrong.
std::string damage_judge::check_log() const {
  try {
    for (const checkpoint_record& one : store_maintenance::log(store_)) {
      const bool known = std::any_of(original_.history.begin(), original_.history.end(),
                                     [&](const checkpoint_record& other) { return is_same(one, other); });
      if (!known) return "the log tells of a checkpoint " + std::to_string(one.epoch) + " that never was";
    }
  } catch (const error& failure) {
    if (!reported_)
      return std::string("verification finds nothing, but reading the log fails: ") + failure.what();
  }
  return {};
}

std::string damage_judge::check_writing() {
  write_files(damaged_, store_);
  try {
    auto store = datastore::open(store_);
    if (reported_) {
      touch_all(*store);
    } else if (std::string wrong = compare(*store); !wrong.empty()) {
      return "opened for writing: " + wrong;
    }
    attempt next = passed_over_ ? original_.before : original_.last;
    next.what.size = store->memory().size();
    const auto released = change(1, store->epoch() + 1, next.what, &store->memory());
    store->checkpoint(released);
    next.epoch = store->epoch();
    store.reset();
    store = datastore::open_read_only(store_);
    // What a checkpoint that was passed over had written is not known here.
    if (reported_ || passed_over_) return {};
    if (std::string wrong = difference(*store, next, every_page_); !wrong.empty())
      return "after one more checkpoint: " + wrong;
  } catch (const error& failure) {
    if (!reported_) return std::string("verification finds nothing, but writing fails: ") + failure.what();
  }
  return {};
}

std::string damage_judge::check_repair(bool accept_damage) {
  write_files(damaged_, store_);
  try {
    repair_options options;
    options.accept_damage = accept_damage;
    options.threads = 1;
    const repair_report report = store_maintenance::repair(store_, options);
    if (!report.whole()) return {};
    const auto store = datastore::open_read_only(store_);
    // What was given up on purpose may be anything.
    if (accept_damage) {
      touch_all(*store);
    } else if (std::string wrong = compare(*store); !wrong.empty()) {
      return "after a repair that found all whole: " + wrong;
    }
  } catch (const error& failure) {
    if (!reported_) return std::string("verification finds nothing, but repairing fails: ") + failure.what();
  }
  return {};
}

}  // namespace perdure::crash
