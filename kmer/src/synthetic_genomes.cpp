// A base is computed from the root downwards: at each level a number drawn for the taxon and the position
// says whether the base is replaced, and by which.
#include <algorithm>
#include <cmath>
#include <perdure/error.hpp>
#include <perdure/kmer/synthetic_genomes.hpp>
#include <perdure/workload/counted_random.hpp>
#include <string_view>

namespace perdure::kmer {
namespace {

constexpr std::uint64_t children = 4;
constexpr std::array<std::string_view, 7> ranks{"no rank", "phylum", "class",  "order",
                                                "family",  "genus",  "species"};
constexpr std::array<std::string_view, 7> names_of_ranks{"Root",   "Phylum", "Class",  "Order",
                                                         "Family", "Genus",  "Species"};
constexpr std::string_view letters = "ACGT";

/// Returns a number below `end`.
std::uint64_t scaled(std::uint64_t draw, std::uint64_t end) {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<wide>(draw) * end >> 64);
}

/// Returns a share as a number of 2^62.
std::uint64_t limit_of(double share) {
  return static_cast<std::uint64_t>(std::ldexp(share, 62));
}

/// Replaces a base, 0 to 3, by another one where the draw says so.
char replaced(char base, std::uint64_t draw, std::uint64_t limit) {
  const auto other = static_cast<char>((static_cast<std::uint64_t>(base) + 1 + (draw & 0xffff) % 3) & 3);
  return draw >> 2 < limit ? other : base;
}

void check(bool is_right, const char* what) {
  if (!is_right) throw error(errc::invalid_argument, std::string("synthetic genomes: ") + what);
}

/// The character of FASTQ for the quality of bases of which this share is wrong.
char quality_of(double errors) {
  const double phred = errors > 0 ? -10 * std::log10(errors) : 40;
  return static_cast<char>('!' + static_cast<int>(std::clamp(phred, 0.0, 40.0)));
}

}  // namespace

synthetic_genomes::synthetic_genomes(const synthetic_parameters& parameters) : parameters_(parameters) {
  const synthetic_parameters& p = parameters_;
  check(p.taxa >= 1 && p.taxa <= std::uint64_t{1} << 30, "there are 1 to 2^30 taxa");
  check(p.genome_bases >= 1 && p.genome_bases <= std::uint64_t{1} << 32, "a genome has 1 to 2^32 bases");
  check(p.mutation >= 0 && p.mutation <= 1, "the share of mutated bases is from 0 to 1");
  check(p.errors >= 0 && p.errors <= 1, "the share of wrong bases is from 0 to 1");
  check(p.read_bases >= 1 && (p.reads == 0 || p.read_bases <= p.genome_bases),
        "a read has at least one base, and no more than a genome");
  lines_of_genome_ = (p.genome_bases + line_bases - 1) / line_bases;
  mutation_limit_ = limit_of(p.mutation);
  error_limit_ = limit_of(p.errors);
  genomes_key_ = workload::mixed(p.seed + workload::golden_step);
  reads_key_ = workload::mixed(genomes_key_ + workload::golden_step);
  counts_.back() = p.taxa;
  for (std::size_t level = levels - 1; level-- > 1;)
    counts_[level] = (counts_[level + 1] + children - 1) / children;
  counts_[0] = 1;
  for (std::size_t level = 1; level < levels; ++level) first_[level] = first_[level - 1] + counts_[level - 1];
}

void synthetic_genomes::append_taxa(std::uint64_t first, std::uint64_t last, std::string& nodes,
                                    std::string& names) const {
  static constexpr std::string_view between = "\t|\t";
  static constexpr std::string_view end = "\t|\n";
  for (std::uint64_t node = first; node < last; ++node) {
    const auto above = std::upper_bound(first_.begin(), first_.end(), node);
    const auto level = static_cast<std::size_t>(above - first_.begin()) - 1;
    const std::uint64_t number = node - first_[level];
    const std::uint64_t parent = level <= 1 ? 0 : first_[level - 1] + number / children;
    const std::string id = std::to_string(node + 1);
    nodes.append(id).append(between).append(std::to_string(parent + 1)).append(between);
    nodes.append(ranks[level]).append(end);
    names.append(id).append(between).append(names_of_ranks[level]);
    if (level != 0) names.append(" ").append(std::to_string(number + 1));
    names.append(between).append(between).append("scientific name").append(end);
  }
}

void synthetic_genomes::draw_bases(std::uint64_t species, std::uint64_t position,
                                   std::span<char> to) const noexcept {
  const std::uint64_t root = workload::random_number(genomes_key_, 0);
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<char>(workload::random_number(root, position + i) & 3);
  std::uint64_t width = 1;  // species of a taxon
  for (std::size_t level = 2; level < levels; ++level) width *= children;
  for (std::size_t level = 1; level < levels; ++level, width /= children) {
    const std::uint64_t key = workload::random_number(genomes_key_, first_[level] + species / width);
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = replaced(to[i], workload::random_number(key, position + i), mutation_limit_);
  }
  for (char& base : to) base = letters[static_cast<std::size_t>(base)];
}

void synthetic_genomes::append_genomes(std::uint64_t first, std::uint64_t last, std::string& fasta) const {
  std::array<char, line_bases> line;
  for (std::uint64_t i = first; i < last; ++i) {
    const std::uint64_t species_number = i / lines_of_genome_;
    const std::uint64_t position = i % lines_of_genome_ * line_bases;
    if (position == 0)
      fasta.append(">kraken:taxid|").append(std::to_string(species(species_number))).append("|genome\n");
    const std::span<char> bases =
        std::span<char>(line).first(std::min(line_bases, parameters_.genome_bases - position));
    draw_bases(species_number, position, bases);
    fasta.append(bases.data(), bases.size()).append("\n");
  }
}

read_origin synthetic_genomes::origin(std::uint64_t read) const noexcept {
  const std::uint64_t key = workload::random_number(reads_key_, read);
  const std::uint64_t places = parameters_.genome_bases - parameters_.read_bases + 1;
  return {species(scaled(workload::mixed(key + workload::golden_step), parameters_.taxa)),
          scaled(workload::mixed(key + 2 * workload::golden_step), places),
          (workload::mixed(key + 3 * workload::golden_step) & 1) != 0};
}

void synthetic_genomes::append_reads(std::uint64_t first, std::uint64_t last, std::string& fastq,
                                     std::string& truth) const {
  std::string bases(parameters_.read_bases, ' ');
  const std::string qualities(bases.size(), quality_of(parameters_.errors));
  for (std::uint64_t read = first; read < last; ++read) {
    const read_origin from = origin(read);
    draw_bases(from.taxon - species(0), from.position, bases);
    if (from.is_reverse_complement) {
      std::reverse(bases.begin(), bases.end());
      for (char& base : bases) base = letters[3 - letters.find(base)];
    }
    const std::uint64_t key = workload::random_number(reads_key_ + 1, read);
    for (std::size_t i = 0; i < bases.size(); ++i) {
      const auto code = static_cast<char>(letters.find(bases[i]));
      bases[i] =
          letters[static_cast<std::size_t>(replaced(code, workload::random_number(key, i), error_limit_))];
    }
    const std::string name = "r" + std::to_string(read + 1);
    fastq.append("@").append(name).append("\n").append(bases).append("\n+\n").append(qualities).append("\n");
    truth.append(name).append("\t").append(std::to_string(from.taxon)).append("\t");
    truth.append(std::to_string(from.position + 1)).append(from.is_reverse_complement ? "\t-\n" : "\t+\n");
  }
}

}  // namespace perdure::kmer
