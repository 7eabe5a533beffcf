#include "perdure/c/text_list.h"

#include "c/handles.hpp"

using namespace perdure::c;

perdure_status perdure_text_list_size(const perdure_text_list* list, size_t* size) {
  return guarded([&] { required(size, "size") = object_of(list).items.size(); });
}

perdure_status perdure_text_list_at(const perdure_text_list* list, size_t index, const char** text) {
  return guarded([&] {
    const char*& result = required_result(text, "text");
    result = item_of(list, index).c_str();
  });
}

perdure_status perdure_text_list_length(const perdure_text_list* list, size_t index, size_t* bytes) {
  return guarded([&] {
    required(bytes, "bytes") = 0;
    *bytes = item_of(list, index).size();
  });
}

perdure_status perdure_text_list_free(perdure_text_list* list) {
  return free_handle(list);
}
