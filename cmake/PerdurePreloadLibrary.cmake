# perdure_preload_library(TARGET NAME SOURCE...): the settings of a library for LD_PRELOAD, which has sources of its own
# already. Those named here are src's: it has its own copy of what it is made of, and of the C++ runtime, so that it can be
# loaded into any program before everything else.
function(perdure_preload_library target name)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE copied)
  target_sources(${target} PRIVATE ${copied})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/addons)
  # initial-exec: access to a thread's variables must not allocate.
  target_compile_options(${target} PRIVATE -ftls-model=initial-exec
    $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc LINKER:--exclude-libs,ALL
    LINKER:-z,nodelete)
  target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  perdure_set_warnings(${target})
  perdure_precompile(${target} ALONE)
  perdure_install_targets(${target} TO LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()
