// Collects what a verification finds, from all its threads.
#include "store/offline/verify/findings.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace perdure::store {

void findings::add(verify_finding finding) {
  const std::scoped_lock lock(mutex_);
  if (finding.damage) ++report_.damages;
  // Notes are few and never crowded out.
  if (finding.damage && report_.findings.size() >= most_) return;
  report_.findings.push_back(std::move(finding));
}

void findings::add_bytes_read(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  report_.bytes_read += bytes;
}

verify_report findings::take_report() {
  std::sort(report_.findings.begin(), report_.findings.end(),
            [](const verify_finding& a, const verify_finding& b) {
              return std::tie(a.file, a.offset) < std::tie(b.file, b.offset);
            });
  return std::move(report_);
}

}  // namespace perdure::store
