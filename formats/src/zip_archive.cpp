// Reads and writes zip archives, those beyond 4 GiB too.
#include "zip_archive.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <perdure/error.hpp>
#include <perdure/workload/compression.hpp>
#include <span>
#include <utility>

namespace perdure::formats {

namespace {

constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t central_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t end64_signature = 0x06064b50;
constexpr std::uint32_t locator64_signature = 0x07064b50;
constexpr std::uint32_t descriptor_signature = 0x08074b50;
constexpr std::uint16_t extra64 = 1;
constexpr std::uint32_t in_extra = 0xffffffff;  // the 64-bit field has it
constexpr std::uint64_t most_members = std::uint64_t{1} << 20;
constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

/// Little-endian fields of a record.
class record {
 public:
  record(const input_file& file, std::uint64_t at, std::size_t bytes) : bytes_(bytes) {
    file.read_at(at, std::as_writable_bytes(std::span(bytes_)));
  }
  explicit record(std::vector<unsigned char> bytes) : bytes_(std::move(bytes)) {}

  std::uint64_t number(std::size_t at, unsigned width) const {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < width && at + i < bytes_.size(); ++i)
      value |= std::uint64_t{bytes_[at + i]} << (8 * i);
    return value;
  }
  std::size_t size() const noexcept { return bytes_.size(); }
  std::string text(std::size_t at, std::size_t length) const {
    return {reinterpret_cast<const char*>(bytes_.data()) + at, length};
  }

 private:
  std::vector<unsigned char> bytes_;
};

struct directory {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t members = 0;
};

directory find_directory(const input_file& archive) {
  constexpr std::size_t end_bytes = 22;
  constexpr std::size_t longest_comment = 65535;
  if (archive.size() < end_bytes) archive.refuse("it is too short for a zip archive");
  const std::size_t tail = std::min<std::uint64_t>(archive.size(), end_bytes + longest_comment);
  const std::uint64_t tail_begin = archive.size() - tail;
  const std::string text = archive.text_at(tail_begin, tail);
  const std::string wanted("PK\5\6", 4);
  const std::size_t found = text.rfind(wanted, tail - end_bytes);
  if (found == std::string::npos) archive.refuse("it is no zip archive: its directory is missing");
  const record end(archive, tail_begin + found, end_bytes);
  directory result{end.number(16, 4), end.number(12, 4), end.number(10, 2)};
  const bool needs64 = result.begin == in_extra || result.bytes == in_extra || result.members == 0xffff;
  constexpr std::size_t locator_bytes = 20;
  if (needs64 && tail_begin + found >= locator_bytes) {
    const record locator(archive, tail_begin + found - locator_bytes, locator_bytes);
    if (locator.number(0, 4) == locator64_signature) {
      const record end64(archive, locator.number(8, 8), 56);
      if (end64.number(0, 4) != end64_signature) archive.refuse("its 64-bit directory is missing");
      result = {end64.number(48, 8), end64.number(40, 8), end64.number(32, 8)};
    }
  }
  if (result.begin > archive.size() || result.bytes > archive.size() - result.begin)
    archive.refuse("its directory lies outside");
  if (result.members > most_members) archive.refuse("its directory lists more members than can be");
  return result;
}

/// Reads the 64-bit sizes and the offset of a member from its extra field.
void read_extra64(const input_file& archive, const record& extra, zip_member& member, bool header) {
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const std::uint64_t id = extra.number(at, 2);
    const std::uint64_t bytes = extra.number(at + 2, 2);
    at += 4;
    if (bytes > extra.size() - at) archive.refuse("a member's extra field is cut short");
    if (id == extra64) {
      const std::size_t end = at + bytes;
      std::size_t next = at;
      const auto take = [&](std::uint64_t& value) {
        if (value != in_extra || end - next < 8) return;
        value = extra.number(next, 8);
        next += 8;
      };
      take(member.bytes);
      take(member.packed);
      if (header) take(member.header);
      return;
    }
    at += bytes;
  }
}

std::uint64_t content_begin(const input_file& archive, const zip_member& member) {
  constexpr std::size_t local_bytes = 30;
  const record local(archive, member.header, local_bytes);
  if (local.number(0, 4) != local_signature) archive.refuse("the member " + member.name + " is missing");
  return member.header + local_bytes + local.number(26, 2) + local.number(28, 2);
}

void check_stored(const input_file& archive, const zip_member& member, std::uint64_t begin) {
  std::vector<char> buffer(buffer_bytes);
  std::uint32_t checksum = 0;
  for (std::uint64_t at = 0; at < member.bytes;) {
    const std::span<char> now =
        std::span(buffer).first(std::min<std::uint64_t>(member.bytes - at, buffer.size()));
    archive.read_at(begin + at, std::as_writable_bytes(now));
    checksum = workload::crc32(checksum, {now.data(), now.size()});
    at += now.size();
  }
  if (checksum != member.checksum) archive.refuse("the member " + member.name + " contradicts its checksum");
}

