// FASTA and FASTQ, well-formed and not.
#include <unistd.h>

#include <memory>
#include <perdure/kmer/sequence_reader.hpp>
#include <perdure/workload/byte_stream.hpp>
#include <perdure/workload/parallel.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kmer/written_file.hpp"
#include "support/data_files.hpp"
#include "support/errors.hpp"
#include "support/scratch_test.hpp"
#include "workload/compressed.hpp"

namespace {
using namespace perdure;
using namespace perdure::test;

using named_bases = std::vector<std::pair<std::string, std::string>>;

class SequenceReader : public scratch_test {
 protected:
  std::unique_ptr<kmer::sequence_reader> open(std::string_view bytes) const {
    write_file(path("reads"), bytes);
    return std::make_unique<kmer::sequence_reader>(workload::open_byte_stream(path("reads")));
  }
  /// All sequences of a file with these bytes.
  named_bases read(std::string_view bytes, std::size_t batch = kmer::sequence_reader::batch_size) const {
    const auto reader = open(bytes);
    kmer::sequence_batch taken;
    named_bases all;
    while (reader->next(taken, batch)) {
      EXPECT_EQ(taken.first_record, all.size() + 1);
      reader->parse(taken);
      EXPECT_EQ(taken.sequences.size(), taken.records);
      for (const kmer::sequence& one : taken.sequences) all.emplace_back(one.name, one.bases);
    }
    return all;
  }
  testing::AssertionResult is_refused(std::string_view bytes, const std::string& words) const {
    return fails_with(errc::bad_input, words, [&] { read(bytes); });
  }
};

const named_bases three{{"a", "ACGT"}, {"b", "GGCCTTAA"}, {"c", "TTTT"}};

TEST_F(SequenceReader, TakesFastaOfAnyShape) {
  EXPECT_EQ(read(">a\nACGT\n>b\nGGCCTTAA\n>c\nTTTT\n"), three);
  EXPECT_EQ(read(">a\nACGT\n>b\nGGCCTTAA\n>c\nTTTT"), three) << "no line feed at the end";
  EXPECT_EQ(read("\n \n>a first\nAC\nGT\n\n>b\tsecond\nGGC\nCTT\nAA\n>c\nTTTT\n\n\n"), three) << "lines";
  EXPECT_EQ(read(">a\r\nAC\r\nGT\r\n\r\n> b x\r\nGGCC\r\nTTAA \r\n>c\r\nTTTT"), three) << "CR LF, blanks";
  EXPECT_EQ(read(">only\n>empty\n\n>last"), (named_bases{{"only", ""}, {"empty", ""}, {"last", ""}}));
  EXPECT_EQ(read(">all\nacgtuACGTURYSWKMBDHVNXryswkmbdhvnx-.\n"),
            (named_bases{{"all", "acgtuACGTURYSWKMBDHVNXryswkmbdhvnx-."}}));
}

TEST_F(SequenceReader, TakesFastqOfAnyShape) {
  EXPECT_EQ(read("@a\nACGT\n+\nIIII\n@b\nGGCCTTAA\n+\n@@@@++++\n@c\nTTTT\n+\n>>>>\n"), three);
  EXPECT_EQ(
      read("@a x\r\nACGT\r\n+a x\r\nIIII\r\n@b\r\nGGCCTTAA\r\n+b\r\n@@@@++++\r\n@c\r\nTTTT\r\n+\r\n!!!!"),
      three);
  EXPECT_EQ(read("@a x\nACGT\n+a\nIIII\n"), (named_bases{{"a", "ACGT"}})) << "the name alone again";
  EXPECT_EQ(read("@e\n\n+\n\n\n@f\n\n+"), (named_bases{{"e", ""}, {"f", ""}})) << "reads without bases";
}

TEST_F(SequenceReader, AnEmptyFileHasNoRecords) {
  EXPECT_EQ(read(""), named_bases());
  EXPECT_EQ(read("\n \r\n"), named_bases());
  EXPECT_EQ(read(gzip("")), named_bases());
}

TEST_F(SequenceReader, TakesCompressedFilesAndMembersInARow) {
  const std::string first = ">a\nACGT\n>b\nGGCC";
  const std::string second = "TTAA\n>c\nTTTT\n";
  EXPECT_EQ(read(gzip(first) + gzip(second)), three);
  EXPECT_EQ(read(zstd(first) + zstd(second)), three);
  EXPECT_EQ(read(xz(first + second)), three);
  EXPECT_EQ(read(bzip2(first + second)), three);
}

TEST_F(SequenceReader, BatchesHaveWholeRecordsWhateverTheirSize) {
  named_bases expected;
  std::string fasta;
  std::string fastq;
  for (std::size_t i = 0; i < 300; ++i) {
    const std::string name = "r" + std::to_string(i);
    const std::string bases(i * 37 % 1000, "ACGTN"[i % 5]);
    expected.emplace_back(name, bases);
    fasta += ">" + name + "\n";
    for (std::size_t at = 0; at < bases.size(); at += 70) fasta += bases.substr(at, 70) + "\n";
    fastq += "@" + name + "\n" + bases + "\n+\n" + std::string(bases.size(), '@') + "\n";
  }
  for (const std::size_t batch : {1, 100, 5000, 1 << 20}) {
    EXPECT_EQ(read(fasta, batch), expected) << batch;
    EXPECT_EQ(read(fastq, batch), expected) << batch;
  }
}

TEST_F(SequenceReader, AReadMayBeLongerThanABatch) {
  const std::string bases(3 << 20, 'C');
  EXPECT_EQ(read(">long\n" + bases + "\n>a\nA\n"), (named_bases{{"long", bases}, {"a", "A"}}));
}

TEST_F(SequenceReader, GivesAsManyRecordsAsAreAskedFor) {
  const auto reader = open("@a\nA\n+\nI\n@b\nC\n+\nI\n@c\nG\n+\nI\n");
  kmer::sequence_batch taken;
  ASSERT_TRUE(reader->next(taken, kmer::sequence_reader::no_limit, 2));
  EXPECT_EQ(taken.records, 2U);
  ASSERT_TRUE(reader->next(taken, kmer::sequence_reader::no_limit, 2));
  EXPECT_EQ(taken.records, 1U);
  EXPECT_EQ(taken.first_record, 3U);
  EXPECT_FALSE(reader->next(taken, kmer::sequence_reader::no_limit, 2));
}

TEST_F(SequenceReader, BrokenFilesAreRefusedWithTheRecord) {
  EXPECT_TRUE(is_refused("ACGT\n", "neither FASTA, which begins with '>', nor FASTQ"));
  EXPECT_TRUE(is_refused(std::string("\0\1", 2), "begins with the byte 0x00"));
  EXPECT_TRUE(is_refused(">a\nACGT\n>b\nAC>c\nGT\n", "record 2: (b): a header (>) in the middle of a line"));
  EXPECT_TRUE(is_refused(">a\nACGT\n>b\nACEGT\n", "record 2: (b): 'E' is no code of a nucleotide"));
  EXPECT_TRUE(is_refused(">a\nAC GT\n", "record 1: (a): the byte 0x20 is no code of a nucleotide"));
  EXPECT_TRUE(is_refused("\n >a\nACGT\n", "record 1: it does not begin with '>'"));
  EXPECT_TRUE(is_refused("\n @a\nAC\n+\nII\n", "record 1: it does not begin with '@'"));
  EXPECT_TRUE(is_refused(">a\nACGT\n>\nA\n", "record 2: its header has no name"));
  EXPECT_TRUE(is_refused(">a\rACGT\r>b\rACGT\r", "record 1: its lines end with CR alone"));
  EXPECT_TRUE(
      is_refused("@a\nACGT\n+\nIIII\n@b\nAC@c\n+\nIIII\n", "record 2: (b): a header (@) in the middle"));
  EXPECT_TRUE(is_refused("@a\nACGT\n+\nIII\n", "record 1: (a): it has 4 bases and 3 qualities"));
  EXPECT_TRUE(is_refused("@a\nACGT\n+\nIIIII\n", "record 1: (a): it has 4 bases and 5 qualities"));
  EXPECT_TRUE(is_refused("@a\nAC\n+\nII\nb\nAC\n+\nII\n", "record 2: it does not begin with '@'"));
  EXPECT_TRUE(is_refused("@a\nAC\nGT\n+\nIIII\n", "record 1: (a): its third line does not begin with '+'"));
  EXPECT_TRUE(is_refused("@a\nAC\n+b\nII\n", "record 1: (a): its third line has another name"));
  EXPECT_TRUE(is_refused("@a\nAC\n+\nII\n@b", "record 2: (b): the file ends in the middle of it"));
  EXPECT_TRUE(is_refused("@a\nAC\n+\nII\n@b\nAC", "record 2: (b): the file ends in the middle of it"));
  EXPECT_TRUE(is_refused("@a\nAC\n+\nII\n@b\nAC\n+\n", "record 2: (b): the file ends in the middle of it"));
}

TEST_F(SequenceReader, ATruncatedFileIsRefusedWithTheRecord) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += ">r" + std::to_string(i) + "\n" + std::string(50, "ACGT"[i * i % 4]) + "\n";
  const std::string packed = gzip(text);
  EXPECT_TRUE(is_refused(packed.substr(0, packed.size() / 2),
                         "the gzip data ends too early (truncated file?); record "));
  EXPECT_TRUE(is_refused(packed.substr(0, packed.size() - 4), "; record 1000 is not whole"));
}

