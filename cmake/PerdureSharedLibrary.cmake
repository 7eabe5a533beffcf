# perdure_shared (perdure::shared), libperdure.so: what loads the library at run time, and programs that share it. It is the
# library itself in a shared build, and elsewhere the same objects, which are compiled once for both forms.
if(BUILD_SHARED_LIBS)
  add_library(perdure_shared ALIAS perdure)
else()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/shared_library.cpp CONTENT "")
  add_library(perdure_shared SHARED ${PROJECT_BINARY_DIR}/shared_library.cpp)
  get_target_property(version perdure VERSION)
  get_target_property(soversion perdure SOVERSION)
  set_target_properties(perdure_shared PROPERTIES
    OUTPUT_NAME perdure VERSION ${version} SOVERSION ${soversion} EXPORT_NAME shared)
  target_link_libraries(perdure_shared
    PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,perdure>"
    INTERFACE Threads::Threads Boost::headers ${CMAKE_DL_LIBS})
  target_include_directories(perdure_shared
    INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(perdure_shared INTERFACE cxx_std_20)
  perdure_version_symbols(perdure_shared)
endif()
