// zstd, by libzstd. Read is a sequence of frames, and frames to be skipped.
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>
#include <new>

#include "decoders.hpp"

namespace perdure::workload {
namespace {

class zstd_decoder final : public decoder {
 public:
  explicit zstd_decoder(int most_window_log) : state_(ZSTD_createDCtx()) {
    if (state_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(state_, ZSTD_d_windowLogMax, most_window_log);
  }
  ~zstd_decoder() override { ZSTD_freeDCtx(state_); }

  decoded decode(std::span<const char> in, std::span<char> out, bool) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    // Between frames a call without input would begin the next one.
    if (in.empty() && between_frames_) return {};
    const std::size_t status = ZSTD_decompressStream(state_, &to, &from);
    if (ZSTD_isError(status) != 0) {
      const ZSTD_ErrorCode code = ZSTD_getErrorCode(status);
      if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
      if (code == ZSTD_error_prefix_unknown) throw bad_data{"bytes that are not zstd follow"};
      if (code == ZSTD_error_frameParameter_windowTooLarge)
        throw bad_data{"they ask for a larger window than they can need"};
      throw bad_data{ZSTD_getErrorName(status)};
    }
    if (from.pos != 0 || to.pos != 0) between_frames_ = status == 0;
    return {from.pos, to.pos};
  }
  bool may_end() const noexcept override { return between_frames_; }

 private:
  ZSTD_DCtx* state_;
  bool between_frames_ = true;
};

}  // namespace

std::unique_ptr<decoder> make_zstd_decoder() {
  // As `zstd --long=31` writes them; the library's default is 27. The window takes memory as it is used.
  return std::make_unique<zstd_decoder>(ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
}

std::unique_ptr<decoder> make_zstd_decoder(std::uint64_t most_window) {
  const ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
  return std::make_unique<zstd_decoder>(
      std::clamp(static_cast<int>(std::bit_width(most_window - 1)), bounds.lowerBound, bounds.upperBound));
}

std::string compress_zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 0);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();
  out.resize(size);
  return out;
}

}  // namespace perdure::workload
