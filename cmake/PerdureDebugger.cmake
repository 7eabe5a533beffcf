# Pretty printers of debuggers. gdb loads what lies beside a shared library, or, of a library of the system, in the
# auto-load folder of its own data, and is called like the library's file.
function(perdure_install_debugger_scripts)
  set(scripts ${CMAKE_INSTALL_DATADIR}/perdure/debugger)
  install(FILES ${PROJECT_SOURCE_DIR}/debugger/perdure_gdb.py ${PROJECT_SOURCE_DIR}/debugger/perdure_lldb.py
                ${PROJECT_SOURCE_DIR}/debugger/perdure_memory.py
          DESTINATION ${scripts})
  # Relative to the library, so that an installed tree can be moved.
  file(RELATIVE_PATH PERDURE_LIB_TO_DEBUGGER ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_DATADIR}/perdure/debugger)
  set(loader ${PROJECT_BINARY_DIR}/libperdure.so.${PROJECT_VERSION}-gdb.py)
  configure_file(${PROJECT_SOURCE_DIR}/debugger/load_printers.py.in ${loader} @ONLY)
  install(FILES ${loader} DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(CODE "
    if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
      file(INSTALL \"${loader}\" DESTINATION \"/usr/${CMAKE_INSTALL_DATADIR}/gdb/auto-load/usr/${CMAKE_INSTALL_LIBDIR}\")
    endif()")
endfunction()
