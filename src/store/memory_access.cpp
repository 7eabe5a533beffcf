// The memory of any open store as programs use it: checked, pinned, and copied past it.
#include <cstring>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>

#include "os/crc32c.hpp"
#include "segment/segment.hpp"
#include "store/backing/backings.hpp"
#include "store/file/failure.hpp"

namespace perdure {

namespace {

struct split_range {
  std::size_t head;        // bytes before the first whole page
  detail::page_run pages;  // within the segment
  std::size_t tail;
};

split_range split(const std::byte* base, const std::byte* address, std::size_t bytes) {
  const auto offset = static_cast<std::uint64_t>(address - base);
  const std::uint64_t first = (offset + page_size - 1) / page_size;
  const std::uint64_t end = (offset + bytes) / page_size;
  if (end < first + datastore::least_past_memory / page_size) return {bytes, {0, 0}, 0};
  return {static_cast<std::size_t>(first * page_size - offset),
          {first, end - first},
          static_cast<std::size_t>(offset + bytes - end * page_size)};
}

}  // namespace

detail::page_run datastore::pages_of(const void* address, std::size_t bytes) {
  const detail::segment& within = memory();
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const auto base = reinterpret_cast<std::uintptr_t>(within.base());
  if (begin < base || begin - base > within.size() || bytes > within.size() - (begin - base)) {
    throw error(errc::invalid_argument, "these bytes are not in the memory of " + path().string());
  }
  const std::uint64_t first = (begin - base) / page_size;
  return {first, bytes == 0 ? 0 : (begin - base + bytes - 1) / page_size - first + 1};
}

void datastore::require_sound(const void* address, std::size_t bytes) {
  const detail::page_run pages = pages_of(address, bytes);
  if (pages.count == 0) return;
  memory().require_sound(pages);
  settle_written(pages);
}

std::unique_ptr<prepared_checkpoint> datastore::prepare(std::span<const detail::page_run>, std::string_view) {
  throw error(errc::unsupported, path().string() +
                                     " cannot prepare checkpoints: its pages are durable before "
                                     "their checkpoint is; open it with the backing " +
                                     store::names_of_those_with(&store::backing_row::prepares));
}

pager::pin datastore::pin(const void* address, std::size_t bytes, pager::pin_for) {
  require_sound(address, bytes);
  return {};
}

void datastore::prefetch(const void* address, std::size_t bytes) {
  pages_of(address, bytes);
}

std::uint32_t datastore::copy_in(void* to, std::span<const std::byte> from, std::uint32_t checksum) {
  pages_of(to, from.size());
  if (memory().read_only())
    throw error(errc::read_only, path().string() + " is open for reading: open it for writing");
  if (from.empty()) return checksum;
  auto* const at = static_cast<std::byte*>(to);
  const split_range parts = split(memory().base(), at, from.size());
  std::vector<std::uint32_t> of_pages(parts.pages.count);
  if (parts.pages.count == 0 || !write_pages(parts.pages, from.data() + parts.head, of_pages.data()))
    return os::crc32c_copy(checksum, at, from.data(), from.size());
  checksum = os::crc32c_copy(checksum, at, from.data(), parts.head);
  for (const std::uint32_t of_page : of_pages) checksum = os::crc32c_append_page(checksum, of_page);
  const std::size_t rest = from.size() - parts.tail;
  return os::crc32c_copy(checksum, at + rest, from.data() + rest, parts.tail);
}

void datastore::copy_out(std::span<std::byte> to, const void* from) {
  pages_of(from, to.size());
  if (to.empty()) return;
  const auto* const at = static_cast<const std::byte*>(from);
  const split_range parts = split(memory().base(), at, to.size());
  if (parts.pages.count == 0 || !read_pages(parts.pages, to.data() + parts.head)) {
    std::memcpy(to.data(), at, to.size());
    return;
  }
  std::memcpy(to.data(), at, parts.head);
  const std::size_t rest = to.size() - parts.tail;
  std::memcpy(to.data() + rest, at + rest, parts.tail);
}

void datastore::copy_out(std::span<const page_copy> copies) {
  std::vector<detail::page_run> pages;
  std::vector<std::byte*> to;
  pages.reserve(copies.size());
  to.reserve(copies.size());
  for (const page_copy& one : copies) {
    pages.push_back(pages_of(one.from, one.bytes));
    to.push_back(one.to);
    const auto is_whole = [](const void* address) {
      return reinterpret_cast<std::uintptr_t>(address) % page_size == 0;
    };
    if (!is_whole(one.to) || !is_whole(one.from) || one.bytes % page_size != 0)
      throw error(errc::invalid_argument,
                  "what is copied from " + path().string() + " is not whole pages at whole pages");
  }
  if (copies.empty() || read_scattered(pages, to)) return;
  for (const page_copy& one : copies)
    if (one.bytes != 0) std::memcpy(one.to, one.from, one.bytes);
}

void datastore::make_writable(void* address, std::size_t bytes) {
  const detail::page_run pages = pages_of(address, bytes);
  if (memory().read_only())
    throw error(errc::read_only, path().string() + " is open for reading: open it for writing");
  if (pages.count != 0)
    store::reporting("prepare memory to be stored to of", path(), [&] { admit_ahead(pages); });
}

}  // namespace perdure