TEST_F(SequenceReader, DamagedFilesAreReadOrRefusedInBatchesOfAnySize) {
  std::string fasta;
  std::string fastq;
  for (int i = 0; i < 12; ++i) {
    fasta += ">r" + std::to_string(i) + "\nACGT\nAC\r\n\n";
    fastq += "@r" + std::to_string(i) + "\nACGTAC\n+\n@+>III\n";
  }
  std::mt19937 random(5);
  const std::string letters("\n\n\r>@+ ANx\t\xff\0", 13);
  std::size_t refused = 0;
  for (int round = 0; round < 120; ++round) {
    std::string text = round % 2 == 0 ? fasta : fastq;
    for (std::size_t changes = 1 + random() % 3; changes != 0; --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = letters[random() % letters.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 9);
          break;
        default:
          text.insert(at, 1, letters[random() % letters.size()]);
      }
    }
    // The same records, or the same error.
    const auto outcome = [&](std::size_t batch) {
      named_bases all;
      const std::string error = message_of([&] { all = read(text, batch); });
      return std::pair(all, error);
    };
    const auto whole = outcome(1 << 20);
    EXPECT_EQ(outcome(1), whole) << text;
    EXPECT_EQ(outcome(40), whole) << text;
    refused += whole.second.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 40U);
  EXPECT_LT(refused, 115U);
}

