#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <perdure/kmer/canonical_kmers.hpp>
#include <perdure/kmer/exact_classifier.hpp>

namespace perdure::kmer {
namespace {

void append_number(std::string& to, double number) {
  constexpr int decimals = 4;
  std::array<char, 32> digits{};
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed, decimals);
  to.append(digits.data(), written.ptr);
}

const char* name_of(match_kind match) noexcept {
  switch (match) {
    case match_kind::direct:
      return "DirectMatch";
    case match_kind::several:
      return "MultiMatch";
    case match_kind::none:
      return "NoDbHits";
    case match_kind::too_short:
      return "ReadTooShort";
  }
  return "";
}

/// Sets the mean and the standard deviation of the scores.
void set_moments(scored_read& read) {
  double sum = 0;
  double squares = 0;
  for (const taxon_score& one : read.scores) sum += one.score;
  const auto count = static_cast<double>(read.scores.size());
  read.mean = sum / count;
  for (const taxon_score& one : read.scores) squares += (one.score - read.mean) * (one.score - read.mean);
  read.deviation = std::sqrt(squares / count);
}

}  // namespace

exact_classifier::exact_classifier(const exact_index& index)
    : index_(index),
      counts_(index.taxonomy().size()),
      marks_(index.taxonomy().size()),
      is_direct_(index.taxonomy().size()) {}

scored_read exact_classifier::classify(std::string_view bases, std::string_view mate) {
  kmers_.clear();
  collect(bases);
  collect(mate);
  std::sort(kmers_.begin(), kmers_.end());
  kmers_.erase(std::unique(kmers_.begin(), kmers_.end()), kmers_.end());
  scored_read read;
  read.kmers = kmers_.size();
  if (kmers_.empty()) {
    read.match = match_kind::too_short;
    return read;
  }
  touched_.clear();
  for (const std::uint64_t one : kmers_) count(index_.find_hash(one, room_));
  scores_.clear();
  const auto score_of = [&](taxon_node node) {
    return taxon_score{node, static_cast<double>(counts_[node]) / static_cast<double>(kmers_.size())};
  };
  for (const taxon_node node : touched_)
    if (is_direct_[node]) scores_.push_back(score_of(node));
  std::sort(scores_.begin(), scores_.end(), [](const taxon_score& a, const taxon_score& b) {
    return a.score != b.score ? a.score > b.score : a.node < b.node;
  });
  read.scores = scores_;
  if (!scores_.empty()) {
    set_moments(read);
    const double least = scores_.front().score - read.deviation;
    const auto end = std::find_if(scores_.begin(), scores_.end(),
                                  [least](const taxon_score& one) { return one.score < least; });
    const taxonomy_view taxonomy = index_.taxonomy();
    const auto is_last = [&](taxon_node node) {
      return std::none_of(scores_.begin(), end, [&](const taxon_score& one) {
        return one.node != node && taxonomy.is_ancestor(node, one.node);
      });
    };
    std::size_t lineages = 0;
    taxon_node found = 0;
    for (auto one = scores_.begin(); one != end; ++one) {
      if (!is_last(one->node)) continue;
      found = lineages++ == 0 ? one->node : taxonomy.common_ancestor(found, one->node);
    }
    read.match = lineages == 1 ? match_kind::direct : match_kind::several;
    read.found = score_of(found);
  }
  for (const taxon_node node : touched_) {
    counts_[node] = 0;
    is_direct_[node] = false;
  }
  return read;
}

void exact_classifier::collect(std::string_view bases) {
  for_each_canonical_kmer(bases, index_.k(),
                          [&](std::size_t, std::uint64_t kmer) { kmers_.push_back(index_.hash()(kmer)); });
}

/// Counts a k-mer once for each of its taxa and for each node above one.
void exact_classifier::count(std::span<const taxon_count> taxa) {
  if (++mark_ == 0) {
    std::fill(marks_.begin(), marks_.end(), 0);
    mark_ = 1;
  }
  const std::span<const taxon_node> parents = index_.taxonomy().parents;
  for (const taxon_count& one : taxa) {
    is_direct_[one.node] = true;
    for (taxon_node node = one.node; marks_[node] != mark_; node = parents[node]) {
      marks_[node] = mark_;
      if (counts_[node]++ == 0) touched_.push_back(node);
    }
  }
}

void append_score_line(std::string& to, const exact_index& index, const scored_read& found,
                       const sequence& read, const sequence* mate) {
  const std::span<const taxon_id> ids = index.taxonomy().ids;
  to.append(read.name).append("\t").append(read.bases);
  if (mate != nullptr) to.append("|").append(mate->bases);
  to += '\t';
  append_number(to, found.mean);
  to += ' ';
  append_number(to, found.deviation);
  to.append(" ").append(std::to_string(found.kmers)).append("\t");
  for (const taxon_score& one : found.scores) {
    to.append(" ").append(std::to_string(ids[one.node])).append(" ");
    append_number(to, one.score);
  }
  to += '\t';
  to.append(found.has_taxon() ? std::to_string(ids[found.found.node]) : "-1").append(" ");
  if (found.has_taxon())
    append_number(to, found.found.score);
  else
    to.append("-1");
  to.append(" ").append(name_of(found.match)).append("\n");
}

}  // namespace perdure::kmer
