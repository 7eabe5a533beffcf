// xz, by liblzma: a sequence of streams, with zero bytes of padding between them.
#include <lzma.h>

#include <algorithm>
#include <new>

#include "decoders.hpp"

namespace perdure::workload {
namespace {

// Presets take up to 65 MiB; who asks for more than this is damaged or means harm.
constexpr std::uint64_t most_memory = std::uint64_t{2} << 30;
// What the decoder takes beside the window.
constexpr std::uint64_t beside_window = std::uint64_t{1} << 20;

class xz_decoder final : public decoder {
 public:
  explicit xz_decoder(std::uint64_t memory) {
    if (lzma_stream_decoder(&state_, memory, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  ~xz_decoder() override { lzma_end(&state_); }

  decoded decode(std::span<const char> in, std::span<char> out, bool in_ends) override {
    if (ended_) return {};
    state_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    state_.avail_in = in.size();
    state_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_.avail_out = out.size();
    switch (lzma_code(&state_, in_ends ? LZMA_FINISH : LZMA_RUN)) {
      case LZMA_OK:
      case LZMA_BUF_ERROR:  // no progress: the caller sees it
        break;
      case LZMA_STREAM_END:
        ended_ = true;
        break;
      case LZMA_MEM_ERROR:
        throw std::bad_alloc();
      case LZMA_MEMLIMIT_ERROR:
        throw bad_data{"they ask for more memory than they can need, or than 2 GiB"};
      case LZMA_OPTIONS_ERROR:
        throw bad_data{"it uses what this version of liblzma does not know"};
      case LZMA_FORMAT_ERROR:
        throw bad_data{"not an xz file"};
      default:
        throw bad_data{"bad block, or bytes that are not xz follow"};
    }
    return {in.size() - state_.avail_in, out.size() - state_.avail_out};
  }
  bool may_end() const noexcept override { return ended_; }

 private:
  lzma_stream state_ = LZMA_STREAM_INIT;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<decoder> make_xz_decoder() {
  return std::make_unique<xz_decoder>(most_memory);
}

std::unique_ptr<decoder> make_xz_decoder(std::uint64_t most_window) {
  return std::make_unique<xz_decoder>(std::min(most_window, most_memory - beside_window) + beside_window);
}

}  // namespace perdure::workload
