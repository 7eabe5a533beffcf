// Odd HDF5 files after reports in the issue trackers of h5py, HDF5 and others. docs/dev/odd-array-files.md
// has the same table with the reports.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <perdure/formats/group_attributes.hpp>
#include <string>
#include <vector>

#include "formats/hdf5_objects.hpp"
#include "formats/odd_file.hpp"
#include "support/scratch_directory.hpp"

namespace {

using namespace perdure;
using perdure::test::hdf5_objects;
using perdure::test::text_type;

class OddHdf5Files : public testing::Test {
 protected:
  void SetUp() override {
    if (!formats::is_available(formats::file_format::hdf5)) GTEST_SKIP() << "this build has no HDF5";
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  std::filesystem::path file(const std::string& name = "a.h5") const { return dir_ / name; }

  /// A type of integers with so many bytes, of which so many bits count.
  static hid_t integers(std::size_t bytes, std::size_t bits, hid_t like = H5T_STD_I64LE) {
    const hid_t type = H5Tcopy(like);
    if (bytes > H5Tget_size(type)) H5Tset_size(type, bytes);
    H5Tset_precision(type, bits);
    H5Tset_size(type, bytes);
    return type;
  }
  /// A type of floating-point numbers: places and sizes of sign, exponent and fraction in bits.
  static hid_t reals(std::size_t bytes, std::size_t sign, std::size_t exponent, std::size_t exponent_bits,
                     std::size_t fraction_bits, std::size_t bias) {
    const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    H5Tset_fields(type, sign, exponent, exponent_bits, 0, fraction_bits);
    H5Tset_size(type, bytes);
    H5Tset_ebias(type, bias);
    return type;
  }
  static hid_t chunks_of(hsize_t elements) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &elements);
    return properties;
  }

  scratch_directory dir_{fast_directory()};
};

TEST_F(OddHdf5Files, OfOddNumbers) {
  {
    const hdf5_objects made(file());
    made.dataset("bfloat16", reals(2, 15, 7, 8, 7, 127), {2}, "\x80\x3f\0\x40");
    made.dataset("bfloat16 bias 15", reals(2, 15, 7, 8, 7, 15), {1}, "\x80\x07");
    made.dataset("bias 130", reals(4, 31, 23, 8, 23, 130), {1}, "\0\0\0\x41");
    made.dataset("e4m3", reals(1, 7, 3, 4, 3, 7), {2}, "\x38\x40");
    made.dataset("nine bits", reals(2, 15, 9, 6, 9, 31), {2}, "\0\x3e\0\x40");
    made.dataset("long double", H5T_NATIVE_LDOUBLE, {1}, nullptr);
    made.dataset("forty bits", integers(5, 40), {2}, "\xff\xff\xff\xff\xff\1\0\0\0\0");
    made.dataset("fifteen bytes", integers(15, 8), {1}, nullptr);
    made.dataset("twelve bits", integers(2, 12, H5T_STD_I16LE), {2}, "\xff\x0f\1\0");
    const hid_t packed = chunks_of(2);
    H5Pset_nbit(packed);
    made.dataset("twelve bits packed", integers(2, 12, H5T_STD_U16LE), {2}, "\xff\x0f\1\0", packed);
    const hid_t offset = chunks_of(2);
    H5Pset_scaleoffset(offset, H5Z_SO_FLOAT_DSCALE, 2);
    const float halves[]{1.25F, -2.5F};
    made.dataset("decimal places", H5T_IEEE_F32LE, {2}, halves, offset);
  }
  test::judge(
      file(),
      {.arrays =
           "bfloat16: bfloat16[2] [1, 2]; bfloat16 bias 15: bfloat16[1] [1]; bias 130: float32[1] [1]; "
           "decimal places: float32[2] [1.25, -2.5]; e4m3: float16[2] [1, 2]; forty bits: int64[2] [-1, 1]; "
           "nine bits: float32[2] [1, 2]; twelve bits: int16[2] [-1, 1]; twelve bits packed: uint16[2] "
           "[4095, 1]",
       .losses =
           "fifteen bytes is skipped: its elements are integers of 15 bytes, which arrays here do not have; "
           "long double is skipped: its elements are floating-point numbers of 16 bytes, more exact than "
           "float64, which arrays here do not have"});
}

