// Counts words over all its runs: the map lies in a store and is there again next time.
//
//     echo to be or not to be | word_count     prints: 4 different words so far
#include <iostream>
#include <perdure/perdure.hpp>
#include <string>

int main() {
  perdure::manager store(perdure::open_or_create, "words.store");
  auto& counts = *store.find_or_construct<perdure::flat_map<perdure::string, long>>("words")();
  for (std::string word; std::cin >> word;) ++counts[word];
  std::cout << counts.size() << " different words so far\n";
  store.close();  // a checkpoint; throws if it cannot be made
}
