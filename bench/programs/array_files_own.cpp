// Arrays in a store, and in plain files: written by pwrite, or copied to where they are mapped.
#include <perdure/array_store.hpp>
#include <stdexcept>

#include "array_files.hpp"
#include "measure.hpp"
#include "peers/plain_transfers.hpp"

namespace perdure::bench {

namespace {

std::string id_of(std::size_t array) {
  return "field/" + std::to_string(array);
}

class arrays_in_store final : public array_file {
 public:
  explicit arrays_in_store(array_store store) : store_(std::move(store)) {}

  void make(std::size_t arrays, const box_extent& dims) {
    for (std::size_t i = 0; i < arrays; ++i) store_.create<double>(id_of(i), {dims[0], dims[1], dims[2]});
  }
  void write(std::size_t array, const box& part, const double* from) override {
    store_.array(id_of(array)).write(where(part), array_view<const double, 3>(from, where(part).count));
  }
  void read(std::size_t array, const box& part, double* to) override {
    store_.array(id_of(array)).read(where(part), array_view<double, 3>(to, where(part).count));
  }
  void close() override { store_.close(); }

 private:
  static slab where(const box& part) {
    return {
        {part.offset[0], part.offset[1], part.offset[2]}, {part.count[0], part.count[1], part.count[2]}, {}};
  }

  array_store store_;
};

/// One array behind the other, row-major.
class arrays_in_file final : public array_file {
 public:
  arrays_in_file(const std::filesystem::path& path, std::size_t arrays, const box_extent& dims, bool is_new,
                 bool is_mapped)
      : dims_(dims), file_(path, arrays * dims[0] * dims[1] * dims[2] * sizeof(double), is_new, is_mapped) {}
  void write(std::size_t array, const box& part, const double* from) override {
    each_run(array, part, [&](std::size_t at, std::size_t from_element, std::size_t bytes) {
      file_.write(at, from + from_element, bytes);
    });
    has_changed_ = true;
  }
  void read(std::size_t array, const box& part, double* to) override {
    each_run(array, part, [&](std::size_t at, std::size_t to_element, std::size_t bytes) {
      file_.read(at, to + to_element, bytes);
    });
  }
  void close() override {
    if (has_changed_) file_.sync();
  }

 private:
  /// Of bytes that lie beside each other in the file.
  template <class Visit>
  void each_run(std::size_t array, const box& part, Visit&& visit) const {
    const std::size_t first = array * dims_[0] * dims_[1] * dims_[2];
    // Whole planes, whole rows, or pieces of rows.
    const bool has_rows = part.count[2] == dims_[2];
    const bool has_planes = has_rows && part.count[1] == dims_[1];
    const std::size_t run = has_planes ? part.elements() : part.count[2] * (has_rows ? part.count[1] : 1);
    std::size_t done = 0;
    for (std::size_t i = 0; i < (has_planes ? 1 : part.count[0]); ++i)
      for (std::size_t j = 0; j < (has_rows ? 1 : part.count[1]); ++j) {
        const std::size_t at =
            ((part.offset[0] + i) * dims_[1] + part.offset[1] + j) * dims_[2] + part.offset[2] + first;
        visit(at * sizeof(double), done, run * sizeof(double));
        done += run;
      }
  }

  box_extent dims_;
  plain_file file_;
  bool has_changed_ = false;
};

template <bool is_new, bool is_mapped>
std::unique_ptr<array_file> open_file(const std::filesystem::path& path, std::size_t arrays,
                                      const box_extent& dims) {
  return std::make_unique<arrays_in_file>(path, arrays, dims, is_new, is_mapped);
}

}  // namespace

std::vector<array_file_kind> own_array_file_kinds() {
  return {{"perdure", false,
           [](const std::filesystem::path& path, std::size_t arrays, const box_extent& dims) {
             auto file = std::make_unique<arrays_in_store>(array_store(create_only, path));
             file->make(arrays, dims);
             return std::unique_ptr<array_file>(std::move(file));
           },
           [](const std::filesystem::path& path, std::size_t, const box_extent&) {
             return std::unique_ptr<array_file>(
                 std::make_unique<arrays_in_store>(array_store(open_read_only, path)));
           }}};
}

std::vector<array_file_kind> plain_array_file_kinds() {
  return {{"pwrite", false, open_file<true, false>, open_file<false, false>},
          {"mmap", false, open_file<true, true>, open_file<false, true>}};
}

small_array_seconds small_arrays_in_store(const std::filesystem::path& path, std::size_t arrays) {
  small_array_seconds taken;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < arrays; ++i) ids.push_back("run/" + std::to_string(i));
  std::vector<double> values(10);
  {
    const stopwatch watch;
    array_store store(create_only, path);
    for (std::size_t i = 0; i < arrays; ++i) {
      values[0] = static_cast<double>(i);
      store.store(ids[i], values);
    }
    store.close();
    taken.store = watch.wall();
  }
  const stopwatch watch;
  array_store store(open_read_only, path);
  static_cast<void>(store.size());
  taken.open = watch.wall();
  for (std::size_t i = 0; i < arrays; ++i) {
    store.load(ids[i], array_view<double, 1>(values.data(), {values.size()}));
    if (values[0] != static_cast<double>(i)) throw std::logic_error("another array was loaded");
  }
  taken.load = watch.wall() - taken.open;
  return taken;
}

}  // namespace perdure::bench
