// Values that an array store refuses: compiling this must fail at the lines that say so, with the message
// quoted there, and at no others.
#include <list>
#include <perdure/array_store.hpp>
#include <string>
#include <vector>

namespace {

struct person {
  std::string name;
  int age;
};
struct label {
  const char* text;
  int length;
};

}  // namespace

// clang-format off
void refused(perdure::array_store& arrays, const person& one, const std::vector<label>& labels) {
  arrays.store("person", one);  // refused: perdure: this type is no number, struct of numbers, string, or vector of these: give it an array_codec, or store its parts
  arrays.store("labels", labels);  // refused: perdure: this type is no number, struct of numbers, string, or vector of these
  (void)arrays.load<person>("person");  // refused: perdure: arrays are loaded as numbers, structs of numbers, strings, and vectors of these: give this type an array_codec, or load its parts
  arrays.array("a").set_attribute("who", one);  // refused: perdure: attributes are numbers, structs of numbers, strings, and vectors
  (void)arrays.array("a").attribute<std::list<int>>("list");  // refused: perdure: attributes are loaded as numbers, structs, strings, vectors
  arrays.store("numbers", std::vector<std::vector<int>>{{1}, {2, 3}});
  (void)arrays.store_async("gone", std::vector<int>{1, 2});  // refused: perdure: the elements must live until they are stored: give a variable, not a temporary
}
