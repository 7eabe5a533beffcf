// gzip, by zlib: a sequence of members, each with a check sum; zero bytes behind the last one are padding.
#include <zlib.h>

#include <algorithm>
#include <new>

#include "decoders.hpp"

namespace perdure::workload {
namespace {

class gzip_decoder final : public decoder {
 public:
  gzip_decoder() {
    // 16: gzip header and trailer, the check sum verified.
    if (inflateInit2(&state_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~gzip_decoder() override { inflateEnd(&state_); }

  decoded decode(std::span<const char> in, std::span<char> out, bool) override {
    std::size_t padding = 0;
    if (between_members_) {
      if (!first_member_) padding = padding_of(in);
      if (padding == in.size()) return {padding, 0};
      begin_member(in[padding]);
    }
    // zlib's interface is older than const.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data() + padding));
    state_.avail_in = static_cast<uInt>(in.size() - padding);
    state_.next_out = reinterpret_cast<Bytef*>(out.data());
    state_.avail_out = static_cast<uInt>(out.size());
    const int status = inflate(&state_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      between_members_ = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw bad_data{state_.msg != nullptr ? state_.msg : "bad stream"};
    }
    return {in.size() - state_.avail_in, out.size() - state_.avail_out};
  }
  bool may_end() const noexcept override { return between_members_; }

 private:
  static std::size_t padding_of(std::span<const char> in) noexcept {
    return static_cast<std::size_t>(std::find_if(in.begin(), in.end(), [](char c) { return c != 0; }) -
                                    in.begin());
  }

  void begin_member(char first) {
    if (!first_member_) {
      if (first != '\x1f') throw bad_data{"bytes that are not gzip follow"};
      inflateReset(&state_);
    }
    first_member_ = false;
    between_members_ = false;
  }

  z_stream state_{};
  bool first_member_ = true;
  bool between_members_ = true;
};

}  // namespace

std::unique_ptr<decoder> make_gzip_decoder() {
  return std::make_unique<gzip_decoder>();
}

}  // namespace perdure::workload
