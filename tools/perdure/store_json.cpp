#include "store_json.hpp"

#include <ctime>
#include <perdure/object_info.hpp>

namespace perdure::cli {

json as_json(const std::filesystem::path& store, const store_info& info) {
  json value{{"store", store.string()},
             {"uuid", info.uuid},
             {"format_version", info.format_version},
             {"compat_features", info.compat_features},
             {"read_only_compat_features", info.read_only_compat_features},
             {"incompat_features", info.incompat_features},
             {"epoch", info.epoch},
             {"applied_epoch", info.applied_epoch},
             {"open_dirty", info.open_dirty},
             {"capacity", info.capacity},
             {"size", info.size},
             {"home_file_size", info.home_file_size},
             {"home_files", info.home_files},
             {"disk_bytes", info.disk_bytes},
             {"pinned", info.pinned}};
  if (info.undecided_epoch != 0) value["undecided_epoch"] = info.undecided_epoch;
  if (info.pinned) value["address"] = info.address;
  value["abi"] = info.abi;
  return value;
}

std::uint64_t fragmentation(const heap_stats& heap) {
  const std::uint64_t taken = heap.used_bytes + heap.free_bytes;
  return taken == 0 ? 0 : heap.free_bytes * 100 / taken;
}

json as_json(const heap_stats& heap) {
  return {{"used_bytes", heap.used_bytes},
          {"free_bytes", heap.free_bytes},
          {"metadata_bytes", heap.metadata_bytes},
          {"blocks", heap.blocks},
          {"fragmentation_percent", fragmentation(heap)}};
}

json as_json(const object_info& object, const inspect::object_extent& extent) {
  json row{{"name", std::string(object.name())},
           {"kind", object.kind() == instance_kind::named ? "named" : "unique"},
           {"type", object.type_name()},
           {"length", object.length()},
           {"bytes", object.size()}};
  row["reachable_bytes"] = extent.bytes;
  row["reachable_is_all"] = extent.is_all && !extent.is_damaged;
  if (extent.elements) row["elements"] = *extent.elements;
  if (extent.is_damaged) row["damaged"] = true;
  row["attributes"] = json::object();
  for (const attribute& one : object.attributes()) row["attributes"][one.key] = one.value;
  return row;
}

json as_json(const inspect::anonymous_objects& objects) {
  return {{"type", objects.type}, {"number", objects.objects}, {"bytes", objects.bytes}};
}

json as_json(const checkpoint_record& checkpoint) {
  return {{"epoch", checkpoint.epoch},
          {"time", in_utc(checkpoint.time_ns)},
          {"time_ns", checkpoint.time_ns},
          {"fresh_pages", checkpoint.fresh_pages},
          {"overwritten_pages", checkpoint.overwritten_pages},
          {"cleared_pages", checkpoint.cleared_pages},
          {"bytes", checkpoint.bytes()},
          {"size", checkpoint.segment_bytes},
          {"address", checkpoint.address},
          {"label", checkpoint.label},
          {"kept", checkpoint.kept}};
}

std::string in_utc(std::uint64_t nanoseconds) {
  const auto seconds = static_cast<std::time_t>(nanoseconds / 1'000'000'000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace perdure::cli
