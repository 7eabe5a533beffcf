#include "perdure/c/version.h"

#include "perdure/version.hpp"

uint32_t perdure_version_number() {
  return PERDURE_VERSION_NUMBER;
}

const char* perdure_version_string() {
  return perdure::version_string;
}