TEST_F(OddHdf5Files, OfBooleansAndOtherEnumerations) {
  const auto truths = [](hid_t base, const char* first, int one, const char* second, int other) {
    const hid_t type = H5Tenum_create(base);
    for (const auto& [name, value] : {std::pair(first, one), {second, other}}) {
      std::int32_t wide = value;
      H5Tconvert(H5T_NATIVE_INT32, base, 1, &wide, nullptr, H5P_DEFAULT);
      H5Tenum_insert(type, name, &wide);
    }
    return type;
  };
  {
    const hdf5_objects made(file());
    made.dataset("h5py", truths(H5T_STD_I8LE, "FALSE", 0, "TRUE", 1), {2}, "\0\1");
    made.dataset("lower case", truths(H5T_STD_I8LE, "false", 0, "true", 1), {2}, "\0\1");
    made.dataset("wide", truths(H5T_STD_I32BE, "FALSE", 0, "TRUE", 1), {1}, "\0\0\0\1");
    made.dataset("bits", H5T_STD_B8LE, {2}, "\0\1");
  }
  test::judge(
      file(),
      {.arrays = "bits: uint8[2] [0, 1]; h5py: bool[2] [false, true]; lower case: int8[2] [0, 1]; wide: "
                 "int32[1] [1]",
       .losses = "bits keeps its bit fields as uint8: arrays here have no bit fields"});
}

TEST_F(OddHdf5Files, OfStructs) {
  const auto of = [](std::size_t bytes,
                     const std::vector<std::tuple<const char*, std::size_t, hid_t>>& fields) {
    const hid_t type = H5Tcreate(H5T_COMPOUND, bytes);
    for (const auto& [name, offset, field] : fields) H5Tinsert(type, name, offset, field);
    return type;
  };
  const hid_t tagged = H5Tcreate(H5T_OPAQUE, 2);
  H5Tset_tag(tagged, "mine");
  const hsize_t two = 2;
  {
    const hdf5_objects made(file());
    made.dataset("fields in another order", of(2, {{"b", 1, H5T_STD_I8LE}, {"a", 0, H5T_STD_I8LE}}), {1},
                 "\1\2");
    made.dataset("names", of(2, {{" ", 0, H5T_STD_I8LE}, {"a.b/c", 1, H5T_STD_I8LE}}), {1}, "\1\2");
    made.dataset("Latin-1", of(1, {{"lat\xe9", 0, H5T_STD_I8LE}}), {1}, "\1");
    made.dataset("opaque inside", of(3, {{"o", 0, tagged}, {"x", 2, H5T_STD_I8LE}}), {1}, "ab\1");
    made.dataset("three bytes inside",
                 of(4, {{"a", 0, integers(3, 24, H5T_STD_I32LE)}, {"b", 3, H5T_STD_I8LE}}), {1},
                 "\xfe\xff\xff\7");
    made.dataset("references inside", of(8, {{"r", 0, H5T_STD_REF_OBJ}}), {1}, nullptr);
    made.dataset("texts inside", of(8, {{"t", 0, text_type(H5T_VARIABLE, H5T_CSET_UTF8)}}), {1}, nullptr);
    made.dataset("arrays", H5Tarray_create2(H5T_STD_I8LE, 1, &two), {1}, "\1\2");
    made.dataset("arrays of texts", H5Tarray_create2(text_type(2, H5T_CSET_ASCII), 1, &two), {1}, "abcd");
    made.dataset("lists of lists", H5Tvlen_create(H5Tvlen_create(H5T_STD_I8LE)), {1}, nullptr);
    made.dataset("lists of texts", H5Tvlen_create(text_type(H5T_VARIABLE, H5T_CSET_UTF8)), {1}, nullptr);
    std::int16_t numbers[]{0x0100, 0x0200};
    const hvl_t list{2, numbers};
    made.dataset("big-endian lists", H5Tvlen_create(H5T_STD_I16BE), {1}, &list);
  }
  const std::string structs = "structs with texts or lists of any length, which arrays here do not have";
  const std::string lists = "lists of lists or texts, which arrays here do not have";
  test::judge(
      file(),
      {.arrays =
           "Latin-1: {1/1 \"lat\xe9\":int8@0}[1] [{\"lat\\u00e9\": 1}]; "
           "arrays: int8[1, 2] [[1, 2]]; arrays of texts: char[1, 2, 2] [[[\"a\", \"b\"], [\"c\", \"d\"]]]; "
           "big-endian lists: list<int16>[1] [[1, 2]]; "
           "fields in another order: {2/1 b:int8@0 a:int8@1}[1] [{\"b\": 2, \"a\": 1}]; "
           "names: {2/1 \" \":int8@0 \"a.b/c\":int8@1}[1] [{\" \": 1, \"a.b/c\": 2}]; "
           "opaque inside: {3/1 o:opaque(2/1 mine)@0 x:int8@2}[1] [{\"o\": \"6162\", \"x\": 1}]; "
           "three bytes inside: {5/1 a:int32@0 b:int8@4}[1] [{\"a\": -2, \"b\": 7}]",
       .losses = "lists of lists is skipped: its elements are " + lists +
                 "; lists of texts is skipped: its elements are " + lists +
                 "; references inside is skipped: its elements are references, which arrays here do not have"
                 "; texts inside is skipped: its elements are " +
                 structs});
}

