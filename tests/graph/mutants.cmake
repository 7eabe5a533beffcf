# Mutants of the library of graphs: each has one mistake of distributed programs, and random_rank_graphs must find what
# that breaks. `make check` builds and runs them (target graph_mutants, ctest -C Long).
#
# perdure_graph_mutant(NAME FILE WHAT OLD NEW CAUGHT_BY PATTERN): in FILE of graph/src the text OLD, which must be there
# exactly once, becomes NEW; PATTERN is what is said of the violation (tests/crash/expected_violation.hpp).
#
# That checkpoints count before all ranks have agreed, or a set before it has its graph: mutants ranks_* of tests/crash.
include(PerdureMutant)
add_custom_target(graph_mutants)

function(perdure_graph_mutant name file what old new)
  cmake_parse_arguments(PARSE_ARGV 5 arg "" "CAUGHT_BY" "")
  set(copy ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name}/${file})
  perdure_mutated_source(${name} perdure_graph graph/src/${file} ${copy} "${what}" "${old}" "${new}")
  add_executable(graph_mutant_${name} EXCLUDE_FROM_ALL ${copy})
  target_link_libraries(graph_mutant_${name} PRIVATE perdure_random_rank_graphs)
  target_include_directories(graph_mutant_${name} PRIVATE ${CMAKE_SOURCE_DIR}/graph/src ${CMAKE_SOURCE_DIR}/src)
  target_compile_options(graph_mutant_${name} PRIVATE -O1 -w)
  add_dependencies(graph_mutants graph_mutant_${name})
  add_test(NAME graph.mutant.${name} CONFIGURATIONS Long
           COMMAND graph_mutant_${name} --runs 20000 --expect-violation ${arg_CAUGHT_BY})
  set_tests_properties(graph.mutant.${name} PROPERTIES TIMEOUT 900)
endfunction()

perdure_graph_mutant(stale_ghost ranks/community_labels.cpp "a rank does not take down the new community of a ghost"
[=[      labels_[ghost] = index_of(label);]=]
[=[      const vertex_handle index = index_of(label);
      if (i != 0 || count < 3) labels_[ghost] = index;]=]
  CAUGHT_BY [=[communities differ|the modularity differs]=])

perdure_graph_mutant(sum_in_order_of_arrival ranks/rank_pagerank.cpp "what other ranks give is added up behind the rest"
[=[        const double rank = base + sum_at(rows_.neighbours(v), shares_);]=]
[=[        double shares = 0;
        for (const bool is_ghost : {false, true})
          for (const vertex_handle u : rows_.neighbours(v))
            if ((u >= rows_.size()) == is_ghost) shares += shares_[u];
        const double rank = base + shares;]=]
  CAUGHT_BY [=[PageRank differs in some bits]=])

perdure_graph_mutant(torn_row ranks/set_graph.cpp "where vertices are divided anew the last arc of a row goes to the next one"
[=[    for (std::uint64_t i = 1; i <= stop - begin; ++i) offsets.push_back(before + there[i] - first_arc);]=]
[=[    for (std::uint64_t i = 1; i <= stop - begin; ++i)
      offsets.push_back(before + there[i] - first_arc - (i == 1 && i < stop - begin && there[1] > there[0] ? 1 : 0));]=]
  CAUGHT_BY [=[ranks open other rows]=])
