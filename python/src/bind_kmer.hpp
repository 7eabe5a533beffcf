// perdure.kmer: k-mer indexes of genomes, and reads classified by them.
#pragma once

#include <nanobind/nanobind.h>

namespace perdure::python {

/// Adds `_kmer`, a module with the class `Index` and functions that make and change indexes.
void bind_kmer(nanobind::module_& module);

}  // namespace perdure::python