TEST_F(OddHdf5Files, OfTexts) {
  {
    const hdf5_objects made(file());
    // A text that fills its room has no zero at its end.
    for (const auto& [name, padding] :
         {std::pair("zero", H5T_STR_NULLTERM), {"zeros", H5T_STR_NULLPAD}, {"blanks", H5T_STR_SPACEPAD}})
      made.attribute("/", name, text_type(4, H5T_CSET_ASCII, padding), {2}, "abcdef  ");
    made.attribute("/", "Latin-1", text_type(4, H5T_CSET_ASCII), {}, "caf\xe9");
    made.null_attribute("/", "none", text_type(1, H5T_CSET_ASCII));
    made.dataset("cut in a character", text_type(3, H5T_CSET_UTF8), {1}, "ab\xc3");
    const char* const words[]{nullptr, "b"};
    made.dataset("null pointers", text_type(H5T_VARIABLE, H5T_CSET_UTF8), {2}, words);
    made.dataset("no texts", text_type(H5T_VARIABLE, H5T_CSET_UTF8), {0, 3}, nullptr);
    const hid_t filled = chunks_of(1);
    const char* const fill = "abc";
    H5Pset_fill_value(filled, text_type(H5T_VARIABLE, H5T_CSET_UTF8), &fill);
    made.dataset("unwritten", text_type(H5T_VARIABLE, H5T_CSET_UTF8), {2}, nullptr, filled);
  }
  const formats::array_file opened(file());
  const auto texts_of = [&](const char* key) {
    return unpack_elements({2}, find(opened.at(".attributes"), key)->bytes).bytes;
  };
  EXPECT_EQ(texts_of("zero"), "abcdef  ");
  EXPECT_EQ(texts_of("zeros"), "abcdef  ");
  EXPECT_EQ(texts_of("blanks"), "abcdef");
  EXPECT_EQ(find(opened.at(".attributes"), "Latin-1")->bytes, "caf\xe9");
  EXPECT_TRUE(is_null(find(opened.at(".attributes"), "none")->type));
  EXPECT_EQ(find(opened.at("unwritten"), formats::fill_value_key)->bytes, "abc");
  test::judge(
      file(),
      {.arrays = ".attributes: uint8[0] []; cut in a character: char[1, 3] [[\"a\", \"b\", \"\\u00c3\"]]; "
                 "no texts: string[0, 3] []; null pointers: string[2] [\"\", \"b\"]; unwritten: string[2] "
                 "[\"abc\", \"abc\"]"});
}

