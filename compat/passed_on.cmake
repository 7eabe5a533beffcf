# The headers of other libraries' interfaces that do no more than bring another header's names along, as one table.
#
# compat/CMakeLists.txt includes this file. As a script it writes the headers anywhere:
#   cmake -D PASSED_ON_DIR=DIRECTORY -P compat/passed_on.cmake
# Only what has changed is written. The global property PASSED_ON_HEADERS lists them, as they are included.

# passed_on(HEADER SAYS BODY): a header with a comment at its top.
function(passed_on header says body)
  file(CONFIGURE OUTPUT ${PASSED_ON_DIR}/${header} CONTENT "// ${says}\n#pragma once\n\n${body}\n" @ONLY)
  set_property(GLOBAL APPEND PROPERTY PASSED_ON_HEADERS ${header})
endfunction()

# Boost.Interprocess --------------------------------------------------------------------------------------------------

# in_perdure_interprocess(HEADER SAYS INCLUDES DECLARATIONS)
function(in_perdure_interprocess header says includes declarations)
  if(includes)
    string(APPEND includes "\n\n")
  endif()
  passed_on(perdure_interprocess/${header}.hpp "${says}"
            "${includes}namespace perdure_interprocess {\n\n${declarations}\n\n}  // namespace perdure_interprocess")
endfunction()

# boost_own(HEADER SAYS NAME...): these names of a header of Boost's, which are Boost's own.
function(boost_own header says)
  list(TRANSFORM ARGN PREPEND "using boost::interprocess::")
  list(JOIN ARGN ";\n" names)
  in_perdure_interprocess(${header} "${says}" "${also_included}#include <boost/interprocess/${header}.hpp>" "${names};")
endfunction()

boost_own(creation_tags "Tags that choose how a store is opened: Boost's own, so that named mutexes and the like take them too."
          create_only create_only_t open_copy_on_write open_copy_on_write_t open_only open_only_t open_or_create
          open_or_create_t open_read_only open_read_only_t open_read_private_t)
boost_own(errors "Error codes: Boost's own."
          error_code_t error_info native_error_t
          already_exists_error busy_error corrupted_error invalid_argument io_error is_directory_error lock_error mode_error
          no_error not_empty_error not_found_error not_recoverable not_such_file_or_directory other_error
          out_of_memory_error out_of_resource_error out_of_space_error owner_dead_error path_error read_only_error
          security_error sem_error size_error system_error timeout_when_locking_error timeout_when_waiting_error)
boost_own(mapped_region "Boost's own." mapped_region)
boost_own(permissions "Accepted where a store is created, and without effect: a store belongs to the user who made it."
          permissions)

boost_own(containers/allocation_type "How memory may be had: Boost's own flags."
          allocate_new allocation_type expand_bwd expand_fwd nothrow_allocation shrink_in_place try_shrink_in_place
          zero_memory)
boost_own(containers/containers_fwd "Tags of Boost's ordered containers." ordered_range ordered_unique_range)
boost_own(containers/pair "The pair that Boost's maps hold." pair)
boost_own(containers/version_type "Which of Boost's allocator interfaces an allocator has." version version_type)
set(container "Boost's container; give it an allocator of the store.")
boost_own(containers/deque "${container}" deque)
boost_own(containers/flat_map "${container}" flat_map flat_multimap)
boost_own(containers/flat_set "${container}" flat_multiset flat_set)
boost_own(containers/list "${container}" list)
boost_own(containers/map "${container}" map multimap)
boost_own(containers/set "${container}" multiset set)
boost_own(containers/slist "${container}" slist)
boost_own(containers/stable_vector "${container}" stable_vector)
boost_own(containers/string "${container}" basic_string string)
boost_own(containers/vector "${container}" vector)

set(smart_ptr "Boost's own: works with the allocator and the deleter of a store.")
boost_own(smart_ptr/enable_shared_from_this "${smart_ptr}" enable_shared_from_this)
boost_own(smart_ptr/intrusive_ptr "${smart_ptr}" intrusive_ptr)
boost_own(smart_ptr/scoped_ptr "${smart_ptr}" scoped_ptr)
boost_own(smart_ptr/shared_ptr "${smart_ptr}"
          const_pointer_cast dynamic_pointer_cast static_pointer_cast make_managed_shared_ptr managed_shared_ptr
          shared_ptr)
