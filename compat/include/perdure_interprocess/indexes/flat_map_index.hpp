// Names an index of objects. Perdure's directory, a hash table, is the only one there is.
#pragma once

namespace perdure_interprocess {

template <class IndexConfig>
class flat_map_index;

}  // namespace perdure_interprocess
