! Perdure for Fortran: arrays in a store, by name.
!
!     use perdure
!     type(perdure_store) :: run
!     call run%open('run.store')
!     call run%store('temperature', t)         ! whole, of any rank and any kind below
!     call run%checkpoint()                    ! durable from here on
!     call run%load('temperature', t)          ! of the same shape and kind
!     call run%close()
!
! Arrays lie in the store as they lie in memory. Elements that differ in Fortran's first index are beside each other; C,
! C++ and Python count that dimension last: what is a(nx, ny, nz) here has the dimensions [nz, ny, nx] there, and no
! element is moved. In this module dimensions, indices and parts are all in Fortran's order, and indices count from 1.
!
! Kinds: integer(int8) to integer(int64), real(real32), real(real64), complex of both, and character. Another kind or
! shape than the stored one is an error, never a conversion.
!
! Every procedure takes stat= and errmsg=, as ALLOCATE does: without stat= an error stops the program with its message.
! stat is 0 or a number of perdure/c/error.h, some of which have their names here. Functions that fail return nothing:
! an empty text or an array of size 0. Messages count from 1 and name dimensions in Fortran's order too.
!
! A set of stores, one for each rank of an MPI program, is opened by run%open(path, ranks=perdure_mpi_ranks(comm)) with
! the module perdure_mpi.
!
! This is standard Fortran 2018 and needs libperdure alone. Compile it with the program, or use the module file that is
! installed beside it, if that is of the same compiler.
module perdure
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  implicit none
  private

  ! Values of stat=, some of the numbers of perdure/c/error.h.

  ! Success.
  integer, parameter, public :: perdure_ok = 0
  ! The path or the array does not exist.
  integer, parameter, public :: perdure_not_found = 1
  ! The path or the id is taken.
  integer, parameter, public :: perdure_already_exists = 2
  ! The path exists but has no store.
  integer, parameter, public :: perdure_not_a_store = 3
  ! Stored bytes contradict their checksums or lengths.
  integer, parameter, public :: perdure_damaged = 4
  ! Another process has locked the store; the message names it.
  integer, parameter, public :: perdure_in_use = 8
  ! The operating system has refused access.
  integer, parameter, public :: perdure_permission_denied = 9
  ! The store is open for reading only.
  integer, parameter, public :: perdure_read_only = 10
  ! The disk or quota is full.
  integer, parameter, public :: perdure_no_space = 11
  ! Memory, address space or the capacity of the store is exhausted.
  integer, parameter, public :: perdure_out_of_memory = 13
  ! The array has another type.
  integer, parameter, public :: perdure_wrong_type = 14
  ! An argument is outside what the procedure accepts.
  integer, parameter, public :: perdure_invalid_argument = 15
  ! Any other system call has failed.
  integer, parameter, public :: perdure_io = 18
  ! This library, kernel or file system cannot do it.
  integer, parameter, public :: perdure_unsupported = 19
  ! Something else has changed meanwhile what was to be changed.
  integer, parameter, public :: perdure_conflict = 20
  ! A checkpoint is prepared, and it is unknown whether it counts.
  integer, parameter, public :: perdure_undecided = 21
  ! Other ranks of the program did not arrive in time.
  integer, parameter, public :: perdure_timed_out = 22
  ! Another rank of the program has failed; the message names it.
  integer, parameter, public :: perdure_rank_failed = 23

  ! An open store, or a set of stores. Copies stand for the same one. Threads may use it at once; arrays are written by
  ! one at a time.
  type, public :: perdure_store
    private
    ! The store of perdure/c/store.h; null: none is open.
    type(c_ptr) :: handle = c_null_ptr
  contains
    ! Opens the store at a path: mode is 'open or create' (unless given), 'create', 'open' or 'read'. With wait_ms= it
    ! waits so many milliseconds for others that have the store open, before that is an error; else as long as the
    ! environment's PERDURE_WAIT says. With ranks= it opens the set of stores of these ranks, of which each calls it;
    ! then parts_directory= says where the part of this rank is made, and timeout_ms= how long a rank waits for others.
    ! Mode 'read' without ranks= opens a store, or the arrays of a set. A variable whose store is open is refused, and
    ! one whose opening fails stays as it was.
    procedure :: open => store_open
    ! Returns whether this variable has an open store.
    procedure :: is_open => store_is_open
    ! Makes everything stored so far durable, all or nothing. Of a set: called by all its ranks, as are close, discard
    ! and snapshot.
    procedure :: checkpoint => store_checkpoint
    ! Copies the store, or the set, as of its last checkpoint to a new place.
    procedure :: snapshot => store_snapshot
    ! Makes a checkpoint and closes the store.
    procedure :: close => store_close
    ! Closes the store as of its last checkpoint.
    procedure :: discard => store_discard
    ! Reads numbers of a set: this rank, from 0 on as MPI counts, all ranks, the set's parts, and its last checkpoint.
    procedure :: set_info => store_set_info
    ! Replaces the array of that id, or makes one: of a scalar or an array of any rank, of a text as long as it is, of
    ! texts without the blanks at their ends. layout is 'blocks' (unless given), 'contiguous' or 'chunked', compression
    ! 'none', 'lz4', 'zstd' or 'blosc'; chunk is the shape of a chunk, dimensions a name for each dimension. With
    ! replaces_any=.true. an array of another type is replaced too, with its attributes.
    generic :: store => store_int8, store_int16, store_int32, store_int64, &
      store_real32, store_real64, store_complex32, store_complex64, &
      store_text, store_texts
    ! Loads an array into values of its shape. With first= it loads a part of the values' shape that begins there, of
    ! every step-th element. Values of fewer dimensions are a part that is 1 long in the last ones: first=[1, 7] for
    ! column 7. Texts are allocated.
    generic :: load => load_int8, load_int16, load_int32, load_int64, &
      load_real32, load_real64, load_complex32, load_complex64, &
      load_text, load_texts
    ! Stores lists of numbers, each of any length: list i is values(ends(i - 1) + 1:ends(i)), the first one from 1 on.
    generic :: store_lists => store_lists_int8, store_lists_int16, store_lists_int32, store_lists_int64, &
      store_lists_real32, store_lists_real64, store_lists_complex32, store_lists_complex64
    ! Loads lists of numbers, and allocates values and ends.
    generic :: load_lists => load_lists_int8, load_lists_int16, load_lists_int32, load_lists_int64, &
      load_lists_real32, load_lists_real64, load_lists_complex32, load_lists_complex64
    ! Makes an array of zeros of that shape, for parts to be written: type is 'float64', 'int32' and the like. Other
    ! arguments are those of store; replaces_any=.true. replaces an array of another type or shape.
    procedure :: create => store_create
    ! Changes a part: it begins at first (1 everywhere unless given) and has the shape of the values, which go to
    ! every step-th element, as with load.
    generic :: write => write_int8, write_int16, write_int32, write_int64, &
      write_real32, write_real64, write_complex32, write_complex64
    ! Adds one step or several behind the last dimension. Not of a contiguous array.
    generic :: append => append_int8, append_int16, append_int32, append_int64, &
      append_real32, append_real64, append_complex32, append_complex64
    ! Changes the shape: elements outside are dropped, new ones are zero. Not of a contiguous array.
    procedure :: resize => store_resize
    ! Returns whether there is an array of that id.
    procedure :: exists => store_exists
    ! Returns the ids of all arrays, sorted, or those of a group: group='run' has 'run' and 'run/x'.
    procedure :: list => store_list
    ! Returns the dimensions of an array, in Fortran's order; of size 0 for a scalar.
    procedure :: shape_of => store_shape_of
    ! Returns the type of an array's elements: 'float64' and the like.
    procedure :: type_of => store_type_of
    ! Returns the layout of an array: 'blocks', 'contiguous' or 'chunked'.
    procedure :: layout_of => store_layout_of
    ! Returns the shape of a chunk; of size 0 where the array is not chunked.
    procedure :: chunk_of => store_chunk_of
    ! Returns the names of the dimensions; of size 0 where they have none.
    procedure :: dimensions_of => store_dimensions_of
    ! Removes an array with its attributes. An id without an array is an error (perdure_not_found).
    procedure :: erase => store_erase
    ! Sets an attribute, a value beside an array: numbers of any kind and shape, or a text as long as it is.
    generic :: set_attribute => set_attribute_int8, set_attribute_int16, set_attribute_int32, set_attribute_int64, &
      set_attribute_real32, set_attribute_real64, set_attribute_complex32, set_attribute_complex64, &
      set_attribute_text
    ! Reads an attribute into values of its shape. A text is allocated.
    generic :: get_attribute => get_attribute_int8, get_attribute_int16, get_attribute_int32, get_attribute_int64, &
      get_attribute_real32, get_attribute_real64, get_attribute_complex32, get_attribute_complex64, &
      get_attribute_text
    ! Returns the keys of an array's attributes, sorted.
    procedure :: attributes => store_attributes
    ! Returns the dimensions of an attribute, in Fortran's order; of size 0 for a scalar.
    procedure :: shape_of_attribute => store_shape_of_attribute
    ! Returns the type of an attribute: 'float64' and the like.
    procedure :: type_of_attribute => store_type_of_attribute
    ! Removes an attribute of an array. A key without an attribute is an error (perdure_not_found).
    procedure :: remove_attribute => store_remove_attribute
    procedure, private :: store_int8, store_int16, store_int32, store_int64, &
      store_real32, store_real64, store_complex32, store_complex64
    procedure, private :: load_int8, load_int16, load_int32, load_int64, &
      load_real32, load_real64, load_complex32, load_complex64
    procedure, private :: write_int8, write_int16, write_int32, write_int64, &
      write_real32, write_real64, write_complex32, write_complex64
    procedure, private :: append_int8, append_int16, append_int32, append_int64, &
      append_real32, append_real64, append_complex32, append_complex64
    procedure, private :: set_attribute_int8, set_attribute_int16, set_attribute_int32, set_attribute_int64, &
      set_attribute_real32, set_attribute_real64, set_attribute_complex32, set_attribute_complex64
    procedure, private :: get_attribute_int8, get_attribute_int16, get_attribute_int32, get_attribute_int64, &
      get_attribute_real32, get_attribute_real64, get_attribute_complex32, get_attribute_complex64
    procedure, private :: store_lists_int8, store_lists_int16, store_lists_int32, store_lists_int64, &
      store_lists_real32, store_lists_real64, store_lists_complex32, store_lists_complex64
    procedure, private :: load_lists_int8, load_lists_int16, load_lists_int32, load_lists_int64, &
      load_lists_real32, load_lists_real64, load_lists_complex32, load_lists_complex64
    procedure, private :: store_text, store_texts, load_text, load_texts, set_attribute_text, get_attribute_text
  end type perdure_store

  public :: perdure_error_message, perdure_repartition

  ! How a rank of a parallel program reaches the others: perdure_ranks of perdure/c/set.h, made by perdure_mpi_ranks of
  ! the module perdure_mpi for one opening.
  type, bind(c), public :: perdure_ranks
    ! Size of this type in bytes.
    integer(c_size_t) :: struct_size = 0
    ! Argument of each function.
    type(c_ptr) :: context = c_null_ptr
    ! Text why ranks cannot be reached; null: they can.
    type(c_ptr) :: failure = c_null_ptr
    ! Number of this process, from 0 on.
    integer(c_int32_t) :: rank = 0
    ! Number of ranks.
    integer(c_int32_t) :: size = 1
    ! Starts to make a channel for all that follows. May be null.
    type(c_funptr) :: begin = c_null_funptr
    ! Starts a reduction of the votes of all ranks to rank 0.
    type(c_funptr) :: reduce = c_null_funptr
    ! Starts to send bytes from rank 0 to all ranks.
    type(c_funptr) :: broadcast = c_null_funptr
    ! Starts to collect bytes of each rank on rank 0.
    type(c_funptr) :: gather = c_null_funptr
    ! Asks whether the call that was started last is done.
    type(c_funptr) :: test = c_null_funptr
    ! Lets messages of others make progress. May be null.
    type(c_funptr) :: progress = c_null_funptr
    ! Asks whether ranks cannot be reached any more. May be null.
    type(c_funptr) :: has_ended = c_null_funptr
    ! Writes the meaning of a code as text.
    type(c_funptr) :: explain = c_null_funptr
    ! Frees the context. May be null.
    type(c_funptr) :: free = c_null_funptr
  end type perdure_ranks

  type, bind(c) :: store_options
    integer(c_size_t) :: struct_size = 0
    integer(c_int64_t) :: capacity = 0, home_file_size = 0
    type(c_ptr) :: address = c_null_ptr
    integer(c_int32_t) :: pinned = 0, backing = 0, checks = 0, accept_unclean = 0, keep_last = 0, &
      keep_full_copies = 0, others_may_write = 0
    integer(c_int64_t) :: wait_ms = 0
    integer(c_int32_t) :: indices = 1, reserved = 0   ! messages as Fortran counts
  end type store_options

  type, bind(c) :: set_options
    integer(c_size_t) :: struct_size = 0
    type(c_ptr) :: store = c_null_ptr, parts_directory = c_null_ptr
    integer(c_int64_t) :: timeout_ms = 0
  end type set_options

  type, bind(c) :: set_info
    integer(c_size_t) :: struct_size = 0
    integer(c_int32_t) :: rank = 0, ranks = 1
    integer(c_int64_t) :: parts = 1, epoch = 0
  end type set_info

  type, bind(c) :: array_options
    integer(c_size_t) :: struct_size = 0
    integer(c_int32_t) :: layout = 0, compression = 0, level = 0, no_shuffle = 0
    type(c_ptr) :: chunk = c_null_ptr, dimensions = c_null_ptr
    integer(c_int32_t) :: replaces_any = 0, reserved = 0
  end type array_options

  ! Options with what they point to.
  type :: chosen_options
    type(array_options) :: options
    integer(int64), allocatable :: chunk(:)
    character(kind=c_char), allocatable :: names(:)   ! a zero byte behind each
    type(c_ptr), allocatable :: addresses(:)
  end type chosen_options

  type, bind(c) :: array_part
    integer(c_size_t) :: rank = 0
    type(c_ptr) :: offset = c_null_ptr, count = c_null_ptr, stride = c_null_ptr, memory_strides = c_null_ptr
  end type array_part

  ! The beginning of perdure_array_info.
  type, bind(c) :: array_info
    type(c_ptr) :: id, type
    integer(c_size_t) :: rank
    type(c_ptr) :: dims, dimensions, chunk
    integer(c_int64_t) :: elements, element_size, bytes, stored_bytes, blocks
    integer(c_int32_t) :: layout
  end type array_info

  type, bind(c) :: array_attribute
    type(c_ptr) :: key, type
    integer(c_size_t) :: rank
    type(c_ptr) :: dims, value
    integer(c_size_t) :: bytes
  end type array_attribute

  ! What is known of an array, in Fortran's order.
  type :: known_array
    character(:), allocatable :: type
    integer(int64), allocatable :: dims(:), chunk(:)
    character(:), allocatable :: names(:)
    integer :: layout = 0
  end type known_array

  interface
    integer(c_int) function perdure_store_open(path, options, store) bind(c)
      import :: c_int, c_char, c_ptr, store_options
      character(kind=c_char), intent(in) :: path(*)
      type(store_options), intent(in) :: options
      type(c_ptr), intent(out) :: store
    end function
    integer(c_int) function perdure_store_create(path, options, store) bind(c)
      import :: c_int, c_char, c_ptr, store_options
      character(kind=c_char), intent(in) :: path(*)
      type(store_options), intent(in) :: options
      type(c_ptr), intent(out) :: store
    end function
    integer(c_int) function perdure_store_open_or_create(path, options, store) bind(c)
      import :: c_int, c_char, c_ptr, store_options
      character(kind=c_char), intent(in) :: path(*)
      type(store_options), intent(in) :: options
      type(c_ptr), intent(out) :: store
    end function
    integer(c_int) function perdure_store_open_read_only(path, options, store) bind(c)
      import :: c_int, c_char, c_ptr, store_options
      character(kind=c_char), intent(in) :: path(*)
      type(store_options), intent(in) :: options
      type(c_ptr), intent(out) :: store
    end function
    integer(c_int) function perdure_set_create(path, ranks, options, store) bind(c)
      import :: c_int, c_char, c_ptr, perdure_ranks, set_options
      character(kind=c_char), intent(in) :: path(*)
      type(perdure_ranks), intent(in) :: ranks
      type(set_options), intent(in) :: options
      type(c_ptr), intent(out) :: store
    end function
    integer(c_int) function perdure_set_open(path, ranks, options, store) bind(c)
      import :: c_int, c_char, c_ptr, perdure_ranks, set_options
      character(kind=c_char), intent(in) :: path(*)
      type(perdure_ranks), intent(in) :: ranks
      type(set_options), intent(in) :: options
      type(c_ptr), intent(out) :: store
    end function
    integer(c_int) function perdure_set_open_or_create(path, ranks, options, store) bind(c)
      import :: c_int, c_char, c_ptr, perdure_ranks, set_options
      character(kind=c_char), intent(in) :: path(*)
      type(perdure_ranks), intent(in) :: ranks
      type(set_options), intent(in) :: options
      type(c_ptr), intent(out) :: store
    end function
    integer(c_int) function perdure_set_open_read_only(path, ranks, options, store) bind(c)
      import :: c_int, c_char, c_ptr, perdure_ranks, set_options
      character(kind=c_char), intent(in) :: path(*)
      type(perdure_ranks), intent(in) :: ranks
      type(set_options), intent(in) :: options
      type(c_ptr), intent(out) :: store
    end function
    integer(c_int) function perdure_set_repartition(path, ranks, options) bind(c)
      import :: c_int, c_char, perdure_ranks, set_options
      character(kind=c_char), intent(in) :: path(*)
      type(perdure_ranks), intent(in) :: ranks
      type(set_options), intent(in) :: options
    end function
    integer(c_int) function perdure_set_info_get(store, info) bind(c)
      import :: c_int, c_ptr, set_info
      type(c_ptr), value :: store
      type(set_info), intent(inout) :: info
    end function
    integer(c_int) function perdure_store_snapshot(store, to) bind(c)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: to(*)
    end function
    integer(c_int) function perdure_store_path(store, path) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: store
      type(c_ptr), intent(out) :: path
    end function
    integer(c_int) function perdure_store_close(store) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: store
    end function
    integer(c_int) function perdure_store_discard(store) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: store
    end function
    integer(c_int) function perdure_checkpoint(store, label) bind(c)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: label(*)
    end function
    function perdure_last_error_message() bind(c) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    integer(c_int) function perdure_array_store(store, id, type, rank, dims, data, options) bind(c)
      import :: c_int, c_char, c_ptr, c_size_t, c_int64_t, array_options
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*), type(*)
      integer(c_size_t), value :: rank
      integer(c_int64_t), intent(in) :: dims(*)
      type(c_ptr), value :: data
      type(array_options), intent(in) :: options
    end function
    integer(c_int) function perdure_array_create(store, id, type, rank, dims, options) bind(c)
      import :: c_int, c_char, c_ptr, c_size_t, c_int64_t, array_options
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*), type(*)
      integer(c_size_t), value :: rank
      integer(c_int64_t), intent(in) :: dims(*)
      type(array_options), intent(in) :: options
    end function
    integer(c_int) function perdure_array_write(store, id, type, part, data) bind(c)
      import :: c_int, c_char, c_ptr, array_part
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*), type(*)
      type(array_part), intent(in) :: part
      type(c_ptr), value :: data
    end function
    integer(c_int) function perdure_array_read(store, id, type, part, data, bytes) bind(c)
      import :: c_int, c_char, c_ptr, c_size_t, array_part
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*), type(*)
      type(array_part), intent(in) :: part
      type(c_ptr), value :: data
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function perdure_array_append(store, id, type, steps, data) bind(c)
      import :: c_int, c_char, c_ptr, c_int64_t
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*), type(*)
      integer(c_int64_t), value :: steps
      type(c_ptr), value :: data
    end function
    integer(c_int) function perdure_array_resize(store, id, rank, dims) bind(c)
      import :: c_int, c_char, c_ptr, c_size_t, c_int64_t
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*)
      integer(c_size_t), value :: rank
      integer(c_int64_t), intent(in) :: dims(*)
    end function
    integer(c_int) function perdure_array_store_variable(store, id, type, rank, dims, bytes, ends, options) bind(c)
      import :: c_int, c_char, c_ptr, c_size_t, c_int64_t, array_options
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*), type(*)
      integer(c_size_t), value :: rank
      integer(c_int64_t), intent(in) :: dims(*)
      character(kind=c_char), intent(in) :: bytes(*)
      integer(c_int64_t), intent(in) :: ends(*)
      type(array_options), intent(in) :: options
    end function
    integer(c_int) function perdure_array_read_variable(store, id, type, elements) bind(c)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*), type(*)
      type(c_ptr), intent(out) :: elements
    end function
    integer(c_int) function perdure_text_list_size(list, size) bind(c)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: list
      integer(c_size_t), intent(out) :: size
    end function
    integer(c_int) function perdure_text_list_at(list, index, text) bind(c)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: list
      integer(c_size_t), value :: index
      type(c_ptr), intent(out) :: text
    end function
    integer(c_int) function perdure_text_list_length(list, index, bytes) bind(c)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: list
      integer(c_size_t), value :: index
      integer(c_size_t), intent(out) :: bytes
    end function
    integer(c_int) function perdure_text_list_free(list) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: list
    end function
    integer(c_int) function perdure_array_erase(store, id) bind(c)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*)
    end function
    integer(c_int) function perdure_array_find(store, id, list) bind(c)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*)
      type(c_ptr), intent(out) :: list
    end function
    integer(c_int) function perdure_array_list_create(store, group, list) bind(c)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: group(*)
      type(c_ptr), intent(out) :: list
    end function
    integer(c_int) function perdure_array_list_size(list, size) bind(c)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: list
      integer(c_size_t), intent(out) :: size
    end function
    integer(c_int) function perdure_array_attribute_set(store, id, key, type, rank, dims, value, bytes) bind(c)
      import :: c_int, c_char, c_ptr, c_size_t, c_int64_t
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*), key(*), type(*)
      integer(c_size_t), value :: rank
      integer(c_int64_t), intent(in) :: dims(*)
      type(c_ptr), value :: value
      integer(c_size_t), value :: bytes
    end function
    integer(c_int) function perdure_array_attribute_get(store, id, key, type, buffer, capacity, size) bind(c)
      import :: c_int, c_char, c_ptr, c_size_t
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*), key(*), type(*)
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(out) :: size
    end function
    integer(c_int) function perdure_array_attribute_remove(store, id, key) bind(c)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*), key(*)
    end function
    integer(c_int) function perdure_array_attribute_list_create(store, id, list) bind(c)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: store
      character(kind=c_char), intent(in) :: id(*)
      type(c_ptr), intent(out) :: list
    end function
    integer(c_int) function perdure_array_attribute_list_size(list, size) bind(c)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: list
      integer(c_size_t), intent(out) :: size
    end function
    integer(c_int) function perdure_array_attribute_list_at(list, index, attribute) bind(c)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: list
      integer(c_size_t), value :: index
      type(c_ptr), intent(out) :: attribute
    end function
    integer(c_int) function perdure_array_attribute_list_free(list) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: list
    end function
    integer(c_int) function perdure_array_list_at(list, index, array) bind(c)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: list
      integer(c_size_t), value :: index
      type(c_ptr), intent(out) :: array
    end function
    integer(c_int) function perdure_array_list_free(list) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: list
    end function
    integer(c_size_t) function strlen(text) bind(c)
      import :: c_size_t, c_ptr
      type(c_ptr), value :: text
    end function
  end interface

