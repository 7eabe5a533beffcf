#pragma once
// Included before each mutated source (mutate.py): which of its mistakes is made in this process, and which
// were reached.

namespace perdure_mutation {

extern int chosen;              ///< the number of the mistake that is made, or -1: none
extern unsigned char* reached;  ///< a byte for each number, set where the code is reached; or null

inline bool is(int number) {
  if (reached != nullptr) reached[number] = 1;
  return chosen == number;
}

template <class A, class B>
bool less(int number, const A& a, const B& b) {
  return is(number) ? a <= b : a < b;
}

template <class A, class B>
bool less_equal(int number, const A& a, const B& b) {
  return is(number) ? a < b : a <= b;
}

template <class A, class B>
bool greater(int number, const A& a, const B& b) {
  return is(number) ? a >= b : a > b;
}

template <class A, class B>
bool greater_equal(int number, const A& a, const B& b) {
  return is(number) ? a > b : a >= b;
}

}  // namespace perdure_mutation
