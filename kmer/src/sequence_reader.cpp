// Batches are cut at the ends of records by looking for line feeds only, under the lock; whether the records
// are well-formed is seen when they are parsed.
#include <algorithm>
#include <cstring>
#include <perdure/kmer/nucleotide.hpp>
#include <perdure/kmer/sequence_reader.hpp>
#include <utility>

namespace perdure::kmer {
namespace {

std::string_view without_line_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_blank(std::string_view line) {
  return std::all_of(line.begin(), line.end(),
                     [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
}

std::string_view without_blanks_behind(std::string_view line) {
  while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  return line;
}

/// Returns the next line of a text that ends with a line feed, without its end, and removes it from the text.
std::string_view take_line(std::string_view& text) {
  const std::size_t size = text.find('\n') + 1;
  const std::string_view line = text.substr(0, size);
  text.remove_prefix(size);
  return without_line_end(line);
}

bool are_nucleotides(std::string_view letters) {
  std::uint8_t worst = 0;
  for (const char letter : letters) worst = std::max(worst, code_of_nucleotide(letter));
  return worst < not_a_nucleotide;
}

std::string shown(char letter) {
  static constexpr std::string_view digits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(letter);
  if (byte > 0x20 && byte < 0x7f) return std::string("'") + letter + "'";
  return std::string("the byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

}  // namespace

void append_record(std::string& to, std::string_view header, std::string_view bases) {
  to += '>';
  to += header;
  to += '\n';
  to += bases;
  to += '\n';
}

void append_record(std::string& to, std::string_view header, std::string_view bases,
                   std::string_view qualities) {
  to += '@';
  to += header;
  to += '\n';
  to += bases;
  to += "\n+\n";
  to += qualities;
  to += '\n';
}

sequence_reader::sequence_reader(std::unique_ptr<workload::byte_stream> stream)
    : stream_(std::move(stream)) {}

error sequence_reader::error_at(std::uint64_t record, const std::string& what) const {
  return error(errc::bad_input, name() + ": record " + std::to_string(record) + ": " + what);
}

void sequence_reader::recognise(const std::vector<char>& text, std::size_t size) {
  std::string_view seen(text.data(), size);
  seen.remove_prefix(std::min(seen.find_first_not_of(" \t\r\n"), size));
  if (seen.empty()) return;
  if (seen.front() == '>') {
    format_ = format::fasta;
  } else if (seen.front() == '@') {
    format_ = format::fastq;
  } else {
    throw error(errc::bad_input, name() +
                                     ": the file is neither FASTA, which begins with '>', nor FASTQ, which "
                                     "begins with '@', but begins with " +
                                     shown(seen.front()));
  }
}

void sequence_reader::record_cutter::cut(const std::vector<char>& text, std::size_t size,
                                         std::size_t least_bytes, std::size_t most_records) {
  const auto is_full = [&] { return records >= most_records || whole >= least_bytes; };
  while (!is_full() && position < size) {
    const char* const line = text.data() + position;
    if (kind == format::fasta && lines != 0 && *line == '>') {
      whole = position;
      lines = 0;
      ++records;
      continue;
    }
    const void* const feed = std::memchr(line, '\n', size - position);
    if (feed == nullptr) return;
    const std::size_t length = static_cast<std::size_t>(static_cast<const char*>(feed) - line) + 1;
    position += length;
    // Blank lines are skipped between records only: an empty read has two.
    if (lines == 0 && is_blank({line, length})) continue;
    ++lines;
    if (kind == format::fastq && lines == 4) {
      whole = position;
      lines = 0;
      ++records;
    }
  }
}

void sequence_reader::record_cutter::end(std::size_t size) {
  if (lines != 0) ++records;
  whole = size;
}

bool sequence_reader::next(sequence_batch& taken, std::size_t least_bytes, std::size_t most_records) {
  const std::lock_guard lock(mutex_);
  taken.sequences.clear();
  taken.records = 0;
  if (ended_) return false;
  std::vector<char>& text = taken.text;
  std::size_t size = rest_.size();
  const std::size_t wanted = std::min(least_bytes, batch_size);
  constexpr std::size_t one_record = std::size_t{1} << 14;
  text.resize(std::max(wanted + wanted / 4 + one_record, size));
  if (size != 0) std::memcpy(text.data(), rest_.data(), size);
  record_cutter records;
  try {
    for (;;) {
      if (format_ == format::unknown) recognise(text, size);
      records.kind = format_;
      if (format_ != format::unknown) records.cut(text, size, least_bytes, most_records);
      if (records.whole >= least_bytes || records.records >= most_records) break;
      if (stream_ended_) {
        records.end(size);
        break;
      }
      // A pipe hands out little at a time.
      if (records.records != 0 && stream_->length() == 0 && most_records == no_limit) break;
      // Room for a line feed is left.
      if (size + 1 >= text.size()) text.resize(2 * text.size() + 2);
      const std::size_t got = stream_->read(text.data() + size, text.size() - 1 - size);
      size += got;
      if (got == 0) {
        stream_ended_ = true;
        if (size != 0 && text[size - 1] != '\n') text[size++] = '\n';
      }
    }
    taken.first_record = record_;
    taken.records = records.records;
    record_ += records.records;
    rest_.assign(text.begin() + static_cast<std::ptrdiff_t>(records.whole),
                 text.begin() + static_cast<std::ptrdiff_t>(size));
    text.resize(records.whole);
    ended_ = records.records == 0;
    return !ended_;
  } catch (const error& failure) {
    ended_ = true;
    if (format_ == format::unknown) throw;
    throw error(failure.code(), std::string(failure.what()) + "; record " +
                                    std::to_string(record_ + records.records) + " is not whole");
  } catch (...) {
    ended_ = true;
    throw;
  }
}

void sequence_reader::parse(sequence_batch& taken) const {
  taken.sequences.clear();
  taken.sequences.reserve(taken.records);
  taken.is_fastq = format_ == format::fastq;
  if (taken.is_fastq)
    parse_fastq(taken);
  else
    parse_fasta(taken);
}

std::string_view sequence_reader::name_in(std::string_view header, std::uint64_t record) const {
  if (header.find('\r') != std::string_view::npos)
    throw error_at(record, "its lines end with CR alone; convert the file to lines that end with LF");
  const std::size_t begin = std::min(header.find_first_not_of(" \t", 1), header.size());
  const std::size_t end = std::min(header.find_first_of(" \t", begin), header.size());
  if (begin == end) throw error_at(record, "its header has no name");
  return header.substr(begin, end - begin);
}

void sequence_reader::refuse(std::uint64_t record, std::string_view name, const std::string& what) const {
  std::string sentence = "(";
  sentence += name;
  sentence += "): ";
  throw error_at(record, sentence + what);
}

void sequence_reader::refuse_letter(std::uint64_t record, std::string_view name,
                                    std::string_view line) const {
  const auto wrong = std::find_if(line.begin(), line.end(),
                                  [](char letter) { return code_of_nucleotide(letter) == not_a_nucleotide; });
  if (*wrong == '>' || *wrong == '@')
    refuse(
        record, name,
        std::string("a header (") + *wrong + ") in the middle of a line; a line feed before it is missing");
  refuse(record, name, shown(*wrong) + " is no code of a nucleotide");
}

void sequence_reader::parse_fasta(sequence_batch& taken) const {
  std::string_view text(taken.text.data(), taken.text.size());
  std::uint64_t record = taken.first_record;
  char* to = taken.text.data();  // lines are moved together to here
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!line.starts_with('>')) {
      if (taken.sequences.empty()) {
        if (is_blank(line)) continue;
        throw error_at(record, "it does not begin with '>'");
      }
      sequence& last = taken.sequences.back();
      const std::string_view bases = without_blanks_behind(line);
      if (!are_nucleotides(bases)) refuse_letter(record - 1, last.name, bases);
      std::memmove(to, bases.data(), bases.size());
      last.bases = {last.bases.data(), last.bases.size() + bases.size()};
      to += bases.size();
      continue;
    }
    taken.sequences.push_back({name_in(line, record++), {text.data(), 0}, line.substr(1)});
    // The sequence begins behind its header, so nothing is moved over lines that were not read.
    to = taken.text.data() + (text.data() - taken.text.data());
  }
}

void sequence_reader::parse_fastq(sequence_batch& taken) const {
  std::string_view text(taken.text.data(), taken.text.size());
  std::uint64_t record = taken.first_record;
  while (!text.empty()) {
    const std::string_view header = take_line(text);
    if (is_blank(header)) continue;
    if (!header.starts_with('@'))
      throw error_at(record, "it does not begin with '@'; a record of FASTQ is four lines");
    const std::string_view name = name_in(header, record);
    static constexpr const char* ends = "the file ends in the middle of it";
    if (text.empty()) refuse(record, name, ends);
    const std::string_view bases = without_blanks_behind(take_line(text));
    if (!are_nucleotides(bases)) refuse_letter(record, name, bases);
    if (text.empty()) refuse(record, name, ends);
    const std::string_view plus = take_line(text);
    if (!plus.starts_with('+'))
      refuse(record, name, "its third line does not begin with '+'; a record of FASTQ is four lines");
    const std::string_view again = without_blanks_behind(plus.substr(1));
    if (!again.empty() && again != name && again != without_blanks_behind(header.substr(1)))
      refuse(record, name, "its third line has another name than its first");
    if (text.empty() && !bases.empty()) refuse(record, name, ends);
    const std::string_view quality = text.empty() ? text : without_blanks_behind(take_line(text));
    if (quality.size() != bases.size())
      refuse(record, name,
             "it has " + std::to_string(bases.size()) + " bases and " + std::to_string(quality.size()) +
                 " qualities");
    taken.sequences.push_back({name, bases, header.substr(1), quality});
    ++record;
  }
}

}  // namespace perdure::kmer
