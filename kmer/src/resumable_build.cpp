#include "resumable_build.hpp"

#include <perdure/error.hpp>
#include <perdure/hash.hpp>
#include <perdure/workload/file_fingerprint.hpp>
#include <span>
#include <utility>

#include "stored_build.hpp"
#include "stored_exact_build.hpp"

namespace perdure::kmer::detail {
namespace {

constexpr const char* kind_key = "kind of index";

template <class T>
std::uint64_t digest_of(std::span<const T> values) noexcept {
  return hash_bytes(values.data(), values.size_bytes());
}

/// Returns a text by which genomes are known again. Nothing where a file cannot be read twice.
std::optional<std::string> text_of(const std::vector<std::filesystem::path>& genomes) {
  std::uint64_t all = genomes.size();
  for (const std::filesystem::path& file : genomes) {
    const auto fingerprint = file == "-" ? std::nullopt : workload::file_fingerprint(file);
    if (!fingerprint) return std::nullopt;
    all = hash_combine(all, hash_bytes(fingerprint->data(), fingerprint->size()));
  }
  return std::to_string(genomes.size()) + " files " + std::to_string(all);
}

std::string text_of(const taxonomy_view& taxonomy) {
  std::uint64_t all = 0;
  for (const std::uint64_t one :
       {digest_of(taxonomy.ids), digest_of(taxonomy.parents), digest_of(taxonomy.ranks),
        digest_of(taxonomy.rank_names), digest_of(taxonomy.ends), digest_of(taxonomy.names)})
    all = hash_combine(all, one);
  return std::to_string(all);
}

const char* text_of(index_kind kind) noexcept {
  return kind == index_kind::exact ? "exact" : "minimizer";
}

}  // namespace

std::vector<build_input> inputs_of(index_kind kind, const std::vector<std::filesystem::path>& genomes,
                                   const taxonomy_view& taxonomy, const sequence_taxa& taxa,
                                   unmapped_sequences unmapped, std::string kmers) {
  return {{"genomes", text_of(genomes)},
          {kind_key, text_of(kind)},
          {"taxonomy", text_of(taxonomy)},
          {"map of sequences", std::to_string(taxa.digest())},
          {"treatment of sequences without a taxon", unmapped == unmapped_sequences::skip ? "skip" : "error"},
          {"k-mers", std::move(kmers)}};
}

void require_same_inputs(const manager& store, const std::string& index,
                         const std::vector<build_input>& inputs) {
  const std::string name = index + build_suffix;
  std::string others;
  for (const build_input& one : inputs)
    if (store.attribute(object_name(name), one.key) != one.value)
      others += (others.empty() ? "" : ", ") + std::string(one.key);
  if (others.empty()) return;
  const bool is_stream = !inputs.front().value;
  throw error(
      errc::invalid_argument,
      store.path().string() + ": the build of the k-mer index \"" + index +
          "\" that was interrupted had other inputs (" + others + ")" +
          (is_stream ? ", as standard input and pipes cannot be read again" : "") +
          "; give the same ones to go on with it, or begin anew (--anew; in C++ build_options::anew)");
}

bool is_interrupted(const manager& store, const std::string& index) {
  try {
    store.attributes(object_name(index + build_suffix));
    return true;
  } catch (const error& failure) {
    if (failure.code() != errc::not_found) throw;
    return false;
  }
}

void refuse_taken_name(const manager& store, const std::string& index) {
  try {
    kind_of_index(store, index);
  } catch (const error& failure) {
    if (failure.code() == errc::not_found) return;
    throw;
  }
  throw error(errc::already_exists, store.path().string() + ": the store has a k-mer index named \"" + index +
                                        "\" already; give the new one another name");
}

void drop_interrupted(manager& store, const std::string& index) {
  if (!is_interrupted(store, index)) return;
  const std::string name = index + build_suffix;
  if (store.attribute(object_name(name), kind_key) == text_of(index_kind::exact))
    store.destroy<stored_exact_build>(name);
  else
    store.destroy<stored_build>(name);
  // Its space is free once a checkpoint does not have it.
  store.checkpoint();
}

void require_budget(const manager& store, const std::string& index, std::uint64_t budget) {
  if (budget == 0 && is_interrupted(store, index))
    throw error(errc::invalid_argument,
                store.path().string() + ": a build of the k-mer index \"" + index +
                    "\" with a budget was interrupted; give a budget (--budget) to go on with it, or begin "
                    "anew (--anew; in C++ build_options::anew)");
  if (budget != 0 && budget < least_build_budget)
    throw error(errc::invalid_argument, "a budget of " + std::to_string(budget) +
                                            " bytes is too small to build a k-mer index; give at least " +
                                            std::to_string(least_build_budget >> 20) + " MiB");
}

}  // namespace perdure::kmer::detail
