// Types of Boost that hold others by value, declared as Boost declares them: to spare every program the
// headers, and since none of their interfaces tells what they hold.
#pragma once

namespace boost {

template <class T>
class optional;
template <class T>
class recursive_wrapper;
#ifndef BOOST_VARIANT_DO_NOT_USE_VARIADIC_TEMPLATES
template <class T0, class... TN>
class variant;
#endif

namespace variant2 {
template <class... T>
class variant;
}

namespace tuples {
struct null_type;
template <class T0, class T1, class T2, class T3, class T4, class T5, class T6, class T7, class T8, class T9>
class tuple;
}  // namespace tuples

}  // namespace boost
