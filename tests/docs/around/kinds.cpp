#include <memory>
#include <vector>
void use_kinds() {
@snippet@
}
