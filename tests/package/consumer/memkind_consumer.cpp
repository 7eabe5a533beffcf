// A program written for memkind.
#include <memkind.h>
#include <memkind_allocator.h>

#include <iostream>
#include <vector>

int main() {
  std::vector<int, libmemkind::static_kind::allocator<int>> numbers(
      libmemkind::static_kind::allocator<int>(libmemkind::kinds::DEFAULT));
  numbers.assign(1000, 1);
  std::cout << (memkind_detect_kind(numbers.data()) == MEMKIND_DEFAULT ? "default" : "none") << '\n';
}
