// Records of open managers for debuggers: addresses at fixed offsets, so that no debug information of the
// library is needed. debugger/perdure_memory.py reads them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perdure::detail {

class manager_core;
struct directory_root;

/// An open manager, as debuggers see it.
struct debugger_record {
  std::uint64_t magic = 0x31726567'67756265;  // "ebugger1"; another where the offsets are others
  const manager_core* core = nullptr;
  const void* store = nullptr;                // the whole object behind the datastore
  const std::byte* base = nullptr;            // of the segment
  const directory_root* directory = nullptr;  // of the objects; null: none
  const char* path = nullptr;
  std::uint64_t path_length = 0;  // bytes
  const void* arrays =
      nullptr;  // the object behind the `untyped_arrays` of the store; null: not yet asked for
  std::uint64_t is_writable = 0;
};
static_assert(sizeof(debugger_record) == 72 && offsetof(debugger_record, is_writable) == 64);

/// Number of managers of a process that debuggers find.
inline constexpr std::size_t debugger_slots = 64;
/// Records of open managers, in any order; null where there is none. Debuggers find this by its name. No lock
/// guards it, so a forked child may close its managers.
extern std::array<std::atomic<const debugger_record*>, debugger_slots> debugger_records;

/// Shows a record to debuggers while it lives.
class shown_to_debuggers {
 public:
  shown_to_debuggers(const manager_core* core, const void* store, const std::byte* base,
                     const directory_root* directory, std::string_view path, bool is_writable) noexcept;
  shown_to_debuggers(const shown_to_debuggers&) = delete;
  shown_to_debuggers& operator=(const shown_to_debuggers&) = delete;
  ~shown_to_debuggers();

  void show_arrays(const void* arrays) noexcept { record_.arrays = arrays; }

 private:
  debugger_record record_;
};

}  // namespace perdure::detail
