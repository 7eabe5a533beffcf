// JSON strings are Metall's strings; json_fwd.hpp names them.
#pragma once

#include <metall/json/json_fwd.hpp>
