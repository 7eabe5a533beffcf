// JSON values in a store: all of it.
#pragma once

#include <metall/json/array.hpp>
#include <metall/json/equal.hpp>
#include <metall/json/json_fwd.hpp>
#include <metall/json/key_value_pair.hpp>
#include <metall/json/object.hpp>
#include <metall/json/parse.hpp>
#include <metall/json/pretty_print.hpp>
#include <metall/json/serialize.hpp>
#include <metall/json/string.hpp>
#include <metall/json/value.hpp>
#include <metall/json/value_from.hpp>
#include <metall/json/value_to.hpp>
