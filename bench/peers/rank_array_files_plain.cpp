// A plain file for each rank that writes, with its blocks one behind the other: by pwrite, or copied to where
// the file is mapped. No other layout lets a rank write with fewer calls.
#include "plain_transfers.hpp"
#include "programs/rank_array_files.hpp"

namespace perdure::bench {

namespace {

class blocks_file {
 public:
  blocks_file(const std::filesystem::path& path, const box& block, std::size_t arrays, bool is_new,
              bool is_mapped)
      : block_(block), file_(path, arrays * block.elements() * sizeof(double), is_new, is_mapped) {}

  void write(std::size_t array, const double* from) {
    const std::size_t bytes = block_.elements() * sizeof(double);
    file_.write(array * bytes, from, bytes);
  }

  /// What of `part` is in here; `to` has all of the part.
  void read(std::size_t array, const box& part, double* to) const {
    const box held = common_part(block_, part);
    if (held.elements() == 0) return;
    // As long as on both sides, rows and planes join.
    std::size_t run = held.count[2];
    std::size_t rows = held.count[1];
    std::size_t planes = held.count[0];
    if (held.count[2] == block_.count[2] && held.count[2] == part.count[2]) {
      run *= rows;
      rows = 1;
      if (held.count[1] == block_.count[1] && held.count[1] == part.count[1]) {
        run *= planes;
        planes = 1;
      }
    }
    for (std::size_t i = 0; i < planes; ++i)
      for (std::size_t j = 0; j < rows; ++j)
        file_.read((array * block_.elements() + place(block_, held, i, j)) * sizeof(double),
                   to + place(part, held, i, j), run * sizeof(double));
  }

  void sync() { file_.sync(); }

 private:
  static std::size_t place(const box& in, const box& held, std::size_t plane, std::size_t row) {
    return ((held.offset[0] - in.offset[0] + plane) * in.count[1] + held.offset[1] - in.offset[1] + row) *
               in.count[2] +
           held.offset[2] - in.offset[2];
  }

  box block_;
  plain_file file_;
};

std::filesystem::path file_of(const std::filesystem::path& path, std::size_t rank) {
  return path / std::to_string(rank);
}

class arrays_in_plain_files final : public rank_array_file {
 public:
  arrays_in_plain_files(MPI_Comm ranks, std::filesystem::path path, const rank_arrays_shape& shape,
                        bool is_new, bool is_mapped)
      : path_(std::move(path)),
        shape_(shape),
        is_new_(is_new),
        is_mapped_(is_mapped),
        files_(writers(shape)) {
    if (!is_new) return;
    if (rank_in(ranks) == 0) std::filesystem::create_directory(path_);
    MPI_Barrier(ranks);
    own_ = static_cast<std::size_t>(rank_in(ranks));
    file(own_);
  }
  void write(std::size_t array, const double* from) override { file(own_).write(array, from); }
  void read(std::size_t array, const box& part, double* to) override {
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (common_part(block_of(shape_.dims, shape_.grid, i), part).elements() != 0)
        file(i).read(array, part, to);
  }
  void close() override {
    if (is_new_) file(own_).sync();
    files_.clear();
  }

 private:
  static std::size_t writers(const rank_arrays_shape& shape) {
    return shape.grid[0] * shape.grid[1] * shape.grid[2];
  }
  blocks_file& file(std::size_t rank) {
    auto& one = files_[rank];
    if (!one)
      one = std::make_unique<blocks_file>(file_of(path_, rank), block_of(shape_.dims, shape_.grid, rank),
                                          shape_.arrays, is_new_, is_mapped_);
    return *one;
  }

  std::filesystem::path path_;
  rank_arrays_shape shape_;
  bool is_new_;
  bool is_mapped_;
  std::vector<std::unique_ptr<blocks_file>> files_;
  std::size_t own_ = 0;
};

template <bool is_new, bool is_mapped>
std::unique_ptr<rank_array_file> open_files(MPI_Comm ranks, const std::filesystem::path& path,
                                            const rank_arrays_shape& shape) {
  return std::make_unique<arrays_in_plain_files>(ranks, path, shape, is_new, is_mapped);
}

}  // namespace

std::vector<rank_array_file_kind> plain_rank_array_files() {
  return {{"pwrite", open_files<true, false>, open_files<false, false>},
          {"mmap", open_files<true, true>, open_files<false, true>}};
}

}  // namespace perdure::bench
