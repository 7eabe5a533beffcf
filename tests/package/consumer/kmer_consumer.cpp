// A program that indexes a file of genomes, and prints how many reads of another file belong to them.
#include <iostream>
#include <perdure/kmer/build_index.hpp>
#include <perdure/kmer/classify_files.hpp>
#include <perdure/kmer/sequence_taxa.hpp>
#include <perdure/manager.hpp>

int main(int, char** argv) {
  namespace kmer = perdure::kmer;
  perdure::manager store(perdure::create_only, argv[1]);
  const kmer::taxonomy taxa = kmer::read_taxonomy(argv[2], argv[3]);
  kmer::build_index(store, {argv[4]}, taxa.view(), kmer::sequence_taxa());
  kmer::read_source reads({argv[5]});
  const kmer::classify_result found = kmer::classify_files(kmer::minimizer_index(store), reads, {});
  std::cout << found.classified << " of " << found.reads << '\n';
}
