#!/bin/sh
# Layers point only downwards: system < segment, pager < store, heap < kind, manager < containers and workloads < faces.
# Each rule names a folder and what its files must not include.
set -eu
cd "$(dirname "$0")/.."
broken=0

# forbid FOLDER PATTERN WHY
forbid() {
  [ -d "$1" ] || return 0
  if grep -rnE --include='*.hpp' --include='*.cpp' --include='*.h' --include='*.c' "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]$2" "$1"; then
    echo "layers: $1 $3" >&2
    broken=1
  fi
}

forbid src/base '(perdure|os|segment|pager|store|heap|kind|manager|array|c)/' 'knows nothing of anything'
forbid src/os '(perdure|segment|pager|store|heap|kind|manager|array)/' 'knows nothing of Perdure'
forbid src/segment '(pager|store|heap|kind|manager|array)/' 'lies below the store and the heap'
forbid src/segment 'perdure/(datastore|heap|manager|allocator|vector|string|flat_map|flat_set|containers)\.hpp' \
  'lies below the store and the heap'
# Of the segment layer it has nothing but the meaning of failed system calls.
forbid src/pager '(store|heap|kind|manager|segment/[a-df-z])' 'lies beside the segments'
forbid src/pager 'perdure/(datastore|heap|kind|manager|allocator|memory_policy|vector|string|flat_map|flat_set|containers)\.hpp' \
  'lies beside the segments'
forbid src/store '(heap|kind|manager|array)/' 'knows nothing of objects'
forbid src/store 'perdure/(heap|manager|allocator|vector|string|flat_map|flat_set|containers)\.hpp' 'knows nothing of objects'
# Within the store: files < commit < offline work < backings < opening.
forbid src/store/file 'store/(commit|offline|backing)/' 'knows one file at a time'
forbid src/store/commit 'store/(offline|backing)/' 'knows memory by what it offers a checkpoint only'
forbid src/store/offline 'store/backing/' 'works on stores that nobody need have open'
forbid src/heap '(os/([b-eg-z]|fi)|(store|kind|manager|array)/)' 'knows nothing of files, and of the system how threads wait'
forbid src/heap 'perdure/(datastore|manager|allocator|vector|string|flat_map|flat_set|containers)\.hpp' 'knows nothing of files'
forbid src/kind '(store|manager|heap|malloc)/' 'uses heaps by their public header, and knows nothing of stores'
forbid src/kind 'perdure/(datastore|manager|allocator|vector|string|flat_map|flat_set|containers)\.hpp' 'knows nothing of stores'
# Managers know nothing of arrays; arrays use the system for checksums only.
forbid src/manager 'array/' 'lies below the arrays'
forbid src/array '(os/([abd-z])|(pager|store|heap|kind|c)/)' 'lies over the manager'
forbid src/c '(os|segment|pager|store|heap|kind|manager|array)/' 'wraps what the public headers offer'
for layer in os segment pager store heap kind manager array; do
  forbid "src/$layer" '(perdure/)?c/' 'lies below the C API'
done
forbid include/perdure/c 'perdure/[a-z_]*\.hpp' 'must be C'
forbid graph '(os|segment|pager|store|heap|kind|manager|array)/' 'uses the public headers only'
forbid examples '(os|segment|pager|store|heap|kind|manager|array)/' 'uses the public headers only'
forbid compat '(os|segment|pager|store|heap|kind|manager|array)/' 'uses the public headers only'
forbid compat 'perdure/.*detail/' 'uses the public headers only'
forbid src/malloc '(store|kind|manager)/' 'knows nothing of files'
forbid src/pager_preload '(pager|segment|store|heap|kind|manager|malloc)/' 'uses the public headers, and the system'
forbid include/perdure '(os|segment|pager|store|heap|kind|manager|array)/' 'must stand without the sources'
exit $broken
