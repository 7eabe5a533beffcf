// Everything, for programs that do not mind the compile time.
#pragma once

#include <perdure/allocator.hpp>
#include <perdure/datastore.hpp>
#include <perdure/error.hpp>
#include <perdure/heap.hpp>
#include <perdure/manager.hpp>
#include <perdure/object_info.hpp>
#include <perdure/offset_ptr.hpp>
#include <perdure/open_mode.hpp>
#include <perdure/persistable.hpp>
#include <perdure/placement.hpp>
#include <perdure/type_stamp.hpp>
#include <perdure/verify.hpp>
#include <perdure/version.hpp>
