# Crashes of sets of stores, whose ranks are threads.
add_library(perdure_crash_ranks OBJECT
  ranks/checkpointing_ranks.cpp
  ranks/divided_ranks.cpp
  ranks/ranks_main.cpp
  ranks/ranks_program.cpp
  ranks/recorded_ranks.cpp
  ../ranks/rank_threads.cpp)
target_link_libraries(perdure_crash_ranks PUBLIC perdure_crash)
perdure_set_warnings(perdure_crash_ranks)
perdure_precompile(perdure_crash_ranks)

add_executable(crash_ranks $<TARGET_OBJECTS:perdure_crash_ranks>)
target_link_libraries(crash_ranks PRIVATE perdure_crash)
add_test(NAME crash.ranks COMMAND crash_ranks --states 1000 --stride 11 --ranks 2,4)
add_test(NAME crash.ranks.late COMMAND crash_ranks --states 400 --stride 37 --late 2)
add_test(NAME crash.ranks.divided COMMAND crash_ranks --states 600 --stride 37 --divided 2:4)
add_test(NAME crash.ranks.divided_by_program COMMAND crash_ranks --states 150 --stride 97 --divided-by-program 2:4)
set_tests_properties(crash.ranks crash.ranks.late crash.ranks.divided crash.ranks.divided_by_program PROPERTIES LABELS long TIMEOUT 1800)
