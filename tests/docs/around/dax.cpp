#include <perdure/perdure.hpp>
void open_on_dax() {
@snippet@
}
