#include <cstddef>
#include <perdure/kind.hpp>
void use_kinds(std::size_t bytes) {
@snippet@
}
