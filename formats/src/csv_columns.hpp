// Kinds of fields and columns in a table of text.
#pragma once

#include <cstdint>
#include <optional>
#include <perdure/data_type.hpp>
#include <string>
#include <string_view>

#include "csv_rows.hpp"

namespace perdure::formats {

/// Kinds of fields, the next for what the one before cannot hold.
enum class column_kind { nothing, boolean, integer, positive, real, complex, text };

bool is_blank(std::string_view text);
/// Returns the kind of a field whose numbers have a decimal point.
column_kind kind_of(const csv_field& field);
/// Returns the kind that can hold fields of both.
column_kind joined(column_kind a, column_kind b);
/// Returns the type of a kind; of texts, that of texts of any length.
data_type type_for(column_kind kind);

/// Ways to write a number that is none as it stands.
enum class odd_number {
  none,
  with_comma,            ///< 1,5: a decimal comma
  with_comma_or_groups,  ///< 1,234: a decimal comma, or a separator of thousands
  /// 1_000, 1'000, 1,234.5 or 1.234,5: separators of thousands. 1.0D+00: an exponent as Fortran writes it.
  with_groups,
  beyond,  ///< 1e400, 1e-400: a number that float64 does not have
};
odd_number odd_number_of(const csv_field& field);
/// Returns whether a field that is no number may be one all the same, or stand for one that is missing: it
/// has digits and no letters, or is called NA, null or the like.
bool may_be_value(const csv_field& field);

/// A field that is mentioned in an error.
struct csv_mention {
  std::uint64_t line = 0;
  std::string text;
  odd_number odd = odd_number::none;
};

/// Facts about the fields of a column.
class csv_column {
 public:
  void add(const csv_field& field, std::uint64_t line);

  /// The kind of the column, if numbers may have a decimal comma or not. A column that has texts beside odd
  /// numbers is one of texts.
  column_kind result(char decimal) const;
  /// The first number that is none with that decimal separator, if all other fields are numbers.
  const csv_mention* refused(char decimal) const;

  /// Returns whether a number has a minus sign.
  bool has_negative() const noexcept { return has_negative_; }
  /// Longest field in bytes.
  std::size_t longest() const noexcept { return longest_; }
  /// Returns whether all fields stand in quotation marks.
  bool is_all_quoted() const noexcept { return is_all_quoted_; }

  /// First fields of each sort, if the column has numbers alone.
  const csv_mention* with_comma() const { return mention(comma_); }
  const csv_mention* with_comma_or_groups() const { return mention(comma_or_groups_); }
  const csv_mention* with_point() const { return mention(point_); }
  /// An integer that float64 does not have.
  const csv_mention* with_rounding() const { return mention(rounded_); }
  /// A number with zeros before it, as codes and numbers of a fixed width have.
  const csv_mention* with_zeros() const { return mention(zeros_); }

 private:
  column_kind numbers() const;
  const csv_mention* mention(const std::optional<csv_mention>& one) const {
    return one && kind_ != column_kind::text ? &*one : nullptr;
  }

  column_kind kind_ = column_kind::nothing;  // of fields that are no odd numbers
  bool has_negative_ = false;
  bool is_all_quoted_ = true;
  std::size_t longest_ = 0;
  std::optional<csv_mention> comma_;
  std::optional<csv_mention> comma_or_groups_;
  std::optional<csv_mention> groups_;  // or beyond float64
  std::optional<csv_mention> point_;
  std::optional<csv_mention> rounded_;
  std::optional<csv_mention> zeros_;
};

}  // namespace perdure::formats
