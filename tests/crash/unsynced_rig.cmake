# Power cuts under the real program, on a FUSE file system that then forgets what was not synced. Needs libfuse3
# and the program; without the first its tests are there and skip.

# perdure_unsynced_rig(NAME PROGRAM): the rig for one build of the program
function(perdure_unsynced_rig name program)
  add_executable(${name} $<TARGET_OBJECTS:perdure_crash_unsynced> ../support/program.cpp)
  target_link_libraries(${name} PRIVATE perdure_crash_unsynced)
  target_compile_definitions(${name} PRIVATE PERDURE_PROGRAM="$<TARGET_FILE:${program}>")
  perdure_set_warnings(${name})
  add_dependencies(${name} ${program})
endfunction()

if(FUSE3_FOUND AND TARGET perdure_cli)
  find_package(CLI11 2.1 REQUIRED)
  add_library(perdure_crash_unsynced OBJECT
    block/mounts.cpp
    kill_loop/graph_content.cpp
    kill_loop/ingested_store.cpp
    kill_loop/ingestion.cpp
    unsynced/power_loop.cpp
    unsynced/snapshotting_ingestion.cpp
    unsynced/unsynced_disk.cpp
    unsynced/unsynced_main.cpp
    unsynced/unsynced_mount.cpp)
  target_link_libraries(perdure_crash_unsynced
    PUBLIC perdure_crash perdure::graph CLI11::CLI11 nlohmann_json::nlohmann_json PkgConfig::FUSE3)
  perdure_set_warnings(perdure_crash_unsynced)
  perdure_precompile(perdure_crash_unsynced)
  perdure_unsynced_rig(crash_unsynced perdure_cli)
else()
  add_custom_target(crash_unsynced
    COMMAND ${CMAKE_COMMAND} -E echo "libfuse3 or the program is missing: crash_unsynced is not built")
endif()

# perdure_unsynced_test(NAME PROGRAM OPTION...)
function(perdure_unsynced_test name program)
  if(TARGET perdure_crash_unsynced)
    add_test(NAME ${name} COMMAND ${program} ${ARGN})
  else()
    add_test(NAME ${name}
             COMMAND sh -c "echo 'skipped: libfuse3 or the program was not there when this was built'; exit 77")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS long TIMEOUT 1800 SKIP_RETURN_CODE 77)
endfunction()

perdure_unsynced_test(crash.unsynced crash_unsynced --seconds 15)

# Mutants of mutants.cmake that this rig must catch too, by a violation that says PATTERN.
function(perdure_unsynced_mutant name pattern)
  if(TARGET perdure_crash_unsynced)
    perdure_mutant_program(${name})
    perdure_unsynced_rig(mutant_unsynced_${name} mutant_perdure_${name})
  endif()
  perdure_unsynced_test(crash.unsynced.mutant.${name} mutant_unsynced_${name} --seconds 300 --expect-violation ${pattern}
                        ${ARGN})
endfunction()

function(perdure_unsynced_mutants)
  # What verification finds first is chance: which pages a state lacks, and whether its super block is of the same time.
  set(wrong [=[verify after the cut: damage: |the store went back to epoch]=])
  perdure_unsynced_mutant(commit_not_synced ${wrong})
  perdure_unsynced_mutant(fresh_pages_not_synced ${wrong})
  perdure_unsynced_mutant(applied_before_durable ${wrong})
  perdure_unsynced_mutant(journal_reused_early ${wrong})
  perdure_unsynced_mutant(new_store_not_synced [=[the store is gone]=])
  perdure_unsynced_mutant(undo_not_synced [=[damage: (heap\.\d+|undo) at byte]=])
  perdure_unsynced_mutant(failed_commit_repeated ${wrong} --cuts-after-failures)
  perdure_unsynced_mutant(copy_not_synced [=[verify snapshot: damage: ]=])
endfunction()
