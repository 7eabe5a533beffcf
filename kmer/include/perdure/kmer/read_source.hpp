// Reads of several files one after the other, single or in pairs, for several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <perdure/kmer/sequence_reader.hpp>
#include <perdure/workload/progress.hpp>
#include <string_view>
#include <vector>

namespace perdure::kmer {

/// Some reads, or pairs of reads, of one file or of one pair of files.
struct read_batch {
  std::uint64_t number = 0;  ///< batches are numbered from 0, in the order of their reads
  std::size_t file = 0;      ///< number of the file, or of the pair of files
  sequence_batch reads;      ///< the reads, or first reads of pairs
  sequence_batch mates;      ///< second reads of pairs, as many as there are first ones; else empty

 private:
  friend class read_source;
  std::shared_ptr<sequence_reader> first_;
  std::shared_ptr<sequence_reader> second_;
};

/// Opens files one after the other, and reads batches from them.
///
/// Thread safety: any member from any thread.
class read_source {
 public:
  /// Takes pairs of files with `in_pairs`: the file of first reads, then the file of second reads. `-` is
  /// standard input. `end_descriptor` is that of `workload::open_byte_stream`. Throws `not_found` for a file
  /// that is not there, and `invalid_argument` for an odd number of files in pairs and for standard input
  /// more than once.
  explicit read_source(std::vector<std::filesystem::path> files, bool in_pairs = false,
                       int end_descriptor = -1);

  /// Replaces what is in `taken` by the next reads. Returns false at the end of the last file. Throws what
  /// opening and reading throw, and `bad_input` where one file of a pair has more records than the other; the
  /// source is at its end then.
  bool next(read_batch& taken, std::size_t least_bytes = sequence_reader::batch_size);
  /// Finds the sequences in a batch. Throws `bad_input` where a record is malformed, or mates have different
  /// names. A `/1` or `/2` at the end is no part of a mate's name.
  void parse(read_batch& taken) const;

  /// Returns whether reads come in pairs.
  bool is_in_pairs() const noexcept { return in_pairs_; }
  /// Returns the bytes of the files that were read so far.
  workload::progress progress() const;

 private:
  std::shared_ptr<sequence_reader> open(std::size_t file) const;

  std::vector<std::filesystem::path> files_;
  bool in_pairs_;
  int end_descriptor_;
  std::uint64_t total_ = 0;  // bytes of all files; 0: unknown

  mutable std::mutex mutex_;
  std::size_t opened_ = 0;  // number of files
  std::shared_ptr<sequence_reader> first_;
  std::shared_ptr<sequence_reader> second_;
  std::uint64_t bytes_before_ = 0;  // of files that were read
  std::uint64_t batches_ = 0;
};

/// Returns the name of a pair: the name of one of its reads, without a `/1` or `/2` at the end.
std::string_view name_of_pair(std::string_view name) noexcept;

}  // namespace perdure::kmer
