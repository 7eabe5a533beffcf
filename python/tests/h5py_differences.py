"""What h5py's own tests ask for and a store does not have: a reason, and the tests of each module that need it."""

DIFFERENCES: dict[str, dict[str, str]] = {
    "soft, hard and external links: a name of a store is the name of one array": {
        "test_group": """
            TestContains::test_softlinks
            TestCopy::test_copy_external_links
            TestCopy::test_copy_soft_links
            TestExtLinkBugs::test_issue_212
            TestExternalLinks::test_close_file
            TestExternalLinks::test_create
            TestExternalLinks::test_exc
            TestExternalLinks::test_exc_missingfile
            TestExternalLinks::test_unicode_decode
            TestExternalLinks::test_unicode_encode
            TestExternalLinks::test_unicode_hdf5_path
            TestGet::test_get_link
            TestGet::test_get_link_class
            TestIter::test_iter
            TestIter::test_iter_zero
            TestLen::test_len
            TestLen::test_len_after_create_group
            TestMove::test_move_hardlink
            TestMove::test_move_softlink
            TestPy3Dict::test_items
            TestPy3Dict::test_keys
            TestPy3Dict::test_values
            TestSoftLinks::test_create
            TestSoftLinks::test_exc
            TestVisitLinks::test_bailout
            TestVisitLinks::test_visit_links
            TestVisitLinks::test_visititems
            test_get_elink_locking_arg[False-file_locking_props0-False]
            test_get_elink_locking_arg[False-file_locking_props0-True]
            test_get_elink_locking_arg[False-file_locking_props0-best-effort]
            test_get_elink_locking_arg[True-file_locking_props1-False]
            test_get_elink_locking_arg[True-file_locking_props1-True]
            test_get_elink_locking_arg[True-file_locking_props1-best-effort]
            test_get_elink_locking_arg[best-effort-file_locking_props2-False]
            test_get_elink_locking_arg[best-effort-file_locking_props2-True]
            test_get_elink_locking_arg[best-effort-file_locking_props2-best-effort]
            test_get_elink_mode_arg
            test_get_elink_mode_arg_exception
            test_get_elink_swmr_arg_from_ro_file[False-False]
            test_get_elink_swmr_arg_from_ro_file[False-True]
            test_get_elink_swmr_arg_from_ro_file[True-False]
            test_get_elink_swmr_arg_from_ro_file[True-True]
            test_get_elink_swmr_arg_from_rw_file[False]
            test_get_elink_swmr_arg_from_rw_file[True]
            test_get_elink_swmr_arg_from_rw_swmr_file
        """,
    },
    "asks for HDF5's own handles (`id`, `get_id`), dataspaces or empty datasets, which are the API below h5py's": {
        "test_group": """
            TestCreate::test_appropriate_low_level_id
            TestCreate::test_unicode
            TestCreate::test_unicode_default
            TestRepr::test_repr
        """,
        "test_selections": """
            TestScalarSliceRules::test_args
            TestSelection::test_selection
            TestTypeGeneration::test_compound_simple
            TestTypeGeneration::test_simple
            TestTypeGeneration::test_simple_fieldexc
        """,
        "test_attrs": """
            TestAccess::test_get_id
            TestCreate::test_empty
            TestRepr::test_repr
        """,
        "test_attrs_data": """
            TestEmpty::test_items
            TestEmpty::test_iteritems
            TestEmpty::test_itervalues
            TestEmpty::test_modify
            TestEmpty::test_read
            TestEmpty::test_values
            TestEmpty::test_write
            TestTypes::test_unicode_scalar
        """,
        "test_attribute_create": """
            TestArray::test_int
        """,
        "test_dataset_getitem": """
            TestEmpty::test_ellipsis
            TestEmpty::test_fieldnames
            TestEmpty::test_index
            TestEmpty::test_indexlist
            TestEmpty::test_mask
            TestEmpty::test_multi_block_slice
            TestEmpty::test_nbytes
            TestEmpty::test_ndim
            TestEmpty::test_shape
            TestEmpty::test_size
            TestEmpty::test_slice
            TestEmpty::test_tuple
            test_read_no_fill_value
        """,
    },
    "references to objects and regions are HDF5's": {
        "test_group": """
            TestCopy::test_copy_refs
            TestOpen::test_deleted_ref
            TestOpen::test_invalid_ref
            TestOpen::test_reference
            TestOpen::test_reference_numpyobj
        """,
        "test_slicing": """
            TestObjectIndex::test_reference
            TestObjectIndex::test_reference_field
            TestObjectIndex::test_regref
            TestObjectIndex::test_scalar
        """,
    },
    "names as `bytes`, and names such as \".\" and \"//\": names in a store are of type `str`, with single \"/\"": {
        "test_group": """
            TestContains::test_contains
            TestContains::test_dot
            TestContains::test_oddball_paths
            TestContains::test_root
            TestCreate::test_create_bytes
            TestCreate::test_create_intermediate_bytes
            TestDatasetAssignment::test_name_bytes
            TestDtypeAssignment::test_name_bytes
            TestGet::test_get_default
            TestRequire::test_open_existing
        """,
        "test_attrs": """
            TestUnicode::test_ascii
            TestUnicode::test_raw
        """,
    },
    "named types, and types of variable length in NumPy's object arrays; `StringDType` has texts of any length": {
        "test_group": """
            TestDtypeAssignment::test_dtype
            TestRequire::test_intermediate_create_dataset
        """,
        "test_slicing": """
            TestObjectIndex::test_bytestr
        """,
        "test_attrs": """
            TestCreate::test_named
            TestDatatype::test_datatype
            TestVlen::test_vlen
            TestVlen::test_vlen_s1
        """,
        "test_attrs_data": """
            TestScalar::test_compound_with_vlen_fields
            TestScalar::test_nesting_compound_with_vlen_fields
            TestScalar::test_vlen_compound_with_vlen_string
            TestTypes::test_vlen_string_array
        """,
        "test_dataset_getitem": """
            test_bool_selection_1d[arr1]
        """,
    },
    "`track_order`: members are in the order of their names": {
        "test_group": """
            TestLexicographic::test_nontrivial_sort_visit
            TestLexicographic::test_visit
            TestLexicographic::test_visit_group
            TestLexicographic::test_visit_links
            TestLexicographic::test_visititems
            TestLexicographic::test_visititems_links
            TestTrackOrder::test_no_track_order
            TestTrackOrder::test_track_order
        """,
        "test_attrs": """
            TestTrackOrder::test_no_track_order
            TestTrackOrder::test_track_order
            TestTrackOrder::test_track_order_overwrite_delete
        """,
    },
    "options of HDF5 files: `maxshape` (every array can be resized), `getclass`, `shallow`, `without_attrs`": {
        "test_group": """
            TestCopy::test_copy_shallow
            TestCopy::test_copy_without_attributes
            TestGet::test_get_class
            TestRequire::test_require_shape
        """,
        "test_slicing": """
            TestZeroLengthSlicing::test_slice_of_length_zero
            TestZeroLengthSlicing::test_slice_other_dimension
            TestZeroLengthSlicing::test_slice_zero_length_dimension
        """,
        "test_dataset_getitem": """
            TestZeroSizeSelectionResizableDataset::test_set_with_array
            TestZeroSizeSelectionResizableDataset::test_set_with_scalar
            TestZeroSizeSelectionResizableDataset::test_set_zerosel_with_array
            TestZeroSizeSelectionResizableDataset::test_set_zerosel_with_scalar
        """,
    },
    "an index that HDF5 cannot take: `Array` takes what NumPy takes, and raises what NumPy raises": {
        "test_dataset_getitem": """
            Test1DFloat::test_fieldnames
            Test1DFloat::test_index_illegal
            Test1DFloat::test_index_none
            Test1DFloat::test_indexlist_monotonic_negative
            Test1DFloat::test_indexlist_nonmonotonic
            Test1DFloat::test_indexlist_repeated
            Test1DFloat::test_mask_wrongsize
            Test1DFloat::test_slice_backwards
            Test1DZeroFloat::test_fieldnames
            TestBoolIndex::test_wrong_size
            TestScalarArray::test_fieldnames
            TestScalarArray::test_mask
            TestScalarArray::test_slice
            TestScalarCompound::test_fieldnames
            TestScalarCompound::test_index
            TestScalarCompound::test_indexlist
            TestScalarCompound::test_mask
            TestScalarCompound::test_slice
            TestScalarFloat::test_fieldnames
            TestScalarFloat::test_index
            TestScalarFloat::test_indexlist
            TestScalarFloat::test_mask
            TestScalarFloat::test_slice
            test_error_newaxis
        """,
    },
    "`MultiBlockSlice` is HDF5's": {
        "test_slicing": """
            TestMultiBlockSlice::test_count
            TestMultiBlockSlice::test_count_calculated
            TestMultiBlockSlice::test_default
            TestMultiBlockSlice::test_default_explicit
            TestMultiBlockSlice::test_fully_described
            TestMultiBlockSlice::test_start
            TestMultiBlockSlice::test_stride
            TestMultiBlockSlice::test_stride_block_equal
            TestMultiBlockSlice::test_stride_more_than_block
        """,
        "test_dataset_getitem": """
            TestScalarArray::test_multi_block_slice
            TestScalarCompound::test_multi_block_slice
            TestScalarFloat::test_multi_block_slice
        """,
    },
    "elements that are arrays: they are dimensions more of the stored array": {
        "test_slicing": """
            TestArraySlicing::test_read
        """,
        "test_dataset_getitem": """
            TestScalarArray::test_index
            TestScalarArray::test_indexlist
            TestScalarArray::test_nbytes
            TestScalarArray::test_ndim
            TestScalarArray::test_shape
            TestScalarArray::test_size
        """,
    },
    "HDF5's way to broadcast, or to write one field: NumPy's holds": {
        "test_slicing": """
            TestArraySlicing::test_write_broadcast
            TestFieldNames::test_write
            TestSimpleSlicing::test_write
        """,
    },
    "byte order and zero bytes: elements are stored in the machine's order, and `S` texts are bytes": {
        "test_attrs_data": """
            TestTypes::test_complex
            TestTypes::test_float
            TestTypes::test_string
            TestTypes::test_string_scalar
            TestWriteException::test_write
        """,
    },
    "an attribute of several texts is a list of `str`, and other attributes are converted where they can be": {
        "test_attrs": """
            TestAccess::test_modify_2
        """,
        "test_attribute_create": """
            TestArray::test_dtype
            TestArray::test_tuple_of_unicode
            TestArray::test_unicode_np_array
        """,
    },
    "another class of error: a `perdure.Error` that is also a `ValueError` or an `OSError`": {
        "test_group": """
            TestDelete::test_readonly_delete_exception
            TestRequire::test_require_exception
        """,
    },
    "a closed file has no members; a closed store says so by an error": {
        "test_group": """
            TestContains::test_closed
        """,
    },
}