input_file unpacked(const input_file& archive, const zip_member& member, std::uint64_t begin) {
  input_file out = input_file::unnamed();
  const std::unique_ptr<workload::decoder> decoding = workload::make_decoder(workload::codec::deflate);
  std::vector<char> from(buffer_bytes);
  std::vector<char> to(buffer_bytes);
  std::span<const char> packed;
  std::uint64_t left = member.packed;
  std::uint64_t made = 0;
  std::uint32_t checksum = 0;
  while (!decoding->may_end()) {
    if (packed.empty() && left != 0) {
      const std::size_t now = std::min<std::uint64_t>(left, from.size());
      archive.read_at(begin, std::as_writable_bytes(std::span(from).first(now)));
      begin += now;
      left -= now;
      packed = std::span<const char>(from).first(now);
    }
    workload::decoded step;
    try {
      step = decoding->decode(packed, to, left == 0);
    } catch (const workload::bad_data& damage) {
      archive.refuse("the compressed bytes of the member " + member.name + " are damaged (" + damage.what +
                     ')');
    }
    packed = packed.subspan(step.taken);
    made += step.given;
    if (made > member.bytes) archive.refuse("the member " + member.name + " is longer than it says");
    out.append(std::as_bytes(std::span(to).first(step.given)));
    checksum = workload::crc32(checksum, {to.data(), step.given});
    const bool is_stuck = step.taken == 0 && step.given == 0 && packed.empty() && left == 0;
    if (is_stuck && !decoding->may_end())
      archive.refuse("the compressed bytes of the member " + member.name +
                     " are damaged (they end too early)");
  }
  if (made != member.bytes || checksum != member.checksum)
    archive.refuse("the member " + member.name + " contradicts its length or its checksum");
  return out;
}

void append_number(std::string& out, std::uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
}

bool is_large(std::uint64_t value) noexcept {
  return value >= in_extra;
}

}  // namespace

std::vector<zip_member> list_zip(const input_file& archive) {
  const directory all = find_directory(archive);
  std::vector<zip_member> members;
  std::uint64_t at = all.begin;
  const std::uint64_t end = all.begin + all.bytes;
  constexpr std::size_t central_bytes = 46;
  for (std::uint64_t i = 0; i < all.members; ++i) {
    if (end - at < central_bytes) archive.refuse("its directory is cut short");
    const record entry(archive, at, central_bytes);
    if (entry.number(0, 4) != central_signature) archive.refuse("its directory is damaged");
    const std::uint64_t name = entry.number(28, 2);
    const std::uint64_t extra = entry.number(30, 2);
    const std::uint64_t whole = central_bytes + name + extra + entry.number(32, 2);
    if (whole > end - at) archive.refuse("its directory is cut short");
    zip_member member{archive.text_at(at + central_bytes, name),
                      entry.number(24, 4),
                      entry.number(20, 4),
                      entry.number(42, 4),
                      static_cast<std::uint32_t>(entry.number(16, 4)),
                      false};
    read_extra64(archive, record(archive, at + central_bytes + name, extra), member, true);
    const std::uint64_t method = entry.number(10, 2);
    if ((entry.number(8, 2) & 1U) != 0)
      throw error(errc::unsupported, archive.path().string() + ": its members are encrypted");
    if (method != 0 && method != 8)
      throw error(errc::unsupported, archive.path().string() + ": the member " + member.name +
                                         " is compressed by a method that is not known (" +
                                         std::to_string(method) + ")");
    member.is_deflated = method == 8;
    members.push_back(std::move(member));
    at += whole;
  }
  return members;
}

zip_content open_zip_member(const std::shared_ptr<const input_file>& archive, const zip_member& member) {
  const std::uint64_t begin = content_begin(*archive, member);
  if (begin > archive->size() || member.packed > archive->size() - begin)
    archive->refuse("the member " + member.name + " is cut short");
  if (!member.is_deflated) {
    if (member.packed != member.bytes)
      archive->refuse("the member " + member.name + " contradicts its length");
    return {archive, begin, member.bytes,
            [archive, member, begin] { check_stored(*archive, member, begin); }};
  }
  auto file = std::make_shared<const input_file>(unpacked(*archive, member, begin));
  return {file, 0, file->size()};
}

void zip_writer::put(std::string_view bytes) {
  to_(bytes);
  at_ += bytes.size();
}

