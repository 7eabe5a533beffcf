// Counts the numbers of an array, or of a sample of it.
#include "perdure/inspect/array_summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <perdure/array/array_pieces.hpp>
#include <perdure/float16.hpp>

namespace perdure::inspect {
namespace {

constexpr std::uint64_t pieces_of_sample = 64;
constexpr std::uint64_t elements_at_a_time = std::uint64_t{1} << 18;

template <class Number>
void append_numbers(std::vector<double>& to, const std::vector<std::byte>& bytes) {
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    to.push_back(static_cast<double>(number));
  }
}

/// Returns the function that turns bytes of this kind into numbers; null where they are no numbers.
auto reader_of(element_kind kind) -> void (*)(std::vector<double>&, const std::vector<std::byte>&) {
  switch (kind) {
    case element_kind::boolean:
    case element_kind::uint8:
      return append_numbers<std::uint8_t>;
    case element_kind::int8:
      return append_numbers<std::int8_t>;
    case element_kind::int16:
      return append_numbers<std::int16_t>;
    case element_kind::int32:
      return append_numbers<std::int32_t>;
    case element_kind::int64:
      return append_numbers<std::int64_t>;
    case element_kind::uint16:
      return append_numbers<std::uint16_t>;
    case element_kind::uint32:
      return append_numbers<std::uint32_t>;
    case element_kind::uint64:
      return append_numbers<std::uint64_t>;
    case element_kind::float16:
      return append_numbers<float16>;
    case element_kind::bfloat16:
      return append_numbers<bfloat16>;
    case element_kind::float32:
      return append_numbers<float>;
    case element_kind::float64:
      return append_numbers<double>;
    default:
      return nullptr;
  }
}

bool is_integer(element_kind kind) noexcept {
  return kind != element_kind::float16 && kind != element_kind::bfloat16 && kind != element_kind::float32 &&
         kind != element_kind::float64;
}

/// Returns the shape with its outer dimensions cut, so that it has no more than `most` elements.
extents cut_to(extents shape, std::uint64_t most) {
  for (std::size_t i = 0; i < shape.rank() && shape.elements() > most; ++i) {
    const std::uint64_t inner = shape.elements() / shape[i];
    shape[i] = std::max<std::uint64_t>(most / inner, 1);
  }
  return shape;
}

/// Returns the parts of a large array that stand for it.
std::vector<slab> sample_of(const array_info& info, std::uint64_t most) {
  const std::uint64_t most_each = std::max<std::uint64_t>(most / pieces_of_sample, 1);
  // An array without chunks is one of pieces that lie in a row.
  const extents cell = info.chunk.empty() ? cut_to(info.dims, most_each) : info.chunk;
  std::uint64_t cells = 1;
  for (std::size_t i = 0; i < info.dims.rank(); ++i) cells *= (info.dims[i] - 1) / cell[i] + 1;
  const std::uint64_t count = std::min({cells, pieces_of_sample, most});
  std::vector<slab> sample;
  for (std::uint64_t n = 0; n < count; ++n) {
    std::uint64_t rest =
        count == 1 ? 0 : n * ((cells - 1) / (count - 1)) + n * ((cells - 1) % (count - 1)) / (count - 1);
    slab part{extents::all(info.dims.rank(), 0), cell, {}};
    for (std::size_t i = info.dims.rank(); i-- > 0;) {
      const std::uint64_t along = (info.dims[i] - 1) / cell[i] + 1;
      part.offset[i] = rest % along * cell[i];
      part.count[i] = std::min(cell[i], info.dims[i] - part.offset[i]);
      rest /= along;
    }
    part.count = cut_to(part.count, most_each);
    sample.push_back(part);
  }
  return sample;
}

void count_into_bins(array_summary& found, const std::vector<double>& numbers, bool are_integers,
                     std::size_t most_bins) {
  // Halves, as the difference of two doubles may be none.
  const double half = found.largest / 2 - found.smallest / 2;
  std::size_t bins = half == 0 ? 1 : most_bins;
  // Each integer gets a bin of its own where there are few.
  if (are_integers && half * 2 < static_cast<double>(most_bins))
    bins = static_cast<std::size_t>(half * 2) + 1;
  found.bins.assign(bins, 0);
  const double end = are_integers ? half + 0.5 : half;
  for (const double one : numbers) {
    if (!std::isfinite(one)) continue;
    const double share = end == 0 ? 0 : (one / 2 - found.smallest / 2) / end;
    ++found.bins[std::min(static_cast<std::size_t>(share * static_cast<double>(bins)), bins - 1)];
  }
}

}  // namespace

std::optional<array_summary> summary_of(const untyped_arrays& arrays, const array_info& info,
                                        const summary_options& options) {
  const auto append = info.type.dims().empty() ? reader_of(info.type.kind()) : nullptr;
  if (append == nullptr) return std::nullopt;
  array_summary found;
  found.elements = info.dims.elements();
  std::vector<double> numbers;
  numbers.reserve(std::min(found.elements, options.most_elements));
  std::vector<std::byte> bytes;
  const auto read = [&](const slab& part) {
    bytes.resize(part.count.elements() * info.type.size());
    arrays.read(info.id, info.type, part,
                untyped_view::row_major(bytes.data(), part.count, info.type.size()));
    append(numbers, bytes);
  };
  if (found.elements <= options.most_elements) {
    const std::uint64_t grain = info.chunk.empty() ? 1 : info.chunk[0];
    for (array_pieces pieces(info.dims, elements_at_a_time, grain); pieces.next_elements() != 0;)
      read(pieces.next());
  } else {
    for (const slab& part : sample_of(info, options.most_elements)) read(part);
  }
  found.sampled = numbers.size();
  double sum = 0;
  std::uint64_t finite = 0;
  for (const double one : numbers) {
    if (!std::isfinite(one)) continue;
    found.smallest = finite == 0 ? one : std::min(found.smallest, one);
    found.largest = finite == 0 ? one : std::max(found.largest, one);
    // The mean so far, as the sum of large numbers may not be finite.
    const auto count = static_cast<double>(++finite);
    sum += one / count - sum / count;
  }
  found.not_finite = found.sampled - finite;
  found.mean = sum;
  if (finite != 0) count_into_bins(found, numbers, is_integer(info.type.kind()), options.most_bins);
  return found;
}

}  // namespace perdure::inspect
