// Arrays in files of ADIOS 1.13 (BP), without statistics: one file, in which each rank has a piece of its own
// (method MPI), or a file for each rank (method POSIX).
#include <adios.h>
#include <adios_error.h>
#include <adios_read.h>
#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>

#include "programs/rank_array_files.hpp"

namespace perdure::bench {

namespace {

void require_adios(bool is_done) {
  if (!is_done) throw std::runtime_error(std::string("ADIOS: ") + adios_get_last_errmsg());
}

std::string name_of(std::size_t array) {
  return "field" + std::to_string(array);
}

std::string text_of(const box_extent& of) {
  return std::to_string(of[0]) + ',' + std::to_string(of[1]) + ',' + std::to_string(of[2]);
}

class arrays_to_write final : public rank_array_file {
 public:
  arrays_to_write(MPI_Comm ranks, std::filesystem::path path, const rank_arrays_shape& shape,
                  const char* method)
      : ranks_(ranks), path_(std::move(path)), has_own_file_(std::string_view(method) == "POSIX") {
    const box block = block_of(shape.dims, shape.grid, static_cast<std::size_t>(rank_in(ranks)));
    const std::uint64_t bytes = shape.arrays * block.elements() * sizeof(double);
    require_adios(adios_init_noxml(ranks) == 0);
    // It keeps all of it until the end.
    adios_set_max_buffer_size(bytes / 1024 / 1024 + 16);
    std::int64_t group = 0;
    require_adios(adios_declare_group(&group, "fields", "", adios_stat_no) == 0);
    require_adios(adios_select_method(group, method, "verbose=1", "") == 0);
    for (std::size_t i = 0; i < shape.arrays; ++i)
      require_adios(adios_define_var(group, name_of(i).c_str(), "", adios_double,
                                     text_of(block.count).c_str(), text_of(shape.dims).c_str(),
                                     text_of(block.offset).c_str()) != 0);
    require_adios(adios_open(&file_, "fields", path_.c_str(), "w", ranks) == 0);
    std::uint64_t total = 0;
    require_adios(adios_group_size(file_, bytes, &total) == 0);
  }
  void write(std::size_t array, const double* from) override {
    require_adios(adios_write(file_, name_of(array).c_str(), from) == 0);
  }
  void read(std::size_t, const box&, double*) override {}
  void close() override {
    require_adios(adios_close(file_) == 0);
    if (has_own_file_) {
      const std::filesystem::path own =
          path_.string() + ".dir/" + path_.filename().string() + '.' + std::to_string(rank_in(ranks_));
      sync_as_rank_0(MPI_COMM_SELF, own);
    }
    sync_as_rank_0(ranks_, path_);
    adios_finalize(rank_in(ranks_));
  }

 private:
  MPI_Comm ranks_;
  std::filesystem::path path_;
  bool has_own_file_;
  std::int64_t file_ = 0;
};

class arrays_to_read final : public rank_array_file {
 public:
  arrays_to_read(MPI_Comm ranks, const std::filesystem::path& path) {
    require_adios(adios_read_init_method(ADIOS_READ_METHOD_BP, ranks, "verbose=1") == 0);
    file_ = adios_read_open_file(path.c_str(), ADIOS_READ_METHOD_BP, ranks);
    require_adios(file_ != nullptr);
  }
  void write(std::size_t, const double*) override {}
  void read(std::size_t array, const box& part, double* to) override {
    const std::uint64_t offset[] = {part.offset[0], part.offset[1], part.offset[2]};
    const std::uint64_t count[] = {part.count[0], part.count[1], part.count[2]};
    selections_.push_back(adios_selection_boundingbox(3, offset, count));
    require_adios(adios_schedule_read(file_, selections_.back(), name_of(array).c_str(), 0, 1, to) == 0);
  }
  void close() override {
    require_adios(adios_perform_reads(file_, 1) == 0);
    for (ADIOS_SELECTION* const one : selections_) adios_selection_delete(one);
    require_adios(adios_read_close(file_) == 0);
    adios_read_finalize_method(ADIOS_READ_METHOD_BP);
  }

 private:
  ADIOS_FILE* file_;
  std::vector<ADIOS_SELECTION*> selections_;
};

std::unique_ptr<rank_array_file> create_in_one_file(MPI_Comm ranks, const std::filesystem::path& path,
                                                    const rank_arrays_shape& shape) {
  return std::make_unique<arrays_to_write>(ranks, path, shape, "MPI");
}
std::unique_ptr<rank_array_file> create_a_file_each(MPI_Comm ranks, const std::filesystem::path& path,
                                                    const rank_arrays_shape& shape) {
  return std::make_unique<arrays_to_write>(ranks, path, shape, "POSIX");
}
std::unique_ptr<rank_array_file> open_to_read(MPI_Comm ranks, const std::filesystem::path& path,
                                              const rank_arrays_shape&) {
  return std::make_unique<arrays_to_read>(ranks, path);
}

}  // namespace

std::vector<rank_array_file_kind> adios_rank_array_files() {
  return {{"adios1", create_in_one_file, open_to_read}, {"adios1-posix", create_a_file_each, open_to_read}};
}

}  // namespace perdure::bench
