// Finds a graph in a store, of whichever kind it is.
#include <algorithm>
#include <charconv>
#include <perdure/error.hpp>
#include <perdure/graph/ranks/set_graph.hpp>
#include <perdure/graph/stored_graph.hpp>
#include <system_error>

namespace perdure::graph {
namespace {

[[noreturn]] void throw_at(const manager& store, errc code, const std::string& what) {
  throw error(code, store.path().string() + ": " + what);
}

std::string name_of_only_graph(const manager& store) {
  const std::vector<std::string> all = graphs_in(store);
  if (all.empty())
    throw_at(store, errc::not_found, "the store holds no graph; make one with 'perdure graph ingest'");
  if (all.size() == 1) return all.front();
  std::string names;
  for (const std::string& one : all) names += (names.empty() ? "" : ", ") + one;
  throw_at(store, errc::invalid_argument, "the store holds several graphs (" + names + "); say which");
}

/// The object of this name, if it is a CSR.
const stored_csr* csr_named(const manager& store, const std::string& name) {
  for (const object_info& object : store.named_objects())
    if (object.name() == name && object.length() == 1 && object.is_type<stored_csr>())
      return static_cast<const stored_csr*>(object.value());
  return nullptr;
}

}  // namespace

std::vector<std::string> graphs_in(const manager& store) {
  std::vector<std::string> lists;
  std::vector<std::string> rows;
  for (const object_info& object : store.named_objects()) {
    if (object.length() != 1) continue;
    if (object.is_type<stored_list>()) lists.emplace_back(object.name());
    if (object.is_type<stored_csr>()) rows.emplace_back(object.name());
  }
  const std::size_t count = lists.size();
  for (std::string& one : rows) {
    const auto is_its_list = [&](const std::string& list) { return one == list + frozen_suffix; };
    if (std::none_of(lists.begin(), lists.begin() + static_cast<std::ptrdiff_t>(count), is_its_list))
      lists.push_back(std::move(one));
  }
  std::sort(lists.begin(), lists.end());
  return lists;
}

stored_graph::stored_graph(const manager& store, const std::string& name) : name_(name) {
  const auto find = [&] {
    csr_ = csr_named(store, name_);
    if (csr_ == nullptr) list_ = store.find<stored_list>(name_).first;
    return list_ != nullptr || csr_ != nullptr;
  };
  if (name.empty()) name_ = default_graph_name;
  if (!find()) {
    if (!name.empty())
      throw_at(store, errc::not_found,
               "the store holds no graph named \"" + name + "\" ('perdure ls' shows what it holds)");
    name_ = name_of_only_graph(store);
    find();
  }
  if (list_ != nullptr) {
    weights_ = store.find<stored_column>(name_ + weights_suffix).first;
    times_ = store.find<stored_column>(name_ + times_suffix).first;
    frozen_ = detail::frozen_parts::find(store, name_);
  }
  names_ = store.find<stored_names>(name_ + names_suffix).first;
}

stored_graph::stored_graph(const set_reader& set, const std::string& name) {
  const set_graph graph(set.arrays().untyped(), name);
  name_ = graph.name();
  whole_ = std::make_shared<const whole_graph>(graph.part(0, 1));
}

std::optional<csr_view> stored_graph::rows() const noexcept {
  if (whole_ != nullptr) return whole_->view();
  return csr_ != nullptr ? std::optional(csr_->view()) : std::nullopt;
}

bool stored_graph::undirected() const noexcept {
  if (whole_ != nullptr) return true;
  return list_ != nullptr ? list_->undirected() : csr_->undirected();
}

bool stored_graph::has_weights() const noexcept {
  if (whole_ != nullptr) return whole_->view().has_weights();
  return list_ != nullptr ? weights_ != nullptr : csr_->has_weights();
}

std::uint64_t stored_graph::vertices() const {
  if (whole_ != nullptr) return whole_->view().size();
  return list_ != nullptr ? list_->vertices() : csr_->vertices();
}

std::uint64_t stored_graph::edges() const noexcept {
  if (whole_ != nullptr) return (arcs() + self_loops()) / 2;
  return list_ != nullptr ? list_->edges() : csr_->edges();
}

std::uint64_t stored_graph::self_loops() const noexcept {
  if (whole_ != nullptr) return whole_->self_loops();
  return list_ != nullptr ? list_->self_loops() : csr_->self_loops();
}

std::uint64_t stored_graph::arcs() const noexcept {
  if (whole_ != nullptr) return whole_->view().arcs();
  return list_ != nullptr ? list_->arcs() : csr_->arcs();
}

frozen_state stored_graph::frozen() const {
  if (list_ == nullptr || !frozen_.are_there()) return frozen_state::none;
  return frozen_.are_fresh(*list_, weights_) ? frozen_state::fresh : frozen_state::stale;
}

any_view stored_graph::view(unsigned threads) const {
  if (const auto own = rows()) return any_view(*own);
  if (frozen() != frozen_state::fresh)
    return any_view(std::make_unique<const vertex_index>(*list_, threads, weights_));
  const csr_view base = frozen_.csr->view();
  if (frozen_.patch->empty() && frozen_.delta->empty()) return any_view(base);
  return any_view(std::make_unique<const patched_csr>(base, *frozen_.patch, *frozen_.delta));
}

std::string stored_graph::name_of(vertex_id id) const {
  if (names_ == nullptr || id >= names_->size()) return std::to_string(id);
  return std::string(names_->name(id));
}

std::optional<vertex_id> stored_graph::id_of(std::string_view called) const {
  if (names_ != nullptr)
    if (const std::optional<vertex_id> number = names_->find(called)) return number;
  vertex_id id = 0;
  const char* const end = called.data() + called.size();
  const auto [behind, failure] = std::from_chars(called.data(), end, id);
  if (failure != std::errc() || behind != end) return std::nullopt;
  return id;
}

}  // namespace perdure::graph
