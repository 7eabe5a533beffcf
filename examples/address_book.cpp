// A map from names to a struct of strings and lists, built from what each run reads: lines of a name, a town
// and any number of interests. The struct knows nothing of stores.
#include <iostream>
#include <perdure/perdure.hpp>

struct person {
  perdure::string town;
  int visits = 0;
  perdure::vector<perdure::string> interests;
};

int main() {
  perdure::manager store(perdure::open_or_create, "people.store");
  auto& people = *store.find_or_construct<perdure::flat_map<perdure::string, person>>("people")();

  for (perdure::string name; std::cin >> name;) {
    person& p = people[name];
    ++p.visits;
    std::cin >> p.town;
    for (perdure::string interest; std::cin.peek() == ' ' && std::cin >> interest;)
      p.interests.push_back(interest);
  }

  people.insert({"nobody", {"Nowhere", 0, {"sleeping"}}});  // only the first run's is taken
  for (const char* const name : {"ada", "emmy", "nobody"}) {
    if (!people.contains(name)) continue;
    const person& p = people.at(name);
    std::cout << name << " of " << p.town << ", " << p.visits << " visits:";
    for (const perdure::string& interest : p.interests) std::cout << ' ' << interest;
    std::cout << '\n';
  }
  store.close();  // a checkpoint; throws if it cannot be made
}
