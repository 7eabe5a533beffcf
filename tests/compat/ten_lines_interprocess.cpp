#include <iostream>
#include <perdure_interprocess/containers/vector.hpp>
#include <perdure_interprocess/managed_mapped_file.hpp>
namespace bip = perdure_interprocess;
using numbers = bip::vector<int, bip::allocator<int, bip::managed_mapped_file::segment_manager>>;
int main() {
  bip::managed_mapped_file store(bip::create_only, "numbers.store", 65536);
  numbers& some = *store.construct<numbers>("some")(store.get_segment_manager());
  std::cout << some.insert(some.end(), 1) - some.begin() << '\n';
}
