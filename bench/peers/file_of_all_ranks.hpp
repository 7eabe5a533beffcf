// Arrays in one file that all ranks of a communicator have open: what its kinds have in common.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "programs/rank_array_files.hpp"

namespace perdure::bench {

class file_of_all_ranks : public rank_array_file {
 public:
  file_of_all_ranks(MPI_Comm ranks, std::filesystem::path path, const rank_arrays_shape& shape, bool is_new)
      : block_(block_of(shape.dims, shape.grid, static_cast<std::size_t>(rank_in(ranks)))),
        path_(std::move(path)),
        ranks_(ranks),
        is_new_(is_new) {}

  void close() final {
    close_file();
    if (is_new_) sync_as_rank_0(ranks_, path_);
  }

 protected:
  /// By all ranks together.
  virtual void close_file() = 0;

  const box block_;  // the rank's, of each array
  const std::filesystem::path path_;

 private:
  MPI_Comm ranks_;
  bool is_new_;
};

/// As `rank_array_file_kind` has it, of a file that takes what `file_of_all_ranks` does and `options`.
template <class File, bool is_new, auto... options>
std::unique_ptr<rank_array_file> open_of_all_ranks(MPI_Comm ranks, const std::filesystem::path& path,
                                                   const rank_arrays_shape& shape) {
  return std::make_unique<File>(ranks, path, shape, is_new, options...);
}

}  // namespace perdure::bench
