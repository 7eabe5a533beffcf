# The block rig needs libfuse3; without it its tests are there and skip.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(FUSE3 IMPORTED_TARGET fuse3)
endif()

if(FUSE3_FOUND)
  add_library(perdure_real_disk STATIC
    block/block_image.cpp
    block/loop_device.cpp
    block/mounts.cpp
    block/real_disk.cpp
    block/recording_disk.cpp)
  target_link_libraries(perdure_real_disk PUBLIC perdure_crash PkgConfig::FUSE3)
  perdure_set_warnings(perdure_real_disk)
  perdure_precompile(perdure_real_disk)

  add_library(perdure_crash_block OBJECT
    block/block_main.cpp
    block/block_replayer.cpp
    block/killed_workload.cpp
    block/power_cut.cpp
    block/promise_log.cpp)
  target_link_libraries(perdure_crash_block PUBLIC perdure_real_disk)
  perdure_set_warnings(perdure_crash_block)
  perdure_precompile(perdure_crash_block)

  add_executable(crash_block $<TARGET_OBJECTS:perdure_crash_block>)
  target_link_libraries(crash_block PRIVATE perdure_crash_block)

  add_library(perdure_crash_write_back OBJECT block/failing_write_back.cpp block/write_back_main.cpp)
  target_link_libraries(perdure_crash_write_back PUBLIC perdure_real_disk)
  perdure_set_warnings(perdure_crash_write_back)
  perdure_precompile(perdure_crash_write_back)

  add_executable(crash_write_back $<TARGET_OBJECTS:perdure_crash_write_back>)
  target_link_libraries(crash_write_back PRIVATE perdure_crash_write_back)
else()
  message(STATUS "libfuse3 is missing: crash_block and crash_write_back are not built")
  add_custom_target(crash_block COMMAND ${CMAKE_COMMAND} -E echo "libfuse3 is missing: crash_block is not built")
  add_custom_target(crash_write_back COMMAND ${CMAKE_COMMAND} -E echo "libfuse3 is missing: crash_write_back is not built")
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
  foreach(backing private paged)
    perdure_block_test(crash.write_back.${file_system}.${backing} crash_write_back --file-system ${file_system} --runs 40)
    set_tests_properties(crash.write_back.${file_system}.${backing} PROPERTIES ENVIRONMENT PERDURE_BACKING=${backing})
  endforeach()
  perdure_block_test(crash.block.${file_system} crash_block --file-system ${file_system} --runs 4 --seconds 20)
endforeach()

# Mutants of mutants.cmake that these rigs must catch too, by a violation that says PATTERN. Which flush a file system
# makes for which call is its own affair, so others may go unseen on it.
function(perdure_block_mutant rig name pattern)
  if(FUSE3_FOUND)
    add_executable(mutant_${rig}_${name} $<TARGET_OBJECTS:mutated_${name}> $<TARGET_OBJECTS:perdure_crash_${rig}>)
    target_link_libraries(mutant_${rig}_${name} PRIVATE perdure_crash_${rig})
  endif()
  perdure_block_test(crash.${rig}.mutant.${name} mutant_${rig}_${name} --expect-violation ${pattern} ${ARGN})
endfunction()

function(perdure_block_mutants)
  perdure_block_mutant(block commit_not_synced [=[not attempt \d+ .epoch \d+.: epoch \d+|, verify: ]=] --seconds 60)
  perdure_block_mutant(block applied_before_durable
                       [=[page \d+ is wrong|, verify: (heap|crc)|heap\.\d+ is damaged]=] --seconds 60)
  perdure_block_mutant(write_back early_pages_given_up_unsynced [=[in memory: page \d+ is wrong]=] --runs 2000)
  perdure_block_mutant(write_back read_back_unchecked [=[in memory: page \d+ is wrong]=] --runs 2000)
  set_tests_properties(crash.write_back.mutant.read_back_unchecked PROPERTIES ENVIRONMENT PERDURE_BACKING=paged)
endfunction()