// Checksum and packed length follow the member, since they are not known before.
void zip_writer::add(const std::string& name, std::uint64_t bytes,
                     const std::function<void(const byte_sink&)>& write) {
  zip_member member{name, bytes, 0, at_, 0, deflated_};
  // Deflating what cannot be deflated adds a little.
  const bool is_wide = is_large(bytes + bytes / 1000 + 1024);
  std::string header;
  append_number(header, local_signature, 4);
  append_number(header, is_wide ? 45 : 20, 2);
  append_number(header, 0x0808, 2);  // lengths follow; names are UTF-8
  append_number(header, deflated_ ? 8 : 0, 2);
  append_number(header, 0x00210000, 4);  // the first of January 1980: the same bytes from the same arrays
  append_number(header, 0, 4);
  append_number(header, is_wide ? in_extra : 0, 4);
  append_number(header, is_wide ? in_extra : 0, 4);
  append_number(header, name.size(), 2);
  append_number(header, is_wide ? 20 : 0, 2);
  header += name;
  if (is_wide) {
    append_number(header, extra64, 2);
    append_number(header, 16, 2);
    append_number(header, 0, 8);
    append_number(header, 0, 8);
  }
  put(header);
  const std::uint64_t begin = at_;
  std::uint32_t checksum = 0;
  std::uint64_t given = 0;
  const auto check = [&](std::string_view some) {
    given += some.size();
    checksum = workload::crc32(checksum, some);
  };
  const auto keep = [&](std::string_view some) { put(some); };
  if (deflated_) {
    workload::deflate_encoder encoding;
    write([&](std::string_view some) {
      check(some);
      encoding.encode(some, keep);
    });
    encoding.finish(keep);
  } else {
    write([&](std::string_view some) {
      check(some);
      put(some);
    });
  }
  if (given != bytes) throw error(errc::io, "the member " + name + " has changed while it was written");
  member.packed = at_ - begin;
  member.checksum = checksum;
  std::string descriptor;
  append_number(descriptor, descriptor_signature, 4);
  append_number(descriptor, member.checksum, 4);
  append_number(descriptor, member.packed, is_wide ? 8 : 4);
  append_number(descriptor, member.bytes, is_wide ? 8 : 4);
  put(descriptor);
  members_.push_back(std::move(member));
}

void zip_writer::finish() {
  const std::uint64_t begin = at_;
  for (const zip_member& member : members_) {
    std::string extra;
    const auto limited = [&](std::uint64_t value) -> std::uint64_t {
      if (!is_large(value)) return value;
      append_number(extra, value, 8);
      return in_extra;
    };
    const std::uint64_t bytes = limited(member.bytes);
    const std::uint64_t packed = limited(member.packed);
    const std::uint64_t header = limited(member.header);
    std::string entry;
    append_number(entry, central_signature, 4);
    append_number(entry, 0x031e, 2);  // made on Unix
    append_number(entry, extra.empty() ? 20 : 45, 2);
    append_number(entry, 0x0808, 2);
    append_number(entry, member.is_deflated ? 8 : 0, 2);
    append_number(entry, 0x00210000, 4);
    append_number(entry, member.checksum, 4);
    append_number(entry, packed, 4);
    append_number(entry, bytes, 4);
    append_number(entry, member.name.size(), 2);
    append_number(entry, extra.empty() ? 0 : extra.size() + 4, 2);
    append_number(entry, 0, 2);
    append_number(entry, 0, 4);
    append_number(entry, std::uint64_t{0100644} << 16, 4);
    append_number(entry, header, 4);
    entry += member.name;
    if (!extra.empty()) {
      append_number(entry, extra64, 2);
      append_number(entry, extra.size(), 2);
      entry += extra;
    }
    put(entry);
  }
  const std::uint64_t end = at_;
  std::string tail;
  const bool is_wide = is_large(end) || members_.size() >= 0xffff;
  if (is_wide) {
    append_number(tail, end64_signature, 4);
    append_number(tail, 44, 8);
    append_number(tail, 0x031e, 2);
    append_number(tail, 45, 2);
    append_number(tail, 0, 8);
    append_number(tail, members_.size(), 8);
    append_number(tail, members_.size(), 8);
    append_number(tail, end - begin, 8);
    append_number(tail, begin, 8);
    append_number(tail, locator64_signature, 4);
    append_number(tail, 0, 4);
    append_number(tail, end, 8);
    append_number(tail, 1, 4);
  }
  append_number(tail, end_signature, 4);
  append_number(tail, 0, 4);
  const std::uint64_t count = is_wide ? 0xffff : members_.size();
  append_number(tail, count, 2);
  append_number(tail, count, 2);
  append_number(tail, is_wide ? in_extra : end - begin, 4);
  append_number(tail, is_wide ? in_extra : begin, 4);
  append_number(tail, 0, 2);
  put(tail);
}

}  // namespace perdure::formats
