import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class PerdureConan(ConanFile):
    name = "perdure"
    version = "0.1.0"
    license = "MIT"
    description = "Keeps a program's own data structures alive between runs"
    topics = ("persistence", "checkpoint", "containers", "graphs")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    def export_sources(self):
        source = os.path.join(self.recipe_folder, "..", "..")
        copy(self, "*", source, self.export_sources_folder, excludes=("build/*", ".git/*"))

    def layout(self):
        cmake_layout(self)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Perdure needs Linux 5.15 or later")
        check_min_cppstd(self, 20)

    def requirements(self):
        self.requires("boost/[>=1.81]", options={"header_only": True}, transitive_headers=True)
        for name in ("zlib/[>=1.2.11 <2]", "zstd/[>=1.5]", "lz4/[>=1.9]", "c-blosc/[>=1.21]", "xz_utils/[>=5.4]", "bzip2/[>=1.0.8]",
                     "expat/[>=2.5]", "onetbb/[>=2021]", "cli11/[>=2.3]", "nlohmann_json/[>=3.11]"):
            self.requires(name)

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for option in ("TESTS", "EXAMPLES"):
            toolchain.cache_variables["PERDURE_BUILD_" + option] = False
        toolchain.cache_variables["PERDURE_FORTRAN"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="perdure_installed")

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # The project's own CMake package has all its targets.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "perdure")]
