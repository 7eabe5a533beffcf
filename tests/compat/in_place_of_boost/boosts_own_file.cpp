#include "boosts_own_file.hpp"

#include <boost/interprocess/allocators/node_allocator.hpp>
#include <boost/interprocess/containers/list.hpp>
#include <boost/interprocess/managed_mapped_file.hpp>

#ifdef PERDURE_IN_PLACE_OF_BOOST
#error "this source is about Boost's own"
#endif

namespace bip = boost::interprocess;

unsigned long numbers_in_boosts_file(const char* path, bool remove) {
  using list = bip::list<int, bip::node_allocator<int, bip::managed_mapped_file::segment_manager>>;
  unsigned long count = 0;
  {
    bip::managed_mapped_file file(bip::open_or_create, path, 65536);
    list& numbers = *file.find_or_construct<list>("numbers")(file.get_segment_manager());
    numbers.push_back(1);
    count = numbers.size();
  }
  if (remove) bip::file_mapping::remove(path);
  return count;
}
