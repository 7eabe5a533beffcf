// A batch is classified in steps, so that look-ups of many reads wait for memory at the same time: all
// minimizers first, then all look-ups, then each read.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <perdure/error.hpp>
#include <perdure/kmer/read_classifier.hpp>
#include <perdure/kmer/read_source.hpp>

namespace perdure::kmer {
namespace {

/// Run between the reads of a pair. It has no k-mers.
constexpr minimizer_run mate_run{no_minimizer, 0};
/// Look-ups that wait for memory together.
constexpr std::size_t ahead = 32;

void append_number(std::string& to, std::uint64_t number) {
  char digits[20];
  to.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

read_classifier::read_classifier(const minimizer_index& index, const classify_rules& rules, bool keeps_groups)
    : index_(index),
      rules_(rules),
      keeps_groups_(keeps_groups),
      scanner_(index.scheme()),
      counts_(index.taxa() + 1) {
  if (!(rules.confidence >= 0 && rules.confidence <= 1))
    throw error(errc::invalid_argument, "the confidence is a share of k-mers, from 0 to 1");
}

std::span<const classified_read> read_classifier::classify(std::span<const sequence> reads,
                                                           std::span<const sequence> mates) {
  scan(reads, mates, scanned_);
  find_taxa(scanned_);
  return resolve(scanned_);
}

void read_classifier::scan(std::span<const sequence> reads, std::span<const sequence> mates,
                           scanned_reads& scanned) {
  if (!mates.empty() && mates.size() != reads.size())
    throw error(errc::invalid_argument,
                std::to_string(reads.size()) + " reads have " + std::to_string(mates.size()) + " mates");
  scanned.runs.clear();
  scanned.ends.clear();
  for (std::size_t i = 0; i < reads.size(); ++i) {
    scanner_.scan(reads[i].bases, scanned.runs);
    if (!mates.empty()) {
      scanned.runs.push_back(mate_run);
      scanner_.scan(mates[i].bases, scanned.runs);
    }
    scanned.ends.push_back(scanned.runs.size());
  }
  scanned.taxa.resize(scanned.runs.size());
}

void read_classifier::find_taxa(scanned_reads& scanned) {
  const std::vector<minimizer_run>& runs = scanned.runs;
  hashes_.resize(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i) hashes_[i] = index_.hash()(runs[i].minimizer);
  const std::span<const layer_view> layers = index_.layers();
  places_.resize(ahead * layers.size());
  for (std::size_t i = 0; i < runs.size() + ahead; ++i) {
    table_place* const places = places_.data() + i % ahead * layers.size();
    if (i >= ahead) {
      std::uint32_t taxon = layers[0].find(places[0]);
      for (std::size_t j = 1; j < layers.size(); ++j) taxon = index_.both(taxon, layers[j].find(places[j]));
      scanned.taxa[i - ahead] = taxon;
    }
    if (i >= runs.size()) continue;
    for (std::size_t j = 0; j < layers.size(); ++j) {
      places[j] = layers[j].table().place_of(hashes_[i]);
      layers[j].table().prefetch(places[j]);
    }
  }
  // K-mers without a minimizer have no taxon, whatever their hash finds.
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].minimizer == no_minimizer) scanned.taxa[i] = 0;
}

std::span<const classified_read> read_classifier::resolve(const scanned_reads& scanned) {
  const std::size_t reads = scanned.ends.size();
  results_.assign(reads, {});
  hits_.clear();
  groups_.clear();
  hit_ends_.clear();
  std::size_t begin = 0;
  for (std::size_t i = 0; i < reads; ++i) {
    classified_read& read = results_[i];
    count_hits(scanned, begin, scanned.ends[i], read);
    hit_ends_.push_back(hits_.size());
    if (!found_.empty()) {
      const std::uint32_t taxon = best_taxon(read.kmers);
      if (read.hit_groups >= rules_.minimum_hit_groups) read.taxon = taxon;
    }
    begin = scanned.ends[i];
  }
  begin = 0;
  for (std::size_t i = 0; i < reads; ++i) {
    results_[i].hits = std::span<const kmer_hits>(hits_).subspan(begin, hit_ends_[i] - begin);
    begin = hit_ends_[i];
  }
  return results_;
}

void read_classifier::count_hits(const scanned_reads& scanned, std::size_t begin, std::size_t end,
                                 classified_read& read) {
  const std::size_t first_hit = hits_.size();
  std::uint64_t last = no_minimizer;  // minimizer of the read so far, ambiguous k-mers left out
  for (std::size_t i = begin; i < end; ++i) {
    const minimizer_run& run = scanned.runs[i];
    std::uint32_t taxon = scanned.taxa[i];
    if (run.minimizer == no_minimizer) {
      taxon = run.kmers == 0 ? kmer_hits::mate_border : kmer_hits::ambiguous;
      if (run.kmers == 0) last = no_minimizer;
    } else {
      if (taxon != 0) {
        // A minimizer on both sides of ambiguous k-mers is one group.
        if (run.minimizer != last) {
          ++read.hit_groups;
          if (keeps_groups_) groups_.push_back({run.minimizer, taxon});
        }
        if (counts_[taxon] == 0) found_.push_back(taxon);
        counts_[taxon] += run.kmers;
      }
      last = run.minimizer;
    }
    read.kmers += run.kmers;
    if (hits_.size() > first_hit && hits_.back().taxon == taxon)
      hits_.back().kmers += run.kmers;
    else
      hits_.push_back({taxon, run.kmers});
  }
}

/// Returns the taxon of the read whose hits were counted, and forgets the counts.
std::uint32_t read_classifier::best_taxon(std::uint64_t kmers) {
  const std::span<const std::uint32_t> parents = index_.parents();
  std::uint32_t best = found_.front();
  if (found_.size() > 1) {
    std::uint64_t highest = 0;
    for (const std::uint32_t taxon : found_) {
      std::uint64_t score = 0;
      for (std::uint32_t at = taxon; at != 0; at = parents[at]) score += counts_[at];
      if (score > highest) {
        highest = score;
        best = taxon;
      } else if (score == highest) {
        best = common_ancestor(parents, best, taxon);
      }
    }
  }
  const auto required = static_cast<std::uint64_t>(std::ceil(rules_.confidence * static_cast<double>(kmers)));
  for (; best != 0; best = parents[best]) {
    if (required == 0) break;
    std::uint64_t below = 0;
    for (const std::uint32_t taxon : found_) {
      std::uint32_t at = taxon;
      while (at > best) at = parents[at];
      if (at == best) below += counts_[taxon];
    }
    if (below >= required) break;
  }
  for (const std::uint32_t taxon : found_) counts_[taxon] = 0;
  found_.clear();
  return best;
}

void append_kraken_line(std::string& to, const minimizer_index& index, const classified_read& found,
                        const sequence& read, const sequence* mate) {
  to += found.taxon != 0 ? "C\t" : "U\t";
  to += mate != nullptr ? name_of_pair(read.name) : read.name;
  to += '\t';
  append_number(to, index.id_of(found.taxon));
  to += '\t';
  append_number(to, read.bases.size());
  if (mate != nullptr) {
    to += '|';
    append_number(to, mate->bases.size());
  }
  to += '\t';
  if (found.hits.empty()) to += "0:0";
  for (const kmer_hits& one : found.hits) {
    if (&one != found.hits.data()) to += ' ';
    if (one.taxon == kmer_hits::mate_border) {
      to += "|:|";
      continue;
    }
    if (one.taxon == kmer_hits::ambiguous)
      to += 'A';
    else
      append_number(to, index.id_of(one.taxon));
    to += ':';
    append_number(to, one.kmers);
  }
  to += '\n';
}

}  // namespace perdure::kmer
