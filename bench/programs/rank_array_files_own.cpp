// Arrays in a set of stores, one for each rank.
#include <perdure/mpi.hpp>

#include "rank_array_files.hpp"

namespace perdure::bench {

namespace {

std::string id_of(std::size_t array) {
  return "field/" + std::to_string(array);
}

slab where(const box& part) {
  return {
      {part.offset[0], part.offset[1], part.offset[2]}, {part.count[0], part.count[1], part.count[2]}, {}};
}

class arrays_in_set final : public rank_array_file {
 public:
  arrays_in_set(mpi::array_store store, const rank_arrays_shape& shape)
      : store_(std::move(store)),
        block_(block_of(shape.dims, shape.grid, static_cast<std::size_t>(store_.rank()))) {}

  void make(const rank_arrays_shape& shape) {
    for (std::size_t i = 0; i < shape.arrays; ++i)
      store_.create<double>(id_of(i), {shape.dims[0], shape.dims[1], shape.dims[2]});
  }
  void write(std::size_t array, const double* from) override {
    store_.array(id_of(array)).write(where(block_), array_view<const double, 3>(from, where(block_).count));
  }
  void read(std::size_t array, const box& part, double* to) override {
    store_.array(id_of(array)).read(where(part), array_view<double, 3>(to, where(part).count));
  }
  void close() override { store_.close(); }

 private:
  mpi::array_store store_;
  box block_;
};

}  // namespace

std::vector<rank_array_file_kind> own_rank_array_files() {
  return {{"perdure",
           [](MPI_Comm ranks, const std::filesystem::path& path, const rank_arrays_shape& shape) {
             auto file = std::make_unique<arrays_in_set>(mpi::array_store(create_only, ranks, path), shape);
             file->make(shape);
             return std::unique_ptr<rank_array_file>(std::move(file));
           },
           [](MPI_Comm ranks, const std::filesystem::path& path, const rank_arrays_shape& shape) {
             return std::unique_ptr<rank_array_file>(
                 std::make_unique<arrays_in_set>(mpi::array_store(open_read_only, ranks, path), shape));
           }}};
}

}  // namespace perdure::bench
