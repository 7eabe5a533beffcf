#include <gtest/gtest.h>
#include <memkind_1_0.h>

#include <cerrno>
#include <set>
#include <string>

namespace {

std::string message_of(int code) {
  char text[MEMKIND_ERROR_MESSAGE_SIZE];
  memkind_error_message(code, text, sizeof text);
  return text;
}

TEST(memkind_error_message_, has_a_sentence_for_each_code) {
  std::set<std::string> sentences;
  const int codes[] = {MEMKIND_SUCCESS,
                       MEMKIND_ERROR_UNAVAILABLE,
                       MEMKIND_ERROR_MBIND,
                       MEMKIND_ERROR_MMAP,
                       MEMKIND_ERROR_MALLOC,
                       MEMKIND_ERROR_ENVIRON,
                       MEMKIND_ERROR_INVALID,
                       MEMKIND_ERROR_REPNAME,
                       MEMKIND_ERROR_TOOMANY,
                       MEMKIND_ERROR_BADOPS,
                       MEMKIND_ERROR_HUGETLB,
                       MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE,
                       MEMKIND_ERROR_OPERATION_FAILED,
                       MEMKIND_ERROR_ARENAS_CREATE,
                       MEMKIND_ERROR_RUNTIME};
  for (const int code : codes) sentences.insert(message_of(code));
  EXPECT_EQ(sentences.size(), std::size(codes));
  EXPECT_FALSE(sentences.contains(""));
}

TEST(memkind_error_message_, knows_other_numbers_as_numbers) {
  EXPECT_NE(message_of(EINVAL).find(std::to_string(EINVAL)), std::string::npos);
  EXPECT_NE(message_of(-9999).find("-9999"), std::string::npos);
}

TEST(memkind_error_message_, begins_as_memkinds_do) {
  const int codes[] = {MEMKIND_SUCCESS, MEMKIND_ERROR_UNAVAILABLE, MEMKIND_ERROR_RUNTIME, EINVAL, ENOMEM};
  for (const int code : codes) EXPECT_TRUE(message_of(code).starts_with("<memkind> ")) << message_of(code);
  for (const int unknown : {-9999, 99999})
    EXPECT_TRUE(message_of(unknown).starts_with("<memkind> Undefined error number:")) << message_of(unknown);
}

TEST(memkind_error_message_, fits_where_it_is_put) {
  char text[8] = "1234567";
  memkind_error_message(MEMKIND_ERROR_MMAP, text, 4);
  EXPECT_EQ(text[3], '\0');
  EXPECT_EQ(text[4], '5');
  memkind_error_message(MEMKIND_ERROR_MMAP, text, 0);
  memkind_error_message(MEMKIND_ERROR_MMAP, nullptr, 10);
}

TEST(memkind_get_version_, is_that_of_the_interface) {
  EXPECT_EQ(memkind_get_version(), 1014000);
}

}  // namespace
