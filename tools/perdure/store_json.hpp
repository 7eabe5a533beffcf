// Facts about a store as JSON, with the keys that all commands use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <perdure/checkpoint_log.hpp>
#include <perdure/heap.hpp>
#include <perdure/inspect/contents.hpp>
#include <perdure/store_info.hpp>
#include <string>

#include "command.hpp"

namespace perdure::cli {

/// Returns what the super block records, under the path that the user gave.
json as_json(const std::filesystem::path& store, const store_info& info);
json as_json(const heap_stats& heap);
/// Returns the free memory between blocks as a share of what blocks have ever taken, in percent.
std::uint64_t fragmentation(const heap_stats& heap);
/// Returns the row of a named or unique object.
json as_json(const object_info& object, const inspect::object_extent& extent);
json as_json(const inspect::anonymous_objects& objects);
json as_json(const checkpoint_record& checkpoint);
/// Returns a Unix time as "2026-11-21T01:02:03Z".
std::string in_utc(std::uint64_t nanoseconds);

}  // namespace perdure::cli
