#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/kmer/canonical_kmers.hpp>
#include <perdure/kmer/exact_index.hpp>
#include <string>

#include "prune_taxa.hpp"

namespace perdure::kmer {
namespace {

template <class T>
const T* object_of(const manager& store, const std::string& name) {
  try {
    return store.find<T>(name).first;
  } catch (const error& failure) {
    if (failure.code() != errc::wrong_type) throw;
    return nullptr;
  }
}

}  // namespace

std::uint64_t stored_exact_layer::bytes() const noexcept {
  return pages.size() * sizeof(exact_page) + firsts.size() * sizeof(std::uint64_t) +
         set_ends.size() * sizeof(std::uint64_t) + taxa.size() * sizeof(taxon_count) +
         pruned_from.size() * sizeof(std::uint32_t) + sequences.size() * sizeof(stored_sequence) +
         names.size();
}

index_kind kind_of_index(const manager& store, const std::string& name) {
  if (object_of<stored_exact_index>(store, name) != nullptr) return index_kind::exact;
  if (object_of<stored_index>(store, name) != nullptr) return index_kind::minimizer;
  throw error(errc::not_found,
              store.path().string() + ": the store holds no k-mer index named \"" + name +
                  "\" ('perdure ls' shows what it holds; 'perdure kmer build' makes an index)");
}

std::vector<std::string> indexes_in(const manager& store) {
  std::vector<std::string> names;
  for (const object_info& object : store.named_objects())
    if (object.length() == 1 && (object.is_type<stored_exact_index>() || object.is_type<stored_index>()))
      names.emplace_back(object.name());
  std::sort(names.begin(), names.end());
  return names;
}

exact_index::exact_index(const manager& store, const std::string& name) : name_(name), hash_({}) {
  const std::string what = store.path().string() + ": the k-mer index \"" + name + "\"";
  if (kind_of_index(store, name) != index_kind::exact)
    throw error(errc::wrong_type,
                what + " is one of minimizers, not an exact one; build another one with --index exact");
  const auto* const found = object_of<stored_exact_index>(store, name);
  constexpr std::uint32_t own_format = 1;
  if (found->format != own_format)
    throw error(errc::too_new, what + " was made by a later version of Perdure (format " +
                                   std::to_string(found->format) + "); use that version");
  const auto* const taxonomy = object_of<stored_taxonomy>(store, name + taxonomy_suffix);
  if (found->layers == 0 || taxonomy == nullptr || found->k == 0 || found->k > most_kmer_bases)
    throw error(errc::damaged, what + " lacks its layers or its taxonomy; build it again");
  k_ = found->k;
  prune_ = found->prune;
  hash_ = minimizer_hash({k_, k_, 0});
  taxonomy_ = taxonomy->view();
  for (std::uint32_t i = 0; i < found->layers; ++i) {
    const auto* const layer =
        object_of<stored_exact_layer>(store, name + exact_layer_suffix + std::to_string(i));
    if (layer == nullptr || layer->pages.size() != layer->firsts.size() || layer->pages.empty())
      throw error(errc::damaged, what + " lacks its layer " + std::to_string(i) + "; build it again");
    stored_layers_.push_back(layer);
    tables_.emplace_back(std::span(layer->pages.data(), layer->pages.size()),
                         std::span(layer->firsts.data(), layer->firsts.size()),
                         exact_page_layout{layer->key_bytes, layer->number_bytes, 64 - hash_.bits()});
  }
}

std::span<const taxon_count> exact_index::find_hash(std::uint64_t hash,
                                                    std::vector<taxon_count>& room) const {
  std::span<const taxon_count> found;
  std::uint32_t pruned_from = stored_exact_layer::not_pruned;
  bool is_sum = false;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const std::uint32_t number = tables_[i].find(hash);
    if (number == exact_table_view::none) continue;
    const stored_exact_layer& layer = *stored_layers_[i];
    const std::span<const taxon_count> here = layer.set(number);
    if (!layer.pruned_from.empty()) pruned_from = std::min(pruned_from, layer.pruned_from[number]);
    if (found.empty()) {
      found = here;
      continue;
    }
    if (!is_sum) room.assign(found.begin(), found.end());
    is_sum = true;
    room.insert(room.end(), here.begin(), here.end());
  }
  if (!is_sum) return found;
  detail::add_up(room);
  if (prune_ != 0) detail::prune_taxa(taxonomy_, prune_, pruned_from, room);
  return room;
}

}  // namespace perdure::kmer
