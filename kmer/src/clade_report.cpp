#include <algorithm>
#include <array>
#include <cstdio>
#include <perdure/kmer/clade_report.hpp>
#include <string_view>
#include <utility>

namespace perdure::kmer {
namespace {

/// Letter of a rank that has one, else 0.
char letter_of(std::string_view rank) {
  static constexpr std::array<std::pair<std::string_view, char>, 9> letters{{{"superkingdom", 'D'},
                                                                             {"domain", 'D'},
                                                                             {"kingdom", 'K'},
                                                                             {"phylum", 'P'},
                                                                             {"class", 'C'},
                                                                             {"order", 'O'},
                                                                             {"family", 'F'},
                                                                             {"genus", 'G'},
                                                                             {"species", 'S'}}};
  for (const auto& [name, letter] : letters)
    if (name == rank) return letter;
  return 0;
}

struct report_rank {
  char letter = 'R';
  unsigned below = 0;
};

void append_line(std::string& to, std::uint64_t all, std::uint64_t reads, std::uint64_t direct,
                 const minimizer_count* minimizers, std::string_view rank, taxon_id id, unsigned depth,
                 std::string_view name) {
  std::array<char, 96> numbers;
  const double share = all == 0 ? 0 : 100.0 * static_cast<double>(reads) / static_cast<double>(all);
  const int size =
      std::snprintf(numbers.data(), numbers.size(), "%6.2f\t%llu\t%llu\t", share,
                    static_cast<unsigned long long>(reads), static_cast<unsigned long long>(direct));
  to.append(numbers.data(), static_cast<std::size_t>(size));
  if (minimizers != nullptr) {
    to.append(std::to_string(minimizers->all)).append("\t");
    to.append(std::to_string(minimizers->distinct)).append("\t");
  }
  to += rank;
  to += '\t';
  to += std::to_string(id);
  to += '\t';
  to.append(std::size_t{2} * depth, ' ');
  to += name;
  to += '\n';
}

}  // namespace

std::vector<clade> clades_of(const taxonomy_view& taxonomy, const std::vector<std::uint64_t>& reads) {
  std::vector<std::uint64_t> sums = reads;
  for (std::size_t node = taxonomy.size(); node-- > 1;) sums[taxonomy.parents[node]] += sums[node];
  std::vector<std::pair<taxon_node, taxon_node>> children;  // parent and child
  for (taxon_node node = 1; node < taxonomy.size(); ++node)
    if (sums[node] != 0) children.emplace_back(taxonomy.parents[node], node);
  // The stack gives the last child of a parent first.
  std::sort(children.begin(), children.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    if (sums[a.second] != sums[b.second]) return sums[a.second] < sums[b.second];
    return taxonomy.ids[a.second] > taxonomy.ids[b.second];
  });

  std::vector<clade> clades;
  if (taxonomy.size() == 0 || sums[0] == 0) return clades;
  struct waiting {
    taxon_node node;
    unsigned depth;
    report_rank above;
  };
  std::vector<waiting> stack{{0, 0, {}}};
  while (!stack.empty()) {
    const waiting now = stack.back();
    stack.pop_back();
    report_rank rank = now.above;
    if (const char letter = letter_of(taxonomy.rank(now.node)); letter != 0)
      rank = {letter, 0};
    else if (now.node != 0)
      ++rank.below;
    clades.push_back({now.node, now.depth, sums[now.node], reads[now.node],
                      std::string(1, rank.letter) + (rank.below == 0 ? "" : std::to_string(rank.below))});
    const auto first =
        std::lower_bound(children.begin(), children.end(), now.node,
                         [](const auto& pair, taxon_node parent) { return pair.first < parent; });
    for (auto child = first; child != children.end() && child->first == now.node; ++child)
      stack.push_back({child->second, now.depth + 1, rank});
  }
  return clades;
}

std::string kraken_report(const taxonomy_view& taxonomy, const std::vector<std::uint64_t>& reads,
                          std::uint64_t unclassified, std::span<const minimizer_count> minimizers) {
  // A minimizer has one taxon, so distinct ones add up too.
  std::vector<minimizer_count> sums(minimizers.begin(), minimizers.end());
  for (std::size_t node = sums.size(); node-- > 1;) {
    minimizer_count& above = sums[taxonomy.parents[node]];
    above.all += sums[node].all;
    above.distinct += sums[node].distinct;
  }
  const minimizer_count none;
  const std::vector<clade> clades = clades_of(taxonomy, reads);
  const std::uint64_t all = unclassified + (clades.empty() ? 0 : clades.front().reads);
  std::string text;
  if (unclassified != 0)
    append_line(text, all, unclassified, unclassified, sums.empty() ? nullptr : &none, "U", 0, 0,
                "unclassified");
  for (const clade& one : clades)
    append_line(text, all, one.reads, one.direct, sums.empty() ? nullptr : &sums[one.node], one.rank,
                taxonomy.ids[one.node], one.depth, taxonomy.name(one.node));
  return text;
}

std::string krona_text(const taxonomy_view& taxonomy, const std::vector<std::uint64_t>& reads,
                       std::uint64_t unclassified) {
  std::string text;
  if (unclassified != 0) text += std::to_string(unclassified) + "\tunclassified\n";
  std::vector<taxon_node> path;
  for (const clade& one : clades_of(taxonomy, reads)) {
    path.resize(one.depth);
    path.push_back(one.node);
    if (one.direct == 0) continue;
    text += std::to_string(one.direct);
    for (const taxon_node node : path) {
      text += '\t';
      for (const char letter : taxonomy.name(node)) text += letter == '\t' ? ' ' : letter;
    }
    text += '\n';
  }
  return text;
}

}  // namespace perdure::kmer
