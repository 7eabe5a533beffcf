// How a type of plain data stands in the directory of objects, whose types have the names of C++.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "perdure/data_type.hpp"
#include "perdure/type_stamp.hpp"

namespace perdure::detail {

/// The type under its name in C++, if numbers have one; else under the name "=" and its text, which is no
/// name of C++.
class language_neutral_stamp {
 public:
  explicit language_neutral_stamp(const data_type& type);
  const type_stamp& get() const noexcept { return stamp_; }

 private:
  std::string name_;
  type_stamp stamp_;
};

/// Returns a recorded type as a `data_type`; nothing if it is unknown, or if its record
/// cannot be believed.
std::optional<data_type> stored_data_type(std::string_view mangled_name, std::size_t size,
                                          std::string_view layout);

/// Returns whether it was recorded by its text alone, by a program that had no C++ type for it.
inline bool is_language_neutral(std::string_view recorded_name) noexcept {
  return recorded_name.starts_with('=');
}

}  // namespace perdure::detail
