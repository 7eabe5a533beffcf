// Records of progress, and the one that each thread reports to.
#include <perdure/progress.hpp>
#include <utility>

namespace perdure {
namespace {

constinit thread_local progress_record* own_record = nullptr;

}  // namespace

progress_state progress_record::now() const {
  const std::scoped_lock lock(mutex_);
  progress_state state = begun_;
  state.done = done_.load(std::memory_order_relaxed);
  return state;
}

void progress_record::begin_stage(const char* stage, std::uint64_t total, const char* unit) {
  const std::scoped_lock lock(mutex_);
  begun_ = {.total = total, .unit = unit, .stage = stage};
  done_.store(0, std::memory_order_relaxed);
}

void progress_record::begin_round(const char* stage, std::uint64_t total, const char* unit) {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t round = begun_.stage == stage ? begun_.round + 1 : 1;
  begun_ = {.total = total, .unit = unit, .stage = stage, .round = round};
  done_.store(0, std::memory_order_relaxed);
}

void progress_record::begin_pass(std::uint64_t total) {
  const std::scoped_lock lock(mutex_);
  begun_.total = total;
  begun_.unit = {};
  done_.store(0, std::memory_order_relaxed);
}

progress_scope::progress_scope(progress_record* record) noexcept
    : before_(std::exchange(own_record, record)) {}

progress_scope::~progress_scope() {
  own_record = before_;
}

progress_record* current_progress() noexcept {
  return own_record;
}

void begin_progress_stage(const char* stage, std::uint64_t total, const char* unit) {
  if (own_record != nullptr) own_record->begin_stage(stage, total, unit);
}

void begin_progress_round(const char* stage, std::uint64_t total, const char* unit) {
  if (own_record != nullptr) own_record->begin_round(stage, total, unit);
}

void add_progress(std::uint64_t amount) noexcept {
  if (own_record != nullptr) own_record->add(amount);
}

}  // namespace perdure
