// Where the bytes of a new block come from.
#pragma once

#include <cstddef>
#include <perdure/array/array_pieces.hpp>
#include <perdure/array/extents.hpp>
#include <perdure/array/untyped_arrays.hpp>
#include <span>

namespace perdure::detail {

/// Bytes of what is gathered before it is copied.
inline constexpr std::size_t gathered_bytes = std::size_t{4} << 20;

/// Gives all bytes of a block once, from the first to the last: where they lie, if they lie beside each
/// other, and else piece by piece.
class block_source {
 public:
  block_source() = default;
  block_source(const block_source&) = delete;
  block_source& operator=(const block_source&) = delete;
  virtual ~block_source() = default;

  /// Number of bytes of the block.
  virtual std::size_t bytes() const noexcept = 0;
  /// All of them; null if they must be gathered.
  virtual const std::byte* in_place() const noexcept { return nullptr; }
  /// Number of bytes of the piece that `gather` gives next; 0 after the last one.
  virtual std::size_t next_bytes() const noexcept = 0;
  /// Writes the next piece. May throw what the program's own source throws.
  virtual void gather(std::byte* to) = 0;
};

/// Bytes that lie beside each other.
class dense_source final : public block_source {
 public:
  explicit dense_source(std::span<const std::byte> all) : all_(all) {}

  std::size_t bytes() const noexcept override { return all_.size(); }
  const std::byte* in_place() const noexcept override { return all_.data(); }
  std::size_t next_bytes() const noexcept override { return all_.size() - done_; }
  void gather(std::byte* to) override;

 private:
  std::span<const std::byte> all_;
  std::size_t done_ = 0;
};

/// Elements in a program's memory, with any strides: a few steps of the outermost dimension at a time.
class strided_source final : public block_source {
 public:
  strided_source(const const_untyped_view& from, std::size_t element_size);

  std::size_t bytes() const noexcept override { return bytes_; }
  const std::byte* in_place() const noexcept override { return is_dense_ ? from_.data : nullptr; }
  std::size_t next_bytes() const noexcept override;
  void gather(std::byte* to) override;

 private:
  const const_untyped_view from_;
  const std::size_t element_size_;
  const std::size_t bytes_;
  const bool is_dense_;
  array_pieces pieces_;
};

/// Elements that a function of the program's gives, a few MiB at a time.
class called_source final : public block_source {
 public:
  called_source(const extents& dims, std::size_t element_size, const element_source& source);

  std::size_t bytes() const noexcept override { return bytes_; }
  std::size_t next_bytes() const noexcept override;
  void gather(std::byte* to) override { source_(pieces_.next(), to); }

 private:
  const std::size_t element_size_;
  const std::size_t bytes_;
  const element_source& source_;
  array_pieces pieces_;
};

}  // namespace perdure::detail
