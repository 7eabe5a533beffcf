// A list of the program's own nodes and pointers, in the store and, with a fallback allocator, outside it.
#include <iostream>
#include <memory>
#include <metall/metall.hpp>
#include <utility>

template <typename Allocator>
class number_list {
  struct node {
    int value;
    metall::offset_ptr<node> next;
  };
  using node_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<node>;
  using node_traits = std::allocator_traits<node_allocator>;

 public:
  using allocator_type = Allocator;

  explicit number_list(const Allocator& allocator = Allocator()) : allocator_(allocator) {}
  number_list(const number_list&) = delete;
  number_list& operator=(const number_list&) = delete;
  ~number_list() {
    while (first_) {
      const typename node_traits::pointer gone = first_;
      first_ = first_->next;
      node_traits::deallocate(allocator_, gone, 1);
    }
  }

  void push_front(int value) {
    typename node_traits::pointer added = node_traits::allocate(allocator_, 1);
    node_traits::construct(allocator_, metall::to_raw_pointer(added), node{value, first_});
    first_ = added;
  }
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const node* n = metall::to_raw_pointer(first_); n != nullptr; n = metall::to_raw_pointer(n->next))
      visit(n->value);
  }

 private:
  node_allocator allocator_;
  metall::offset_ptr<node> first_{nullptr};
};

using stored_list = number_list<metall::manager::fallback_allocator<int>>;

int main(int, char** argv) {
  stored_list local;
  local.push_front(1);

  if (!metall::manager::consistent(argv[1])) {
    metall::manager manager(metall::create_only, argv[1], std::size_t{1} << 30);
    stored_list* const list = manager.construct<stored_list>("list")(manager.get_allocator());
    for (int i = 1; i <= 3; ++i) list->push_front(i);
    manager.set_instance_description(list, "numbers, last first");
    // The program ends without closing the store.
    manager.flush();
    std::quick_exit(0);
  }
  metall::manager manager(metall::open_only, argv[1]);
  stored_list* const list = manager.find<stored_list>("list").first;
  if (list == nullptr) return 1;
  std::cout << manager.named_begin()->description() << ':';
  list->for_each([](int value) { std::cout << ' ' << value; });
  std::cout << '\n'
            << std::boolalpha << manager.destroy_ptr(list) << ' ' << manager.all_memory_deallocated() << '\n';
  return 0;
}
