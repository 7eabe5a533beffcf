// How much memory kinds have and use.
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <sstream>
#include <string>

#include "memkind/kind_table.hpp"
#include "memkind/static_kinds.hpp"

namespace perdure::memkind_compat {

namespace {

std::size_t value_of(const kind_stats& now, memkind_stat_type which) {
  switch (which) {
    case MEMKIND_STAT_TYPE_RESIDENT:
      return now.committed_bytes;
    case MEMKIND_STAT_TYPE_ACTIVE:
      return now.used_bytes + now.metadata_bytes;
    default:
      return now.used_bytes;
  }
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result;
}

std::string describe(bool as_json) {
  std::ostringstream text;
  if (as_json) text << "{\"kinds\": [";
  const char* separator = "";
  for (const kind* each : kind::all()) {
    const kind_stats now = each->stats();
    if (as_json) {
      text << separator << "{\"name\": \"" << escaped(each->name()) << "\", \"blocks\": " << now.blocks
           << ", \"allocated\": " << now.used_bytes << ", \"resident\": " << now.committed_bytes << '}';
      separator = ", ";
    } else {
      text << each->name() << ": " << now.blocks << " blocks, " << now.used_bytes << " bytes allocated, "
           << now.committed_bytes << " resident\n";
    }
  }
  if (as_json) text << "]}\n";
  return text.str();
}

void write_to_standard_error(void*, const char* text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool is_preferred(memkind_t one) {
  switch (one->partition) {
    case MEMKIND_PARTITION_HBW_PREFERRED:
    case MEMKIND_PARTITION_HBW_PREFERRED_HUGETLB:
    case MEMKIND_PARTITION_HBW_PREFERRED_GBTLB:
    case MEMKIND_PARTITION_DAX_KMEM_PREFERRED:
    case MEMKIND_PARTITION_HIGHEST_CAPACITY_PREFERRED:
    case MEMKIND_PARTITION_HIGHEST_CAPACITY_LOCAL_PREFERRED:
    case MEMKIND_PARTITION_LOWEST_LATENCY_LOCAL_PREFERRED:
    case MEMKIND_PARTITION_HIGHEST_BANDWIDTH_LOCAL_PREFERRED:
      return true;
    default:
      return false;
  }
}

}  // namespace

}  // namespace perdure::memkind_compat

using namespace perdure::memkind_compat;

extern "C" {

// Statistics are never older than the call.
int memkind_update_cached_stats(void) {
  return MEMKIND_SUCCESS;
}

int memkind_get_stat(memkind_t kind, memkind_stat_type stat, size_t* value) {
  if (value == nullptr || stat >= MEMKIND_STAT_TYPE_MAX_VALUE) return MEMKIND_ERROR_INVALID;
  if (kind != nullptr && !is_known(kind)) return MEMKIND_ERROR_INVALID;
  try {
    *value = 0;
    if (kind == nullptr) {
      for (const perdure::kind* each : perdure::kind::all()) *value += value_of(each->stats(), stat);
    } else if (const perdure::kind* const live = kind->live.load(std::memory_order_acquire)) {
      *value = value_of(live->stats(), stat);
    }
    return MEMKIND_SUCCESS;
  } catch (...) {
    return code_of_exception();
  }
}

int memkind_stats_print(void (*write_cb)(void*, const char*), void* cbopaque, memkind_stat_print_opt opts) {
  constexpr unsigned known = (MEMKIND_STAT_PRINT_OMIT_EXTENT << 1) - 1;
  if ((static_cast<unsigned>(opts) & ~known) != 0) return MEMKIND_ERROR_INVALID;
  try {
    const bool as_json = (static_cast<unsigned>(opts) & MEMKIND_STAT_PRINT_JSON_FORMAT) != 0;
    (write_cb != nullptr ? write_cb : write_to_standard_error)(cbopaque, describe(as_json).c_str());
    return MEMKIND_SUCCESS;
  } catch (...) {
    return code_of_exception();
  }
}

int memkind_get_size(memkind_t kind, size_t* total, size_t* free) {
  if (!is_known(kind) || total == nullptr || free == nullptr) return MEMKIND_ERROR_INVALID;
  if (kind->ops != nullptr && kind->ops->get_size != nullptr) return kind->ops->get_size(kind, total, free);
  perdure::kind* const live = kind_of(*kind);
  if (live == nullptr) return MEMKIND_ERROR_UNAVAILABLE;
  try {
    const perdure::memory_size now = live->size();
    *total = now.total;
    *free = now.free;
    return MEMKIND_SUCCESS;
  } catch (...) {
    return code_of_exception();
  }
}

ssize_t memkind_get_capacity(memkind_t kind) {
  std::size_t total = 0, free = 0;
  // Both may take memory of any node; only of kinds of nodes is it known what their nodes have.
  if (kind == MEMKIND_DEFAULT) kind = MEMKIND_INTERLEAVE;
  if (!is_known(kind) || is_preferred(kind) || memkind_get_size(kind, &total, &free) != MEMKIND_SUCCESS)
    return -1;
  return total > SSIZE_MAX ? -1 : static_cast<ssize_t>(total);
}

}  // extern "C"
