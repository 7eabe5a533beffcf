// The checksums of blocks and of pages.
#include "store/file/checked_block.hpp"

namespace perdure::store {

namespace {

std::uint32_t seed_of(std::uint64_t page) noexcept {
  return os::crc32c(0, &page, sizeof page);
}

std::uint32_t not_reserved(std::uint32_t crc) noexcept {
  return crc < layout::first_checksum ? crc + layout::first_checksum : crc;
}

}  // namespace

std::uint32_t page_checksum(std::uint64_t page, const void* bytes) noexcept {
  return not_reserved(os::crc32c(seed_of(page), bytes, page_size));
}

std::uint32_t copy_page(std::uint64_t page, void* to, const void* from) noexcept {
  return not_reserved(os::crc32c_copy(seed_of(page), to, from, page_size));
}

std::uint32_t copy_page(std::uint64_t page, void* to, const void* from, std::uint32_t& of_bytes) noexcept {
  static_assert(page_size == os::page_bytes);
  of_bytes = os::crc32c_copy(0, to, from, page_size);
  return not_reserved(os::crc32c_append_page(seed_of(page), of_bytes));
}

}  // namespace perdure::store
