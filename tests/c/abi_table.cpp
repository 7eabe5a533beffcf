// Prints what programs built against the C API rely on: prototypes, layouts of structs, numbers.
#include <cstddef>
#include <iostream>
#include <string>
#include <typeinfo>

#include "perdure/c/perdure.h"
#include "perdure/type_stamp.hpp"

namespace {

template <class T>
std::string name_of() {
  return perdure::demangle(typeid(T).name());
}

template <class Function>
void print_function(const char* name, Function*) {
  std::cout << "function " << name << ": " << name_of<Function>() << '\n';
}

#define FUNCTION(name) print_function(#name, &name)
#define STRUCT(name) \
  std::cout << "struct " #name ": " << sizeof(name) << " bytes, aligned to " << alignof(name) << '\n'
#define MEMBER(structure, member)                                                                        \
  std::cout << "member " #structure "." #member ": " << name_of<decltype(structure::member)>() << " at " \
            << offsetof(structure, member) << '\n'
#define CONSTANT(name) std::cout << "constant " #name ": " << +(name) << '\n'

}  // namespace

int main() {
  CONSTANT(PERDURE_OK);
  CONSTANT(PERDURE_NOT_FOUND);
  CONSTANT(PERDURE_ALREADY_EXISTS);
  CONSTANT(PERDURE_NOT_A_STORE);
  CONSTANT(PERDURE_DAMAGED);
  CONSTANT(PERDURE_TOO_NEW);
  CONSTANT(PERDURE_TOO_OLD);
  CONSTANT(PERDURE_INCOMPATIBLE);
  CONSTANT(PERDURE_IN_USE);
  CONSTANT(PERDURE_PERMISSION_DENIED);
  CONSTANT(PERDURE_READ_ONLY);
  CONSTANT(PERDURE_NO_SPACE);
  CONSTANT(PERDURE_OUT_OF_CAPACITY);
  CONSTANT(PERDURE_OUT_OF_MEMORY);
  CONSTANT(PERDURE_WRONG_TYPE);
  CONSTANT(PERDURE_INVALID_ARGUMENT);
  CONSTANT(PERDURE_BAD_INPUT);
  CONSTANT(PERDURE_ADDRESS_TAKEN);
  CONSTANT(PERDURE_IO);
  CONSTANT(PERDURE_UNSUPPORTED);
  CONSTANT(PERDURE_CONFLICT);
  CONSTANT(PERDURE_INTERNAL);
  FUNCTION(perdure_status_name);
  FUNCTION(perdure_last_error_message);
  FUNCTION(perdure_last_error_code);
  FUNCTION(perdure_version_number);
  FUNCTION(perdure_version_string);
  FUNCTION(perdure_text_list_size);
  FUNCTION(perdure_text_list_at);
  FUNCTION(perdure_text_list_free);
  CONSTANT(PERDURE_BACKING_PRIVATE);
  CONSTANT(PERDURE_BACKING_SHARED);
  CONSTANT(PERDURE_OPEN_CHECKS_JOURNAL);
  CONSTANT(PERDURE_OPEN_CHECKS_ALL);
  STRUCT(perdure_store_options);
  MEMBER(perdure_store_options, struct_size);
  MEMBER(perdure_store_options, capacity);
  MEMBER(perdure_store_options, home_file_size);
  MEMBER(perdure_store_options, address);
  MEMBER(perdure_store_options, pinned);
  MEMBER(perdure_store_options, backing);
  MEMBER(perdure_store_options, checks);
  MEMBER(perdure_store_options, accept_unclean);
  MEMBER(perdure_store_options, keep_last);
  MEMBER(perdure_store_options, reserved);
  FUNCTION(perdure_store_create);
  FUNCTION(perdure_store_open);
  FUNCTION(perdure_store_open_read_only);
  FUNCTION(perdure_store_open_or_create);
  FUNCTION(perdure_store_close);
  FUNCTION(perdure_store_discard);
  FUNCTION(perdure_store_is_read_only);
  FUNCTION(perdure_store_path);
  FUNCTION(perdure_store_check);
  FUNCTION(perdure_store_exists);
  FUNCTION(perdure_store_remove);
  FUNCTION(perdure_blob_create);
  FUNCTION(perdure_blob_find);
  FUNCTION(perdure_blob_find_or_create);
  FUNCTION(perdure_blob_destroy);
  FUNCTION(perdure_blob_destroy_at);
  CONSTANT(PERDURE_OBJECT_NAMED);
  CONSTANT(PERDURE_OBJECT_UNIQUE);
  CONSTANT(PERDURE_OBJECT_ANONYMOUS);
  STRUCT(perdure_object_info);
  MEMBER(perdure_object_info, name);
  MEMBER(perdure_object_info, name_length);
  MEMBER(perdure_object_info, type_name);
  MEMBER(perdure_object_info, length);
  MEMBER(perdure_object_info, element_size);
  MEMBER(perdure_object_info, alignment);
  MEMBER(perdure_object_info, offset);
  MEMBER(perdure_object_info, data);
  MEMBER(perdure_object_info, kind);
  MEMBER(perdure_object_info, is_blob);
  FUNCTION(perdure_object_list_create);
  FUNCTION(perdure_object_find);
  FUNCTION(perdure_object_list_size);
  FUNCTION(perdure_object_list_at);
  FUNCTION(perdure_object_list_free);
  FUNCTION(perdure_object_count);
  STRUCT(perdure_attribute);
  MEMBER(perdure_attribute, key);
  MEMBER(perdure_attribute, key_length);
  MEMBER(perdure_attribute, value);
  MEMBER(perdure_attribute, value_size);
  FUNCTION(perdure_attribute_set);
  FUNCTION(perdure_attribute_get);
  FUNCTION(perdure_attribute_remove);
  FUNCTION(perdure_attribute_list_create);
  FUNCTION(perdure_attribute_list_size);
  FUNCTION(perdure_attribute_list_at);
  FUNCTION(perdure_attribute_list_free);
  STRUCT(perdure_heap_stats);
  MEMBER(perdure_heap_stats, struct_size);
  MEMBER(perdure_heap_stats, used_bytes);
  MEMBER(perdure_heap_stats, free_bytes);
  MEMBER(perdure_heap_stats, metadata_bytes);
  MEMBER(perdure_heap_stats, segment_bytes);
  MEMBER(perdure_heap_stats, blocks);
  FUNCTION(perdure_allocate);
  FUNCTION(perdure_allocate_aligned);
  FUNCTION(perdure_deallocate);
  FUNCTION(perdure_reallocate);
  FUNCTION(perdure_usable_size);
  FUNCTION(perdure_heap_stats_get);
  FUNCTION(perdure_offset_of);
  FUNCTION(perdure_address_of);
  FUNCTION(perdure_base);
  STRUCT(perdure_checkpoint_record);
  MEMBER(perdure_checkpoint_record, epoch);
  MEMBER(perdure_checkpoint_record, time_ns);
  MEMBER(perdure_checkpoint_record, fresh_pages);
  MEMBER(perdure_checkpoint_record, overwritten_pages);
  MEMBER(perdure_checkpoint_record, cleared_pages);
  MEMBER(perdure_checkpoint_record, segment_bytes);
  MEMBER(perdure_checkpoint_record, label);
  MEMBER(perdure_checkpoint_record, kept);
  FUNCTION(perdure_checkpoint);
  FUNCTION(perdure_checkpoint_async);
  FUNCTION(perdure_pending_checkpoint_wait);
  FUNCTION(perdure_pending_checkpoint_ready);
  FUNCTION(perdure_pending_checkpoint_error);
  FUNCTION(perdure_pending_checkpoint_free);
  FUNCTION(perdure_wait_applied);
  FUNCTION(perdure_checkpoint_log_read);
  FUNCTION(perdure_checkpoint_log_size);
  FUNCTION(perdure_checkpoint_log_at);
  FUNCTION(perdure_checkpoint_log_free);
  FUNCTION(perdure_store_snapshot);
  FUNCTION(perdure_store_copy);
  CONSTANT(PERDURE_NO_PAGE);
  STRUCT(perdure_verify_options);
  MEMBER(perdure_verify_options, struct_size);
  MEMBER(perdure_verify_options, most_findings);
  MEMBER(perdure_verify_options, threads);
  MEMBER(perdure_verify_options, reserved);
  STRUCT(perdure_repair_options);
  MEMBER(perdure_repair_options, struct_size);
  MEMBER(perdure_repair_options, threads);
  MEMBER(perdure_repair_options, accept_damage);
  STRUCT(perdure_verify_summary);
  MEMBER(perdure_verify_summary, struct_size);
  MEMBER(perdure_verify_summary, epoch);
  MEMBER(perdure_verify_summary, applied_epoch);
  MEMBER(perdure_verify_summary, pages);
  MEMBER(perdure_verify_summary, bytes_read);
  MEMBER(perdure_verify_summary, damages);
  MEMBER(perdure_verify_summary, findings);
  STRUCT(perdure_verify_finding);
  MEMBER(perdure_verify_finding, section);
  MEMBER(perdure_verify_finding, file);
  MEMBER(perdure_verify_finding, what);
  MEMBER(perdure_verify_finding, offset);
  MEMBER(perdure_verify_finding, page);
  MEMBER(perdure_verify_finding, epoch);
  MEMBER(perdure_verify_finding, damage);
  FUNCTION(perdure_verify);
  FUNCTION(perdure_repair);
  FUNCTION(perdure_verify_report_summary);
  FUNCTION(perdure_verify_report_finding);
  FUNCTION(perdure_verify_report_free);
  STRUCT(perdure_store_info);
  MEMBER(perdure_store_info, struct_size);
  MEMBER(perdure_store_info, uuid);
  MEMBER(perdure_store_info, abi);
  MEMBER(perdure_store_info, compat_features);
  MEMBER(perdure_store_info, read_only_compat_features);
  MEMBER(perdure_store_info, incompat_features);
  MEMBER(perdure_store_info, epoch);
  MEMBER(perdure_store_info, applied_epoch);
  MEMBER(perdure_store_info, capacity);
  MEMBER(perdure_store_info, size);
  MEMBER(perdure_store_info, home_file_size);
  MEMBER(perdure_store_info, home_files);
  MEMBER(perdure_store_info, disk_bytes);
  MEMBER(perdure_store_info, address);
  MEMBER(perdure_store_info, copied_epoch);
  MEMBER(perdure_store_info, copied_ns);
  MEMBER(perdure_store_info, format_version);
  MEMBER(perdure_store_info, pinned);
  MEMBER(perdure_store_info, open_dirty);
  MEMBER(perdure_store_info, reserved);
  FUNCTION(perdure_store_info_get);
  FUNCTION(perdure_store_inspect);
  CONSTANT(PERDURE_KIND_DEFAULT);
  CONSTANT(PERDURE_KIND_HUGE_PAGES);
  CONSTANT(PERDURE_KIND_HUGE_2M);
  CONSTANT(PERDURE_KIND_HUGE_2M_PREFERRED);
  CONSTANT(PERDURE_KIND_HUGE_1G);
  CONSTANT(PERDURE_KIND_HUGE_1G_PREFERRED);
  CONSTANT(PERDURE_KIND_INTERLEAVE);
  CONSTANT(PERDURE_KIND_WEIGHTED_INTERLEAVE);
  CONSTANT(PERDURE_KIND_REGULAR);
  CONSTANT(PERDURE_KIND_MEMORY_ONLY);
  CONSTANT(PERDURE_KIND_MEMORY_ONLY_ALL);
  CONSTANT(PERDURE_KIND_MEMORY_ONLY_PREFERRED);
  CONSTANT(PERDURE_KIND_MEMORY_ONLY_INTERLEAVE);
  CONSTANT(PERDURE_KIND_DEVICE);
  CONSTANT(PERDURE_KIND_DEVICE_ALL);
  CONSTANT(PERDURE_KIND_DEVICE_PREFERRED);
  CONSTANT(PERDURE_KIND_DEVICE_INTERLEAVE);
  CONSTANT(PERDURE_KIND_HIGHEST_BANDWIDTH);
  CONSTANT(PERDURE_KIND_HIGHEST_BANDWIDTH_ALL);
  CONSTANT(PERDURE_KIND_HIGHEST_BANDWIDTH_PREFERRED);
  CONSTANT(PERDURE_KIND_HIGHEST_BANDWIDTH_INTERLEAVE);
  CONSTANT(PERDURE_KIND_HIGHEST_BANDWIDTH_LOCAL);
  CONSTANT(PERDURE_KIND_HIGHEST_BANDWIDTH_LOCAL_PREFERRED);
  CONSTANT(PERDURE_KIND_LOWEST_LATENCY);
  CONSTANT(PERDURE_KIND_LOWEST_LATENCY_ALL);
  CONSTANT(PERDURE_KIND_LOWEST_LATENCY_PREFERRED);
  CONSTANT(PERDURE_KIND_LOWEST_LATENCY_LOCAL);
  CONSTANT(PERDURE_KIND_LOWEST_LATENCY_LOCAL_PREFERRED);
  CONSTANT(PERDURE_KIND_HIGHEST_CAPACITY);
  CONSTANT(PERDURE_KIND_HIGHEST_CAPACITY_ALL);
  CONSTANT(PERDURE_KIND_HIGHEST_CAPACITY_PREFERRED);
  CONSTANT(PERDURE_KIND_HIGHEST_CAPACITY_LOCAL);
  CONSTANT(PERDURE_KIND_HIGHEST_CAPACITY_LOCAL_PREFERRED);
  CONSTANT(PERDURE_KIND_STATIC_COUNT);
  CONSTANT(PERDURE_TIER_ANY);
  CONSTANT(PERDURE_TIER_NODES);
  CONSTANT(PERDURE_TIER_REGULAR);
  CONSTANT(PERDURE_TIER_MEMORY_ONLY);
  CONSTANT(PERDURE_TIER_DEVICE);
  CONSTANT(PERDURE_TIER_HIGHEST_BANDWIDTH);
  CONSTANT(PERDURE_TIER_LOWEST_LATENCY);
  CONSTANT(PERDURE_TIER_HIGHEST_CAPACITY);
  CONSTANT(PERDURE_SCOPE_ALL);
  CONSTANT(PERDURE_SCOPE_NEAREST);
  CONSTANT(PERDURE_SCOPE_LOCAL);
  CONSTANT(PERDURE_NUMA_DEFAULT);
  CONSTANT(PERDURE_NUMA_BIND);
  CONSTANT(PERDURE_NUMA_PREFERRED);
  CONSTANT(PERDURE_NUMA_INTERLEAVE);
  CONSTANT(PERDURE_NUMA_WEIGHTED_INTERLEAVE);
  CONSTANT(PERDURE_NUMA_LOCAL);
  CONSTANT(PERDURE_PAGES_ORDINARY);
  CONSTANT(PERDURE_PAGES_TRANSPARENT_HUGE);
  CONSTANT(PERDURE_PAGES_HUGE_2M);
  CONSTANT(PERDURE_PAGES_HUGE_1G);
  STRUCT(perdure_kind_request);
  MEMBER(perdure_kind_request, struct_size);
  MEMBER(perdure_kind_request, tier);
  MEMBER(perdure_kind_request, scope);
  MEMBER(perdure_kind_request, mode);
  MEMBER(perdure_kind_request, pages);
  MEMBER(perdure_kind_request, pages_preferred);
  MEMBER(perdure_kind_request, reserved);
  MEMBER(perdure_kind_request, nodes);
  MEMBER(perdure_kind_request, node_words);
  STRUCT(perdure_kind_options);
  MEMBER(perdure_kind_options, struct_size);
  MEMBER(perdure_kind_options, name);
  MEMBER(perdure_kind_options, capacity);
  MEMBER(perdure_kind_options, check_frees);
  MEMBER(perdure_kind_options, reserved);
  STRUCT(perdure_kind_statistics);
  MEMBER(perdure_kind_statistics, struct_size);
  MEMBER(perdure_kind_statistics, used_bytes);
  MEMBER(perdure_kind_statistics, free_bytes);
  MEMBER(perdure_kind_statistics, metadata_bytes);
  MEMBER(perdure_kind_statistics, committed_bytes);
  MEMBER(perdure_kind_statistics, capacity_bytes);
  MEMBER(perdure_kind_statistics, blocks);
  FUNCTION(perdure_kind_get);
  FUNCTION(perdure_kind_of_node);
  FUNCTION(perdure_kind_check_available);
  FUNCTION(perdure_kind_check_request);
  FUNCTION(perdure_kind_static_name);
  FUNCTION(perdure_kind_create_memory);
  FUNCTION(perdure_kind_create_file);
  FUNCTION(perdure_kind_create_store);
  FUNCTION(perdure_kind_destroy);
  FUNCTION(perdure_kind_malloc);
  FUNCTION(perdure_kind_calloc);
  FUNCTION(perdure_kind_realloc);
  FUNCTION(perdure_kind_posix_memalign);
  FUNCTION(perdure_kind_free);
  FUNCTION(perdure_kind_malloc_usable_size);
  FUNCTION(perdure_kind_detect);
  FUNCTION(perdure_kind_get_size);
  FUNCTION(perdure_kind_stats_get);
  FUNCTION(perdure_kind_trim);
  FUNCTION(perdure_kind_defragment);
  FUNCTION(perdure_kind_name);
  FUNCTION(perdure_kind_range);
}
