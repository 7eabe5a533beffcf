// The table of open managers that debuggers read.
#include "manager/debugger_record.hpp"

namespace perdure::detail {

constinit std::array<std::atomic<const debugger_record*>, debugger_slots> debugger_records{};

shown_to_debuggers::shown_to_debuggers(const manager_core* core, const void* store, const std::byte* base,
                                       const directory_root* directory, std::string_view path,
                                       bool is_writable) noexcept {
  record_.core = core;
  record_.store = store;
  record_.base = base;
  record_.directory = directory;
  record_.path = path.data();
  record_.path_length = path.size();
  record_.is_writable = is_writable ? 1 : 0;
  for (auto& slot : debugger_records) {
    const debugger_record* none = nullptr;
    if (slot.compare_exchange_strong(none, &record_)) return;
  }
}

shown_to_debuggers::~shown_to_debuggers() {
  for (auto& slot : debugger_records) {
    const debugger_record* mine = &record_;
    if (slot.compare_exchange_strong(mine, nullptr)) return;
  }
}

}  // namespace perdure::detail
