// bzip2, by libbz2: a sequence of streams, as pbzip2 and lbzip2 write them too.
#include <bzlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "decoders.hpp"

namespace perdure::workload {
namespace {

class bzip2_decoder final : public decoder {
 public:
  bzip2_decoder() { begin(); }
  ~bzip2_decoder() override { BZ2_bzDecompressEnd(&state_); }

  decoded decode(std::span<const char> in, std::span<char> out, bool) override {
    if (is_between_ && !in.empty()) {
      BZ2_bzDecompressEnd(&state_);
      begin();
    }
    if (is_between_) return {};
    constexpr std::size_t most = std::numeric_limits<unsigned>::max();
    const auto given = static_cast<unsigned>(std::min(in.size(), most));
    const auto room = static_cast<unsigned>(std::min(out.size(), most));
    state_.next_in = const_cast<char*>(in.data());
    state_.avail_in = given;
    state_.next_out = out.data();
    state_.avail_out = room;
    switch (BZ2_bzDecompress(&state_)) {
      case BZ_OK:
        break;
      case BZ_STREAM_END:
        is_between_ = true;
        break;
      case BZ_MEM_ERROR:
        throw std::bad_alloc();
      case BZ_DATA_ERROR_MAGIC:
        throw bad_data{"bytes that are not bzip2 follow"};
      default:
        throw bad_data{"bad block"};
    }
    return {given - state_.avail_in, room - state_.avail_out};
  }
  bool may_end() const noexcept override { return is_between_; }

 private:
  void begin() {
    state_ = {};
    if (BZ2_bzDecompressInit(&state_, 0, 0) != BZ_OK) throw std::bad_alloc();
    is_between_ = false;
  }

  bz_stream state_{};
  bool is_between_ = false;  // a stream has come to its end, and no other has begun
};

}  // namespace

std::unique_ptr<decoder> make_bzip2_decoder() {
  return std::make_unique<bzip2_decoder>();
}

}  // namespace perdure::workload
