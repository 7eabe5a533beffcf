// Attributes as JSON.
#pragma once

#include <perdure/formats/array_source.hpp>
#include <string>
#include <vector>

#include "zarr_json.hpp"

namespace perdure::formats {

/// Returns the attributes of an object: numbers, texts, truths, null, and lists of one of these with any
/// dimensions. A value of any other kind (an object, a list of different kinds) is the text of its JSON, and
/// the attribute `json_key` names it. `losses` gets a sentence about an attribute without a name, as in
/// `loss`.
std::vector<array_attribute> attributes_from(const zarr_json& object, std::vector<std::string>& losses);
/// Returns an object with these attributes. `losses` gets a sentence about each that JSON cannot have: lists
/// of any length, and texts that are not UTF-8.
zarr_json zarr_attributes_of(const std::vector<array_attribute>& attributes,
                             std::vector<std::string>& losses);

}  // namespace perdure::formats
