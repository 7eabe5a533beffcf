# perdure_mutated_source(NAME TARGET SOURCE COPY WHAT OLD NEW): makes COPY of a source of a library. The text OLD, which
# must be there exactly once, becomes NEW. SOURCE is named from the project's folder.
function(perdure_mutated_source name target source copy what old new)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}.cmake)
  file(CONFIGURE OUTPUT ${script} @ONLY CONTENT [==[
file(READ "@CMAKE_SOURCE_DIR@/@source@" text)
set(old [=[@old@]=])
set(new [=[@new@]=])
string(FIND "${text}" "${old}" first)
string(FIND "${text}" "${old}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "mutant @name@: its text is not exactly once in @source@:\n${old}")
endif()
string(REPLACE "${old}" "${new}" text "${text}")
file(WRITE "@copy@" "${text}")
]==])
  add_custom_command(OUTPUT ${copy} COMMAND ${CMAKE_COMMAND} -P ${script}
                     DEPENDS ${CMAKE_SOURCE_DIR}/${source} ${script} VERBATIM
                     COMMENT "Mutant ${name}: ${what}")
  # Its own object comes before the library's, of which the rest is taken: so there the source must be an object too.
  set_source_files_properties(${CMAKE_SOURCE_DIR}/${source} TARGET_DIRECTORY ${target}
                              PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
