// Sources of arrays that have attributes only. Modules of formats have a copy of this source.
#include <perdure/formats/group_attributes.hpp>
#include <utility>

namespace perdure::formats {
namespace {

class attributes_only final : public array_source {
 public:
  using array_source::array_source;
  void read(const slab&, std::byte*) override {}
};

}  // namespace

std::string name_of_group_attributes(std::string_view group) {
  std::string name(group);
  if (!name.empty()) name += '/';
  name += group_attributes_name;
  return name;
}

bool is_group_attributes(const array_description& what) noexcept {
  const std::string_view name = what.name;
  return name.ends_with(group_attributes_name) &&
         (name.size() == group_attributes_name.size() ||
          name[name.size() - group_attributes_name.size() - 1] == '/') &&
         what.type.kind() == element_kind::uint8 && what.dims.rank() == 1 && what.dims[0] == 0;
}

std::string_view group_of_attributes(std::string_view name) noexcept {
  name.remove_suffix(group_attributes_name.size());
  if (!name.empty()) name.remove_suffix(1);
  return name;
}

std::unique_ptr<array_source> group_attributes(std::string_view group,
                                               std::vector<array_attribute> attributes) {
  array_description what{name_of_group_attributes(group), element_kind::uint8, {0}};
  what.attributes = std::move(attributes);
  return std::make_unique<attributes_only>(std::move(what));
}

}  // namespace perdure::formats
