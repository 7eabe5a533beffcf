#include <perdure/perdure.hpp>
void open_paged() {
@snippet@
}