boost_own(smart_ptr/unique_ptr "${smart_ptr}" make_managed_unique_ptr managed_unique_ptr unique_ptr)
boost_own(smart_ptr/weak_ptr "${smart_ptr}" make_managed_weak_ptr managed_weak_ptr weak_ptr)

boost_own(streams/bufferstream "Boost's own."
          basic_bufferbuf basic_bufferstream basic_ibufferstream basic_obufferstream bufferbuf bufferstream ibufferstream
          obufferstream)
boost_own(streams/vectorstream "Boost's own."
          basic_ivectorstream basic_ovectorstream basic_vectorbuf basic_vectorstream)

foreach(name named_condition named_condition_any named_mutex named_recursive_mutex named_semaphore
             named_sharable_mutex named_upgradable_mutex scoped_lock sharable_lock)
  boost_own(sync/${name} "Boost's own." ${name})
endforeach()
foreach(name interprocess_condition interprocess_condition_any interprocess_mutex interprocess_recursive_mutex
             interprocess_semaphore interprocess_sharable_mutex interprocess_upgradable_mutex null_mutex)
  boost_own(sync/${name} "Boost's own, between threads and processes. A lock held at a checkpoint is held when the store is opened
// again." ${name})
endforeach()
boost_own(sync/lock_options "Boost's own."
          accept_ownership accept_ownership_type defer_lock defer_lock_type try_to_lock try_to_lock_type)
boost_own(sync/mutex_family "Boost's own; it names what a store does not use." mutex_family null_mutex_family)
set(also_included "// Boost 1.81's upgradable_lock.hpp does not include what it uses.
#include <boost/interprocess/detail/simple_swap.hpp>
")
boost_own(sync/upgradable_lock "Boost's own." upgradable_lock)
set(also_included "")

foreach(index flat_map_index iset_index iunordered_set_index map_index null_index unordered_map_index)
  in_perdure_interprocess(
    indexes/${index} "Names an index of objects. Perdure's directory, a hash table, is the only one there is." ""
    "template <class IndexConfig>\nclass ${index};")
endforeach()

# pool(NAME PARAMETERS): one of Boost's allocators for nodes.
function(pool name parameters)
  in_perdure_interprocess(
    allocators/${name} "An allocator for nodes. How they are pooled is the heap's business: the numbers have no effect."
    "#include <cstddef>\n#include <perdure_interprocess/detail/pool_allocator.hpp>"
    "template <class T, class SegmentManager, ${parameters}>\nusing ${name} = detail::pool_allocator<T, SegmentManager>;")
endfunction()
foreach(kind "" private_ cached_)
  pool(${kind}node_allocator "std::size_t NodesPerBlock = 64")
  pool(${kind}adaptive_pool
       "std::size_t NodesPerBlock = 64, std::size_t MaxFreeBlocks = 2,\n          unsigned char OverheadPercent = 5")
endforeach()

# Metall --------------------------------------------------------------------------------------------------------------

foreach(name array equal json json_fwd key_value_pair object parse pretty_print serialize string value value_from
             value_to)
  passed_on(metall/container/experimental/json/${name}.hpp "Where metall/json/${name}.hpp was before."
            "#include <metall/json/${name}.hpp>\n\nnamespace metall::container::experimental {\nnamespace json = metall::json;\n}")
endforeach()
passed_on(metall/json/string.hpp "JSON strings are Metall's strings; json_fwd.hpp names them."
          "#include <metall/json/json_fwd.hpp>")

# pMEMCPY -------------------------------------------------------------------------------------------------------------

foreach(name memcpy.h pmemcpy.hpp)
  passed_on(pmemcpy/${name} "The name by which some of pMEMCPY's programs include its interface."
            "#include <pmemcpy/pmemcpy.h>")
endforeach()
