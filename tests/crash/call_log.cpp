#include "crash/call_log.hpp"

#include <algorithm>
#include <cstring>

namespace perdure::crash {

logged_call write_call(inode_number file, std::uint64_t offset, std::span<const std::byte> bytes) {
  logged_call call{.what = logged::write, .target = file, .offset = offset, .bytes = bytes.size()};
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t within = static_cast<std::size_t>((offset + at) % disk_page);
    const std::size_t here = std::min(bytes.size() - at, disk_page - within);
    std::array<std::byte, disk_page> page{};
    std::memcpy(page.data() + within, bytes.data() + at, here);
    call.pieces.push_back({(offset + at) / disk_page, static_cast<std::uint32_t>(within),
                           static_cast<std::uint32_t>(within + here), make_page(page), all_lines});
    at += here;
  }
  return call;
}

void apply_whole(const logged_call& call, disk_image& image) {
  switch (call.what) {
    case logged::create:
      image.make(call.other, call.is_directory);
      image.link(call.target, call.name, call.other);
      break;
    case logged::write:
    case logged::lost:
      for (const page_write& piece : call.pieces) image.write(call.target, piece, all_lines);
      break;
    case logged::resize:
      image.resize(call.target, call.bytes);
      break;
    case logged::punch:
      image.punch(call.target, call.offset, call.bytes);
      break;
    case logged::rename:
      image.unlink(call.target, call.name);
      image.link(call.new_directory, call.new_name, call.other);
      break;
    case logged::remove:
      image.unlink(call.target, call.name);
      break;
    default:
      break;
  }
}

void learn_names(const logged_call& call, file_names& names) {
  if (call.what == logged::create) names[call.other] = call.name;
  if (call.what == logged::rename) names[call.other] = call.new_name;
}

std::string describe(const logged_call& call, const file_names& names) {
  const auto known = names.find(call.target);
  std::string target(1, '#');
  if (known != names.end())
    target = known->second;
  else
    target += std::to_string(call.target);
  switch (call.what) {
    case logged::create:
      return "create " + call.name + " in " + target;
    case logged::persist:
      return "persist " + target + " at " + std::to_string(call.offset) + ", " + std::to_string(call.bytes) +
             " bytes";
    case logged::write:
      if (call.is_store) {
        return "store to " + target + ", " + std::to_string(call.pieces.size()) + " pages from " +
               std::to_string(call.pieces.front().page);
      }
      return "write " + target + " at " + std::to_string(call.offset) + ", " + std::to_string(call.bytes) +
             " bytes";
    case logged::resize:
      return "resize " + target + " to " + std::to_string(call.bytes);
    case logged::punch:
      return "punch " + target + " at " + std::to_string(call.offset) + ", " + std::to_string(call.bytes) +
             " bytes";
    case logged::rename:
      return "rename " + call.name + " in " + target + " to " + call.new_name;
    case logged::remove:
      return "remove " + call.name + " in " + target;
    case logged::sync_begun:
      return "sync of " + target + " begins";
    case logged::sync_ended:
      return "sync of " + target + " ends";
    case logged::sync_failed:
      return "sync of " + target + " fails";
    case logged::lost:
      return "write-back of " + target + " fails, " + std::to_string(call.pieces.size()) + " pages are lost";
    case logged::attempt:
      return "attempt " + std::to_string(call.number);
    case logged::promise:
      return "attempt " + std::to_string(call.number) + " is promised to be durable";
    case logged::preparing:
      return "attempt " + std::to_string(call.number) + ", in two phases";
    case logged::prepared:
      return "attempt " + std::to_string(call.number) + " is prepared";
    case logged::abandoning:
      return "what is prepared is abandoned";
    case logged::withdrawal:
      return "the attempt failed";
  }
  return {};
}

}  // namespace perdure::crash
