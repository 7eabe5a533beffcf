#include <perdure/kmer/taxonomy.hpp>

namespace perdure::kmer {
namespace {

template <class T>
std::span<const T> span_of(const perdure::vector<T>& all) noexcept {
  return {all.data(), all.size()};
}

}  // namespace

std::optional<taxon_node> taxonomy_view::find(taxon_id id) const noexcept {
  const auto found =
      std::lower_bound(by_id.begin(), by_id.end(), id,
                       [this](taxon_node node, taxon_id wanted) { return ids[node] < wanted; });
  if (found == by_id.end() || ids[*found] != id) return std::nullopt;
  return *found;
}

std::string_view taxonomy_view::rank(taxon_node node) const noexcept {
  std::string_view rest(rank_names.data(), rank_names.size());
  for (unsigned before = ranks[node]; before != 0; --before) rest.remove_prefix(rest.find('\n') + 1);
  return rest.substr(0, rest.find('\n'));
}

void stored_taxonomy::assign(const taxonomy_view& from) {
  ids.assign(from.ids.begin(), from.ids.end());
  parents.assign(from.parents.begin(), from.parents.end());
  by_id.assign(from.by_id.begin(), from.by_id.end());
  ranks.assign(from.ranks.begin(), from.ranks.end());
  rank_names.assign(from.rank_names.begin(), from.rank_names.end());
  ends.assign(from.ends.begin(), from.ends.end());
  names.assign(from.names.begin(), from.names.end());
}

taxonomy_view stored_taxonomy::view() const noexcept {
  return {span_of(ids),        span_of(parents), span_of(by_id), span_of(ranks),
          span_of(rank_names), span_of(ends),    span_of(names)};
}

}  // namespace perdure::kmer
