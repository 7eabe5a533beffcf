#include <algorithm>
#include <perdure/error.hpp>
#include <perdure/kmer/minimizer_index.hpp>
#include <string>
#include <utility>

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
    : name_(name), store_(&store.store()), hash_({}) {
  const stored_index& found = part<stored_index>(store, name);
  constexpr std::uint32_t own_format = 2;
  if (found.format < own_format)
    throw error(errc::unsupported, store.path().string() + ": the k-mer index \"" + name +
                                       "\" has the format of an earlier version of Perdure (" +
                                       std::to_string(found.format) + "); build it again");
  if (found.format > own_format)
    throw error(errc::too_new, store.path().string() + ": the k-mer index \"" + name +
                                   "\" was made by a later version of Perdure (format " +
                                   std::to_string(found.format) + "); use that version");
  if (found.layers == 0)
    throw error(errc::damaged,
                store.path().string() + ": the k-mer index \"" + name + "\" has no layers; build it again");
  scheme_ = {found.k, found.l, found.spaces};
  hash_ = minimizer_hash(scheme_);
  taxonomy_ = part<stored_taxonomy>(store, name + taxonomy_suffix).view();
  stored_layers_.reserve(found.layers);
  for (std::uint32_t i = 0; i < found.layers; ++i) {
    const auto& layer = part<stored_layer>(store, name + layer_suffix + std::to_string(i));
    stored_layers_.push_back(&layer);
    nodes_.insert(nodes_.end(), layer.nodes.begin(), layer.nodes.end());
  }
  std::sort(nodes_.begin(), nodes_.end());
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  const auto number_of = [this](taxon_node node) {
    return static_cast<std::uint32_t>(std::lower_bound(nodes_.begin(), nodes_.end(), node) - nodes_.begin()) +
           1;
  };
  parents_.assign(nodes_.size() + 1, 0);
  for (std::size_t i = 1; i < nodes_.size(); ++i) parents_[i + 1] = number_of(taxonomy_.parents[nodes_[i]]);
  layers_.reserve(stored_layers_.size());
  for (const stored_layer* const layer : stored_layers_) {
    std::vector<std::uint32_t> numbers;
    if (layer->nodes.size() != nodes_.size()) {
      numbers.reserve(layer->nodes.size() + 1);
      numbers.push_back(0);
      for (const taxon_node node : layer->nodes) numbers.push_back(number_of(node));
    }
    layers_.emplace_back(*layer, std::move(numbers));
  }
}

std::vector<std::uint64_t> minimizer_index::minimizers_of_taxa() const {
  std::vector<std::uint64_t> counts(taxa() + 1);
  for (const layer_view& layer : layers_)
    layer.table().for_each_cell(0, layer.table().pages(), [&counts, &layer](const table_cell& cell) {
      ++counts[layer.number_of(cell.number)];
    });
  return counts;
}

}  // namespace perdure::kmer