TEST_F(OddHdf5Files, OfLinksAndNames) {
  {
    const hdf5_objects made(file());
    made.dataset("d", H5T_STD_I8LE, {1}, "\1");
    H5Lcreate_hard(made.file(), "d", made.file(), "also d", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/nowhere", made.file(), "dangling", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/itself", made.file(), "itself", H5P_DEFAULT, H5P_DEFAULT);
    made.group("g");
    H5Lcreate_hard(made.file(), "/", made.file(), "g/root", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(made.file(), "g", made.file(), "g/self", H5P_DEFAULT, H5P_DEFAULT);
    for (const char* const name : {"..", ".x", "a\nb", "caf\xe9", "g/*"})
      made.dataset(name, H5T_STD_I8LE, {1}, "\1");
    const hid_t named = H5Tcopy(H5T_STD_I8LE);
    H5Tcommit2(made.file(), "a type", named, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    made.dataset("of a named type", named, {1}, "\1");
  }
  const std::string group = "is skipped: it is another name of a group that is read";
  test::judge(
      file(),
      {.arrays = "..: int8[1] [1]; .x: int8[1] [1]; a b: int8[1] [1]; also d: int8[1] [1]; caf\xe9: int8[1] "
                 "[1]; d: int8[1] [1]; g/*: int8[1] [1]; of a named type: int8[1] [1]",
       .losses = "a type is skipped: it is a type, and no dataset; dangling is skipped: it is a link to "
                 "another name in this file; g/root " +
                 group + "; g/self " + group +
                 "; itself is skipped: it is a link to another name in this file"});
}

TEST_F(OddHdf5Files, OfElementsElsewhere) {
  {
    const hdf5_objects source(file("source.h5"));
    source.dataset("x", H5T_STD_I8LE, {2}, "\1\2");
  }
  std::ofstream(file("raw")) << "\1\2";
  const auto external = [&](hsize_t bytes) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(properties, file("raw").c_str(), 0, bytes);
    return properties;
  };
  const hsize_t two = 2;
  const hid_t space = H5Screate_simple(1, &two, nullptr);
  const auto mapped = [&](const char* from, const char* dataset) {
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(properties, space, from, dataset, space);
    return properties;
  };
  {
    const hdf5_objects made(file());
    made.dataset("whole", H5T_STD_I8LE, {2}, nullptr, external(2));
    made.dataset("cut short", H5T_STD_I8LE, {4}, nullptr, external(4));
    made.dataset("mapped", H5T_STD_I8LE, {2}, nullptr, mapped("source.h5", "x"));
    made.dataset("mapped from nothing", H5T_STD_I8LE, {2}, nullptr, mapped("source.h5", "y"));
    made.dataset("mapped from nowhere", H5T_STD_I8LE, {2}, nullptr, mapped("nowhere.h5", "x"));
  }
  test::judge(
      file(),
      {.arrays = "mapped: int8[2] [1, 2]; whole: int8[2] [1, 2]",
       .losses =
           "cut short is skipped: its elements are in another file, " + file("raw").string() +
           ", which is cut short: it has 2 bytes; mapped from nothing is skipped: its elements are in y of "
           "source.h5, which is not there; mapped from nowhere is skipped: its elements are in another "
           "file, nowhere.h5, which is not there"});
}

TEST_F(OddHdf5Files, OfShapesScalesAndOldAndNewLayouts) {
  const hid_t latest = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(latest, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  {
    const hdf5_objects made(file(), latest);
    made.dataset("32 dimensions", H5T_STD_I8LE, std::vector<hsize_t>(32, 1), "\1");
    made.dataset("nothing that may grow", H5T_STD_I8LE, {0}, nullptr, chunks_of(1), {H5S_UNLIMITED});
    const hid_t never = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_time(never, H5D_FILL_TIME_NEVER);
    made.dataset("never filled", H5T_STD_I8LE, {2}, nullptr, never);
    made.dataset("one index", H5T_STD_I8LE, {3}, "\1\2\3", chunks_of(2));
    for (const char* const scale : {"x", "y"}) made.dataset(scale, H5T_STD_I8LE, {1}, "\1");
    made.dataset("scaled", H5T_STD_I8LE, {1, 1}, "\1");
    hobj_ref_t both[2]{};
    H5Rcreate(&both[0], made.file(), "x", H5R_OBJECT, -1);
    H5Rcreate(&both[1], made.file(), "y", H5R_OBJECT, -1);
    const hvl_t scales[]{{2, both}, {0, nullptr}};
    made.attribute("scaled", "DIMENSION_LIST", H5Tvlen_create(H5T_STD_REF_OBJ), {2}, scales);
    const char* const labels[]{"", "time"};
    made.attribute("scaled", "DIMENSION_LABELS", text_type(H5T_VARIABLE, H5T_CSET_UTF8), {2}, labels);
  }
  EXPECT_EQ(formats::array_file(file()).at("scaled").what().dimensions,
            (std::vector<std::string>{"x", "time"}));
  std::string deep = "[1, 1";
  for (int i = 2; i < 32; ++i) deep += ", 1";
  test::judge(
      file(),
      {.arrays = "32 dimensions: int8" + deep + "] " + std::string(32, '[') + "1" + std::string(32, ']') +
                 "; never filled: int8[2] [0, 0]; nothing that may grow: int8[0] []; one index: int8[3] [1, "
                 "2, 3]; scaled: int8[1, 1] [[1]]; x: int8[1] [1]; y: int8[1] [1]",
       .losses = "scaled loses the scales behind the first one of its dimension 0"});
}

TEST_F(OddHdf5Files, OfWholeFiles) {
  const hid_t block = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_userblock(block, 512);
  const auto made = [&](const char* name, hid_t creation, hid_t access) {
    const hid_t id = H5Fcreate(file(name).c_str(), H5F_ACC_TRUNC, creation, access);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t dataset = H5Dcreate2(id, "x", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const std::int8_t one = 1;
    H5Dwrite(dataset, H5T_NATIVE_INT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, &one);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Fflush(id, H5F_SCOPE_LOCAL);
    std::filesystem::copy_file(file(name), file("open.h5"),
                               std::filesystem::copy_options::overwrite_existing);
    H5Fclose(id);
    std::ifstream stream(file(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  std::string matlab = made("a.mat", block, H5P_DEFAULT);
  matlab.replace(0, 19, "MATLAB 7.3 MAT-file");
  test::judge(dir_.write("a.mat", matlab), {.arrays = "x: int8[] 1"});
  const hid_t latest = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(latest, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  std::string flagged = made("b.h5", H5P_DEFAULT, latest);
  test::judge(file("b.h5"), {.arrays = "x: int8[] 1"});
  // As a program leaves it that ends without closing it.
  test::judge(file("open.h5"),
              {.refusal = "HDF5 cannot open it: file is already open for write (may use <h5clear file>"});
  test::judge(dir_.write("c.h5", flagged.substr(0, flagged.size() - 8)),
              {.refusal = "HDF5 cannot open it: truncated file"});
  test::judge(dir_.write("d.h5", std::string(100, '\0') + flagged),
              {.refusal = "HDF5 cannot open it: file signature not found"});
}

TEST_F(OddHdf5Files, OfHdf5UnderTheNameOfNetCdf) {
  if (!formats::is_available(formats::file_format::netcdf)) GTEST_SKIP() << "this build has no NetCDF";
  {
    const hdf5_objects made(file("a.nc"));
    made.dataset("a", H5T_STD_I8LE, {2}, "\1\2");
    made.dataset("b", H5T_STD_I8LE, {}, "\1");
    const hid_t null = H5Screate(H5S_NULL);
    H5Dclose(H5Dcreate2(made.file(), "c", H5T_STD_I8LE, null, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hobj_ref_t reference = 0;
    H5Rcreate(&reference, made.file(), "a", H5R_OBJECT, -1);
    made.dataset("d", H5T_STD_REF_OBJ, {}, &reference);
    made.attribute("b", "two dimensions", H5T_STD_I8LE, {1, 1}, "\1");
  }
  test::judge(
      file("a.nc"),
      {.arrays = "a: int8[2] [1, 2]",
       .losses =
           "variable number 1 is skipped: NetCDF: Can't open HDF5 attribute: another library wrote it, and "
           "it may "
           "be read as HDF5 (--format hdf5); c is skipped: its element cannot be read: NetCDF: HDF error; "
           ".attributes may lose datasets and attributes: NetCDF did not write it, and does not list those "
           "of types that it "
           "lacks; --format hdf5 reads them"});
}

}  // namespace
