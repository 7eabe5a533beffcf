#include <perdure/perdure.hpp>
#include <utility>
@snippet@
void convert(perdure::manager& store) {
@snippet@
}
