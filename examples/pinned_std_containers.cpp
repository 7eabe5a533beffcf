// The standard library's containers and plain pointers in a pinned store, which is always mapped at the same
// address. Each run reads "name manager" pairs and prints the chain of managers of the last name.
#include <functional>
#include <iostream>
#include <map>
#include <perdure/manager.hpp>
#include <string>

using text = std::basic_string<char, std::char_traits<char>, perdure::pinned_allocator<char>>;

struct person {
  const text* name = nullptr;
  person* manager = nullptr;  // a plain pointer, as in any program
};

template <class Key, class Value>
using stored_map = std::map<Key, Value, std::less<>, perdure::pinned_allocator<std::pair<const Key, Value>>>;

int main() {
  // A pinned store takes its addresses in every process that opens it, so it should not ask for more than it
  // needs.
  perdure::store_options options;
  options.capacity = std::size_t{16} << 30;
  perdure::pinned_manager store(perdure::open_or_create, "people.store", options);
  auto& people = *store.find_or_construct<stored_map<text, person>>("people")();

  const auto add = [&](const std::string& name) -> person& {
    const auto [entry, added] = people.try_emplace(text(name, store.get_allocator<char>()));
    entry->second.name = &entry->first;
    return entry->second;
  };
  const person* last = nullptr;
  for (std::string name, manager; std::cin >> name >> manager;) {
    person& one = add(name);
    one.manager = &add(manager);
    last = &one;
  }
  for (const person* at = last; at != nullptr; at = at->manager)
    std::cout << *at->name << (at->manager ? " < " : "\n");
  store.close();  // a checkpoint; throws if it cannot be made
}
