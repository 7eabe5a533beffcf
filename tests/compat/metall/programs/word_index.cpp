// Words and where they occur: strings as keys, vectors as values, a description of the store.
#include <iostream>
#include <metall/container/map.hpp>
#include <metall/container/string.hpp>
#include <metall/container/vector.hpp>
#include <metall/metall.hpp>
#include <sstream>
#include <string>

namespace mc = metall::container;
using positions = mc::vector<int>;
using word_index = mc::map<mc::string, positions, std::less<mc::string>,
                           metall::manager::scoped_allocator_type<std::pair<const mc::string, positions>>>;

int main(int, char** argv) {
  std::string description;
  metall::manager::get_description(argv[1], &description);
  const bool first_run = description.empty();
  auto manager = first_run ? metall::manager(metall::create_only, argv[1], std::size_t{1} << 30)
                           : metall::manager(metall::open_only, argv[1]);
  if (!manager.check_sanity()) return 1;
  manager.set_description(first_run ? "one run" : description + " and one more");

  word_index* const index =
      manager.find_or_construct<word_index>(metall::unique_instance)(manager.get_allocator());
  int* const next = manager.find_or_construct<int>("next position")(0);
  std::istringstream text(first_run ? "to be or not to be" : "that is the question that matters");
  for (std::string word; text >> word; ++*next)
    (*index)[mc::string(word.c_str(), manager.get_allocator<char>())].push_back(*next);

  manager.get_description(&description);
  std::cout << description << ':';
  for (const auto& [word, at] : *index) std::cout << ' ' << word << '*' << at.size() << '@' << at.back();
  std::cout << '\n';
  return 0;
}
