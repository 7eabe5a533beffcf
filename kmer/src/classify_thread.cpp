#include "classify_thread.hpp"

#include <span>
#include <string>
#include <utility>

namespace perdure::kmer::detail {
namespace {

template <class T>
std::size_t bytes_of(const std::vector<T>& some) noexcept {
  return some.capacity() * sizeof(T);
}

std::size_t bytes_of(const sequence_batch& batch) noexcept {
  return bytes_of(batch.text) + bytes_of(batch.sequences);
}

void append_read(std::string& to, const sequence_batch& batch, std::size_t number, taxon_id taxon) {
  const sequence& read = batch.sequences[number];
  std::string header(read.header);
  if (taxon != 0) header.append(" kraken:taxid|").append(std::to_string(taxon));
  if (batch.is_fastq)
    append_record(to, header, read.bases, read.qualities);
  else
    append_record(to, header, read.bases);
}

}  // namespace

std::size_t taken_reads::bytes() const noexcept {
  return bytes_of(batch.reads) + bytes_of(batch.mates) + bytes_of(scanned.runs) + bytes_of(scanned.ends) +
         bytes_of(scanned.taxa);
}

classify_thread::classify_thread(const minimizer_index& index, const classify_options& options)
    : index_(index),
      options_(options),
      classifier_(index, options.rules, static_cast<bool>(options.on_hit_groups)),
      taxa_(index.taxa() + 1) {}

void classify_thread::scan(const read_source& source, taken_reads& taken) noexcept {
  taken.failure = nullptr;
  try {
    source.parse(taken.batch);
    classifier_.scan(taken.batch.reads.sequences, taken.batch.mates.sequences, taken.scanned);
  } catch (...) {
    taken.failure = std::current_exception();
    taken.scanned = {};
  }
}

void classify_thread::answer_reads(taken_reads& taken, ordered_answers& answers) {
  answer made;
  const std::uint64_t bases_before = bases_;
  try {
    if (taken.failure) std::rethrow_exception(taken.failure);
    made = answer_to(taken);
  } catch (...) {
    made.failure = std::current_exception();
  }
  answers.add(taken.batch.number, std::move(made));
  if (options_.on_batch) options_.on_batch(taken.batch.reads.sequences.size(), bases_ - bases_before);
}

answer classify_thread::answer_to(const taken_reads& taken) {
  answer made;
  const std::vector<sequence>& reads = taken.batch.reads.sequences;
  const std::vector<sequence>& mates = taken.batch.mates.sequences;
  const std::span<const classified_read> found = classifier_.resolve(taken.scanned);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const sequence* const mate = mates.empty() ? nullptr : &mates[i];
    ++taxa_[found[i].taxon];
    bases_ += reads[i].bases.size() + (mate != nullptr ? mate->bases.size() : 0);
    if (options_.on_lines) append_kraken_line(made.lines, index_, found[i], reads[i], mate);
    const bool has_taxon = found[i].taxon != 0;
    if (!(has_taxon ? options_.on_classified : options_.on_unclassified)) continue;
    read_records& to = has_taxon ? made.classified : made.unclassified;
    const taxon_id taxon = index_.id_of(found[i].taxon);
    append_read(to.reads, taken.batch.reads, i, taxon);
    if (mate != nullptr) append_read(to.mates, taken.batch.mates, i, taxon);
  }
  if (options_.on_hit_groups) options_.on_hit_groups(classifier_.hit_groups());
  reads_ += reads.size();
  return made;
}

void classify_thread::add_to(classify_result& sum) const {
  sum.reads += reads_;
  sum.bases += bases_;
  for (std::uint32_t taxon = 1; taxon < taxa_.size(); ++taxon) {
    sum.classified += taxa_[taxon];
    sum.reads_of_nodes[index_.node_of(taxon)] += taxa_[taxon];
  }
}

}  // namespace perdure::kmer::detail
