// Takes elements apart into columns.
#include "csv_leaves.hpp"

#include <cstdint>
#include <perdure/error.hpp>

namespace perdure::formats {

namespace {

constexpr std::size_t most_leaves = 65536;

void add_leaves(std::vector<leaf>& leaves, const std::string& name, const data_type& type,
                std::size_t offset) {
  const data_type base = type.base();
  std::vector<std::uint64_t> dims = type.dims();
  std::size_t text_length = 0;
  if (base.kind() == element_kind::character && !dims.empty()) {
    text_length = dims.back();
    dims.pop_back();
  }
  const data_type element = text_length == 0 ? base : base.array({text_length});
  std::uint64_t count = 1;
  for (const std::uint64_t n : dims) count *= n;
  if (leaves.size() + count > most_leaves)
    throw error(errc::unsupported, "elements of type " + type.text().substr(0, 100) + " have more than " +
                                       std::to_string(most_leaves) + " columns");
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string indexed = name;
    std::string index;
    std::uint64_t rest = i;
    for (std::size_t d = dims.size(); d-- > 0; rest /= dims[d])
      index.insert(0, '[' + std::to_string(rest % dims[d]) + ']');
    indexed += index;
    const std::size_t at = offset + i * element.size();
    if (base.kind() != element_kind::structure) {
      leaves.push_back({indexed, element, at});
      continue;
    }
    for (const data_field& field : base.fields())
      add_leaves(leaves, indexed.empty() ? field.name : indexed + '.' + field.name, field.type,
                 at + field.offset);
  }
}

}  // namespace

std::vector<leaf> leaves_of(const data_type& type) {
  std::vector<leaf> leaves;
  add_leaves(leaves, "", type, 0);
  return leaves;
}

}  // namespace perdure::formats
