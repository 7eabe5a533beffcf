# Kills of the real program. scripts/kill-loops.sh runs the rig on other file systems.

# perdure_kill_rig(NAME PROGRAM): the rig for one build of the program
function(perdure_kill_rig name program)
  add_executable(${name} $<TARGET_OBJECTS:perdure_crash_kill> ../support/program.cpp)
  target_link_libraries(${name} PRIVATE perdure_crash_kill)
  target_compile_definitions(${name} PRIVATE PERDURE_PROGRAM="$<TARGET_FILE:${program}>")
  perdure_set_warnings(${name})
  add_dependencies(${name} ${program})
endfunction()

function(perdure_kill_test name rig)
  add_test(NAME ${name} COMMAND ${rig} --directory ${CMAKE_CURRENT_BINARY_DIR} --scale 14 ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS long TIMEOUT 1800)
endfunction()

if(TARGET perdure_cli)
  find_package(nlohmann_json 3.10 REQUIRED)
  add_library(perdure_crash_kill OBJECT
    kill_loop/graph_content.cpp
    kill_loop/ingested_store.cpp
    kill_loop/ingestion.cpp
    kill_loop/kill_loop.cpp
    kill_loop/kill_loop_main.cpp)
  target_link_libraries(perdure_crash_kill PUBLIC perdure_crash perdure::graph nlohmann_json::nlohmann_json)
  perdure_set_warnings(perdure_crash_kill)
  perdure_precompile(perdure_crash_kill)
  perdure_kill_rig(crash_kill_loop perdure_cli)
  perdure_kill_test(crash.kill_loop crash_kill_loop --kills 20)
endif()

# perdure_mutant_program(MUTANT): the program mutant_perdure_MUTANT with the mutated object of mutants.cmake
function(perdure_mutant_program name)
  set(program mutant_perdure_${name})
  if(TARGET ${program})
    return()
  endif()
  add_executable(${program} $<TARGET_OBJECTS:mutated_${name}> $<TARGET_OBJECTS:perdure_cli>)
  target_link_libraries(${program} PRIVATE $<TARGET_PROPERTY:perdure_cli,LINK_LIBRARIES>)
endfunction()

# Mutants of mutants.cmake that this rig must catch too, by a violation that says PATTERN. A kill loses nothing that the
# kernel was told, so it shows mistakes of recovery, not of syncing.
function(perdure_kill_mutant name pattern)
  perdure_mutant_program(${name})
  perdure_kill_rig(mutant_kill_${name} mutant_perdure_${name})
  perdure_kill_test(crash.kill_loop.mutant.${name} mutant_kill_${name} --minutes 5 --expect-violation ${pattern})
endfunction()

function(perdure_kill_mutants)
  if(TARGET perdure_cli)
    perdure_kill_mutant(old_journal_taken [=[and the store holds epoch|is not as the last checkpoint left it|does not follow the one that the store is at|the store went back|the last announced was|verify after the kill: damage: ]=])
    perdure_kill_mutant(reader_skips_journal [=[and the store holds epoch|the store went back|the last announced was|is not as the last checkpoint left it]=])
    perdure_kill_mutant(zero_pages_not_redone
                        [=[verify after the kill: damage: heap\.\d+ at byte|not the edges of that checkpoint]=])
  endif()
endfunction()
