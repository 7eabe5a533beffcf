// Compares type stamps.
#include "perdure/type_stamp.hpp"

#include <utility>

#include "manager/name_hash.hpp"
#include "manager/type_layout.hpp"

namespace perdure {

namespace detail {

type_stamp make_type_stamp(const char* name, std::size_t size, std::size_t alignment, std::uint32_t version,
                           bool trivially_copyable, type_description inside) {
  type_stamp stamp;
  stamp.name = name;
  stamp.size = size;
  stamp.alignment = alignment;
  stamp.version = version;
  stamp.trivially_copyable = trivially_copyable;
  stamp.name_hash = name_hash(stamp.name, 0);
  const std::uint64_t shape =
      (std::uint64_t{alignment} << 33) | (std::uint64_t{trivially_copyable} << 32) | version;
  stamp.own_hash =
      fold(stamp.name_hash ^ fold(size ^ 0x510e527fade682d1, 0x1f83d9abfb41bd6b), shape ^ 0x9b05688c2b3e6c1f);
  stamp.layout = std::move(inside.layout);
  stamp.form = std::move(inside.form);
  stamp.hash = with_layout(stamp.own_hash, stamp.layout);
  return stamp;
}

bool is_stamp_of(std::uint64_t hash, std::string_view layout, const type_stamp& type) {
  // Older stores did not record what is inside their types.
  if (layout.empty() && hash == type.own_hash) return true;
  const std::string_view now = kept_part_of(type.layout);
  if (hash == type.hash) return layout == now || !layout_difference(layout, now, layout_names::compared);
  // The hash is another where the library that stored the object looked into fewer types. It must be that of
  // all that is compared: of what is cut off, or written in another way, nothing is known.
  return !type.layout.empty() && with_layout(type.own_hash, layout) == hash &&
         !layout_difference(layout, type.layout, layout_names::compared);
}

}  // namespace detail

}  // namespace perdure
