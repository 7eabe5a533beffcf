// An open NetCDF file, and what NetCDF says of a failure.
#pragma once

#include <netcdf.h>

#include <cstdint>
#include <filesystem>
#include <perdure/error.hpp>
#include <string>
#include <utility>

namespace perdure::formats {

class netcdf_file {
 public:
  netcdf_file(std::filesystem::path path, int id, std::uint64_t bytes)
      : path_(std::move(path)), id_(id), bytes_(bytes) {}
  netcdf_file(const netcdf_file&) = delete;
  netcdf_file& operator=(const netcdf_file&) = delete;
  ~netcdf_file() {
    if (id_ >= 0) nc_close(id_);
  }
  int id() const noexcept { return id_; }
  const std::filesystem::path& path() const noexcept { return path_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Throws `bad_input` if a function that reads has failed.
  void require(int status, const char* what, const std::string& name = {}) const {
    if (status == NC_NOERR) return;
    const std::string of = name.empty() ? "" : ' ' + name;
    throw error(errc::bad_input, path_.string() + ": " + what + of + ": " + nc_strerror(status));
  }
  /// Throws `io` or `no_space` if a function that writes `what` has failed.
  void require_written(int status, const std::string& what) const {
    if (status == NC_NOERR) return;
    throw error(status == ENOSPC ? errc::no_space : errc::io,
                path_.string() + ": NetCDF cannot write " + what + ": " + nc_strerror(status));
  }
  /// Closes a file that was written: the last bytes may be lost only now.
  void close() {
    const int status = nc_close(std::exchange(id_, -1));
    if (status != NC_NOERR) throw error(errc::io, path_.string() + ": cannot write: " + nc_strerror(status));
  }

 private:
  std::filesystem::path path_;
  int id_;
  std::uint64_t bytes_;  // of a file that is read
};

}  // namespace perdure::formats
