// Text as a page or a picture may hold it.
#pragma once

#include <string>
#include <string_view>

namespace perdure::cli {

/// Returns the text with markup escaped, for contents of elements and for attributes in quotation marks.
/// Bytes that are not UTF-8, and characters that XML does not allow or that would change how their neighbours
/// are shown (controls, directions of writing), become U+FFFD. A text of more than `most_bytes` is cut and
/// ends with "…".
std::string html_text(std::string_view text, std::size_t most_bytes = 4096);

}  // namespace perdure::cli
