# SuiteSparse:GraphBLAS, where it is: the target perdure_graphblas. Nothing of the library needs it.
find_path(PERDURE_GRAPHBLAS_INCLUDE GraphBLAS.h PATH_SUFFIXES suitesparse)
find_library(PERDURE_GRAPHBLAS_LIBRARY graphblas)
if(PERDURE_GRAPHBLAS_INCLUDE AND PERDURE_GRAPHBLAS_LIBRARY)
  file(STRINGS ${PERDURE_GRAPHBLAS_INCLUDE}/GraphBLAS.h version REGEX "^#define GxB_IMPLEMENTATION_MAJOR +[0-9]+")
  string(REGEX MATCH "[0-9]+$" version "${version}")
  if(version GREATER_EQUAL 7)
    add_library(perdure_graphblas INTERFACE IMPORTED)
    set_target_properties(perdure_graphblas PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES ${PERDURE_GRAPHBLAS_INCLUDE}
      INTERFACE_LINK_LIBRARIES ${PERDURE_GRAPHBLAS_LIBRARY})
  endif()
endif()
if(NOT TARGET perdure_graphblas)
  message(STATUS "SuiteSparse:GraphBLAS 7 or later was not found: its example, tests and benchmarks are left out")
endif()
