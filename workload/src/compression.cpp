// Chooses decoders, and decompresses in one piece.
#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/workload/compression.hpp>

#include "decoders.hpp"

namespace perdure::workload {
namespace {

constexpr std::size_t decompression_step = std::size_t{1} << 18;
// Compressors that do not know how much comes choose a window of their level, up to this.
constexpr std::size_t usual_window = std::size_t{1} << 27;

const char* name_of(codec of) noexcept {
  switch (of) {
    case codec::gzip:
      return "gzip";
    case codec::deflate:
      return "deflate";
    case codec::zstd:
      return "zstd";
    case codec::bzip2:
      return "bzip2";
    case codec::zlib:
      return "zlib";
    default:
      return "xz";
  }
}

/// Returns a decoder of bytes of which `kept` are kept. Damaged bytes may ask for a window of gigabytes.
std::unique_ptr<decoder> decoder_of_piece(codec of, std::size_t kept) {
  const std::uint64_t most_window = std::max(kept, usual_window);
  if (of == codec::zstd) return make_zstd_decoder(most_window);
  if (of == codec::xz) return make_xz_decoder(most_window);
  return make_decoder(of);
}

}  // namespace

std::unique_ptr<decoder> make_decoder(codec of) {
  switch (of) {
    case codec::gzip:
      return make_gzip_decoder();
    case codec::deflate:
      return make_deflate_decoder();
    case codec::zstd:
      return make_zstd_decoder();
    case codec::bzip2:
      return make_bzip2_decoder();
    case codec::zlib:
      return make_zlib_decoder();
    default:
      return make_xz_decoder();
  }
}

std::string decompress(codec of, std::string_view packed, std::size_t most) {
  return decompress_beginning(of, packed, most, most).bytes;
}

beginning decompress_beginning(codec of, std::string_view packed, std::uint64_t most, std::size_t kept) {
  const auto refuse = [of](const std::string& why) -> error {
    return {errc::bad_input, std::string("its ") + name_of(of) + " bytes are damaged (" + why + ')'};
  };
  if (packed.empty()) throw refuse("there are none");
  const std::unique_ptr<decoder> decoding = decoder_of_piece(of, kept);
  beginning found;
  std::string dropped;
  for (;;) {
    // One byte more than may be, to notice it.
    const std::uint64_t room = std::min<std::uint64_t>(decompression_step, most - found.size + 1);
    const std::size_t have = found.bytes.size();
    const bool is_kept = have < kept;
    std::string& to = is_kept ? found.bytes : dropped;
    const std::size_t begin = is_kept ? have : 0;
    to.resize(begin + std::min<std::uint64_t>(room, is_kept ? kept - have : room));
    decoded step;
    try {
      step = decoding->decode(packed.substr(0, std::size_t{1} << 30), {to.data() + begin, to.size() - begin},
                              packed.size() <= (std::size_t{1} << 30));
    } catch (const bad_data& damage) {
      throw refuse(damage.what);
    }
    packed.remove_prefix(step.taken);
    if (is_kept) found.bytes.resize(have + step.given);
    found.size += step.given;
    if (found.size > most) throw refuse("they become more than " + std::to_string(most) + " bytes");
    if (step.taken != 0 || step.given != 0) continue;
    if (!packed.empty()) throw refuse("something else follows");
    if (!decoding->may_end()) throw refuse("they end too early");
    return found;
  }
}

}  // namespace perdure::workload
