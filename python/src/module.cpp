// The extension module perdure._perdure: each part registers itself here.
#include <nanobind/nanobind.h>

#include "bind_containers.hpp"
#include "bind_errors.hpp"
#include "bind_graph.hpp"
#include "bind_kmer.hpp"
#include "bind_maintenance.hpp"
#include "bind_memmap.hpp"
#include "bind_stores.hpp"
#include "bind_tables.hpp"
#include "cells.hpp"
#include "data_types.hpp"
#include "forked_views.hpp"
#include "python_ranks.hpp"
#include "stored_block.hpp"

NB_MODULE(_perdure, module) {
  module.doc() = "The libraries of Perdure for Python; programs import perdure.";
  module.attr("__version__") = PERDURE_PYTHON_VERSION;
  perdure::python::bind_errors(module);
  perdure::python::bind_graph(module);
  perdure::python::bind_kmer(module);
  perdure::python::bind_memmap(module);
  perdure::python::bind_data_types(module);
  perdure::python::bind_stored_blocks(module);
  perdure::python::bind_redirected_buffers(module);
  perdure::python::bind_arrow(module);
  perdure::python::bind_stores(module);
  perdure::python::bind_cells(module);
  perdure::python::bind_containers(module);
  perdure::python::bind_forked_views(module);
  perdure::python::bind_maintenance(module);
  perdure::python::bind_ranks(module);
}
