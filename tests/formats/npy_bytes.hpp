// .npy files as NumPy writes them.
#pragma once

#include <string>
#include <vector>

namespace perdure::test {

template <class T>
std::string npy_bytes(const std::string& descr, const std::string& shape, const std::vector<T>& elements,
                      const char* fortran = "False") {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string file("\x93NUMPY\1\0", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header +
         std::string(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T));
}

}  // namespace perdure::test
