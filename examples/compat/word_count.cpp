// Counts words over all its runs: the map lies in a store and is there again next time.
#include <functional>
#include <iostream>
#include <string>
#include <utility>

#include "store_library.hpp"

using namespace store_library;
using counts_type = map<text, long, std::less<text>, allocator<std::pair<const text, long>>>;

int main() {
  store file = open_or_create("words.store");
  auto& counts = *file.find_or_construct<counts_type>("words")(file.get_allocator<text>());
  for (std::string word; std::cin >> word;) ++counts[text(word.c_str(), counts.get_allocator())];
  std::cout << counts.size() << " different words so far\n";
}
