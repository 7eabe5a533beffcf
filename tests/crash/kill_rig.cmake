# Kills of the real program. scripts/kill-loops.sh runs the rig on other file systems.

# perdure_kill_rig(NAME PROGRAM): the rig for one build of the program
function(perdure_kill_rig name program)
  add_executable(${name} $<TARGET_OBJECTS:perdure_crash_kill> ../cli/program.cpp)
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
  perdure_kill_rig(crash_kill_loop perdure_cli)
  perdure_kill_test(crash.kill_loop crash_kill_loop --kills 20)
endif()

# perdure_mutant_program(MUTANT): the program mutant_perdure_NAME with the mutated object, where MUTANT of
# mutants.cmake is NAME/FILE
function(perdure_mutant_program mutant)
  get_filename_component(name ${mutant} DIRECTORY)
  set(program mutant_perdure_${name})
  if(TARGET ${program})
    return()
  endif()
  add_executable(${program} ${CMAKE_CURRENT_BINARY_DIR}/mutants/${mutant} $<TARGET_OBJECTS:perdure_cli>)
  target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${program} PRIVATE perdure::perdure perdure::graph)
  target_compile_options(${program} PRIVATE -O1 -w)
endfunction()

# Mutants of mutants.cmake that this rig must catch too. A kill loses nothing that the kernel was told, so it
# shows mistakes of recovery, not of syncing.
function(perdure_kill_mutants)
  if(NOT TARGET perdure_cli)
    return()
  endif()
  foreach(mutant IN ITEMS
      old_journal_taken/redo.cpp
      reader_skips_journal/journaled_store.cpp
      zero_pages_not_redone/redo.cpp)
    get_filename_component(name ${mutant} DIRECTORY)
    perdure_mutant_program(${mutant})
    perdure_kill_rig(mutant_kill_${name} mutant_perdure_${name})
    perdure_kill_test(crash.kill_loop.mutant.${name} mutant_kill_${name} --minutes 5 --expect-violation)
  endforeach()
endfunction()
