// NCBI's dumps: fields between "\t|\t", of which the first few count. Nodes are numbered by breadth-first
// search from the root, so that parents come before their children.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <perdure/kmer/taxonomy.hpp>
#include <string>

#include "taxon_number.hpp"
#include "text_lines.hpp"

namespace perdure::kmer {
namespace {

struct dump_node {
  taxon_id id = 0;
  taxon_id parent = 0;
  std::uint8_t rank = 0;
  std::uint64_t line = 0;
};

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// Cuts a line of a dump into its first fields. Returns false where it has fewer.
template <std::size_t Count>
bool cut_fields(std::string_view line, std::array<std::string_view, Count>& fields) {
  for (std::string_view& field : fields) {
    const std::size_t bar = line.find('|');
    if (bar == std::string_view::npos) return false;
    field = detail::trimmed(line.substr(0, bar));
    line.remove_prefix(bar + 1);
  }
  return true;
}

std::string number(taxon_id id) {
  return std::to_string(id);
}

/// The nodes of a dump, sorted by id.
class dumped_nodes {
 public:
  explicit dumped_nodes(const std::filesystem::path& file) : lines_(file) {
    std::string_view line;
    while (lines_.next(line)) take(line);
    std::sort(nodes_.begin(), nodes_.end(), [](const dump_node& a, const dump_node& b) {
      return a.id != b.id ? a.id < b.id : a.line < b.line;
    });
    const auto twice = std::adjacent_find(
        nodes_.begin(), nodes_.end(), [](const dump_node& a, const dump_node& b) { return a.id == b.id; });
    if (twice != nodes_.end())
      throw lines_.error_at((twice + 1)->line, "taxon " + number(twice->id) + " is in line " +
                                                   std::to_string(twice->line) + " already");
    find_parents();
  }

  /// Returns the taxonomy without names.
  taxonomy numbered() const {
    taxonomy made;
    const std::size_t count = nodes_.size();
    made.rank_names = rank_names_;
    made.ids.reserve(count);
    made.parents.reserve(count);
    made.ranks.reserve(count);
    // Children of each node, by rising id.
    std::vector<std::size_t> first(count + 1, 0);
    for (std::size_t i = 0; i < count; ++i)
      if (parents_[i] != i) ++first[parents_[i] + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::uint32_t> children(count);
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (std::uint32_t i = 0; i < count; ++i)
      if (parents_[i] != i) children[next[parents_[i]]++] = i;

    std::vector<std::uint32_t> order;  // of nodes
    order.reserve(count);
    made.by_id.assign(count, none);
    const auto add = [&](std::uint32_t node, taxon_node parent) {
      made.by_id[node] = static_cast<taxon_node>(order.size());
      order.push_back(node);
      made.ids.push_back(nodes_[node].id);
      made.ranks.push_back(nodes_[node].rank);
      made.parents.push_back(parent);
    };
    add(root_, 0);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t child = first[order[i]]; child < first[order[i] + 1]; ++child)
        add(children[child], static_cast<taxon_node>(i));
    if (order.size() != count) refuse_circle(made.by_id);
    return made;
  }

 private:
  void take(std::string_view line) {
    std::array<std::string_view, 3> fields;
    if (!cut_fields(line, fields))
      throw lines_.error_here("it is not a line 'taxon | parent | rank |' of nodes.dmp");
    const auto id = detail::taxon_in(fields[0]);
    const auto parent = detail::taxon_in(fields[1]);
    if (!id || !parent)
      throw lines_.error_here("'" + std::string(id ? fields[1] : fields[0]) +
                              "' is no number of a taxon (1 to 4294967295)");
    nodes_.push_back({*id, *parent, rank_of(fields[2]), lines_.number()});
  }

  std::uint8_t rank_of(std::string_view name) {
    std::size_t found = 0;
    while (found < ranks_.size() && ranks_[found] != name) ++found;
    if (found == ranks_.size()) {
      if (found == std::numeric_limits<std::uint8_t>::max())
        throw error(errc::unsupported,
                    std::string(lines_.error_here("a taxonomy has at most 255 ranks").what()));
      ranks_.emplace_back(name);
      rank_names_.insert(rank_names_.end(), name.begin(), name.end());
      rank_names_.push_back('\n');
    }
    return static_cast<std::uint8_t>(found);
  }

  void find_parents() {
    parents_.reserve(nodes_.size());
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      const dump_node& node = nodes_[i];
      const auto parent = std::lower_bound(nodes_.begin(), nodes_.end(), node.parent,
                                           [](const dump_node& a, taxon_id id) { return a.id < id; });
      if (parent == nodes_.end() || parent->id != node.parent)
        throw lines_.error_at(node.line, "taxon " + number(node.id) + " has the parent " +
                                             number(node.parent) + ", which the file does not have");
      parents_.push_back(static_cast<std::uint32_t>(parent - nodes_.begin()));
      if (parents_.back() != i) continue;
      if (root_ != none)
        throw lines_.error_at(std::max(node.line, nodes_[root_].line),
                              "taxa " + number(nodes_[root_].id) + " and " + number(node.id) +
                                  " are both their own parents; only the root may be");
      root_ = i;
    }
    if (root_ == none) throw lines_.error_here("the taxonomy has no root: no taxon is its own parent");
  }

  [[noreturn]] void refuse_circle(const std::vector<taxon_node>& reached) const {
    // From a node that the root does not lead to, parents lead into the circle.
    std::size_t node =
        static_cast<std::size_t>(std::find(reached.begin(), reached.end(), none) - reached.begin());
    std::vector<bool> seen(nodes_.size());
    while (!seen[node]) {
      seen[node] = true;
      node = parents_[node];
    }
    throw lines_.error_at(nodes_[node].line, "taxon " + number(nodes_[node].id) +
                                                 " is its own ancestor: its parents lead in a circle");
  }

  detail::text_lines lines_;
  std::vector<dump_node> nodes_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::string> ranks_;
  std::vector<char> rank_names_;
  std::uint32_t root_ = none;
};

void read_names(const std::filesystem::path& file, taxonomy& into) {
  detail::text_lines lines(file);
  const taxonomy_view view = into.view();
  std::vector<std::string> names(view.size());
  std::string_view line;
  while (lines.next(line)) {
    std::array<std::string_view, 4> fields;
    if (!cut_fields(line, fields))
      throw lines.error_here("it is not a line 'taxon | name | unique name | kind of name |' of names.dmp");
    if (fields[3] != "scientific name") continue;
    const auto id = detail::taxon_in(fields[0]);
    if (!id)
      throw lines.error_here("'" + std::string(fields[0]) + "' is no number of a taxon (1 to 4294967295)");
    if (fields[1].empty()) throw lines.error_here("the name of taxon " + number(*id) + " is empty");
    const auto node = view.find(*id);
    if (!node) continue;
    if (!names[*node].empty())
      throw lines.error_here("taxon " + number(*id) + " has a scientific name already: " + names[*node]);
    names[*node] = fields[1];
  }
  for (taxon_node node = 0; node < names.size(); ++node) {
    if (names[node].empty())
      throw error(errc::bad_input,
                  file.string() + ": there is no scientific name of taxon " + number(into.ids[node]));
    into.names.insert(into.names.end(), names[node].begin(), names[node].end());
    into.ends.push_back(into.names.size());
  }
}

}  // namespace

taxonomy read_taxonomy(const std::filesystem::path& nodes, const std::filesystem::path& names) {
  taxonomy made = dumped_nodes(nodes).numbered();
  read_names(names, made);
  return made;
}

}  // namespace perdure::kmer
