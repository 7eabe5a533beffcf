// The arrays of an open store.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <perdure/array/untyped_arrays.hpp>
#include <perdure/detail/checkpoint_listener.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "array/array_directory.hpp"
#include "array/array_reader.hpp"
#include "array/array_writer.hpp"
#include "array/block_store.hpp"
#include "array/store_queue.hpp"

namespace perdure::detail {

/// Longest id of an array, or key of an attribute, in bytes.
inline constexpr std::size_t longest_id = 4096;

/// Puts the parts together: which arrays there are (array_directory), their blocks (block_store), reading and
/// writing, and what is stored in the background (store_queue). Facts and attributes, which are short, are
/// its own. A change of an array waits for the stores of it in the background, which began before.
class stored_arrays final : public untyped_arrays,
                            public checkpoint_listener,
                            public std::enable_shared_from_this<stored_arrays> {
 public:
  stored_arrays(manager_core& store, array_catalogue* catalogue)
      : arrays_(store, catalogue),
        blocks_(store, catalogue),
        reader_(arrays_, blocks_),
        writer_(arrays_, blocks_, reader_.slabs()) {
    if (catalogue != nullptr && store.writable()) blocks_.drop_left_over();
  }

  const std::filesystem::path& path() const noexcept override { return arrays_.store().store().path(); }
  manager_core& store() noexcept override { return arrays_.store(); }

  void store_whole(std::string_view id, const data_type& type, const const_untyped_view& from,
                   const array_options& options) override {
    stores_.await(id);
    writer_.store_whole(id, type, from, options);
  }
  void store_from(std::string_view id, const data_type& type, const extents& dims,
                  const element_source& source, const array_options& options) override {
    stores_.await(id);
    writer_.store_from(id, type, dims, source, options);
  }
  void store_sparse(std::string_view id, const data_type& type, const extents& dims,
                    std::span<const slab> parts, const element_source& source,
                    const array_options& options) override {
    stores_.await(id);
    writer_.store_sparse(id, type, dims, parts, source, options);
  }
  void store_variable(std::string_view id, const data_type& type, const extents& dims,
                      const variable_elements& from, const array_options& options) override {
    stores_.await(id);
    writer_.store_variable(id, type, dims, from, options);
  }
  void create(std::string_view id, const data_type& type, const extents& dims,
              const array_options& options) override {
    stores_.await(id);
    writer_.create(id, type, dims, options);
  }
  void write(std::string_view id, const data_type& type, const slab& where,
             const const_untyped_view& from) override {
    stores_.await(id);
    writer_.write(id, type, where, from);
  }
  void resize(std::string_view id, const extents& dims) override {
    stores_.await(id);
    writer_.resize(id, dims);
  }
  void append(std::string_view id, const data_type& type, const const_untyped_view& from) override {
    stores_.await(id);
    writer_.append(id, type, from);
  }
  bool erase(std::string_view id) override {
    stores_.await(id);
    return writer_.erase(id);
  }
  pending_store store_async(std::string_view id, const data_type& type, const const_untyped_view& from,
                            const array_options& options) override {
    arrays_.require_writable();
    return stores_.begin(store(), id, [this, id = std::string(id), type, from, options] {
      writer_.store_whole(id, type, from, options);
    });
  }
  pending_store write_async(std::string_view id, const data_type& type, const slab& where,
                            const const_untyped_view& from) override {
    arrays_.require_writable();
    return stores_.begin(store(), id, [this, id = std::string(id), type, where, from] {
      writer_.write(id, type, where, from);
    });
  }

  void read(std::string_view id, const data_type& type, const slab& where,
            const untyped_view& to) const override {
    reader_.read(id, type, where, to);
  }
  void read_whole(std::string_view id, const data_type& type,
                  const std::function<untyped_view(const extents&)>& place) const override {
    reader_.read_whole(id, type, place);
  }
  variable_elements read_variable(std::string_view id, const data_type& type) const override {
    return reader_.read_variable(id, type);
  }
  std::uint64_t read_held(std::string_view id, const slab& where, const untyped_view& to) const override {
    return reader_.read_held(id, where, to);
  }
  viewed_array view(std::string_view id, const data_type& type, bool to_write) const override {
    return reader_.view(id, type, to_write, shared_from_this());
  }
  viewed_array view_part(std::string_view id, const data_type& type, const slab& where) const override {
    return reader_.view_part(id, type, where, shared_from_this());
  }
  void prefetch(std::string_view id) const override { reader_.prefetch(id); }
  std::vector<std::string> check(std::string_view id) const override { return reader_.check(id); }

  std::optional<array_info> find(std::string_view id) const override;
  array_info info(std::string_view id) const override;
  std::vector<slab> parts(std::string_view id) const override;
  std::vector<std::string> list(std::string_view prefix) const override;
  std::size_t count() const override;

  void set_attribute(std::string_view id, std::string_view key, const data_type& type, const extents& dims,
                     std::span<const std::byte> value) override;
  std::optional<attribute_value> attribute(std::string_view id, std::string_view key) const override;
  std::vector<std::string> attributes(std::string_view id) const override;
  bool remove_attribute(std::string_view id, std::string_view key) override;

  void complete() override { stores_.await_all(); }
  void departing(std::vector<page_run>& released) noexcept override { blocks_.departing(released); }
  void closing() noexcept override {
    stores_.finish();
    arrays_.close();
  }

 private:
  array_directory arrays_;
  block_store blocks_;
  array_reader reader_;
  array_writer writer_;
  store_queue stores_;  // ends first
};

}  // namespace perdure::detail
