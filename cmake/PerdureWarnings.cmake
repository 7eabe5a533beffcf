# One set of warnings for every target of the project.
function(perdure_set_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wcast-align -Wconversion -Wno-sign-conversion
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>)
  if(CMAKE_UNITY_BUILD)
    # What a source has for itself is in an included file then; builds of single sources keep the warning.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
  if(PERDURE_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# For targets with precompiled headers: g++ forgets that these are the system's, and warns of what it makes of them.
function(perdure_trust_system_headers target)
  foreach(warning array-bounds dangling-pointer free-nonheap-object maybe-uninitialized restrict stringop-overflow
                  stringop-overread use-after-free)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-${warning}>)
  endforeach()
endfunction()
