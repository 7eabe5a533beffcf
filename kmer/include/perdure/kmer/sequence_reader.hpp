// Sequences of a FASTA or FASTQ file, for several threads at once: each takes batches of whole records.
//
//     kmer::sequence_reader reads(workload::open_byte_stream("reads.fastq.gz"));
//     kmer::sequence_batch batch;
//     while (reads.next(batch)) {
//       reads.parse(batch);
//       for (const kmer::sequence& one : batch.sequences) …
//     }
//
// FASTA: a record is a line that begins with '>', and any number of lines of its sequence. FASTQ: four lines,
// of which the first begins with '@' and the third with '+'. Lines end with LF or CR LF; blank lines between
// records are skipped. The first character of a file says which format it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <perdure/error.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <perdure/workload/progress.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::kmer {

/// A sequence, where its text lies in a batch.
struct sequence {
  std::string_view name;            ///< first word of the header
  std::string_view bases;           ///< letters of `nucleotide.hpp`, as they are in the file
  std::string_view header = {};     ///< line of the name, without the '>' or '@' before it
  std::string_view qualities = {};  ///< FASTQ has one for each base
};

/// Some records of a file.
struct sequence_batch {
  std::vector<char> text;           ///< text of the records
  std::uint64_t first_record = 0;   ///< number of the first record, from 1
  std::size_t records = 0;          ///< number of records in `text`
  std::vector<sequence> sequences;  ///< one for each record, once the batch was parsed
  bool is_fastq = false;            ///< known once the batch was parsed
};

/// Appends a record of FASTA with all bases on one line. `header` begins with the name.
void append_record(std::string& to, std::string_view header, std::string_view bases);
/// Appends a record of FASTQ. `header` begins with the name.
void append_record(std::string& to, std::string_view header, std::string_view bases,
                   std::string_view qualities);

/// Cuts a file into batches of records. The thread that asks for a batch reads and decompresses it, under a
/// lock. Many threads parse batches at a time, outside of the lock.
///
/// Thread safety: any member from any thread.
class sequence_reader {
 public:
  /// Stands for any number of records.
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t batch_size = std::size_t{1} << 20;  ///< usual size of a batch in bytes

  /// Reads from `stream`.
  explicit sequence_reader(std::unique_ptr<workload::byte_stream> stream);

  /// Replaces the content of `taken`, whose memory is used again, by the next records. Returns false at the
  /// end. A batch ends where one of these is met:
  /// - it has `most_records` records;
  /// - it has `least_bytes` bytes of whole records;
  /// - the file ends;
  /// - a pipe has no more for now, and `most_records` is not given.
  ///
  /// Throws what the stream throws, with the number of the record that could not be read, and `bad_input` for
  /// a file that is neither FASTA nor FASTQ. After an exception the reader is at its end.
  bool next(sequence_batch& taken, std::size_t least_bytes = batch_size, std::size_t most_records = no_limit);
  /// Finds the sequences in a batch. Lines of a FASTA sequence are joined where they lie. Throws `bad_input`
  /// with the file and the record's number and name, where a record is malformed.
  void parse(sequence_batch& taken) const;

  /// Returns the name of the file in messages.
  const std::string& name() const noexcept { return stream_->name(); }
  /// Returns the bytes of the file that were read so far.
  workload::progress progress() const noexcept { return stream_->progress(); }
  /// Returns the error that says "NAME: record R: WHAT".
  error error_at(std::uint64_t record, const std::string& what) const;

 private:
  enum class format : unsigned char { unknown, fasta, fastq };

  /// Finds whole records in text that grows.
  struct record_cutter {
    format kind = format::unknown;
    std::size_t position = 0;  // beginning of the first line that was not looked at
    std::size_t whole = 0;     // end of the last whole record
    std::size_t lines = 0;     // of the record that begins there
    std::size_t records = 0;   // whole ones

    void cut(const std::vector<char>& text, std::size_t size, std::size_t least_bytes,
             std::size_t most_records);
    void end(std::size_t size);
  };

  void recognise(const std::vector<char>& text, std::size_t size);
  void parse_fasta(sequence_batch& taken) const;
  void parse_fastq(sequence_batch& taken) const;
  std::string_view name_in(std::string_view header, std::uint64_t record) const;
  [[noreturn]] void refuse(std::uint64_t record, std::string_view name, const std::string& what) const;
  [[noreturn]] void refuse_letter(std::uint64_t record, std::string_view name, std::string_view line) const;

  std::mutex mutex_;
  std::unique_ptr<workload::byte_stream> stream_;
  std::vector<char> rest_;  // text behind the last batch
  std::uint64_t record_ = 1;
  format format_ = format::unknown;
  bool stream_ended_ = false;
  bool ended_ = false;
};

}  // namespace perdure::kmer
