// What one format of compressed data does; decoding_stream.hpp reads files with it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace perdure::workload {

/// What a call of `decode` has taken and given.
struct decoded {
  std::size_t taken = 0;
  std::size_t given = 0;
};

/// Decodes a sequence of compressed files of one format.
class decoder {
 public:
  decoder() = default;
  decoder(const decoder&) = delete;
  decoder& operator=(const decoder&) = delete;
  virtual ~decoder() = default;

  /// Takes from `in` and writes to `out`, which is not empty, as far as it can. `in_ends`: nothing follows
  /// `in`. Throws `bad_data` and `std::bad_alloc`.
  virtual decoded decode(std::span<const char> in, std::span<char> out, bool in_ends) = 0;
  /// Whether what was taken so far may be all of it.
  virtual bool may_end() const noexcept = 0;
};

/// Compressed data that cannot be decoded: what is wrong, without the file's name.
struct bad_data {
  std::string what;
};

std::unique_ptr<decoder> make_gzip_decoder();
std::unique_ptr<decoder> make_zstd_decoder();
std::unique_ptr<decoder> make_xz_decoder();

}  // namespace perdure::workload
