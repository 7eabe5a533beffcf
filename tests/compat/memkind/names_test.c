/* What memkind 1.14 declares no more, or never did, a program may use for its own things. */
#include <hbwmalloc.h>

/* Before memkind.h: hbwmalloc.h brings none of it. */
static int memkind_t = 1;
static int brought_by_hbwmalloc(void) {
  return memkind_t;
}
#define memkind_t memkind_t_of_memkind
#include <memkind.h>
#include <memkind_memtier.h>
#undef memkind_t

struct memkind_ops {
  int mine;
};
enum { MEMKIND_NAME_LENGTH = 3, MEMKIND_ERROR_REPNAME = 4 };

static int memkind_create(struct memkind_ops ops) {
  return ops.mine;
}
static int memkind_get_size(void) {
  return MEMKIND_NAME_LENGTH;
}
static int memkind_get_num_kind(void) {
  return MEMKIND_ERROR_REPNAME;
}
static int memkind_get_kind_by_name(void) {
  return 5;
}
static int memkind_finalize(void) {
  return 6;
}
static int memkind_malloc_pre(int value) {
  return value;
}
static int memtier_kind_malloc_post(int value) {
  return value;
}
#ifdef PERDURE_UNSIGNED_ENUM
#error "a macro of Perdure's is left"
#endif

int main(void) {
  const struct memkind_ops ops = {2};
  const int sum = brought_by_hbwmalloc() + memkind_create(ops) + memkind_get_size() + memkind_get_num_kind() +
                  memkind_get_kind_by_name() + memkind_finalize() + memkind_malloc_pre(7) +
                  memtier_kind_malloc_post(8);
  return sum == 36 ? 0 : 1;
}
