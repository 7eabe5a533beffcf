# Sourced by the tests: whether there is a machine, and what its console means.

skip_if_unavailable() {
  local reason
  if [ -e "$1/stable/vmlinuz" ] && command -v qemu-system-x86_64 >/dev/null; then return; fi
  reason=$(cat "$1/unavailable" 2>/dev/null) || reason="nothing was prepared (tests/vm/prepare.sh $1)"
  echo "skipped: $reason"
  exit 77
}

# What the kernel says when something went wrong in it.
kernel_complaints='Kernel panic|Oops|BUG:|general protection fault|WARNING: CPU|Call Trace|Out of memory: Killed'

# judge_console CONSOLE PLAN: prints the verdict on each test; the whole console where one is missing or bad.
judge_console() {
  local console=$1.text name failed=0 passed=0
  tr -d '\r' <"$1" >"$console"
  while read -r name _; do
    if grep -qxF "vm: pass $name" "$console"; then
      passed=$((passed + 1))
    else
      grep -F "vm: fail $name " "$console" || echo "vm: fail $name (it did not end)"
      failed=$((failed + 1))
    fi
  done <"$2"
  # Of the machine rather than of a test.
  if ! grep -q '^vm: done' "$console"; then
    echo "vm: fail the machine did not come to its end"
    failed=$((failed + 1))
  fi
  if grep -aE "$kernel_complaints" "$console"; then
    echo "vm: fail the kernel complained"
    failed=$((failed + 1))
  fi
  # Of the machine's preparation.
  [ "$failed" -gt 0 ] || failed=$(grep -c '^vm: fail' "$console")
  if [ "$failed" -gt 0 ]; then
    sed 's/^/| /' "$console"
  else
    grep '^vm: ' "$console"
  fi
  echo "in the virtual machine: $passed passed, $failed failed"
  [ "$failed" -eq 0 ]
}
