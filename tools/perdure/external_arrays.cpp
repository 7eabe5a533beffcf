#include "external_arrays.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <perdure/error.hpp>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace perdure::cli {
namespace {

constexpr std::size_t page_of_file = 4096;

std::size_t in_pages(std::size_t bytes) {
  return (bytes + page_of_file - 1) / page_of_file * page_of_file;
}

/// Levels, parents and what the search works with begin at pages of their own.
std::size_t bytes_of_results(std::size_t vertices) {
  return in_pages(vertices * sizeof(std::uint32_t));
}

class nameless_file {
 public:
  nameless_file(const std::filesystem::path& directory, std::uint64_t bytes)
      : descriptor_(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)) {
    // Not every file system has files without a name.
    if (descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
      std::string name = (directory / ".perdure-search-XXXXXX").string();
      descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
      if (descriptor_ >= 0) ::unlink(name.c_str());
    }
    if (descriptor_ < 0) fail(directory, errno);
    // Later a full disk would be a signal in the midst of the search.
    if (const int number = ::posix_fallocate(descriptor_, 0, static_cast<::off_t>(bytes)); number != 0) {
      ::close(descriptor_);
      fail(directory, number);
    }
  }
  nameless_file(const nameless_file&) = delete;
  nameless_file& operator=(const nameless_file&) = delete;
  ~nameless_file() { ::close(descriptor_); }

  int descriptor() const noexcept { return descriptor_; }

 private:
  [[noreturn]] static void fail(const std::filesystem::path& directory, int number) {
    const errc code = number == ENOSPC || number == EDQUOT                     ? errc::no_space
                      : number == EACCES || number == EPERM || number == EROFS ? errc::permission_denied
                      : number == ENOENT || number == ENOTDIR                  ? errc::not_found
                                                                               : errc::io;
    throw error(code, directory.string() + ": cannot make a file for the arrays of the search: " +
                          std::generic_category().message(number) +
                          "; name another directory with --scratch");
  }

  int descriptor_;
};

pager::region map_file(const std::filesystem::path& directory, std::uint64_t bytes, std::uint64_t budget) {
  const nameless_file file(directory, bytes);
  pager::options wanted;
  wanted.mode = pager::mode::write_back;
  wanted.budget = std::max<std::size_t>(std::min(budget, bytes), pager::least_budget);
  return pager::map(file.descriptor(), wanted);
}

}  // namespace

external_arrays::external_arrays(const std::filesystem::path& directory, std::uint64_t vertices,
                                 std::uint64_t budget)
    : vertices_(vertices),
      region_(map_file(directory,
                       2 * bytes_of_results(vertices) +
                           std::max(in_pages(graph::bfs_arrays::scratch_bytes(vertices)), page_of_file),
                       budget)) {}

graph::bfs_arrays external_arrays::arrays() const noexcept {
  std::byte* const levels = region_.data();
  std::byte* const parents = levels + bytes_of_results(vertices_);
  std::byte* const scratch = parents + bytes_of_results(vertices_);
  return {std::span(reinterpret_cast<std::uint32_t*>(levels), vertices_),
          std::span(reinterpret_cast<graph::vertex_handle*>(parents), vertices_),
          std::span(scratch, graph::bfs_arrays::scratch_bytes(vertices_))};
}

}  // namespace perdure::cli
