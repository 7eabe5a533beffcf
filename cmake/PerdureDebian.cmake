# `cpack -G DEB` in a build directory makes a Debian package of what it has built; scripts/check-debian-package.py tries it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME perdure)
set(CPACK_PACKAGE_CONTACT "The Perdure authors")
set(CPACK_PACKAGE_VENDOR "The Perdure authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Perdure is a C++20 library and a program for persistent data structures:
maps, graphs and arrays that lie in a store on disk, with checkpoints that
are all or nothing.")
# What the program and the modules are linked with is found in them. The headers need Boost's, and the static libraries
# what they were built with.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libboost-dev (>= 1.81) | libboost1.81-dev | libboost1.83-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libblosc-dev, libbz2-dev, libexpat1-dev, liblz4-dev, liblzma-dev, libtbb-dev, libzstd-dev, zlib1g-dev")
include(CPack)
