#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/kmer/minimizer_index.hpp>

namespace perdure::kmer {
namespace {

template <class T>
const T& part(const manager& store, const std::string& name) {
  const T* const found = store.find<T>(name).first;
  if (found == nullptr)
    throw error(errc::not_found,
                store.path().string() + ": the store holds no k-mer index named \"" + name +
                    "\" ('perdure ls' shows what it holds; 'perdure kmer build' makes an index)");
  return *found;
}

}  // namespace

minimizer_index::minimizer_index(const manager& store, const std::string& name)
    : name_(name), layer_(nullptr), table_({}, 1) {
  const stored_index& found = part<stored_index>(store, name);
  if (found.format != 1 || found.layers != 1)
    throw error(errc::too_new, store.path().string() + ": the k-mer index \"" + name +
                                   "\" was made by a later version of Perdure (format " +
                                   std::to_string(found.format) + ", layers " + std::to_string(found.layers) +
                                   "); use that version");
  scheme_ = {found.k, found.l, found.spaces};
  layer_ = &part<stored_layer>(store, name + layer_suffix);
  taxonomy_ = part<stored_taxonomy>(store, name + taxonomy_suffix).view();
  table_ = table_view({layer_->table.data(), layer_->table.size()}, layer_->key_bits);
  const auto& nodes = layer_->nodes;
  parents_.assign(nodes.size() + 1, 0);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const auto parent = std::lower_bound(nodes.begin(), nodes.end(), taxonomy_.parents[nodes[i]]);
    parents_[i + 1] = static_cast<std::uint32_t>(parent - nodes.begin()) + 1;
  }
}

std::vector<std::uint64_t> minimizer_index::minimizers_of_taxa() const {
  std::vector<std::uint64_t> counts(taxa() + 1);
  table_.for_each_cell(0, table_.pages(), [&counts](const table_cell& cell) { ++counts[cell.number]; });
  return counts;
}

}  // namespace perdure::kmer
