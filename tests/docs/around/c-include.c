@snippet@
perdure_store* store;