TEST_F(SequenceReader, ThreadsShareAFile) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += ">" + std::to_string(i + 1) + "\nACGT\n";
  const auto reader = open(text);
  std::vector<unsigned> seen(2001);
  std::mutex mutex;
  workload::run_threads(3, [&](unsigned) {
    kmer::sequence_batch taken;
    while (reader->next(taken, 500)) {
      reader->parse(taken);
      const std::lock_guard lock(mutex);
      for (std::size_t i = 0; i < taken.records; ++i) {
        EXPECT_EQ(taken.sequences[i].name, std::to_string(taken.first_record + i));
        ++seen[taken.first_record + i];
      }
    }
  });
  EXPECT_EQ(std::count(seen.begin() + 1, seen.end(), 1U), 2000);
  EXPECT_EQ(reader->progress().done, text.size());
}

TEST_F(SequenceReader, APipeGivesWhatItHas) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string first = ">a\nACGT\n>b\nAC";
  ASSERT_EQ(::write(ends[1], first.data(), first.size()), static_cast<ssize_t>(first.size()));
  kmer::sequence_reader reader(workload::open_byte_stream("/dev/fd/" + std::to_string(ends[0])));
  kmer::sequence_batch taken;
  ASSERT_TRUE(reader.next(taken));
  EXPECT_EQ(taken.records, 1U);
  ::close(ends[1]);
  ASSERT_TRUE(reader.next(taken));
  reader.parse(taken);
  EXPECT_EQ(taken.sequences.front().bases, "AC");
  EXPECT_FALSE(reader.next(taken));
  ::close(ends[0]);
}

TEST(RealSequences, AreReadWhole) {
  const auto path = data_file("reads/lambda_sim_1.fq.gz");
  if (path.empty()) GTEST_SKIP() << "no test data";
  kmer::sequence_reader reader(workload::open_byte_stream(path));
  kmer::sequence_batch taken;
  std::uint64_t reads = 0;
  while (reader.next(taken)) {
    reader.parse(taken);
    reads += taken.sequences.size();
  }
  EXPECT_EQ(reads, 10000U);
}

}  // namespace
