#include "bind_memmap.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <perdure/error.hpp>
#include <perdure/pager.hpp>
#include <perdure/workload/cancellation.hpp>
#include <string>
#include <vector>

#include "interruptible.hpp"
#include "numpy_results.hpp"

namespace nb = nanobind;

namespace perdure::python {
namespace {

constexpr std::uint64_t page_bytes = 4096;

using offsets_array = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using const_bytes_array = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using bytes_array = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A mapped file, and how much of it may be in memory.
struct mapped_region {
  pager::region region;
  std::size_t budget;
  bool is_writable;

  /// Number of pages that one call of `prefetch` brings into memory.
  std::size_t pages_at_a_time() const noexcept {
    return std::max<std::size_t>(1, std::min(budget, region.size() + page_bytes) / 2 / page_bytes);
  }
};

pager::mode mode_called(const std::string& name) {
  if (name == "r") return pager::mode::read_only;
  if (name == "c") return pager::mode::private_copy;
  return pager::mode::write_back;
}

std::shared_ptr<mapped_region> map_region(int descriptor, const std::string& mode, std::uint64_t offset,
                                          std::uint64_t bytes, std::size_t budget) {
  const nb::gil_scoped_release released;
  pager::options options;
  options.budget = budget;
  options.mode = mode_called(mode);
  options.offset = offset;
  options.bytes = bytes;
  return std::make_shared<mapped_region>(mapped_region{pager::map(descriptor, options), budget, mode != "r"});
}

/// Gives the bytes of the region to NumPy by the buffer protocol.
int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  mapped_region* const mapped = nb::inst_ptr<mapped_region>(nb::handle(self));
  return PyBuffer_FillInfo(view, self, mapped->region.data(), static_cast<Py_ssize_t>(mapped->region.size()),
                           mapped->is_writable ? 0 : 1, flags);
}

/// An element of the answer, and where it is in the region.
struct wanted_bytes {
  std::uint64_t offset;
  std::size_t place;
};

/// Brings the pages of elements from `next` on into memory, as many as fit, and returns the end of them.
std::size_t prefetch_some(mapped_region& from, std::span<const wanted_bytes> wanted, std::size_t next,
                          std::size_t bytes, std::vector<pager::byte_range>& ranges) {
  ranges.clear();
  const std::size_t most = from.pages_at_a_time();
  std::size_t pages = 0;
  for (; next < wanted.size(); ++next) {
    const std::uint64_t begin = wanted[next].offset / page_bytes * page_bytes;
    const std::uint64_t end = std::min<std::uint64_t>(
        (wanted[next].offset + bytes + page_bytes - 1) / page_bytes * page_bytes, from.region.size());
    if (!ranges.empty() && begin <= ranges.back().offset + ranges.back().bytes &&
        begin >= ranges.back().offset) {
      const std::uint64_t before = ranges.back().offset + ranges.back().bytes;
      if (end <= before) continue;
      const std::size_t more = (end - before + page_bytes - 1) / page_bytes;
      if (pages + more > most && pages != 0) break;
      ranges.back().bytes = end - ranges.back().offset;
      pages += more;
    } else {
      const std::size_t more = (end - begin + page_bytes - 1) / page_bytes;
      if (pages + more > most && pages != 0) break;
      ranges.push_back({static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)});
      pages += more;
    }
  }
  from.region.prefetch(ranges);
  return next;
}

std::vector<wanted_bytes> wanted_of(const mapped_region& from, const offsets_array& offsets,
                                    std::size_t bytes) {
  std::vector<wanted_bytes> wanted(offsets.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto offset = static_cast<std::uint64_t>(offsets.data()[i]);
    if (offset > from.region.size() || bytes > from.region.size() - offset)
      throw error(errc::invalid_argument,
                  "byte " + std::to_string(offsets.data()[i]) + " is outside of the mapped part of the file");
    wanted[i] = {offset, i};
  }
  return wanted;
}

