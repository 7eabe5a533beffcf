# Gives the C API's symbols in a shared library the versions that src/c/perdure.map lists.
function(perdure_version_symbols target)
  set(map ${PROJECT_SOURCE_DIR}/src/c/perdure.map)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${map}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
  endif()
endfunction()
