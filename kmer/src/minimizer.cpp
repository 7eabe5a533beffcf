// A sequence is cut into stretches without ambiguous bases. Of each all l-mers are computed, then the
// smallest of each window of them, by doubling: the minima of windows of 2, 4, … give those of any width.
#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/kmer/minimizer.hpp>
#include <perdure/kmer/nucleotide.hpp>
#include <string>

namespace perdure::kmer {
namespace {

/// The constant of the exclusive or, as published with Kraken 2.
constexpr std::uint64_t toggle_bits = 0xe37e28c4271b5a2d;

std::uint64_t seed_of(unsigned spaces, std::uint64_t letters) {
  std::uint64_t left_out = 0;
  for (unsigned i = 0; i < spaces; ++i) left_out |= std::uint64_t{3} << (4 * i + 2);
  return letters & ~left_out;
}

void add_run(std::vector<minimizer_run>& runs, std::size_t first, std::uint64_t minimizer,
             std::size_t kmers) {
  if (kmers == 0) return;
  if (runs.size() > first && runs.back().minimizer == minimizer) {
    runs.back().kmers += static_cast<std::uint32_t>(kmers);
    return;
  }
  runs.push_back({minimizer, static_cast<std::uint32_t>(kmers)});
}

}  // namespace

std::string letters_of(std::uint64_t minimizer, const minimizer_scheme& scheme) {
  std::string letters(scheme.l, '.');
  for (std::size_t i = scheme.l; i-- > 0; minimizer >>= 2) {
    const std::size_t behind = scheme.l - 1 - i;
    if (behind % 2 == 0 || behind >= std::size_t{2} * scheme.spaces) letters[i] = "ACGT"[minimizer & 3];
  }
  return letters;
}

minimizer_scanner::minimizer_scanner(const minimizer_scheme& scheme) : scheme_(scheme) {
  if (scheme.l == 0 || scheme.l > 31 || scheme.k < scheme.l || scheme.spaces * 4 > scheme.l)
    throw error(errc::invalid_argument,
                "minimizers of " + std::to_string(scheme.l) + " bases with " + std::to_string(scheme.spaces) +
                    " left out, of k-mers of " + std::to_string(scheme.k) +
                    ": there are those of 1 to 31 bases, at most k, of which at most a quarter is left out");
  letters_ = (std::uint64_t{1} << (2 * scheme.l)) - 1;
  seed_ = seed_of(scheme.spaces, letters_);
  toggle_ = toggle_bits & letters_;
}

void minimizer_scanner::scan(std::string_view bases, std::vector<minimizer_run>& runs) {
  if (bases.size() < scheme_.k) return;
  first_run_ = runs.size();
  const auto is_ambiguous = [](char letter) { return code_of_nucleotide(letter) >= ambiguous_nucleotide; };
  std::size_t begin = 0;
  for (;;) {
    const auto at = bases.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto end = static_cast<std::size_t>(std::find_if(at, bases.end(), is_ambiguous) - bases.begin());
    scan_stretch(bases.substr(0, end), begin, runs);
    if (end == bases.size()) return;
    begin = end + 1;
    // The k-mer that ends with the ambiguous base.
    if (begin >= scheme_.k) add_run(runs, first_run_, no_minimizer, 1);
  }
}

void minimizer_scanner::scan_stretch(std::string_view bases, std::size_t begin,
                                     std::vector<minimizer_run>& runs) {
  const std::size_t k = scheme_.k;
  const std::size_t l = scheme_.l;
  const std::size_t count = bases.size() - begin;  // of the stretch, with which `bases` ends
  // Number of k-mers that end in the stretch.
  const std::size_t ending = std::min(count, bases.size() - std::min(bases.size(), k - 1));
  const std::size_t width = k - l + 1;
  // Behind an ambiguous base the first window has one l-mer less.
  const bool has_short_window = begin != 0 && width > 1 && count >= k - 1;
  const std::size_t whole = count >= k ? count - k + 1 : 0;
  const std::size_t with_minimizer = whole + (has_short_window ? 1 : 0);
  add_run(runs, first_run_, no_minimizer, ending - with_minimizer);
  if (with_minimizer == 0) return;

  const std::size_t windows = count - l + 1;
  candidates_.resize(windows);
  std::uint64_t forward = 0;
  std::uint64_t backward = 0;
  const auto add = [&, high = 2 * (l - 1)](char letter) {
    const std::uint64_t code = code_of_nucleotide(letter);
    forward = (forward << 2 | code) & letters_;
    backward = backward >> 2 | (3 - code) << high;
  };
  const char* const stretch = bases.data() + begin;
  for (std::size_t i = 0; i + 1 < l; ++i) add(stretch[i]);
  for (std::size_t i = 0; i < windows; ++i) {
    add(stretch[i + l - 1]);
    candidates_[i] = (std::min(forward, backward) & seed_) ^ toggle_;
  }

  if (has_short_window) {
    const std::uint64_t least =
        *std::min_element(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(width - 1));
    add_run(runs, first_run_, least ^ toggle_, 1);
  }
  std::uint64_t* const least = candidates_.data();
  std::size_t size = windows;  // of `least`, each the minimum of `covered` candidates
  const auto widen = [&](std::size_t by) {
    size -= by;
    for (std::size_t i = 0; i < size; ++i) least[i] = std::min(least[i], least[i + by]);
  };
  if (whole == 0) return;
  std::size_t covered = 1;
  for (; covered * 2 <= width; covered *= 2) widen(covered);
  if (covered < width) widen(width - covered);

  for (std::size_t i = 0; i < whole;) {
    std::size_t next = i + 1;
    while (next < whole && least[next] == least[i]) ++next;
    add_run(runs, first_run_, least[i] ^ toggle_, next - i);
    i = next;
  }
}

}  // namespace perdure::kmer
