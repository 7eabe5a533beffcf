// Deflate, raw and in zlib's own frame, and the checksum of zip archives, by zlib.
#include <zlib.h>

#include <algorithm>
#include <new>

#include "decoders.hpp"

namespace perdure::workload {
namespace {

constexpr std::size_t encoded_buffer = std::size_t{1} << 18;
// zlib counts in 32 bits.
constexpr std::size_t most_deflated_at_once = std::size_t{1} << 30;

class deflate_decoder final : public decoder {
 public:
  /// `window_bits` as zlib takes them: negative without its own header and checksum.
  explicit deflate_decoder(int window_bits) {
    if (inflateInit2(&state_, window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~deflate_decoder() override { inflateEnd(&state_); }

  decoded decode(std::span<const char> in, std::span<char> out, bool) override {
    if (ended_) return {};
    in = in.first(std::min(in.size(), most_deflated_at_once));
    out = out.first(std::min(out.size(), most_deflated_at_once));
    // zlib's interface is older than const.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    state_.avail_in = static_cast<uInt>(in.size());
    state_.next_out = reinterpret_cast<Bytef*>(out.data());
    state_.avail_out = static_cast<uInt>(out.size());
    const int status = inflate(&state_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    ended_ = status == Z_STREAM_END;
    if (!ended_ && status != Z_OK && status != Z_BUF_ERROR)
      throw bad_data{state_.msg != nullptr ? state_.msg : "bad stream"};
    return {in.size() - state_.avail_in, out.size() - state_.avail_out};
  }
  bool may_end() const noexcept override { return ended_; }

 private:
  z_stream state_{};
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<decoder> make_deflate_decoder() {
  return std::make_unique<deflate_decoder>(-MAX_WBITS);
}

std::unique_ptr<decoder> make_zlib_decoder() {
  return std::make_unique<deflate_decoder>(MAX_WBITS);
}

struct deflate_encoder::state {
  z_stream stream{};
  std::string out = std::string(encoded_buffer, '\0');

  void run(std::string_view bytes, int flush, const sink& to) {
    do {
      const std::string_view now = bytes.substr(0, most_deflated_at_once);
      bytes.remove_prefix(now.size());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(now.data()));
      stream.avail_in = static_cast<uInt>(now.size());
      do {
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        deflate(&stream, bytes.empty() ? flush : Z_NO_FLUSH);
        to(std::string_view(out).substr(0, out.size() - stream.avail_out));
      } while (stream.avail_out == 0);
    } while (!bytes.empty());
  }
};

deflate_encoder::deflate_encoder() : state_(std::make_unique<state>()) {
  if (deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
}

deflate_encoder::~deflate_encoder() {
  deflateEnd(&state_->stream);
}

void deflate_encoder::encode(std::string_view bytes, const sink& to) {
  state_->run(bytes, Z_NO_FLUSH, to);
}

void deflate_encoder::finish(const sink& to) {
  state_->run({}, Z_FINISH, to);
}

std::uint32_t crc32(std::uint32_t crc, std::string_view bytes) noexcept {
  uLong checksum = crc;
  while (!bytes.empty()) {
    const std::string_view now = bytes.substr(0, most_deflated_at_once);
    checksum = ::crc32(checksum, reinterpret_cast<const Bytef*>(now.data()), static_cast<uInt>(now.size()));
    bytes.remove_prefix(now.size());
  }
  return static_cast<std::uint32_t>(checksum);
}

}  // namespace perdure::workload
