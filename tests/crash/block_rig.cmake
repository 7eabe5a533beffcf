# The block rig needs libfuse3; without it its tests are there and skip.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(FUSE3 IMPORTED_TARGET fuse3)
endif()

if(FUSE3_FOUND)
  add_library(perdure_crash_block OBJECT
    block/block_image.cpp
    block/block_main.cpp
    block/block_replayer.cpp
    block/killed_workload.cpp
    block/loop_device.cpp
    block/mounts.cpp
    block/power_cut.cpp
    block/promise_log.cpp
    block/real_disk.cpp
    block/recording_disk.cpp)
  target_link_libraries(perdure_crash_block PUBLIC perdure_crash PkgConfig::FUSE3)
  perdure_set_warnings(perdure_crash_block)

  add_executable(crash_block $<TARGET_OBJECTS:perdure_crash_block>)
  target_link_libraries(crash_block PRIVATE perdure_crash_block)
else()
  message(STATUS "libfuse3 is missing: crash_block is not built")
  add_custom_target(crash_block COMMAND ${CMAKE_COMMAND} -E echo "libfuse3 is missing: crash_block is not built")
endif()

# perdure_block_test(NAME PROGRAM OPTION...)
function(perdure_block_test name program)
  if(FUSE3_FOUND)
    add_test(NAME ${name} COMMAND ${program} ${ARGN})
  else()
    add_test(NAME ${name} COMMAND sh -c "echo 'skipped: libfuse3 was not there when this was built'; exit 77")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS long TIMEOUT 1800 SKIP_RETURN_CODE 77)
endfunction()

foreach(file_system ext4 xfs btrfs)
  perdure_block_test(crash.block.${file_system} crash_block --file-system ${file_system} --runs 4 --seconds 20)
endforeach()

# Mutants of mutants.cmake that this rig must catch too, by a violation that says PATTERN. Which flush a file system
# makes for which call is its own affair, so others may go unseen on it.
function(perdure_block_mutant name pattern)
  if(FUSE3_FOUND)
    add_executable(mutant_block_${name} $<TARGET_OBJECTS:mutated_${name}> $<TARGET_OBJECTS:perdure_crash_block>)
    target_link_libraries(mutant_block_${name} PRIVATE perdure_crash_block)
  endif()
  perdure_block_test(crash.block.mutant.${name} mutant_block_${name} --seconds 60 --expect-violation ${pattern})
endfunction()

function(perdure_block_mutants)
  perdure_block_mutant(commit_not_synced [=[not attempt \d+ .epoch \d+.: epoch \d+|, verify: ]=])
  perdure_block_mutant(applied_before_durable [=[page \d+ is wrong|, verify: (heap|crc)|heap\.\d+ is damaged]=])
endfunction()
