// The template arguments of `basic_manager`. They name machinery of Metall's that Perdure does without, so
// they choose no behaviour; they keep types apart and declarations compiling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <metall/offset_ptr.hpp>

namespace metall {
namespace mtlldetail {

enum class instance_kind : std::uint8_t { named_kind, unique_kind, anonymous_kind };

}  // namespace mtlldetail

namespace kernel {

struct storage {
  using path_type = std::filesystem::path;
};
struct segment_storage {};

// Part of the name of every allocator's and so of every container's type, by which stores tell types apart:
// what holds the one pointer must not be found as what holds the other.
#if PERDURE_METALL_BOOST_OFFSET_PTR
inline namespace with_boost_offset_ptr {
#endif

template <typename Storage, typename SegmentStorage, typename ChunkNumber, std::size_t ChunkSize>
struct manager_kernel {
  using void_pointer = offset_ptr<void>;
  using char_type = char;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using path_type = typename Storage::path_type;
  using instance_kind = mtlldetail::instance_kind;
  using chunk_no_type = ChunkNumber;
  static constexpr size_type k_chunk_size = ChunkSize;
};

#if PERDURE_METALL_BOOST_OFFSET_PTR
}  // namespace with_boost_offset_ptr
#endif

}  // namespace kernel
}  // namespace metall
