# A port of a release fetches its archive here; this one takes the source that it stands in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DCMAKE_UNITY_BUILD=ON
        -DPERDURE_BUILD_EXAMPLES=OFF
        -DPERDURE_BUILD_TESTS=OFF
        -DPERDURE_BUILD_TOOLS=OFF
        -DPERDURE_FORTRAN=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME perdure CONFIG_PATH lib/cmake/perdure)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
