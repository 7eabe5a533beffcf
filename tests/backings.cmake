# Tests once more with other backings. Which there are, and what each can do, is read from the table of backings: a
# new row is tested with no more than that.
set(backing_table ${PROJECT_SOURCE_DIR}/src/store/backing/backings.cpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${backing_table})
file(STRINGS ${backing_table} lines REGEX "^ *\\.[a-z_]+ = (\"[a-z_]+\"|true),$")
foreach(line ${lines})
  if(line MATCHES "\\.name = \"(.*)\"")
    set(backing ${CMAKE_MATCH_1})
    list(APPEND backings ${backing})
  elseif(line MATCHES "\\.(.*) = true")
    list(APPEND backings_with_${CMAKE_MATCH_1} ${backing})
  endif()
endforeach()

# perdure_backing_test(NAME BACKING [PATTERN...]): a test program with stores of that backing, but for the cases that the
# patterns name: what is another backing's own, like a reader's segment in a forked child.
function(perdure_backing_test name backing)
  if(NOT backing IN_LIST backings)
    message(FATAL_ERROR "${backing_table} has no backing ${backing}")
  endif()
  if(CMAKE_CXX_FLAGS MATCHES "fsanitize=thread" AND NOT TARGET test_${name})
    return()  # has one thread
  endif()
  set(test ${name}.${backing})
  list(JOIN ARGN ":" without)
  set(environment PERDURE_BACKING=${backing} GTEST_FILTER=-${without})
  if(backing STREQUAL "paged")
    # A MiB is in memory.
    list(APPEND environment PERDURE_MEMORY_BUDGET=1)
  elseif(backing STREQUAL "dax")
    # Real persistent memory is where the virtual machine's tests are (tests/vm).
    set(test ${name}.pretended_dax)
    set(environment PERDURE_TESTED_BACKING=pretended_dax GTEST_FILTER=-${without})
  endif()
  if(CMAKE_CXX_FLAGS MATCHES "fsanitize=thread")
    # Forked children open stores too, and with them start threads of their own.
    list(APPEND environment TSAN_OPTIONS=die_after_fork=0)
  endif()
  add_test(NAME ${test} COMMAND ${PROJECT_SOURCE_DIR}/tests/scratch/on-tmpfs.sh $<TARGET_FILE:test_${name}>)
  set_tests_properties(${test} PROPERTIES ENVIRONMENT "${environment}" LABELS repeated)
endfunction()

# perdure_each_backing_test(ABILITY NAME...): the programs with each backing that has an ability, a column of the table;
# with the default one they run anyhow.
function(perdure_each_backing_test ability)
  if(NOT backings_with_${ability})
    message(FATAL_ERROR "${backing_table} has no backing with ${ability}")
  endif()
  foreach(backing ${backings_with_${ability}})
    if(NOT backing STREQUAL "private")
      foreach(name ${ARGN})
        perdure_backing_test(${name} ${backing})
      endforeach()
    endif()
  endforeach()
endfunction()

# perdure_paged_test(NAME [PATTERN...]): of what has stores, and is no test of them.
function(perdure_paged_test name)
  perdure_backing_test(${name} paged ${ARGN})
endfunction()
