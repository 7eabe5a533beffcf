#include <perdure/persistable.hpp>
struct my_type {};
@snippet@
