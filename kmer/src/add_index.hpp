// Adds the objects of an index to a store.
#pragma once

#include <perdure/kmer/minimizer_index.hpp>
#include <perdure/kmer/taxonomy.hpp>
#include <perdure/manager.hpp>
#include <string>

namespace perdure::kmer::detail {

/// Adds an index with one layer, which `make_layer(layer)` fills, and a copy of the taxonomy. `layers_suffix`
/// is that of the kind's layers. After an exception none of the objects is there.
template <class Layer, class Index, class MakeLayer>
void add_index(manager& store, const std::string& name, const char* layers_suffix,
               const taxonomy_view& taxonomy, const Index& index, MakeLayer&& make_layer) {
  const std::string layer_name = name + layers_suffix + "0";
  try {
    store.construct<stored_taxonomy>(name + taxonomy_suffix)()->assign(taxonomy);
    make_layer(*store.construct<Layer>(layer_name)());
    // The object with the index's name is the last.
    store.construct<Index>(name)(index);
  } catch (...) {
    store.destroy<Layer>(layer_name);
    store.destroy<stored_taxonomy>(name + taxonomy_suffix);
    throw;
  }
}

}  // namespace perdure::kmer::detail
