// A program with one object of each sort that debuggers show. `stop` is where they stop.
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <perdure/perdure.hpp>
#include <string>
#include <vector>

namespace {

struct point {
  double x = 0;
  int name = 0;
};

using names = perdure::vector<perdure::string>;

// Not inlined, and after all that is to be shown.
[[gnu::noinline]] void stop() {
  __asm__ volatile("" ::: "memory");
}

/// Containers whose bytes are anything, as an uninitialised variable has them.
template <class Container>
struct corrupt {
  explicit corrupt(int byte) { std::memset(bytes, byte, sizeof bytes); }
  const Container& get() const { return *reinterpret_cast<const Container*>(bytes); }
  alignas(Container) unsigned char bytes[sizeof(Container)];
};

/// Keeps the compiler from leaving out what only the debugger reads.
template <class... Objects>
void keep(const Objects&... objects) {
  const void* const all[] = {&objects...};
  __asm__ volatile("" : : "r"(all) : "memory");
}

void show_corrupt(int byte) {
  const corrupt<names> bad_vector(byte);
  const corrupt<perdure::string> bad_string(byte);
  const corrupt<perdure::flat_map<int, int>> bad_map(byte);
  const corrupt<perdure::list<int>> bad_list(byte);
  const corrupt<perdure::map<int, int>> bad_tree(byte);
  const corrupt<perdure::deque<int>> bad_deque(byte);
  const corrupt<perdure::unordered_map<int, int>> bad_hash(byte);
  const corrupt<perdure::stable_vector<int>> bad_stable(byte);
  const corrupt<perdure::forward_list<int>> bad_forward(byte);
  const corrupt<perdure::manager> bad_manager(byte);
  const corrupt<perdure::array_view<double, 2>> bad_view(byte);
  const corrupt<perdure::array_store> bad_arrays(byte);
  const corrupt<perdure::offset_ptr<point>> bad_pointer(byte);
  const names& v = bad_vector.get();
  const perdure::string& s = bad_string.get();
  const auto& m = bad_map.get();
  const auto& l = bad_list.get();
  const auto& t = bad_tree.get();
  const auto& d = bad_deque.get();
  const auto& h = bad_hash.get();
  const auto& w = bad_stable.get();
  const auto& f = bad_forward.get();
  const auto& g = bad_manager.get();
  const auto& a = bad_view.get();
  const auto& r = bad_arrays.get();
  const auto& p = bad_pointer.get();
  keep(v, s, m, l, t, d, h, w, f, g, a, r, p);
  stop();
}

/// A list whose second node leads back to itself.
void show_cycle() {
  perdure::list<int> ring{1, 2, 3};
  auto* const second = reinterpret_cast<perdure::offset_ptr<char>*>(&*std::next(ring.begin())) - 2;
  const perdure::offset_ptr<char> old = second[0];
  second[0] = reinterpret_cast<char*>(second);
  stop();
  second[0] = old;
}

}  // namespace

int main(int, char** argv) {
  perdure::manager store(perdure::open_or_create, argv[1]);
  auto& words = *store.find_or_construct<names>("words")();
  words.assign(2, perdure::string("ant"));
  words[1] = "a word that is too long for the string itself";
  auto& ages = *store.find_or_construct<perdure::flat_map<perdure::string, int>>("ages")();
  ages["ada"] = 36;
  store.find_or_construct<std::int64_t>("count")(7);
  perdure::array_store arrays(store);
  arrays.store("temperature", std::vector<double>{1.5, 2.5, 3.5});
  arrays.store("grid", perdure::array_view<const int, 2>(std::array{1, 2, 3, 4, 5, 6}.data(), {2, 3}));

  perdure::vector<int> numbers{1, 2, 3};
  perdure::vector<int> empty;
  perdure::string brief("brief");
  perdure::string text("quotes \" and a line\n and more than twenty-three bytes");
  perdure::flat_set<int> unique{5};
  perdure::flat_map<int, perdure::vector<int>> nested;
  nested[4] = numbers;
  perdure::list<int> linked{1, 2, 3};
  perdure::forward_list<int> forward{4, 5};
  perdure::map<perdure::string, int> sorted{{"b", 2}, {"a", 1}, {"c", 3}};
  perdure::set<int> ordered{3, 1, 2};
  perdure::deque<int> queued;
  for (int i = 0; i < 300; ++i) queued.push_back(i);
  for (int i = 0; i < 298; ++i) queued.pop_front();
  perdure::unordered_map<int, int> hashed{{1, 10}};
  perdure::unordered_set<int> hashes{9};
  perdure::stable_vector<point> stable{point{1.5, 2}};
  point target{2.5, 3};
  perdure::offset_ptr<point> pointer(&target);
  perdure::offset_ptr<point> null;
  int cells[6] = {1, 2, 3, 4, 5, 6};
  perdure::array_view<int, 2> grid(cells, {2, 3});
  perdure::array_view<int, 2> transposed(cells, {3, 2}, std::array<std::ptrdiff_t, 2>{1, 3});
  perdure::extents shape{2, 3};
  perdure::array_info info = arrays.array("grid").info();
  perdure::array_ref reference = arrays.array("grid");
  auto seen = arrays.view<double>("temperature");
  perdure::datastore& durable = store.store();
  keep(numbers, empty, brief, text, unique, nested, linked, forward, sorted, ordered, queued, hashed, hashes,
       stable, pointer, null, grid, transposed, shape, info, reference, seen, durable, words, ages);
  stop();
  show_corrupt(0);
  show_corrupt(0xff);
  show_corrupt(0x11);
  show_corrupt(0x7f);
  show_cycle();
  store.close();
  stop();
}
