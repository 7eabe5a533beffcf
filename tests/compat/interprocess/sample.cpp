// A program as one writes it with Boost.Interprocess; only the includes and the namespace alias are
// Perdure's.
#include <boost/container/scoped_allocator.hpp>
#include <cstring>
#include <functional>
#include <iostream>
#include <perdure_interprocess/allocators/allocator.hpp>
#include <perdure_interprocess/containers/map.hpp>
#include <perdure_interprocess/containers/string.hpp>
#include <perdure_interprocess/file_mapping.hpp>
#include <perdure_interprocess/managed_mapped_file.hpp>
#include <utility>

namespace bip = perdure_interprocess;

using segment_manager = bip::managed_mapped_file::segment_manager;
template <class T>
using store_allocator = boost::container::scoped_allocator_adaptor<bip::allocator<T, segment_manager>>;
using string = bip::basic_string<char, std::char_traits<char>, store_allocator<char>>;
using word_counts = bip::map<string, int, std::less<string>, store_allocator<std::pair<const string, int>>>;

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  if (std::strcmp(argv[2], "remove") == 0) {
    if (!bip::file_mapping::remove(argv[1])) return 1;
    std::cout << "removed\n";
    return 0;
  }
  bip::managed_mapped_file file(bip::open_or_create, argv[1], 65536);
  int& runs = *file.find_or_construct<int>("runs")(0);
  auto& words = *file.find_or_construct<word_counts>(bip::unique_instance)(std::less<string>(),
                                                                           file.get_segment_manager());
  ++runs;
  for (int i = 2; i < argc; ++i) {
    const string word(argv[i], words.get_allocator());
    ++words[word];
  }
  if (words.begin()->second != 2 * runs) return 1;
  const string* longest = &words.begin()->first;
  for (const auto& [word, count] : words)
    if (word.size() > longest->size()) longest = &word;
  std::cout << runs << (runs == 1 ? " run, " : " runs, ") << words.size()
            << " words, longest: " << longest->c_str() << '\n';
  return file.flush() ? 0 : 1;
}
