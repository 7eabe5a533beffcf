// The rows of a table in a store: arrays of its columns' values, to which record batches are appended.
//
// The table "t" is the group "t". Each column has an array for its values, and others for offsets and for the
// bitmap of nulls where it needs them. They are arrays in blocks, so that each batch is a block of each: it
// is appended without a copy of the earlier rows, and given to others where it lies. One array for each batch
// would do so too, but other languages would then have to put a column together.
//
// The array "t/.batches" says of each batch and field what belongs to it, as a `stored_piece`. Its last row
// is written last, so a batch of which only a part was appended does not count.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow_field.hpp"
#include "arrow_input.hpp"
#include "arrow_output.hpp"
#include "open_store.hpp"

namespace perdure::python {

/// Where the elements of a field in one batch are: eight numbers of "t/.batches".
struct stored_piece {
  struct range {
    std::int64_t begin = 0;
    std::int64_t count = 0;
  };
  std::int64_t length = 0;
  std::int64_t nulls = 0;
  std::array<range, parts_of_column> parts{};  // by `part_of_column`, along the first dimension
};
static_assert(sizeof(stored_piece) == 8 * sizeof(std::int64_t));

/// Creates the arrays of a table without rows.
void create_columns(const open_store& store, const std::string& table, const arrow_field& schema);

/// Appends a batch; see `values_of`. If it throws, the table has the rows that it had.
void append_batch(const open_store& store, const std::string& table, const arrow_field& schema,
                  const std::vector<column_values>& batch);

/// Drops all batches but the first `count`.
void keep_batches(const open_store& store, const std::string& table, const arrow_field& schema,
                  std::uint64_t count);

/// Returns rows from `begin` to `end` of the columns of `schema`, where they lie. Closing the store names the
/// table while somebody has them. `slots` is the number of fields of the whole table.
std::shared_ptr<const arrow_table> view_rows(const open_store& store, const std::string& table,
                                             const arrow_field& schema, std::size_t slots,
                                             std::uint64_t begin, std::uint64_t end);

}  // namespace perdure::python
