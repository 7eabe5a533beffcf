// Threads take batches as they come. Answers that are early wait until those before them are there; when many
// wait, threads stop taking batches, which the thread that is late does not, and begin again when all have
// ended.
#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <perdure/kmer/classify_files.hpp>
#include <perdure/workload/parallel.hpp>
#include <utility>

namespace perdure::kmer {
namespace {

/// Records of reads, and of the second reads of pairs.
struct read_records {
  std::string reads;
  std::string mates;
};

/// The text that a batch makes, or its failure.
struct answer {
  std::string lines;
  read_records classified;
  read_records unclassified;
  std::exception_ptr failure;
};

void append_read(std::string& to, const sequence_batch& batch, std::size_t number, taxon_id taxon) {
  const sequence& read = batch.sequences[number];
  std::string header(read.header);
  if (taxon != 0) header.append(" kraken:taxid|").append(std::to_string(taxon));
  if (batch.is_fastq)
    append_record(to, header, read.bases, read.qualities);
  else
    append_record(to, header, read.bases);
}

/// Puts the answers of batches into their order.
///
/// Thread safety: any member from any thread.
class ordered_answers {
 public:
  ordered_answers(const classify_options& options, std::size_t most_waiting)
      : options_(options), most_waiting_(most_waiting) {}

  /// Gives away this answer and those that waited for it, or lets it wait. Throws the failure of the first
  /// batch that has one.
  void add(std::uint64_t batch, answer one) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(batch, std::move(one));
    while (!has_failed_ && !waiting_.empty() && waiting_.begin()->first == next_) {
      const answer now = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      ++next_;
      has_failed_ = true;  // unless what follows returns
      if (now.failure) std::rethrow_exception(now.failure);
      if (!now.lines.empty()) options_.on_lines(now.lines);
      if (!now.classified.reads.empty()) options_.on_classified(now.classified.reads, now.classified.mates);
      if (!now.unclassified.reads.empty())
        options_.on_unclassified(now.unclassified.reads, now.unclassified.mates);
      has_failed_ = false;
    }
  }
  /// Returns whether no more batches should be begun for now.
  bool is_full() const {
    const std::lock_guard lock(mutex_);
    return has_failed_ || waiting_.size() >= most_waiting_;
  }

 private:
  const classify_options& options_;
  std::size_t most_waiting_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, answer> waiting_;
  std::uint64_t next_ = 0;
  bool has_failed_ = false;
};

/// The work of one thread.
class classify_thread {
 public:
  classify_thread(const minimizer_index& index, const classify_options& options)
      : index_(index),
        options_(options),
        classifier_(index, options.rules, static_cast<bool>(options.on_hit_groups)),
        taxa_(index.taxa() + 1) {}

  /// Takes a batch. Returns false at the end of the source.
  bool take(read_source& source, std::size_t bytes) { return source.next(batch_, bytes); }
  /// Classifies the batch that was taken.
  void answer_batch(const read_source& source, ordered_answers& answers) {
    answer made;
    const std::uint64_t bases_before = bases_;
    try {
      source.parse(batch_);
      classify(made);
    } catch (...) {
      made.failure = std::current_exception();
    }
    answers.add(batch_.number, std::move(made));
    if (options_.on_batch) options_.on_batch(batch_.reads.sequences.size(), bases_ - bases_before);
  }

  void add_to(classify_result& sum) const {
    sum.reads += reads_;
    sum.bases += bases_;
    for (std::uint32_t taxon = 1; taxon < taxa_.size(); ++taxon) {
      sum.classified += taxa_[taxon];
      sum.reads_of_nodes[index_.node_of(taxon)] += taxa_[taxon];
    }
  }

 private:
  void classify(answer& made) {
    const std::vector<sequence>& reads = batch_.reads.sequences;
    const std::vector<sequence>& mates = batch_.mates.sequences;
    const std::span<const classified_read> found = classifier_.classify(reads, mates);
    for (std::size_t i = 0; i < reads.size(); ++i) {
      const sequence* const mate = mates.empty() ? nullptr : &mates[i];
      ++taxa_[found[i].taxon];
      bases_ += reads[i].bases.size() + (mate != nullptr ? mate->bases.size() : 0);
      if (options_.on_lines) append_kraken_line(made.lines, index_, found[i], reads[i], mate);
      const bool has_taxon = found[i].taxon != 0;
      if (!(has_taxon ? options_.on_classified : options_.on_unclassified)) continue;
      read_records& to = has_taxon ? made.classified : made.unclassified;
      const taxon_id taxon = index_.id_of(found[i].taxon);
      append_read(to.reads, batch_.reads, i, taxon);
      if (mate != nullptr) append_read(to.mates, batch_.mates, i, taxon);
    }
    if (options_.on_hit_groups) options_.on_hit_groups(classifier_.hit_groups());
    reads_ += reads.size();
  }

  const minimizer_index& index_;
  const classify_options& options_;
  read_classifier classifier_;
  read_batch batch_;
  std::vector<std::uint64_t> taxa_;  // number of reads of each
  std::uint64_t reads_ = 0;
  std::uint64_t bases_ = 0;
};

/// Keeps the first exception of several threads.
///
/// Thread safety: `watch` from any thread.
class first_failure {
 public:
  /// Returns what `work` returns, or false where it throws.
  template <class Work>
  bool watch(Work&& work) {
    try {
      return work();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      return false;
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void classify_result::add(const classify_result& other) {
  reads += other.reads;
  bases += other.bases;
  classified += other.classified;
  reads_of_nodes.resize(std::max(reads_of_nodes.size(), other.reads_of_nodes.size()));
  for (std::size_t node = 0; node < other.reads_of_nodes.size(); ++node)
    reads_of_nodes[node] += other.reads_of_nodes[node];
}

classify_result classify_files(const minimizer_index& index, read_source& source,
                               const classify_options& options) {
  const unsigned threads = std::max(options.threads, 1U);
  constexpr std::size_t most_waiting = 64;
  ordered_answers answers(options, most_waiting + threads);
  std::vector<classify_thread> workers;
  workers.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) workers.emplace_back(index, options);
  // A batch that was taken comes before what could not be read.
  first_failure of_batches;
  first_failure of_reading;
  std::atomic<bool> has_more{true};
  while (has_more) {
    workload::run_threads(threads, [&](unsigned number) {
      do {
        if (!of_reading.watch([&] { return workers[number].take(source, options.batch_bytes); }) ||
            !of_batches.watch([&] {
              workers[number].answer_batch(source, answers);
              return true;
            })) {
          has_more = false;
          return;
        }
      } while (has_more && !answers.is_full());
    });
  }
  of_batches.rethrow();
  of_reading.rethrow();
  classify_result sum;
  sum.reads_of_nodes.assign(index.taxonomy().size(), 0);
  for (const classify_thread& one : workers) one.add_to(sum);
  return sum;
}

}  // namespace perdure::kmer
