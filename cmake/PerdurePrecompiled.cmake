# perdure_precompile(TARGET [ALONE]): takes the headers of the standard library that most of our sources include compiled
# once for all targets; ALONE: for this one, whose flags are others. A third of what a source takes to compile is these
# headers. Sources still include all that they use: clang's build, which clang-tidy reads, precompiles nothing. Nor do
# unity builds, which include them once for several sources, and in which g++ gives all its warnings.
set(precompiled "")
foreach(header algorithm array atomic cstddef cstdint cstring filesystem functional memory mutex optional span string
               string_view system_error utility vector)
  list(APPEND precompiled $<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>)
endforeach()
set(PERDURE_PRECOMPILED ${precompiled} CACHE INTERNAL "Headers that are compiled once")

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "")
add_library(perdure_precompiled OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/precompiled.cpp)
perdure_set_warnings(perdure_precompiled)  # -Wpedantic defines other macros
target_precompile_headers(perdure_precompiled PRIVATE ${PERDURE_PRECOMPILED})

function(perdure_precompile target)
  if(CMAKE_UNITY_BUILD)
    return()
  endif()
  if(ARGC GREATER 1)
    target_precompile_headers(${target} PRIVATE ${PERDURE_PRECOMPILED})
  else()
    target_precompile_headers(${target} REUSE_FROM perdure_precompiled)
  endif()
  perdure_trust_system_headers(${target})
endfunction()
