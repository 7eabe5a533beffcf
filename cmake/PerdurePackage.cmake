# Installation: headers, library, program, find_package(perdure) and pkg-config.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The program finds a shared library beside it wherever the tree is put. Without one it needs no run path: the loader
# would look there for each library of the system first, and in a build tree in the working directory.
file(RELATIVE_PATH PERDURE_BIN_TO_LIB ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
if(BUILD_SHARED_LIBS)
  set(CMAKE_INSTALL_RPATH "$ORIGIN/${PERDURE_BIN_TO_LIB}")
endif()

# What `make install` has to build: every target that perdure_install_targets() names.
add_custom_target(perdure_installed)

# perdure_install_targets(TARGET... [TO ARGUMENT...]): installs targets, and has `make install` build them. What follows
# TO are further arguments of install().
function(perdure_install_targets)
  cmake_parse_arguments(PARSE_ARGV 0 install "" "" "TO")
  install(TARGETS ${install_UNPARSED_ARGUMENTS} ${install_TO})
  add_dependencies(perdure_installed ${install_UNPARSED_ARGUMENTS})
endfunction()

# perdure_install_program_documents(TARGET NAME): has a program write its man pages and completions when it is built, and
# installs them.
function(perdure_install_program_documents target name)
  if(CMAKE_CROSSCOMPILING)
    return()
  endif()
  set(documents ${CMAKE_BINARY_DIR}/documents/${name})
  add_custom_command(TARGET ${target} POST_BUILD
                     COMMAND ${CMAKE_COMMAND} -E rm -rf ${documents}
                     COMMAND ${target} --write-documents ${documents}
                     VERBATIM)
  install(DIRECTORY ${documents}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(DIRECTORY ${documents}/bash-completion ${documents}/zsh ${documents}/fish DESTINATION ${CMAKE_INSTALL_DATADIR})
endfunction()

function(perdure_install)
  set(fortran "")
  if(TARGET perdure_fortran)
    set(fortran perdure_fortran)
    get_target_property(modules perdure_fortran Fortran_MODULE_DIRECTORY)
    # perdure_mpi.f90 is compiled by programs, with the MPI of theirs.
    install(FILES ${PROJECT_SOURCE_DIR}/fortran/perdure.f90 ${PROJECT_SOURCE_DIR}/fortran/perdure_mpi.f90 ${modules}/perdure.mod
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/perdure-fortran)
  endif()
  set(libraries "")
  foreach(library workload formats graph kmer)
    if(TARGET perdure_${library})
      list(APPEND libraries perdure_${library})
      install(DIRECTORY ${PROJECT_SOURCE_DIR}/${library}/include/perdure DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    endif()
  endforeach()
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/perdure)
  perdure_install_targets(perdure perdure_inspect perdure_mpi perdure_compat perdure_in_place_of_boost perdure_metall_c
                          perdure_memkind ${fortran} ${libraries}
    TO EXPORT perdure-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(NOT BUILD_SHARED_LIBS)
    perdure_install_targets(perdure_shared
      TO EXPORT perdure-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
    # Linkers prefer a shared library to a static one in the same directory, so what they look for is in another one.
    get_target_property(soversion perdure_shared SOVERSION)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/shared)
    file(CREATE_LINK ../../libperdure.so.${soversion} ${PROJECT_BINARY_DIR}/shared/libperdure.so SYMBOLIC)
    install(FILES ${PROJECT_BINARY_DIR}/shared/libperdure.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/perdure/shared)
  endif()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/perdure ${PROJECT_SOURCE_DIR}/inspect/include/perdure
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/compat/include/ ${PROJECT_BINARY_DIR}/compat/include/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/perdure-compat)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/compat/in_place_of_boost/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/perdure-in-place-of-boost)
  perdure_install_debugger_scripts()
  install(EXPORT perdure-targets NAMESPACE perdure:: DESTINATION ${package_dir})

  # A C compiler links a static library without what a C++ compiler adds.
  set(PERDURE_CXX_RUNTIME ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
  list(REMOVE_ITEM PERDURE_CXX_RUNTIME ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
  list(REMOVE_DUPLICATES PERDURE_CXX_RUNTIME)
  list(TRANSFORM PERDURE_CXX_RUNTIME PREPEND -l OUTPUT_VARIABLE PERDURE_PC_CXX_RUNTIME)
  # And what the library itself was built with, which only the shared one brings along.
  get_property(codecs GLOBAL PROPERTY PERDURE_PC_PRIVATE)
  list(APPEND PERDURE_CXX_RUNTIME ${codecs})
  list(PREPEND PERDURE_PC_CXX_RUNTIME ${codecs})
  list(JOIN PERDURE_PC_CXX_RUNTIME " " PERDURE_PC_CXX_RUNTIME)
  if(BUILD_SHARED_LIBS)
    set(PERDURE_CXX_RUNTIME "")
    set(PERDURE_PC_CXX_RUNTIME "")
  endif()

  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/perdure-config.cmake.in
                                ${PROJECT_BINARY_DIR}/perdure-config.cmake INSTALL_DESTINATION ${package_dir})
  # Before 1.0 a minor version may change the interface.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/perdure-config-version.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/perdure-config.cmake ${PROJECT_BINARY_DIR}/perdure-config-version.cmake
          DESTINATION ${package_dir})

  # Relative to the file itself, so that an installed tree can be moved; Debian's multiarch directories nest.
  file(RELATIVE_PATH PERDURE_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  string(REGEX REPLACE "/$" "" PERDURE_PC_TO_PREFIX "${PERDURE_PC_TO_PREFIX}")
  set(packages perdure perdure-shared perdure-inspect perdure-mpi perdure-compat perdure-in-place-of-boost perdure-memkind)
  if(TARGET perdure_fortran)
    list(APPEND packages perdure-fortran)
  endif()
  if(TARGET perdure_graph)
    list(APPEND packages perdure-formats perdure-graph perdure-kmer)
    get_property(PERDURE_PC_WORKLOAD GLOBAL PROPERTY PERDURE_PC_WORKLOAD)
    list(JOIN PERDURE_PC_WORKLOAD " " PERDURE_PC_WORKLOAD)
    get_property(PERDURE_PC_FORMATS GLOBAL PROPERTY PERDURE_PC_FORMATS)
    list(JOIN PERDURE_PC_FORMATS " " PERDURE_PC_FORMATS)
  endif()
  foreach(package ${packages})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endforeach()
endfunction()
