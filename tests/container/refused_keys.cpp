// What has no hash: compiling this must fail at the lines that say so, with the message quoted there, and at
// no others.
#include <perdure/container/string.hpp>
#include <perdure/hash.hpp>

namespace {

struct measure {
  operator unsigned long() const;
};

}  // namespace

// clang-format off
void refused(const measure& length, const char* text, const perdure::string& name, long double wide) {
  (void)perdure::hash_combine(name, length);  // refused: perdure::hash does not know this type: beside it, write
  (void)perdure::hash_combine(wide, 1);  // refused: perdure::hash does not know this type: beside it, write
  (void)perdure::hash_combine(text, 1);  // refused: perdure::hash_combine takes no pointers and arrays
  (void)perdure::hash_combine(1, "text");  // refused: perdure::hash_combine takes no pointers and arrays
  (void)perdure::hash_combine(name, 0.5);
}
