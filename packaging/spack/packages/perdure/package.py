from spack.package import *


class Perdure(CMakePackage):
    """Keeps a program's own data structures alive between runs."""

    license("MIT")

    # A release adds its url and sha256 here; until then `spack dev-build` takes the source that is there.
    version("0.1.0")

    variant("shared", default=True, description="Build shared libraries")
    variant("fortran", default=False, description="Build the Fortran module")
    variant("hdf5", default=False, description="Read and write HDF5 files")
    variant("netcdf", default=False, description="Read and write NetCDF files")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost@1.81:")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("lz4")
    depends_on("c-blosc")
    depends_on("xz")
    depends_on("bzip2")
    depends_on("expat")
    depends_on("intel-oneapi-tbb")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("hdf5", when="+hdf5")
    depends_on("netcdf-c", when="+netcdf")

    conflicts("%gcc@:11", msg="Perdure needs g++ 12 or later")
    conflicts("%clang@:15", msg="Perdure needs clang 16 or later")
    requires("platform=linux", msg="Perdure needs Linux 5.15 or later")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("PERDURE_FORTRAN", "fortran"),
            self.define("PERDURE_BUILD_TESTS", False),
            self.define("PERDURE_BUILD_EXAMPLES", False),
        ]
