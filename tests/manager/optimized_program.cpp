// A program that is optimized as far as users' may be, with their warnings as errors: what is inlined from
// the headers into it must give no warning. It is compiled, and not run.
#include <perdure/data_type.hpp>

namespace {

// Each of several members: one loop for all of them is another function of the compiler's than one alone.
struct particle {
  double position[3];
  int id;
  int charge;
};

}  // namespace

const perdure::data_type& type_of_particle();
const perdure::data_type& type_of_particle() {
  return perdure::data_type_of<particle>();
}
