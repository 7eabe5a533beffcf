@snippet@
bip::managed_mapped_file* file;
