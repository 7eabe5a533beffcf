// What cannot live in a store, asked of each interface: compiling this must fail at the lines that say so,
// with the message quoted there, and at no others. FOR_METALL chooses Metall's interface; without it that of
// Boost.Interprocess.
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#ifdef FOR_METALL
#include <metall/container/vector.hpp>
#include <metall/metall.hpp>
namespace library = metall;
using store = metall::manager;
template <class T>
using stored_vector = metall::container::vector<T>;
#else
#include <perdure_interprocess/containers/vector.hpp>
#include <perdure_interprocess/managed_mapped_file.hpp>
namespace library = perdure_interprocess;
using store = library::managed_mapped_file;
template <class T>
using stored_vector = library::vector<T, library::allocator<T, store::segment_manager>>;
#endif

namespace {

struct shape {
  virtual ~shape() = default;
};
struct node {
  int value;
  node* next;
};
struct view {
  const int& of;
};
struct employee {
  std::string name;
};
struct task {
  std::function<void()> work;
};
struct owner {
  std::unique_ptr<int> owned;
};
using numbers = std::unordered_set<int, std::hash<int>, std::equal_to<>, stored_vector<int>::allocator_type>;

// These may.
struct linked {
  int value;
  library::offset_ptr<linked> next;
};
struct cached {
  int* of_this_run;
};

}  // namespace

template <>
inline constexpr bool perdure::enable_persistable<cached> = true;

// clang-format off
void refused(store& file, node* nodes, const task* tasks, const int& number) {
  file.construct<shape>("shape")();  // refused: a type with virtual functions cannot live in a store
  file.find_or_construct<node>(library::unique_instance)();  // refused: a plain pointer cannot live in a relocatable store, which is mapped at another address next time: use perdure::offset_ptr // at: node.next
  file.construct_it<node*>("nodes")[3](&nodes);  // refused: a plain pointer cannot live in a relocatable store
  file.construct<view>(library::anonymous_instance)(view{number});  // refused: a reference cannot live in a relocatable store
  file.construct<employee>("employees")[3]();  // refused: std::string keeps its text outside the store: use perdure::string // at: employee.name
  file.find_or_construct_it<task>("task")(tasks);  // refused: a std::function cannot live in a store
  file.construct<owner>("owner")();  // refused: a smart pointer cannot live in a store
  file.construct<stored_vector<shape>>("shapes")(file.get_allocator<shape>());  // refused: a type with virtual functions cannot live in a store
  file.construct<stored_vector<int*>>("pointers")(file.get_allocator<int*>());  // refused: a plain pointer cannot live in a relocatable store
  file.construct<numbers>("numbers")(file.get_allocator<int>());  // refused: this container of the standard library keeps plain pointers whatever its allocator
  file.construct<linked>("linked")();
  file.construct<cached>("cached")();
}
