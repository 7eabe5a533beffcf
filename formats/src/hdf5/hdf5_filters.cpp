// Names filters as the HDF Group's register does.
#include "hdf5/hdf5_filters.hpp"

#include <array>
#include <string_view>

namespace perdure::formats {
namespace {

struct registered_filter {
  H5Z_filter_t number;
  std::string_view name;
};

constexpr registered_filter registered_filters[] = {
    {H5Z_FILTER_DEFLATE, "deflate"},
    {H5Z_FILTER_SZIP, "szip"},
    {305, "LZO"},
    {307, "bzip2"},
    {32000, "LZF"},
    {32001, "Blosc"},
    {32002, "MAFISC"},
    {32003, "Snappy"},
    {32004, "LZ4"},
    {32005, "APAX"},
    {32006, "CBF"},
    {32007, "JPEG-XR"},
    {32008, "bitshuffle"},
    {32009, "SPDP"},
    {32010, "LPC-Rice"},
    {32011, "CCSDS-123"},
    {32012, "JPEG-LS"},
    {32013, "ZFP"},
    {32014, "FPZIP"},
    {32015, "Zstandard"},
    {32016, "B3D"},
    {32017, "SZ"},
    {32018, "FCIDECOMP"},
    {32019, "JPEG"},
    {32020, "VBZ"},
    {32021, "FAPEC"},
    {32022, "BitGroom"},
    {32023, "Granular BitRound"},
    {32024, "SZ3"},
    {32025, "Delta-Rice"},
    {32026, "Blosc2"},
    {32027, "FLAC"},
};

std::string name_of(H5Z_filter_t number, std::string_view given) {
  for (const registered_filter& one : registered_filters)
    if (one.number == number) return std::string(one.name);
  return given.empty() ? "not registered" : std::string(given);
}

}  // namespace

std::optional<std::string> missing_filter(hid_t properties) {
  const int count = H5Pget_nfilters(properties);
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    unsigned config = 0;
    std::size_t parameters = 0;
    std::array<char, 256> name{};
    const H5Z_filter_t number = H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &parameters,
                                               nullptr, name.size() - 1, name.data(), &config);
    if (number < 0 || H5Zfilter_avail(number) > 0) continue;
    return std::to_string(number) + " (" + name_of(number, name.data()) + ')';
  }
  return std::nullopt;
}

}  // namespace perdure::formats
