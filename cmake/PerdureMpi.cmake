# perdure::mpi: the headers for programs that run by MPI. The library has nothing of MPI in it, so one installation
# serves programs of any MPI, which brings its own headers and libraries: by its compiler wrapper, or by
# find_package(perdure COMPONENTS mpi).
add_library(perdure_mpi INTERFACE)
add_library(perdure::mpi ALIAS perdure_mpi)
set_target_properties(perdure_mpi PROPERTIES EXPORT_NAME mpi)
target_link_libraries(perdure_mpi INTERFACE perdure::perdure)

# perdure_find_mpis(RESULT): the names of the MPIs that tests and examples are built with, each once with every MPI that
# is there (FindMPI finds one in a build). For each NAME there is a target perdure_mpi_of_NAME to link to, and the
# variable PERDURE_MPIRUN_NAME: what runs such a program, but for `-n RANKS PROGRAM`. Called wherever they are needed.
function(perdure_find_mpis result)
  set(names "")
  foreach(name openmpi mpich default)
    set(suffix .${name})
    if(name STREQUAL default)
      # Where none is called by its name there may be one that is called nothing else.
      if(names)
        break()
      endif()
      set(suffix "")
    endif()
    find_program(PERDURE_MPICXX_${name} mpicxx${suffix})
    find_program(PERDURE_MPIEXEC_${name} mpiexec${suffix})
    mark_as_advanced(PERDURE_MPICXX_${name} PERDURE_MPIEXEC_${name})
    if(NOT PERDURE_MPICXX_${name} OR NOT PERDURE_MPIEXEC_${name})
      continue()
    endif()
    if(NOT TARGET perdure_mpi_of_${name})
      execute_process(COMMAND ${PERDURE_MPICXX_${name}} -show OUTPUT_VARIABLE shown ERROR_QUIET RESULT_VARIABLE failure)
      if(failure)
        continue()
      endif()
      separate_arguments(shown UNIX_COMMAND "${shown}")
      add_library(perdure_mpi_of_${name} INTERFACE)
      target_link_libraries(perdure_mpi_of_${name} INTERFACE perdure::mpi)
      foreach(word ${shown})
        if(word MATCHES "^-I(.+)")
          target_include_directories(perdure_mpi_of_${name} SYSTEM INTERFACE ${CMAKE_MATCH_1})
        elseif(word MATCHES "^-L(.+)")
          target_link_directories(perdure_mpi_of_${name} INTERFACE ${CMAKE_MATCH_1})
        elseif(word MATCHES "^-l.*(cxx|c\\+\\+)$")
          # Of the classes that MPI 3 has abolished.
        elseif(word MATCHES "^(-l.+|-Wl,-rpath.*|/.+[.](so|a))$")
          target_link_libraries(perdure_mpi_of_${name} INTERFACE ${word})
        endif()
      endforeach()
      target_compile_definitions(perdure_mpi_of_${name} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
    endif()
    # More ranks than processors: Open MPI is told so, and that root, who is all there is in a container, may run it;
    # in such, memory of another process may not be readable. Others' programs ignore these variables.
    set(PERDURE_MPIRUN_${name}
        ${CMAKE_COMMAND} -E env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
        OMPI_MCA_btl_vader_single_copy_mechanism=none PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
        ${PERDURE_MPIEXEC_${name}} PARENT_SCOPE)
    list(APPEND names ${name})
  endforeach()
  set(${result} ${names} PARENT_SCOPE)
endfunction()
