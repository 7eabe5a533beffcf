// What programs find in managed_mapped_file.hpp without including it themselves. Compiled, not run.
#include <perdure_interprocess/managed_mapped_file.hpp>

int main() {
  namespace bip = perdure_interprocess;
  const bip::file_mapping file("file", bip::read_only);
  const bip::mapped_region region(file, bip::read_only);
  bip::permissions permissions;
  permissions.set_unrestricted();
  return region.get_size() == 0 ? 1 : 0;
}
