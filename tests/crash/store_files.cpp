#include "crash/store_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "store/file/super_block.hpp"

namespace perdure::crash {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::runtime_error(path.string() + ": " + std::strerror(errno));
}

struct descriptor {
  int number;
  ~descriptor() { ::close(number); }
};

file_bytes read_file(const std::filesystem::path& path) {
  const descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status;
  if (file.number < 0 || ::fstat(file.number, &status) != 0) fail(path);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  file_bytes content;
  content.resize(size);
  file_bytes::block bytes;
  for (off_t at = 0;;) {
    at = ::lseek(file.number, at, SEEK_DATA);
    if (at < 0) break;
    at = at / static_cast<off_t>(bytes.size()) * static_cast<off_t>(bytes.size());
    const ssize_t got = ::pread(file.number, bytes.data(), bytes.size(), at);
    if (got < 0) fail(path);
    const auto count = static_cast<std::size_t>(got);
    const bool zero =
        std::all_of(bytes.begin(), bytes.begin() + got, [](std::byte b) { return b == std::byte{0}; });
    if (!zero) content.write(static_cast<std::uint64_t>(at), bytes.data(), count);
    at += static_cast<off_t>(bytes.size());
  }
  return content;
}

void write_file(const file_bytes& content, const std::filesystem::path& path) {
  const descriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (file.number < 0) fail(path);
  if (::ftruncate(file.number, static_cast<off_t>(content.size())) != 0) fail(path);
  for (const auto& [number, bytes] : content.blocks()) {
    const std::uint64_t begin = number * bytes->size();
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes->size(), content.size() - begin));
    if (::pwrite(file.number, bytes->data(), count, static_cast<off_t>(begin)) != static_cast<ssize_t>(count))
      fail(path);
  }
}

}  // namespace

file_bytes::block& file_bytes::own(std::uint64_t number) {
  std::shared_ptr<const block>& held = blocks_[number];
  auto copy = held ? std::make_shared<block>(*held) : std::make_shared<block>();
  block& bytes = *copy;
  held = std::move(copy);
  return bytes;
}

void file_bytes::resize(std::uint64_t bytes) {
  if (bytes < size_) {
    blocks_.erase(blocks_.lower_bound((bytes + block_size - 1) / block_size), blocks_.end());
    if (bytes % block_size != 0 && blocks_.contains(bytes / block_size)) {
      block& last = own(bytes / block_size);
      std::fill(last.begin() + static_cast<std::ptrdiff_t>(bytes % block_size), last.end(), std::byte{0});
    }
  }
  size_ = bytes;
}

void file_bytes::read(std::uint64_t offset, void* to, std::size_t bytes) const {
  auto* out = static_cast<std::byte*>(to);
  while (bytes != 0) {
    const std::size_t within = static_cast<std::size_t>(offset % block_size);
    const std::size_t count = std::min(bytes, block_size - within);
    const auto found = blocks_.find(offset / block_size);
    if (found == blocks_.end()) {
      std::memset(out, 0, count);
    } else {
      std::memcpy(out, found->second->data() + within, count);
    }
    out += count;
    offset += count;
    bytes -= count;
  }
}

void file_bytes::write(std::uint64_t offset, const void* from, std::size_t bytes) {
  const auto* in = static_cast<const std::byte*>(from);
  size_ = std::max(size_, offset + bytes);
  while (bytes != 0) {
    const std::size_t within = static_cast<std::size_t>(offset % block_size);
    const std::size_t count = std::min(bytes, block_size - within);
    std::memcpy(own(offset / block_size).data() + within, in, count);
    in += count;
    offset += count;
    bytes -= count;
  }
}

store_files read_files(const std::filesystem::path& directory) {
  store_files files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.is_regular_file()) files[entry.path().filename().string()] = read_file(entry.path());
  }
  return files;
}

void write_files(const store_files& files, const std::filesystem::path& directory) {
  std::filesystem::remove_all(directory);
  std::filesystem::create_directory(directory);
  store::trust_copies(true);
  for (const auto& [name, content] : files) write_file(content, directory / name);
}

}  // namespace perdure::crash
