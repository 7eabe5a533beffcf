#include "manager/changed_types.hpp"

#include <array>
#include <boost/container/vector.hpp>
#include <boost/optional.hpp>
#include <boost/tuple/tuple.hpp>
#include <boost/variant.hpp>
#include <boost/variant2/variant.hpp>
#include <cstdint>
#include <optional>
#include <perdure/perdure.hpp>
#include <tuple>
#include <utility>
#include <variant>

namespace perdure {

// Types in an unnamed namespace have the same name in another source, and may be others there.
namespace {

struct grown {
  int id = 0;
};
struct retyped {
  int key = 0;
  int weight = 0;
};
struct swapped {
  int first = 0;
  float second = 0;
};
struct renamed_member {
  int old_name = 0;
};
struct rectangle {
  int width = 0;
  int height = 0;
};
struct moved_up {
  int dropped = 0;
  int kept = 0;
};
struct framed {
  double border = 0;
  std::optional<rectangle> inner;
};
enum class colour : std::uint32_t { red };
struct coloured {
  colour c = colour::red;
};
struct with_array {
  char name[100] = {};
  int numbers[3] = {};
};
struct nested {
  retyped inner;
  double other = 0;
};
struct versioned {
  int value = 0;
};
class hidden {
 public:
  int value() const { return value_; }

 private:
  int value_ = 0;
};
// The members of these are named, private and of a base as they are.
class private_members {
 public:
  PERDURE_MEMBERS(value_, id_)

 private:
  int value_ = 0;
  int id_ = 0;
};
struct base {
  int a = 0;
};
struct derived : base {
  PERDURE_MEMBERS(a, b)
  int b = 0;
};
class described_later {
 public:
  int value() const { return value_; }

 private:
  int value_ = 6;
};
}  // namespace

void store_as_the_earlier_program(manager& store) {
  store.construct<retyped>("direct")(retyped{1, 2});
  store.construct<retyped>(unique_instance)(retyped{3, 4});
  store.construct<vector<grown>>("grown")()->resize(10);
  store.construct<vector<retyped>>("vector")()->resize(10);
  (*store.construct<flat_map<int, retyped>>("flat_map")())[1] = {1, 2};
  store.construct<map<int, retyped>>("map")();
  store.construct<boost::container::vector<retyped, allocator<retyped>>>("boost")(
      store.get_allocator<retyped>());
  store.construct<std::pair<int, retyped>>("pair")();
  store.construct<std::tuple<int, retyped>>("tuple")();
  store.construct<std::array<retyped, 3>>("array")();
  store.construct<std::optional<retyped>>("optional")();
  store.construct<std::variant<int, retyped>>("variant")();
  store.construct<boost::optional<retyped>>("boost optional")();
  store.construct<boost::variant<int, retyped>>("boost variant")();
  store.construct<boost::variant2::variant<int, retyped>>("boost variant2")();
  store.construct<boost::tuple<int, retyped>>("boost tuple")();
  store.construct<vector<flat_map<string, std::pair<int, std::array<nested, 2>>>>>("deep")();
  store.construct<swapped>("swapped")();
  store.construct<renamed_member>("renamed member")()->old_name = 5;
  store.construct<rectangle>("rectangle")(rectangle{3, 4});
  store.construct<moved_up>("moved up")();
  store.construct<vector<framed>>("framed")();
  store.construct<coloured>("coloured")();
  store.construct<with_array>("with_array")();
  store.construct<versioned>("versioned")();
  store.construct<hidden>("hidden")();
  store.construct<vector<private_members>>("private members")()->resize(3);
  store.construct<derived>("derived")();
  store.construct<described_later>("described later")();
  store.construct<vector<retyped>>("convertible")()->push_back({7, 8});
}

}  // namespace perdure
