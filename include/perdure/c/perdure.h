/* The C API, for C99 and everything that calls C. See docs/reference/c.md. */
#ifndef PERDURE_C_PERDURE_H
#define PERDURE_C_PERDURE_H

#include <perdure/c/address.h>
#include <perdure/c/allocation.h>
#include <perdure/c/array.h>
#include <perdure/c/attribute.h>
#include <perdure/c/checkpoint.h>
#include <perdure/c/copy.h>
#include <perdure/c/data.h>
#include <perdure/c/error.h>
#include <perdure/c/info.h>
#include <perdure/c/kind.h>
#include <perdure/c/kind_decorator.h>
#include <perdure/c/kind_ops.h>
#include <perdure/c/object.h>
#include <perdure/c/pager.h>
#include <perdure/c/set.h>
#include <perdure/c/store.h>
#include <perdure/c/text_list.h>
#include <perdure/c/tiered_kind.h>
#include <perdure/c/verify.h>
#include <perdure/c/version.h>

#endif
