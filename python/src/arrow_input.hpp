// Record batches that other libraries give by Arrow's C interfaces, checked and as tables store them.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "arrow_abi.hpp"
#include "arrow_field.hpp"

namespace perdure::python {

/// Elements of one array of a column, where they lie or converted.
struct column_part {
  const std::byte* data = nullptr;
  std::uint64_t count = 0;     ///< elements; bytes of a bitmap
  std::vector<std::byte> own;  ///< elements that were converted
};

/// The values of a column, or of a child or dictionary of one, in one record batch.
struct column_values {
  std::uint64_t length = 0;
  std::uint64_t nulls = 0;
  std::array<column_part, parts_of_column> parts;  ///< no bitmap where there are no nulls
};

/// A record batch that another library gave, which is released when this ends.
class arrow_batch {
 public:
  arrow_batch() = default;
  arrow_batch(arrow_batch&& other) noexcept : array_(other.array_) { other.array_.release = nullptr; }
  arrow_batch& operator=(arrow_batch&&) = delete;
  ~arrow_batch() {
    if (array_.release != nullptr) array_.release(&array_);
  }

  ArrowArray& array() noexcept { return array_; }
  const ArrowArray& array() const noexcept { return array_; }

 private:
  ArrowArray array_{};
};

/// Returns the values of a batch by the slots of `stored`. `columns` is what `matched_columns` returned for
/// `stored` and `given`, the type of the batch. Values are looked at as far as no reader need do so again:
/// offsets, indices of dictionaries and UTF-8. Throws `bad_input`, which names the column, for a batch that
/// contradicts itself, and `invalid_argument` for a null where the table has none.
std::vector<column_values> values_of(const ArrowArray& batch, const arrow_field& stored,
                                     const arrow_field& given, const std::vector<std::size_t>& columns);

/// A stream of record batches. Needs the GIL for nothing but its making.
class arrow_input {
 public:
  /// Takes over the stream of a capsule "arrow_array_stream".
  static arrow_input of_stream(const nanobind::handle& capsule);
  /// Takes over what `__arrow_c_array__` returns: a schema and one batch.
  static arrow_input of_array(const nanobind::handle& schema, const nanobind::handle& array);

  arrow_input(arrow_input&& other) noexcept;
  arrow_input& operator=(arrow_input&&) = delete;
  ~arrow_input();

  const arrow_field& schema() const noexcept { return schema_; }
  /// Returns the next batch; nothing after the last one. Throws `bad_input` where the stream fails.
  std::optional<arrow_batch> next();

 private:
  arrow_input() = default;

  ArrowArrayStream stream_{};
  std::optional<arrow_batch> only_;  // of an array
  arrow_field schema_;
};

}  // namespace perdure::python
