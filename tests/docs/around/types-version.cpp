#include <perdure/perdure.hpp>
@snippet@
