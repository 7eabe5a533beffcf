#include <perdure/array_store.hpp>

namespace perdure {

array_store::array_store(create_only_t tag, const std::filesystem::path& path, const store_options& options)
    : array_store(std::make_shared<manager>(tag, path, options)) {}

array_store::array_store(open_only_t tag, const std::filesystem::path& path, const store_options& options)
    : array_store(std::make_shared<manager>(tag, path, options)) {}

array_store::array_store(open_read_only_t tag, const std::filesystem::path& path,
                         const store_options& options)
    : arrays_(detail::open_arrays_of_set(path, options)) {
  if (!arrays_) *this = array_store(std::make_shared<manager>(tag, path, options));
}

array_store::array_store(open_copy_on_write_t tag, const std::filesystem::path& path,
                         const store_options& options)
    : array_store(std::make_shared<manager>(tag, path, options)) {}

array_store::array_store(open_or_create_t tag, const std::filesystem::path& path,
                         const store_options& options)
    : array_store(std::make_shared<manager>(tag, path, options)) {}

array_store::array_store(std::shared_ptr<manager> store)
    : store_(std::move(store)), arrays_(untyped_arrays::of(detail::core_of(*store_))) {}

}  // namespace perdure