contains

  ! What went wrong in the last call of this thread that failed; '' if none did.
  function perdure_error_message() result(message)
    character(:), allocatable :: message
    type(c_ptr) :: text
    text = perdure_last_error_message()
    message = text_at(text, strlen(text))
  end function

  ! ---- stores ------------------------------------------------------------------------------------------------

  subroutine store_open(self, path, mode, wait_ms, ranks, parts_directory, timeout_ms, stat, errmsg)
    class(perdure_store), intent(inout) :: self
    character(*), intent(in) :: path
    character(*), intent(in), optional :: mode
    integer, intent(in), optional :: wait_ms
    type(perdure_ranks), intent(in), optional :: ranks
    character(*), intent(in), optional :: parts_directory
    integer, intent(in), optional :: timeout_ms
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: how
    type(store_options), target :: options
    type(c_ptr) :: opened
    integer :: status
    how = 'open or create'
    if (present(mode)) how = mode
    if (all(how /= [character(14) :: 'open or create', 'create', 'open', 'read'])) then
      call free_ranks(ranks)
      call refuse("there is no mode '" // how // "': take 'open or create', 'create', 'open' or 'read'", stat, errmsg)
      return
    end if
    if (self%is_open()) then
      call free_ranks(ranks)
      call refuse('"' // trim(path) // '" cannot be opened by a variable that has "' // path_of(self) // &
        '" open: close or discard that first, or take another variable', stat, errmsg)
      return
    end if
    options%struct_size = c_sizeof(options)
    if (present(wait_ms)) options%wait_ms = merge(int(wait_ms, int64), -1_int64, wait_ms > 0)
    if (present(ranks)) then
      status = open_set(path, how, options, ranks, parts_directory, timeout_ms, opened)
    else
      select case (how)
      case ('open or create')
        status = perdure_store_open_or_create(trim(path) // c_null_char, options, opened)
      case ('create')
        status = perdure_store_create(trim(path) // c_null_char, options, opened)
      case ('open')
        status = perdure_store_open(trim(path) // c_null_char, options, opened)
      case default
        status = perdure_store_open_read_only(trim(path) // c_null_char, options, opened)
      end select
    end if
    if (status == perdure_ok) self%handle = opened
    call conclude(status, stat, errmsg)
  end subroutine

  integer function open_set(path, how, options, ranks, parts_directory, timeout_ms, opened) result(status)
    character(*), intent(in) :: path, how
    type(store_options), intent(in), target :: options
    type(perdure_ranks), intent(in) :: ranks
    character(*), intent(in), optional :: parts_directory
    integer, intent(in), optional :: timeout_ms
    type(c_ptr), intent(out) :: opened
    type(set_options) :: of_set
    character(kind=c_char), allocatable, target :: directory(:)
    of_set%struct_size = c_sizeof(of_set)
    of_set%store = c_loc(options)
    if (present(parts_directory)) then
      allocate (directory(len_trim(parts_directory) + 1))
      directory = c_text(trim(parts_directory))
      of_set%parts_directory = c_loc(directory)
    end if
    if (present(timeout_ms)) of_set%timeout_ms = max(timeout_ms, 1)
    select case (how)
    case ('open or create')
      status = perdure_set_open_or_create(trim(path) // c_null_char, ranks, of_set, opened)
    case ('create')
      status = perdure_set_create(trim(path) // c_null_char, ranks, of_set, opened)
    case ('open')
      status = perdure_set_open(trim(path) // c_null_char, ranks, of_set, opened)
    case default
      status = perdure_set_open_read_only(trim(path) // c_null_char, ranks, of_set, opened)
    end select
  end function

  ! Divides the arrays of a set of stores among the ranks, of which each calls it: along the last dimension. Nobody may
  ! have the set open.
  subroutine perdure_repartition(path, ranks, stat, errmsg)
    character(*), intent(in) :: path
    type(perdure_ranks), intent(in) :: ranks
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(store_options), target :: options
    type(set_options) :: of_set
    options%struct_size = c_sizeof(options)
    of_set%struct_size = c_sizeof(of_set)
    of_set%store = c_loc(options)
    call conclude(perdure_set_repartition(trim(path) // c_null_char, ranks, of_set), stat, errmsg)
  end subroutine

  ! Of ranks that the library is not given.
  subroutine free_ranks(ranks)
    type(perdure_ranks), intent(in), optional :: ranks
    interface
      subroutine free_context(context, is_left) bind(c)
        import :: c_ptr, c_int
        type(c_ptr), value :: context
        integer(c_int), value :: is_left
      end subroutine
    end interface
    procedure(free_context), pointer :: free
    if (.not. present(ranks)) return
    if (.not. c_associated(ranks%free)) return
    call c_f_procpointer(ranks%free, free)
    call free(ranks%context, 0_c_int)
  end subroutine

  logical function store_is_open(self) result(is_open)
    class(perdure_store), intent(in) :: self
    type(c_ptr) :: path
    is_open = .false.
    if (c_associated(self%handle)) is_open = perdure_store_path(self%handle, path) == perdure_ok
  end function

  function path_of(self) result(path)
    class(perdure_store), intent(in) :: self
    character(:), allocatable :: path
    type(c_ptr) :: text
    path = ''
    if (perdure_store_path(self%handle, text) == perdure_ok) path = text_at(text, strlen(text))
  end function

  subroutine store_set_info(self, rank, ranks, parts, epoch, stat, errmsg)
    class(perdure_store), intent(in) :: self
    integer, intent(out), optional :: rank, ranks, parts
    integer(int64), intent(out), optional :: epoch
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(set_info) :: info
    integer :: status
    info%struct_size = c_sizeof(info)
    status = perdure_set_info_get(self%handle, info)
    if (present(rank)) rank = info%rank
    if (present(ranks)) ranks = info%ranks
    if (present(parts)) parts = int(info%parts)
    if (present(epoch)) epoch = info%epoch
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine store_checkpoint(self, label, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in), optional :: label
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: text
    text = ''
    if (present(label)) text = trim(label)
    call conclude(perdure_checkpoint(self%handle, text // c_null_char), stat, errmsg)
  end subroutine

  subroutine store_snapshot(self, to, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: to
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call conclude(perdure_store_snapshot(self%handle, trim(to) // c_null_char), stat, errmsg)
  end subroutine

  subroutine store_close(self, stat, errmsg)
    class(perdure_store), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: status
    status = perdure_store_close(self%handle)
    if (.not. self%is_open()) self%handle = c_null_ptr
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine store_discard(self, stat, errmsg)
    class(perdure_store), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: status
    status = perdure_store_discard(self%handle)
    if (.not. self%is_open()) self%handle = c_null_ptr
    call conclude(status, stat, errmsg)
  end subroutine

  ! ---- what arrays are ---------------------------------------------------------------------------------------

  subroutine store_create(self, id, type, dims, layout, compression, chunk, dimensions, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, type
    class(*), intent(in) :: dims(:)
    character(*), intent(in), optional :: layout, compression
    class(*), intent(in), optional :: chunk(:)
    character(*), intent(in), optional :: dimensions(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(chosen_options), target :: chosen
    integer(int64), allocatable :: reversed(:)
    logical :: is_sound
    call reverse_dimensions(dims, reversed, is_sound, stat, errmsg)
    if (.not. is_sound) return
    call choose(chosen, size(reversed), layout, compression, chunk, dimensions, replaces_any, is_sound, stat, errmsg)
    if (.not. is_sound) return
    call conclude(perdure_array_create(self%handle, trim(id) // c_null_char, trim(type) // c_null_char, &
      size(reversed, kind=c_size_t), reversed, chosen%options), stat, errmsg)
  end subroutine

  subroutine store_resize(self, id, dims, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    class(*), intent(in) :: dims(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: reversed(:)
    logical :: is_sound
    call reverse_dimensions(dims, reversed, is_sound, stat, errmsg)
    if (.not. is_sound) return
    call conclude(perdure_array_resize(self%handle, trim(id) // c_null_char, size(reversed, kind=c_size_t), reversed), &
      stat, errmsg)
  end subroutine

  subroutine reverse_dimensions(dims, reversed, is_sound, stat, errmsg)
    class(*), intent(in) :: dims(:)
    integer(int64), allocatable, intent(out) :: reversed(:)
    logical, intent(out) :: is_sound
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    is_sound = are_integers(dims)
    if (is_sound) reversed = to_int64(dims)
    if (is_sound) is_sound = all(reversed >= 0)
    if (is_sound) reversed = reversed(size(reversed):1:-1)
    if (.not. is_sound) call refuse('dimensions are integers of kind int32 or int64 from 0 on', stat, errmsg)
  end subroutine

  logical function store_exists(self, id) result(exists)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    type(c_ptr) :: list
    integer :: status
    status = perdure_array_find(self%handle, trim(id) // c_null_char, list)
    exists = status == perdure_ok
    if (exists) status = perdure_array_list_free(list)
  end function

  function store_shape_of(self, id, stat, errmsg) result(dims)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: dims(:)
    type(known_array) :: known
    call describe(self, id, known, stat, errmsg)
    dims = known%dims
  end function

  function store_type_of(self, id, stat, errmsg) result(type)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: type
    type(known_array) :: known
    call describe(self, id, known, stat, errmsg)
    type = known%type
  end function

  function store_layout_of(self, id, stat, errmsg) result(layout)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: layout
    type(known_array) :: known
    call describe(self, id, known, stat, errmsg)
    layout = ''
    if (known%type == '') return
    select case (known%layout)
    case (1); layout = 'contiguous'
    case (2); layout = 'chunked'
    case default; layout = 'blocks'
    end select
  end function

  function store_chunk_of(self, id, stat, errmsg) result(chunk)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: chunk(:)
    type(known_array) :: known
    call describe(self, id, known, stat, errmsg)
    chunk = known%chunk
  end function

  subroutine store_dimensions_of(self, id, names, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    character(:), allocatable, intent(out) :: names(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(known_array) :: known
    call describe(self, id, known, stat, errmsg)
    call move_alloc(known%names, names)
  end subroutine

  subroutine store_list(self, ids, group, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(:), allocatable, intent(out) :: ids(:)
    character(*), intent(in), optional :: group
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list, address
    type(c_ptr), allocatable :: texts(:)
    type(array_info), pointer :: info
    integer(c_size_t) :: count, i
    integer :: status
    character(:), allocatable :: of_group
    of_group = ''
    if (present(group)) of_group = trim(group)
    status = perdure_array_list_create(self%handle, of_group // c_null_char, list)
    call conclude(status, stat, errmsg)
    count = 0
    if (status == perdure_ok) status = perdure_array_list_size(list, count)
    allocate (texts(count))
    do i = 1, count
      status = perdure_array_list_at(list, i - 1, address)
      call c_f_pointer(address, info)
      texts(i) = info%id
    end do
    call copy_texts(texts, ids)
    status = perdure_array_list_free(list)
  end subroutine

  subroutine store_erase(self, id, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call conclude(perdure_array_erase(self%handle, trim(id) // c_null_char), stat, errmsg)
  end subroutine

  ! ---- texts -------------------------------------------------------------------------------------------------

  subroutine store_text(self, id, text, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, text
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(chosen_options), target :: chosen
    integer(int64) :: none(0)
    logical :: is_sound
    call choose(chosen, 0, replaces_any=replaces_any, is_sound=is_sound)
    call conclude(perdure_array_store_variable(self%handle, trim(id) // c_null_char, 'string' // c_null_char, &
      0_c_size_t, none, text // c_null_char, [len(text, int64)], chosen%options), stat, errmsg)
  end subroutine

  subroutine store_texts(self, id, texts, dimensions, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, texts(:)
    character(*), intent(in), optional :: dimensions(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(chosen_options), target :: chosen
    integer(int64) :: ends(size(texts))
    character(:), allocatable :: bytes
    integer(int64) :: last
    integer :: i
    logical :: is_sound
    last = 0
    do i = 1, size(texts)
      last = last + len_trim(texts(i))
      ends(i) = last
    end do
    allocate (character(last + 1) :: bytes)
    last = 0
    do i = 1, size(texts)
      bytes(last + 1:ends(i)) = texts(i)(:len_trim(texts(i)))
      last = ends(i)
    end do
    call choose(chosen, 1, dimensions=dimensions, replaces_any=replaces_any, is_sound=is_sound, stat=stat, &
      errmsg=errmsg)
    if (.not. is_sound) return
    call conclude(perdure_array_store_variable(self%handle, trim(id) // c_null_char, 'string' // c_null_char, &
      1_c_size_t, [size(texts, kind=int64)], bytes, ends, chosen%options), stat, errmsg)
  end subroutine

  subroutine load_text(self, id, text, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list, bytes
    integer(c_size_t) :: count, length
    integer :: status
    text = ''
    status = perdure_array_read_variable(self%handle, trim(id) // c_null_char, 'string' // c_null_char, list)
    call conclude(status, stat, errmsg)
    if (status /= perdure_ok) return
    status = perdure_text_list_size(list, count)
    if (count == 1) then
      status = perdure_text_list_length(list, 0_c_size_t, length)
      status = perdure_text_list_at(list, 0_c_size_t, bytes)
      text = text_at(bytes, length)
    else
      call refuse('the array "' // trim(id) // '" is no single text: load it into character(:), allocatable :: t(:)', &
        stat, errmsg)
    end if
    status = perdure_text_list_free(list)
  end subroutine

  ! All as long as the longest; of size 0 where it fails.
  subroutine load_texts(self, id, texts, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    character(:), allocatable, intent(out) :: texts(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list, text
    integer(c_size_t) :: count, i, length, longest
    integer :: status
    status = perdure_array_read_variable(self%handle, trim(id) // c_null_char, 'string' // c_null_char, list)
    call conclude(status, stat, errmsg)
    if (status /= perdure_ok) then
      allocate (character(0) :: texts(0))
      return
    end if
    status = perdure_text_list_size(list, count)
    longest = 0
    do i = 1, count
      status = perdure_text_list_length(list, i - 1, length)
      longest = max(longest, length)
    end do
    allocate (character(longest) :: texts(count))
    do i = 1, count
      status = perdure_text_list_length(list, i - 1, length)
      status = perdure_text_list_at(list, i - 1, text)
      texts(i) = text_at(text, length)
    end do
    status = perdure_text_list_free(list)
  end subroutine

  ! ---- numbers: one procedure for each kind ------------------------------------------------------------------

  subroutine store_int8(self, id, values, layout, compression, chunk, dimensions, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int8), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    class(*), intent(in), optional :: chunk(:)
    character(*), intent(in), optional :: dimensions(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'int8', c_loc(values), shape(values, int64), layout, compression, chunk, &
      dimensions, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_int16(self, id, values, layout, compression, chunk, dimensions, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int16), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    class(*), intent(in), optional :: chunk(:)
    character(*), intent(in), optional :: dimensions(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'int16', c_loc(values), shape(values, int64), layout, compression, chunk, &
      dimensions, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_int32(self, id, values, layout, compression, chunk, dimensions, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int32), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    class(*), intent(in), optional :: chunk(:)
    character(*), intent(in), optional :: dimensions(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'int32', c_loc(values), shape(values, int64), layout, compression, chunk, &
      dimensions, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_int64(self, id, values, layout, compression, chunk, dimensions, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int64), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    class(*), intent(in), optional :: chunk(:)
    character(*), intent(in), optional :: dimensions(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'int64', c_loc(values), shape(values, int64), layout, compression, chunk, &
      dimensions, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_real32(self, id, values, layout, compression, chunk, dimensions, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real32), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    class(*), intent(in), optional :: chunk(:)
    character(*), intent(in), optional :: dimensions(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'float32', c_loc(values), shape(values, int64), layout, compression, chunk, &
      dimensions, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_real64(self, id, values, layout, compression, chunk, dimensions, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real64), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    class(*), intent(in), optional :: chunk(:)
    character(*), intent(in), optional :: dimensions(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'float64', c_loc(values), shape(values, int64), layout, compression, chunk, &
      dimensions, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_complex32(self, id, values, layout, compression, chunk, dimensions, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real32), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    class(*), intent(in), optional :: chunk(:)
    character(*), intent(in), optional :: dimensions(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'complex64', c_loc(values), shape(values, int64), layout, compression, chunk, &
      dimensions, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_complex64(self, id, values, layout, compression, chunk, dimensions, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real64), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    class(*), intent(in), optional :: chunk(:)
    character(*), intent(in), optional :: dimensions(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'complex128', c_loc(values), shape(values, int64), layout, compression, chunk, &
      dimensions, replaces_any, stat, errmsg)
  end subroutine

  subroutine load_int8(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int8), intent(inout), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call load_values(self, id, 'int8', c_loc(values), shape(values, int64), storage_size(values) / 8, &
      first, step, stat, errmsg)
  end subroutine

  subroutine load_int16(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int16), intent(inout), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call load_values(self, id, 'int16', c_loc(values), shape(values, int64), storage_size(values) / 8, &
      first, step, stat, errmsg)
  end subroutine

  subroutine load_int32(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int32), intent(inout), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call load_values(self, id, 'int32', c_loc(values), shape(values, int64), storage_size(values) / 8, &
      first, step, stat, errmsg)
  end subroutine

  subroutine load_int64(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int64), intent(inout), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call load_values(self, id, 'int64', c_loc(values), shape(values, int64), storage_size(values) / 8, &
      first, step, stat, errmsg)
  end subroutine

  subroutine load_real32(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real32), intent(inout), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call load_values(self, id, 'float32', c_loc(values), shape(values, int64), storage_size(values) / 8, &
      first, step, stat, errmsg)
  end subroutine

  subroutine load_real64(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real64), intent(inout), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call load_values(self, id, 'float64', c_loc(values), shape(values, int64), storage_size(values) / 8, &
      first, step, stat, errmsg)
  end subroutine

  subroutine load_complex32(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real32), intent(inout), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call load_values(self, id, 'complex64', c_loc(values), shape(values, int64), storage_size(values) / 8, &
      first, step, stat, errmsg)
  end subroutine

  subroutine load_complex64(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real64), intent(inout), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call load_values(self, id, 'complex128', c_loc(values), shape(values, int64), storage_size(values) / 8, &
      first, step, stat, errmsg)
  end subroutine

  subroutine write_int8(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int8), intent(in), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call write_values(self, id, 'int8', c_loc(values), shape(values, int64), first, step, stat, errmsg)
  end subroutine

  subroutine write_int16(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int16), intent(in), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call write_values(self, id, 'int16', c_loc(values), shape(values, int64), first, step, stat, errmsg)
  end subroutine

  subroutine write_int32(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int32), intent(in), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call write_values(self, id, 'int32', c_loc(values), shape(values, int64), first, step, stat, errmsg)
  end subroutine

  subroutine write_int64(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int64), intent(in), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call write_values(self, id, 'int64', c_loc(values), shape(values, int64), first, step, stat, errmsg)
  end subroutine

  subroutine write_real32(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real32), intent(in), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call write_values(self, id, 'float32', c_loc(values), shape(values, int64), first, step, stat, errmsg)
  end subroutine

  subroutine write_real64(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real64), intent(in), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call write_values(self, id, 'float64', c_loc(values), shape(values, int64), first, step, stat, errmsg)
  end subroutine

  subroutine write_complex32(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real32), intent(in), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call write_values(self, id, 'complex64', c_loc(values), shape(values, int64), first, step, stat, errmsg)
  end subroutine

  subroutine write_complex64(self, id, values, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real64), intent(in), contiguous, target :: values(..)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call write_values(self, id, 'complex128', c_loc(values), shape(values, int64), first, step, stat, errmsg)
  end subroutine

  subroutine append_int8(self, id, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int8), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call append_values(self, id, 'int8', c_loc(values), shape(values, int64), stat, errmsg)
  end subroutine

  subroutine append_int16(self, id, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int16), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call append_values(self, id, 'int16', c_loc(values), shape(values, int64), stat, errmsg)
  end subroutine

  subroutine append_int32(self, id, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int32), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call append_values(self, id, 'int32', c_loc(values), shape(values, int64), stat, errmsg)
  end subroutine

  subroutine append_int64(self, id, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int64), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call append_values(self, id, 'int64', c_loc(values), shape(values, int64), stat, errmsg)
  end subroutine

  subroutine append_real32(self, id, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real32), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call append_values(self, id, 'float32', c_loc(values), shape(values, int64), stat, errmsg)
  end subroutine

  subroutine append_real64(self, id, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real64), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call append_values(self, id, 'float64', c_loc(values), shape(values, int64), stat, errmsg)
  end subroutine

  subroutine append_complex32(self, id, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real32), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call append_values(self, id, 'complex64', c_loc(values), shape(values, int64), stat, errmsg)
  end subroutine

  subroutine append_complex64(self, id, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real64), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call append_values(self, id, 'complex128', c_loc(values), shape(values, int64), stat, errmsg)
  end subroutine

  subroutine set_attribute_int8(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    integer(int8), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call set_attribute_values(self, id, key, 'int8', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine set_attribute_int16(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    integer(int16), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call set_attribute_values(self, id, key, 'int16', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine set_attribute_int32(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    integer(int32), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call set_attribute_values(self, id, key, 'int32', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine set_attribute_int64(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    integer(int64), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call set_attribute_values(self, id, key, 'int64', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine set_attribute_real32(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    real(real32), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call set_attribute_values(self, id, key, 'float32', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine set_attribute_real64(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    real(real64), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call set_attribute_values(self, id, key, 'float64', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine set_attribute_complex32(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    complex(real32), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call set_attribute_values(self, id, key, 'complex64', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine set_attribute_complex64(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    complex(real64), intent(in), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call set_attribute_values(self, id, key, 'complex128', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine get_attribute_int8(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    integer(int8), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_attribute_values(self, id, key, 'int8', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine get_attribute_int16(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    integer(int16), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_attribute_values(self, id, key, 'int16', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine get_attribute_int32(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    integer(int32), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_attribute_values(self, id, key, 'int32', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine get_attribute_int64(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    integer(int64), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_attribute_values(self, id, key, 'int64', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine get_attribute_real32(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    real(real32), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_attribute_values(self, id, key, 'float32', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine get_attribute_real64(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    real(real64), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_attribute_values(self, id, key, 'float64', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine get_attribute_complex32(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    complex(real32), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_attribute_values(self, id, key, 'complex64', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine get_attribute_complex64(self, id, key, values, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    complex(real64), intent(inout), contiguous, target :: values(..)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call get_attribute_values(self, id, key, 'complex128', c_loc(values), shape(values, int64), &
      storage_size(values) / 8, stat, errmsg)
  end subroutine

  subroutine store_lists_int8(self, id, values, ends, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int8), intent(in), contiguous, target :: values(:)
    class(*), intent(in) :: ends(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_lists_of(self, id, 'int8', c_loc(values), size(values, kind=int64), storage_size(values) / 8, &
      ends, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_lists_int16(self, id, values, ends, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int16), intent(in), contiguous, target :: values(:)
    class(*), intent(in) :: ends(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_lists_of(self, id, 'int16', c_loc(values), size(values, kind=int64), storage_size(values) / 8, &
      ends, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_lists_int32(self, id, values, ends, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int32), intent(in), contiguous, target :: values(:)
    class(*), intent(in) :: ends(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_lists_of(self, id, 'int32', c_loc(values), size(values, kind=int64), storage_size(values) / 8, &
      ends, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_lists_int64(self, id, values, ends, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int64), intent(in), contiguous, target :: values(:)
    class(*), intent(in) :: ends(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_lists_of(self, id, 'int64', c_loc(values), size(values, kind=int64), storage_size(values) / 8, &
      ends, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_lists_real32(self, id, values, ends, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real32), intent(in), contiguous, target :: values(:)
    class(*), intent(in) :: ends(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_lists_of(self, id, 'float32', c_loc(values), size(values, kind=int64), storage_size(values) / 8, &
      ends, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_lists_real64(self, id, values, ends, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real64), intent(in), contiguous, target :: values(:)
    class(*), intent(in) :: ends(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_lists_of(self, id, 'float64', c_loc(values), size(values, kind=int64), storage_size(values) / 8, &
      ends, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_lists_complex32(self, id, values, ends, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real32), intent(in), contiguous, target :: values(:)
    class(*), intent(in) :: ends(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_lists_of(self, id, 'complex64', c_loc(values), size(values, kind=int64), storage_size(values) / 8, &
      ends, replaces_any, stat, errmsg)
  end subroutine

  subroutine store_lists_complex64(self, id, values, ends, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real64), intent(in), contiguous, target :: values(:)
    class(*), intent(in) :: ends(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_lists_of(self, id, 'complex128', c_loc(values), size(values, kind=int64), storage_size(values) / 8, &
      ends, replaces_any, stat, errmsg)
  end subroutine

  subroutine load_lists_int8(self, id, values, ends, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int8), allocatable, intent(out), target :: values(:)
    integer(int64), allocatable, intent(out) :: ends(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list
    integer(int64) :: count
    call read_lists(self, id, 'int8', storage_size(values) / 8, list, ends, count, stat, errmsg)
    allocate (values(count))
    if (count > 0) call copy_lists(list, c_loc(values), count * (storage_size(values) / 8))
    call free_lists(list)
  end subroutine

  subroutine load_lists_int16(self, id, values, ends, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int16), allocatable, intent(out), target :: values(:)
    integer(int64), allocatable, intent(out) :: ends(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list
    integer(int64) :: count
    call read_lists(self, id, 'int16', storage_size(values) / 8, list, ends, count, stat, errmsg)
    allocate (values(count))
    if (count > 0) call copy_lists(list, c_loc(values), count * (storage_size(values) / 8))
    call free_lists(list)
  end subroutine

  subroutine load_lists_int32(self, id, values, ends, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int32), allocatable, intent(out), target :: values(:)
    integer(int64), allocatable, intent(out) :: ends(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list
    integer(int64) :: count
    call read_lists(self, id, 'int32', storage_size(values) / 8, list, ends, count, stat, errmsg)
    allocate (values(count))
    if (count > 0) call copy_lists(list, c_loc(values), count * (storage_size(values) / 8))
    call free_lists(list)
  end subroutine

  subroutine load_lists_int64(self, id, values, ends, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int64), allocatable, intent(out), target :: values(:)
    integer(int64), allocatable, intent(out) :: ends(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list
    integer(int64) :: count
    call read_lists(self, id, 'int64', storage_size(values) / 8, list, ends, count, stat, errmsg)
    allocate (values(count))
    if (count > 0) call copy_lists(list, c_loc(values), count * (storage_size(values) / 8))
    call free_lists(list)
  end subroutine

  subroutine load_lists_real32(self, id, values, ends, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real32), allocatable, intent(out), target :: values(:)
    integer(int64), allocatable, intent(out) :: ends(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list
    integer(int64) :: count
    call read_lists(self, id, 'float32', storage_size(values) / 8, list, ends, count, stat, errmsg)
    allocate (values(count))
    if (count > 0) call copy_lists(list, c_loc(values), count * (storage_size(values) / 8))
    call free_lists(list)
  end subroutine

  subroutine load_lists_real64(self, id, values, ends, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real64), allocatable, intent(out), target :: values(:)
    integer(int64), allocatable, intent(out) :: ends(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list
    integer(int64) :: count
    call read_lists(self, id, 'float64', storage_size(values) / 8, list, ends, count, stat, errmsg)
    allocate (values(count))
    if (count > 0) call copy_lists(list, c_loc(values), count * (storage_size(values) / 8))
    call free_lists(list)
  end subroutine

  subroutine load_lists_complex32(self, id, values, ends, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real32), allocatable, intent(out), target :: values(:)
    integer(int64), allocatable, intent(out) :: ends(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list
    integer(int64) :: count
    call read_lists(self, id, 'complex64', storage_size(values) / 8, list, ends, count, stat, errmsg)
    allocate (values(count))
    if (count > 0) call copy_lists(list, c_loc(values), count * (storage_size(values) / 8))
    call free_lists(list)
  end subroutine

  subroutine load_lists_complex64(self, id, values, ends, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real64), allocatable, intent(out), target :: values(:)
    integer(int64), allocatable, intent(out) :: ends(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list
    integer(int64) :: count
    call read_lists(self, id, 'complex128', storage_size(values) / 8, list, ends, count, stat, errmsg)
    allocate (values(count))
    if (count > 0) call copy_lists(list, c_loc(values), count * (storage_size(values) / 8))
    call free_lists(list)
  end subroutine

  ! ---- attributes --------------------------------------------------------------------------------------------

  subroutine set_attribute_text(self, id, key, text, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    character(*), intent(in), target :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64) :: none(0)
    call conclude(perdure_array_attribute_set(self%handle, trim(id) // c_null_char, trim(key) // c_null_char, &
      'string' // c_null_char, 0_c_size_t, none, c_loc(text), len(text, kind=c_size_t)), stat, errmsg)
  end subroutine

  subroutine get_attribute_text(self, id, key, text, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(kind=c_char), allocatable, target :: bytes(:)
    integer(c_size_t) :: length, copied
    integer :: status
    text = ''
    status = perdure_array_attribute_get(self%handle, trim(id) // c_null_char, trim(key) // c_null_char, &
      'string' // c_null_char, c_null_ptr, 0_c_size_t, length)
    if (status == perdure_ok .and. length > 0) then
      allocate (bytes(length))
      status = perdure_array_attribute_get(self%handle, trim(id) // c_null_char, trim(key) // c_null_char, &
        'string' // c_null_char, c_loc(bytes), length, copied)
      if (status == perdure_ok) text = text_at(c_loc(bytes), length)
    end if
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine store_attributes(self, id, keys, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    character(:), allocatable, intent(out) :: keys(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list, address
    type(c_ptr), allocatable :: texts(:)
    type(array_attribute), pointer :: attribute
    integer(c_size_t) :: count, i
    integer :: status
    status = perdure_array_attribute_list_create(self%handle, trim(id) // c_null_char, list)
    call conclude(status, stat, errmsg)
    count = 0
    if (status == perdure_ok) status = perdure_array_attribute_list_size(list, count)
    allocate (texts(count))
    do i = 1, count
      status = perdure_array_attribute_list_at(list, i - 1, address)
      call c_f_pointer(address, attribute)
      texts(i) = attribute%key
    end do
    call copy_texts(texts, keys)
    status = perdure_array_attribute_list_free(list)
  end subroutine

  function store_shape_of_attribute(self, id, key, stat, errmsg) result(dims)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable :: dims(:)
    character(:), allocatable :: type
    logical :: is_there
    call describe_attribute(self, id, key, type, dims, is_there, stat, errmsg)
  end function

  function store_type_of_attribute(self, id, key, stat, errmsg) result(type)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: type
    integer(int64), allocatable :: dims(:)
    logical :: is_there
    call describe_attribute(self, id, key, type, dims, is_there, stat, errmsg)
  end function

  subroutine store_remove_attribute(self, id, key, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call conclude(perdure_array_attribute_remove(self%handle, trim(id) // c_null_char, trim(key) // c_null_char), &
      stat, errmsg)
  end subroutine

  subroutine set_attribute_values(self, id, key, type, values, dims, element_size, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key, type
    type(c_ptr), intent(in) :: values
    integer(int64), intent(in) :: dims(:)
    integer, intent(in) :: element_size
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call conclude(perdure_array_attribute_set(self%handle, trim(id) // c_null_char, trim(key) // c_null_char, &
      type // c_null_char, size(dims, kind=c_size_t), dims(size(dims):1:-1), values, &
      int(product(dims) * element_size, c_size_t)), stat, errmsg)
  end subroutine

  subroutine get_attribute_values(self, id, key, type, values, dims, element_size, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key, type
    type(c_ptr), intent(in) :: values
    integer(int64), intent(in) :: dims(:)
    integer, intent(in) :: element_size
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: stored_type
    integer(int64), allocatable :: stored(:)
    integer(c_size_t) :: bytes
    logical :: is_there
    call describe_attribute(self, id, key, stored_type, stored, is_there, stat, errmsg)
    if (.not. is_there) return
    if (stored_type == type .and. .not. same_shape(stored, dims)) then
      call refuse('the attribute "' // trim(key) // '" of the array "' // trim(id) // '" has the shape ' // &
        shape_text(stored) // ', and is loaded into one of shape ' // shape_text(dims), stat, errmsg)
      return
    end if
    call conclude(perdure_array_attribute_get(self%handle, trim(id) // c_null_char, trim(key) // c_null_char, &
      type // c_null_char, values, int(product(dims) * element_size, c_size_t), bytes), stat, errmsg)
  end subroutine

  ! Type and shape, in Fortran's order; '' and of size 0 where there is no such attribute.
  subroutine describe_attribute(self, id, key, type, dims, is_there, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, key
    character(:), allocatable, intent(out) :: type
    integer(int64), allocatable, intent(out) :: dims(:)
    logical, intent(out) :: is_there
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list, address
    type(array_attribute), pointer :: attribute
    integer(int64), pointer :: found(:)
    integer(c_size_t) :: count, i, bytes
    integer :: status, ended
    type = ''
    allocate (dims(0))
    is_there = .false.
    ! Another type says that there is one.
    status = perdure_array_attribute_get(self%handle, trim(id) // c_null_char, trim(key) // c_null_char, &
      'string' // c_null_char, c_null_ptr, 0_c_size_t, bytes)
    if (status == perdure_ok .or. status == perdure_wrong_type) &
      status = perdure_array_attribute_list_create(self%handle, trim(id) // c_null_char, list)
    if (status == perdure_ok) then
      ended = perdure_array_attribute_list_size(list, count)
      do i = 1, count
        ended = perdure_array_attribute_list_at(list, i - 1, address)
        call c_f_pointer(address, attribute)
        if (text_at(attribute%key, strlen(attribute%key)) /= trim(key)) cycle
        is_there = .true.
        type = text_at(attribute%type, strlen(attribute%type))
        call c_f_pointer(attribute%dims, found, [attribute%rank])
        dims = found(attribute%rank:1:-1)
      end do
      ended = perdure_array_attribute_list_free(list)
    end if
    call conclude(status, stat, errmsg)
  end subroutine

  ! ---- what they share ---------------------------------------------------------------------------------------

  subroutine store_values(self, id, type, values, dims, layout, compression, chunk, dimensions, replaces_any, stat, &
      errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, type
    type(c_ptr), intent(in) :: values
    integer(int64), intent(in) :: dims(:)
    character(*), intent(in), optional :: layout, compression
    class(*), intent(in), optional :: chunk(:)
    character(*), intent(in), optional :: dimensions(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(chosen_options), target :: chosen
    logical :: is_sound
    call choose(chosen, size(dims), layout, compression, chunk, dimensions, replaces_any, is_sound, stat, errmsg)
    if (.not. is_sound) return
    call conclude(perdure_array_store(self%handle, trim(id) // c_null_char, type // c_null_char, &
      size(dims, kind=c_size_t), dims(size(dims):1:-1), values, chosen%options), stat, errmsg)
  end subroutine

  subroutine store_lists_of(self, id, type, values, count, element_size, ends, replaces_any, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, type
    type(c_ptr), intent(in) :: values
    integer(int64), intent(in) :: count
    integer, intent(in) :: element_size
    class(*), intent(in) :: ends(:)
    logical, intent(in), optional :: replaces_any
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(chosen_options), target :: chosen
    integer(int64), allocatable :: last(:)
    character(kind=c_char), pointer :: bytes(:)
    logical :: is_sound
    integer :: i
    is_sound = are_integers(ends)
    allocate (last(size(ends)))
    last = to_int64(ends)
    do i = 1, size(last)
      is_sound = is_sound .and. last(i) >= merge(0_int64, last(max(i - 1, 1)), i == 1)
    end do
    if (is_sound .and. size(last) > 0) is_sound = last(size(last)) == count
    if (is_sound .and. size(last) == 0) is_sound = count == 0
    if (.not. is_sound) then
      call refuse('ends has the index of the last element of each list, as integers of kind int32 or int64 that do not &
        &fall and end with the number of values', stat, errmsg)
      return
    end if
    call choose(chosen, 1, replaces_any=replaces_any, is_sound=is_sound)
    call c_f_pointer(values, bytes, [count * element_size])
    call conclude(perdure_array_store_variable(self%handle, trim(id) // c_null_char, &
      'list<' // type // '>' // c_null_char, 1_c_size_t, [size(last, kind=int64)], bytes, last * element_size, &
      chosen%options), stat, errmsg)
  end subroutine

  ! The list is to be freed; none where it fails.
  subroutine read_lists(self, id, type, element_size, list, ends, count, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, type
    integer, intent(in) :: element_size
    type(c_ptr), intent(out) :: list
    integer(int64), allocatable, intent(out) :: ends(:)
    integer(int64), intent(out) :: count
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_size_t) :: lists, i, length
    integer :: status
    lists = 0
    count = 0
    status = perdure_array_read_variable(self%handle, trim(id) // c_null_char, 'list<' // type // '>' // c_null_char, &
      list)
    if (status == perdure_ok) status = perdure_text_list_size(list, lists)
    allocate (ends(lists))
    do i = 1, lists
      if (status == perdure_ok) status = perdure_text_list_length(list, i - 1, length)
      count = count + length / element_size
      ends(i) = count
    end do
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine copy_lists(list, values, bytes)
    type(c_ptr), intent(in) :: list, values
    integer(int64), intent(in) :: bytes
    character(kind=c_char), pointer :: to(:), from(:)
    type(c_ptr) :: address
    integer(c_size_t) :: lists, i, length
    integer(int64) :: done
    integer :: status
    call c_f_pointer(values, to, [bytes])
    done = 0
    status = perdure_text_list_size(list, lists)
    do i = 1, lists
      status = perdure_text_list_length(list, i - 1, length)
      status = perdure_text_list_at(list, i - 1, address)
      call c_f_pointer(address, from, [length])
      to(done + 1:done + length) = from
      done = done + length
    end do
  end subroutine

  subroutine free_lists(list)
    type(c_ptr), intent(in) :: list
    integer :: status
    status = perdure_text_list_free(list)
  end subroutine

  subroutine load_values(self, id, type, values, dims, element_size, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, type
    type(c_ptr), intent(in) :: values
    integer(int64), intent(in) :: dims(:)
    integer, intent(in) :: element_size
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable, target :: offset(:), count(:), stride(:)
    type(known_array) :: known
    logical :: is_sound
    if (.not. present(first)) then
      call describe(self, id, known, stat, errmsg)
      if (known%type == '') return
      if (.not. same_shape(known%dims, dims) .and. .not. present(step)) then
        call refuse('the array "' // trim(id) // '" of shape ' // shape_text(known%dims) // &
          ' is loaded into one of shape ' // shape_text(dims) // ': say with first= where a part begins', stat, errmsg)
        return
      end if
    end if
    call locate(dims, first, step, offset, count, stride, is_sound, stat, errmsg)
    if (.not. is_sound) return
    call conclude(perdure_array_read(self%handle, trim(id) // c_null_char, type // c_null_char, &
      array_part(size(offset, kind=c_size_t), c_loc(offset), c_loc(count), c_loc(stride), c_null_ptr), values, &
      int(product(dims) * element_size, c_size_t)), stat, errmsg)
  end subroutine

  subroutine write_values(self, id, type, values, dims, first, step, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, type
    type(c_ptr), intent(in) :: values
    integer(int64), intent(in) :: dims(:)
    class(*), intent(in), optional :: first(:), step(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(int64), allocatable, target :: offset(:), count(:), stride(:)
    logical :: is_sound
    call locate(dims, first, step, offset, count, stride, is_sound, stat, errmsg)
    if (.not. is_sound) return
    call conclude(perdure_array_write(self%handle, trim(id) // c_null_char, type // c_null_char, &
      array_part(size(offset, kind=c_size_t), c_loc(offset), c_loc(count), c_loc(stride), c_null_ptr), values), &
      stat, errmsg)
  end subroutine

  subroutine append_values(self, id, type, values, dims, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, type
    type(c_ptr), intent(in) :: values
    integer(int64), intent(in) :: dims(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(known_array) :: known
    integer(int64), allocatable :: stored(:)
    integer(int64) :: steps
    logical :: fits
    call describe(self, id, known, stat, errmsg)
    if (known%type == '') return
    stored = known%dims
    steps = 1
    if (size(dims) == size(stored) .and. size(dims) > 0) steps = dims(size(dims))
    fits = size(stored) > 0 .and. (size(dims) == size(stored) .or. size(dims) + 1 == size(stored))
    if (fits) fits = all(stored(:size(stored) - 1) == dims(:size(stored) - 1))
    if (.not. fits) then
      call refuse('values of shape ' // shape_text(dims) // ' cannot be appended to the array "' // trim(id) // &
        '" of shape ' // shape_text(stored), stat, errmsg)
      return
    end if
    call conclude(perdure_array_append(self%handle, trim(id) // c_null_char, type // c_null_char, steps, values), &
      stat, errmsg)
  end subroutine

  ! Of size 0 and '' where there is no such array.
  subroutine describe(self, id, known, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    type(known_array), intent(out) :: known
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list, array
    type(array_info), pointer :: info
    integer(int64), pointer :: found(:)
    type(c_ptr), pointer :: names(:)
    type(c_ptr) :: none(0)
    integer :: status
    known%type = ''
    allocate (known%dims(0), known%chunk(0))
    status = perdure_array_find(self%handle, trim(id) // c_null_char, list)
    call conclude(status, stat, errmsg)
    if (status /= perdure_ok) then
      call copy_texts(none, known%names)
      return
    end if
    status = perdure_array_list_at(list, 0_c_size_t, array)
    call c_f_pointer(array, info)
    known%type = text_at(info%type, strlen(info%type))
    known%layout = info%layout
    call c_f_pointer(info%dims, found, [info%rank])
    known%dims = found(info%rank:1:-1)
    if (c_associated(info%chunk)) then
      call c_f_pointer(info%chunk, found, [info%rank])
      known%chunk = found(info%rank:1:-1)
    end if
    if (c_associated(info%dimensions)) then
      call c_f_pointer(info%dimensions, names, [info%rank])
      call copy_texts(names(info%rank:1:-1), known%names)
    else
      call copy_texts(none, known%names)
    end if
    status = perdure_array_list_free(list)
  end subroutine

  ! A part in the store's order of dimensions, counted from 0: as many as first has, of which the last are 1 where the
  ! values have fewer.
  subroutine locate(dims, first, step, offset, count, stride, is_sound, stat, errmsg)
    integer(int64), intent(in) :: dims(:)
    class(*), intent(in), optional :: first(:), step(:)
    integer(int64), allocatable, intent(out) :: offset(:), count(:), stride(:)
    logical, intent(out) :: is_sound
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: rank, i
    rank = size(dims)
    if (present(first)) rank = size(first)
    allocate (offset(rank), count(rank), stride(rank))
    offset = 1
    stride = 1
    is_sound = rank >= size(dims)
    if (present(first)) then
      is_sound = is_sound .and. are_integers(first)
      offset = to_int64(first)
    end if
    if (present(step)) then
      is_sound = is_sound .and. are_integers(step) .and. size(step) == rank
      if (is_sound) stride = to_int64(step)
    end if
    is_sound = is_sound .and. all(offset >= 1) .and. all(stride >= 1)
    if (.not. is_sound) then
      call refuse('first and step are integers of kind int32 or int64 from 1 on, one for each dimension', stat, errmsg)
      return
    end if
    count = 1
    count(:size(dims)) = dims
    offset = [(offset(i) - 1, i = rank, 1, -1)]
    count = [(count(i), i = rank, 1, -1)]
    stride = [(stride(i), i = rank, 1, -1)]
  end subroutine

  ! Of an array of so many dimensions. chosen must be a target, as the options point into it.
  subroutine choose(chosen, rank, layout, compression, chunk, dimensions, replaces_any, is_sound, stat, errmsg)
    type(chosen_options), intent(inout), target :: chosen
    integer, intent(in) :: rank
    character(*), intent(in), optional :: layout, compression
    class(*), intent(in), optional :: chunk(:)
    character(*), intent(in), optional :: dimensions(:)
    logical, intent(in), optional :: replaces_any
    logical, intent(out) :: is_sound
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    chosen%options%struct_size = c_sizeof(chosen%options)
    is_sound = .true.
    if (present(replaces_any)) chosen%options%replaces_any = merge(1, 0, replaces_any)
    if (present(layout)) then
      select case (layout)
      case ('blocks'); chosen%options%layout = 0
      case ('contiguous'); chosen%options%layout = 1
      case ('chunked'); chosen%options%layout = 2
      case default
        is_sound = .false.
        call refuse("there is no layout '" // layout // "': take 'blocks', 'contiguous' or 'chunked'", stat, errmsg)
      end select
    end if
    if (present(compression) .and. is_sound) then
      select case (compression)
      case ('none'); chosen%options%compression = 0
      case ('lz4'); chosen%options%compression = 1
      case ('zstd'); chosen%options%compression = 2
      case ('blosc'); chosen%options%compression = 3
      case default
        is_sound = .false.
        call refuse("there is no compression '" // compression // "': take 'none', 'lz4', 'zstd' or 'blosc'", &
          stat, errmsg)
      end select
    end if
    if (present(chunk) .and. is_sound) then
      is_sound = are_integers(chunk) .and. size(chunk) == rank
      if (is_sound) chosen%chunk = to_int64(chunk)
      if (is_sound) is_sound = all(chosen%chunk >= 1)
      if (is_sound) then
        chosen%chunk = chosen%chunk(rank:1:-1)
        if (rank > 0) chosen%options%chunk = c_loc(chosen%chunk)
      else
        call refuse('chunk has integers of kind int32 or int64 from 1 on, one for each dimension of the array', &
          stat, errmsg)
      end if
    end if
    if (present(dimensions) .and. is_sound) call name_dimensions(chosen, rank, dimensions, is_sound, stat, errmsg)
  end subroutine

  subroutine name_dimensions(chosen, rank, dimensions, is_sound, stat, errmsg)
    type(chosen_options), intent(inout), target :: chosen
    integer, intent(in) :: rank
    character(*), intent(in) :: dimensions(:)
    logical, intent(out) :: is_sound
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: i, begin
    is_sound = size(dimensions) == rank
    if (.not. is_sound) then
      call refuse('dimensions has one name for each dimension of the array', stat, errmsg)
      return
    end if
    allocate (chosen%names(sum(len_trim(dimensions)) + rank), chosen%addresses(rank))
    begin = 1
    do i = rank, 1, -1
      associate (name => c_text(trim(dimensions(i))))
        chosen%names(begin:begin + size(name) - 1) = name
        chosen%addresses(rank - i + 1) = c_loc(chosen%names(begin))
        begin = begin + size(name)
      end associate
    end do
    if (rank > 0) chosen%options%dimensions = c_loc(chosen%addresses)
  end subroutine

  ! With a zero byte at the end.
  pure function c_text(text) result(bytes)
    character(*), intent(in) :: text
    character(kind=c_char) :: bytes(len(text) + 1)
    integer :: i
    do i = 1, len(text)
      bytes(i) = text(i:i)
    end do
    bytes(len(text) + 1) = c_null_char
  end function

  ! Of C texts; all as long as the longest.
  subroutine copy_texts(addresses, texts)
    type(c_ptr), intent(in) :: addresses(:)
    character(:), allocatable, intent(out) :: texts(:)
    integer(c_size_t) :: longest
    integer :: i
    longest = 0
    do i = 1, size(addresses)
      longest = max(longest, strlen(addresses(i)))
    end do
    allocate (character(longest) :: texts(size(addresses)))
    do i = 1, size(addresses)
      texts(i) = text_at(addresses(i), strlen(addresses(i)))
    end do
  end subroutine

  pure logical function are_integers(numbers)
    class(*), intent(in) :: numbers(:)
    are_integers = .false.
    select type (numbers)
    type is (integer(int32)); are_integers = .true.
    type is (integer(int64)); are_integers = .true.
    end select
  end function

  function to_int64(numbers) result(converted)
    class(*), intent(in) :: numbers(:)
    integer(int64), allocatable :: converted(:)
    allocate (converted(size(numbers)))
    converted = 0
    select type (numbers)
    type is (integer(int32)); converted = numbers
    type is (integer(int64)); converted = numbers
    end select
  end function

  pure logical function same_shape(a, b)
    integer(int64), intent(in) :: a(:), b(:)
    same_shape = size(a) == size(b)
    if (same_shape) same_shape = all(a == b)
  end function

  function shape_text(dims) result(text)
    integer(int64), intent(in) :: dims(:)
    character(:), allocatable :: text
    character(24) :: number
    integer :: i
    text = '('
    do i = 1, size(dims)
      write (number, '(i0)') dims(i)
      if (i > 1) text = text // ', '
      text = text // trim(number)
    end do
    text = text // ')'
  end function

  function text_at(address, length) result(text)
    type(c_ptr), intent(in) :: address
    integer(c_size_t), intent(in) :: length
    character(:), allocatable :: text
    character(kind=c_char), pointer :: bytes(:)
    integer(c_size_t) :: i
    allocate (character(length) :: text)
    if (length == 0) return
    call c_f_pointer(address, bytes, [length])
    do i = 1, length
      text(i:i) = bytes(i)
    end do
  end function

  subroutine conclude(status, stat, errmsg)
    integer, intent(in) :: status
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(stat)) stat = status
    if (status == perdure_ok) return
    if (present(errmsg)) errmsg = perdure_error_message()
    if (.not. present(stat)) error stop 'perdure: ' // perdure_error_message()
  end subroutine

  ! Of what is wrong before the library is asked.
  subroutine refuse(what, stat, errmsg)
    character(*), intent(in) :: what
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (present(stat)) stat = perdure_invalid_argument
    if (present(errmsg)) errmsg = what
    if (.not. present(stat)) error stop 'perdure: ' // what
  end subroutine

end module perdure
