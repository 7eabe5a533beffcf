# Uses ccache where it is installed, set up so that checkouts in different folders share what they compile:
# paths below the checkout are hashed relative to it, and the working directory is not hashed.
option(PERDURE_COMPILER_CACHE "Compile through ccache, where it is installed" ON)

find_program(PERDURE_CCACHE ccache)
mark_as_advanced(PERDURE_CCACHE)
if(PERDURE_COMPILER_CACHE AND PERDURE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache asks for before it caches precompiled headers and their users.
  set(launcher env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=true
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${PERDURE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  # ccache needs the preprocessed source to name the precompiled header.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endif()