/// Copies `bytes` bytes from each offset, page by page in the order of the file.
void gather(mapped_region& self, const offsets_array& offsets, std::size_t bytes, const bytes_array& to) {
  if (to.size() != offsets.size() * bytes)
    throw error(errc::invalid_argument, "the array for the answer has another size");
  std::uint8_t* const out = to.data();
  interruptible([&] {
    std::vector<wanted_bytes> wanted = wanted_of(self, offsets, bytes);
    std::sort(wanted.begin(), wanted.end(),
              [](const wanted_bytes& a, const wanted_bytes& b) { return a.offset < b.offset; });
    const auto* const data = reinterpret_cast<const std::uint8_t*>(self.region.data());
    std::vector<pager::byte_range> ranges;
    for (std::size_t begin = 0; begin < wanted.size();) {
      workload::end_if_cancelled();
      const std::size_t end = prefetch_some(self, wanted, begin, bytes, ranges);
      for (; begin < end; ++begin)
        std::memcpy(out + wanted[begin].place * bytes, data + wanted[begin].offset, bytes);
    }
  });
}

/// Copies `bytes` bytes to each offset, in the order of the offsets, so that the last one of several counts.
void scatter(mapped_region& self, const offsets_array& offsets, std::size_t bytes,
             const const_bytes_array& from) {
  if (from.size() != offsets.size() * bytes)
    throw error(errc::invalid_argument, "the array of values has another size");
  const std::uint8_t* const values = from.data();
  interruptible([&] {
    std::vector<wanted_bytes> wanted = wanted_of(self, offsets, bytes);
    std::stable_sort(wanted.begin(), wanted.end(),
                     [](const wanted_bytes& a, const wanted_bytes& b) { return a.offset < b.offset; });
    auto* const data = reinterpret_cast<std::uint8_t*>(self.region.data());
    std::vector<pager::byte_range> ranges;
    for (std::size_t begin = 0; begin < wanted.size();) {
      workload::end_if_cancelled();
      const std::size_t end = prefetch_some(self, wanted, begin, bytes, ranges);
      for (; begin < end; ++begin)
        std::memcpy(data + wanted[begin].offset, values + wanted[begin].place * bytes, bytes);
    }
  });
}

nb::dict statistics_of(const mapped_region& self) {
  const pager::statistics now = self.region.statistics();
  nb::dict all;
  all["faults"] = now.faults;
  all["loads"] = now.loads;
  all["read_ahead"] = now.read_ahead;
  all["evictions"] = now.evictions;
  all["bytes_read"] = now.bytes_read;
  all["bytes_written"] = now.bytes_written;
  all["resident_bytes"] = now.resident_bytes;
  all["most_resident_bytes"] = now.most_resident_bytes;
  all["budget"] = self.budget;
  all["tier"] = std::string(pager::to_string(self.region.tier()));
  return all;
}

}  // namespace

void bind_memmap(nb::module_& module) {
  nb::module_ maps = module.def_submodule("_memmap", "What perdure.memmap is made of.");
  PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};
  nb::class_<mapped_region>(maps, "Region", nb::type_slots(slots))
      .def_prop_ro(
          "address",
          [](const mapped_region& self) { return reinterpret_cast<std::uintptr_t>(self.region.data()); })
      .def("statistics", statistics_of)
      .def("gather", gather, nb::arg("offsets"), nb::arg("bytes"), nb::arg("to"))
      .def("scatter", scatter, nb::arg("offsets"), nb::arg("bytes"), nb::arg("values"))
      .def("flush",
           [](mapped_region& self) {
             const nb::gil_scoped_release released;
             self.region.flush();
           })
      .def(
          "prefetch",
          [](mapped_region& self, std::size_t offset, std::size_t bytes) {
            const nb::gil_scoped_release released;
            self.region.prefetch({offset, bytes});
          },
          nb::arg("offset"), nb::arg("bytes"));
  maps.def("map", map_region, nb::arg("descriptor"), nb::arg("mode"), nb::arg("offset"), nb::arg("bytes"),
           nb::arg("budget"));
  maps.attr("least_budget") = pager::least_budget;
}

}  // namespace perdure::python
