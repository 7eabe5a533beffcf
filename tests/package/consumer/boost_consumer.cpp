// A program written for Boost.Interprocess: counts its runs in a file and prints the count.
#include <boost/interprocess/containers/vector.hpp>
#include <boost/interprocess/managed_mapped_file.hpp>
#include <iostream>

int main(int, char** argv) {
  namespace bip = boost::interprocess;
  using numbers = bip::vector<int, bip::allocator<int, bip::managed_mapped_file::segment_manager>>;
  bip::managed_mapped_file file(bip::open_or_create, argv[1], 65536);
  numbers& runs = *file.find_or_construct<numbers>("runs")(file.get_segment_manager());
  runs.push_back(1);
  std::cout << runs.size() << '\n';
  return 0;
}
