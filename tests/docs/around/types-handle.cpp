#include <perdure/perdure.hpp>
struct my_handle {};
@snippet@
