// Fuzzing of the readers of sequences and taxonomies, plain and compressed (gzip, zstd, xz). Any bytes are
// read to their end or refused with one of the library's errors, in batches of any size alike.

#include <cstdint>
#include <perdure/error.hpp>
#include <perdure/kmer/read_source.hpp>
#include <perdure/kmer/sequence_taxa.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crash/fuzz_script.hpp"
#include "support/memory_file.hpp"
#include "workload/compressed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using namespace perdure;

constexpr const char* sequence_pieces[] = {">a\n",
                                           ">b c\n",
                                           "ACGT",
                                           "N",
                                           "\n",
                                           "\n\n",
                                           "\r\n",
                                           "\r",
                                           "@a\nACGT\n+\nIIII\n",
                                           "@b\n",
                                           "+\n",
                                           "+b\n",
                                           "II\n",
                                           "acgtu\n",
                                           "A",
                                           " ",
                                           "\t",
                                           ">",
                                           "@",
                                           "+",
                                           "@e/1\n\n+\n\n",
                                           ">x\nAC\nGT\n\n",
                                           "E",
                                           "*",
                                           "-.\n",
                                           ";c\n"};
constexpr const char* node_pieces[] = {"1\t|\t1\t|\tno rank\t|\n",
                                       "2|1|genus|\n",
                                       "3|2|species|\n",
                                       "4|5|a|\n",
                                       "5|4|b|\n",
                                       "6|6|c|\n",
                                       "3|1|genus|\n",
                                       "|",
                                       "\n",
                                       "7|",
                                       "0|1|x|\n",
                                       "-1",
                                       "4294967296|1|x|\n"};
constexpr const char* name_pieces[] = {"1|root||scientific name|\n",
                                       "2|B||scientific name|\n",
                                       "3|C||scientific name|\n",
                                       "4|D||scientific name|\n5|E||scientific name|\n",
                                       "3|other||synonym|\n",
                                       "|",
                                       "\n",
                                       "9|x||scientific name|\n",
                                       "2|||scientific name|\n"};

std::string text_of(crash::fuzz_script& script, std::span<const char* const> pieces, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < most && !script.at_end(); ++i) {
    const std::uint8_t chosen = script.byte();
    if (chosen < 250) {
      text += pieces[chosen % pieces.size()];
    } else if (chosen == 255) {
      // A long line, or many: readers work in batches.
      text += std::string(std::size_t{1} << (script.byte() % 18), script.byte() % 2 == 0 ? 'C' : '\n');
    } else {
      text += static_cast<char>(script.byte());
    }
  }
  return text;
}

struct reading {
  std::vector<std::pair<std::string, std::string>> sequences;
  std::string refused;  // the error, without the file's name; empty: read to the end

  bool operator==(const reading&) const = default;
};

reading read(std::string_view bytes, std::size_t batch) {
  const memory_file file(bytes);
  reading all;
  try {
    kmer::read_source source({file.path()});
    kmer::read_batch taken;
    while (source.next(taken, batch)) {
      source.parse(taken);
      if (taken.reads.sequences.size() != taken.reads.records)
        throw std::logic_error("a record is not a sequence");
      for (const kmer::sequence& one : taken.reads.sequences) all.sequences.emplace_back(one.name, one.bases);
    }
  } catch (const error& failure) {
    const std::string what = failure.what();
    all.refused = what.substr(what.find(": "));
    // Records before a malformed one may be in its batch.
    all.sequences.clear();
  }
  return all;
}

void try_sequences(crash::fuzz_script& script) {
  const std::uint8_t how = script.byte();
  const std::size_t batch = 1 + script.below(300);
  const std::string text = text_of(script, sequence_pieces, 400);
  const reading whole = read(text, kmer::sequence_reader::batch_size);
  if (read(text, batch) != whole) throw std::logic_error("smaller batches have other records");
  std::string packed = how % 3 == 0   ? test::gzip(text, 1)
                       : how % 3 == 1 ? test::zstd(text, 1)
                                      : test::xz(text, 0);
  if (read(packed, batch) != whole) throw std::logic_error("compressed it has other records");
  packed.resize(packed.size() - 1 - how % packed.size());
  read(packed, batch);
}

void try_taxonomy(crash::fuzz_script& script) {
  const memory_file nodes(text_of(script, node_pieces, 12));
  const memory_file names(text_of(script, name_pieces, 20));
  try {
    const kmer::taxonomy taxa = kmer::read_taxonomy(nodes.path(), names.path());
    const kmer::taxonomy_view view = taxa.view();
    for (kmer::taxon_node node = 0; node < view.size(); ++node) {
      if (view.parents[node] > node || (view.parents[node] == node) != (node == 0))
        throw std::logic_error("a parent does not come before its child");
      if (view.find(view.ids[node]) != node || view.name(node).empty() || view.common_ancestor(node, 0) != 0)
        throw std::logic_error("a taxon is not found");
    }
  } catch (const error&) {
    // Refused, as most are.
  }
  try {
    const kmer::sequence_taxa map(names.path());
  } catch (const error&) {
    // The same.
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  crash::fuzz_script script({data, size});
  if (script.byte() % 4 == 0)
    try_taxonomy(script);
  else
    try_sequences(script);
  return 0;
}
