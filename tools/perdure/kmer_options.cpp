#include "kmer_options.hpp"

namespace perdure::cli {

void add_index_name_option(command target, std::string& name) {
  target.add_text("--name", name, "The index's name in the store (default kmers)");
}

void add_index_options(command target, index_options& given) {
  target
      .add_path("STORE", given.store,
                "The store's directory, or STORE@LABEL (or STORE@EPOCH): a checkpoint that it keeps")
      .required();
  add_index_name_option(target, given.name);
  add_verify_option(target, given.verify);
  add_wait_option(target);
  add_json_option(target, given.as_json);
}

opened_index::opened_index(const index_options& given, std::uint64_t budget)
    : store_(open_read_only, given.store, settings_for(given.verify, budget)) {
  if (kmer::kind_of_index(store_, given.name) == kmer::index_kind::exact)
    exact_.emplace(store_, given.name);
  else
    minimizers_.emplace(store_, given.name);
  seconds_ = watch_.seconds();
}

void tell_taxon(json& findings, const kmer::taxonomy_view& taxonomy, kmer::taxon_node node) {
  findings["taxon"] = taxonomy.ids[node];
  findings["rank"] = taxonomy.rank(node);
  findings["name"] = taxonomy.name(node);
}

void add_kmer_commands(command program) {
  command kmer = program.add_command("kmer", "Index genomes by their k-mers, and classify reads by them");
  kmer.require_command();
  add_kmer_build_command(kmer);
  add_kmer_add_command(kmer);
  add_kmer_compact_command(kmer);
  add_kmer_classify_command(kmer);
  add_kmer_dump_command(kmer);
  add_kmer_generate_command(kmer);
  add_kmer_lookup_command(kmer);
  add_kmer_merge_command(kmer);
  add_kmer_remove_command(kmer);
  add_kmer_stats_command(kmer);
}

}  // namespace perdure::cli
