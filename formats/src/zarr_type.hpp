// Names of element types in zarr, and fill values.
#pragma once

#include <cstdint>
#include <perdure/data_type.hpp>
#include <string>

#include "numpy_type.hpp"
#include "zarr_json.hpp"

namespace perdure::formats {

/// Returns the type of `data_type` in version 3. `unsupported` for one that arrays here do not have.
numpy_type zarr_type_from(const zarr_json& said, bool is_big_endian);
/// Returns the type of `dtype` in version 2, which is NumPy's. `bad_input`, `unsupported`.
numpy_type zarr_2_type_from(const zarr_json& said);
/// Returns `data_type` in version 3. `length` is that of texts of fixed length. `unsupported` for types that
/// zarr does not have.
zarr_json zarr_type_of(const data_type& type, std::uint64_t length);

/// Returns the element that a fill value stands for: its bytes in memory, or a text. Null is zeros.
/// `bad_input` if it is no element of the type.
std::string zarr_fill_from(const zarr_json& value, const numpy_type& element);
/// Returns an element as a fill value of version 3. `bytes` are as `zarr_fill_from` returns them.
zarr_json zarr_fill_of(const data_type& type, const std::string& bytes);
/// Returns the fill value zero of a type in version 3.
zarr_json zarr_zero_of(const data_type& type);

}  // namespace perdure::formats
