// Feeds a decoder from a file, and says of damage which file has it.
#include "decoding_stream.hpp"

#include <algorithm>
#include <perdure/error.hpp>
#include <utility>

namespace perdure::workload {
namespace {

constexpr std::size_t input_size = std::size_t{1} << 18;
// zlib counts in 32 bits.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

}  // namespace

decoding_stream::decoding_stream(std::unique_ptr<file_stream> file, std::unique_ptr<decoder> decoder,
                                 const char* format)
    : file_(std::move(file)), decoder_(std::move(decoder)), format_(format), input_(input_size) {}

std::size_t decoding_stream::read(char* out, std::size_t size) {
  size = std::min(size, most_at_once);
  if (size == 0) return 0;
  for (;;) {
    if (begin_ == end_ && !file_ended_) {
      begin_ = 0;
      end_ = file_->read(input_.data(), input_.size());
      file_ended_ = end_ == 0;
    }
    decoded step;
    try {
      step = decoder_->decode({input_.data() + begin_, end_ - begin_}, {out, size}, file_ended_);
    } catch (const bad_data& damage) {
      throw error(errc::bad_input, name() + ": the " + format_ + " data is damaged (" + damage.what + ")");
    }
    begin_ += step.taken;
    if (step.given != 0) return step.given;
    if (step.taken != 0 || (begin_ == end_ && !file_ended_)) continue;
    if (decoder_->may_end()) return 0;
    throw error(errc::bad_input, name() + ": the " + format_ + " data ends too early (truncated file?)");
  }
}

}  // namespace perdure::workload
