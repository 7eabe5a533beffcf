#include <perdure/perdure.hpp>
void fill(perdure::manager& store) {
@snippet@
}
