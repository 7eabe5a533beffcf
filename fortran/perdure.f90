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
! stat is 0 or a number of perdure/c/error.h, some of which have their names here.
!
! This is standard Fortran 2018 and needs libperdure alone. Compile it with the program, or use the module file that is
! installed beside it, if that is of the same compiler.
module perdure
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  implicit none
  private

  integer, parameter, public :: perdure_ok = 0, perdure_not_found = 1, perdure_already_exists = 2, &
    perdure_not_a_store = 3, perdure_damaged = 4, perdure_in_use = 8, perdure_permission_denied = 9, &
    perdure_read_only = 10, perdure_no_space = 11, perdure_out_of_memory = 13, perdure_wrong_type = 14, &
    perdure_invalid_argument = 15, perdure_io = 18, perdure_unsupported = 19

  ! An open store. Copies stand for the same one. Threads may use it at once; arrays are written by one at a time.
  type, public :: perdure_store
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    ! Opens the store at a path: mode is 'open or create' (unless given), 'create', 'open' or 'read'.
    procedure :: open => store_open
    ! Makes everything stored so far durable, all or nothing.
    procedure :: checkpoint => store_checkpoint
    ! A checkpoint, and the store is closed.
    procedure :: close => store_close
    ! Closes the store as of its last checkpoint.
    procedure :: discard => store_discard
    ! Replaces the array of that id, or makes one: of a scalar or an array of any rank, of a text as long as it is, of
    ! texts without the blanks at their ends. layout is 'blocks' (unless given), 'contiguous' or 'chunked', compression
    ! 'none', 'lz4' or 'zstd'.
    generic :: store => store_int8, store_int16, store_int32, store_int64, &
      store_real32, store_real64, store_complex32, store_complex64, &
      store_text, store_texts
    ! Into values of the array's shape; with first=, a part of the values' shape that begins there, of every step-th
    ! element. Values of fewer dimensions are a part that is 1 long in the last ones: first=[1, 7] for column 7. Texts
    ! are allocated.
    generic :: load => load_int8, load_int16, load_int32, load_int64, &
      load_real32, load_real64, load_complex32, load_complex64, &
      load_text, load_texts
    ! An array of zeros of that shape, of which parts will be written: type is 'float64', 'int32' and the like.
    procedure :: create => store_create
    ! Changes a part: it begins at first (1 everywhere unless given) and has the shape of the values, which go to
    ! every step-th element, as with load.
    generic :: write => write_int8, write_int16, write_int32, write_int64, &
      write_real32, write_real64, write_complex32, write_complex64
    ! Adds one step or several behind the last dimension. Not of a contiguous array.
    generic :: append => append_int8, append_int16, append_int32, append_int64, &
      append_real32, append_real64, append_complex32, append_complex64
    procedure :: exists => store_exists
    procedure :: shape_of => store_shape_of
    ! 'float64' and the like.
    procedure :: type_of => store_type_of
    procedure :: erase => store_erase
    procedure, private :: store_int8, store_int16, store_int32, store_int64, &
      store_real32, store_real64, store_complex32, store_complex64
    procedure, private :: load_int8, load_int16, load_int32, load_int64, &
      load_real32, load_real64, load_complex32, load_complex64
    procedure, private :: write_int8, write_int16, write_int32, write_int64, &
      write_real32, write_real64, write_complex32, write_complex64
    procedure, private :: append_int8, append_int16, append_int32, append_int64, &
      append_real32, append_real64, append_complex32, append_complex64
    procedure, private :: store_text, store_texts, load_text, load_texts
  end type perdure_store

  public :: perdure_error_message

  type, bind(c) :: array_options
    integer(c_size_t) :: struct_size = 0
    integer(c_int32_t) :: layout = 0, compression = 0, level = 0, no_shuffle = 0
    type(c_ptr) :: chunk = c_null_ptr, dimensions = c_null_ptr
  end type array_options

  type, bind(c) :: array_part
    integer(c_size_t) :: rank = 0
    type(c_ptr) :: offset = c_null_ptr, count = c_null_ptr, stride = c_null_ptr, memory_strides = c_null_ptr
  end type array_part

  ! The beginning of perdure_array_info.
  type, bind(c) :: array_info
    type(c_ptr) :: id, type
    integer(c_size_t) :: rank
    type(c_ptr) :: dims
  end type array_info

  interface
    integer(c_int) function perdure_store_open(path, options, store) bind(c)
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: store
    end function
    integer(c_int) function perdure_store_create(path, options, store) bind(c)
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: store
    end function
    integer(c_int) function perdure_store_open_or_create(path, options, store) bind(c)
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: store
    end function
    integer(c_int) function perdure_store_open_read_only(path, options, store) bind(c)
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: store
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

  subroutine store_open(self, path, mode, stat, errmsg)
    class(perdure_store), intent(inout) :: self
    character(*), intent(in) :: path
    character(*), intent(in), optional :: mode
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: how
    integer :: status
    how = 'open or create'
    if (present(mode)) how = mode
    select case (how)
    case ('open or create')
      status = perdure_store_open_or_create(trim(path) // c_null_char, c_null_ptr, self%handle)
    case ('create')
      status = perdure_store_create(trim(path) // c_null_char, c_null_ptr, self%handle)
    case ('open')
      status = perdure_store_open(trim(path) // c_null_char, c_null_ptr, self%handle)
    case ('read')
      status = perdure_store_open_read_only(trim(path) // c_null_char, c_null_ptr, self%handle)
    case default
      call refuse("there is no mode '" // how // "': take 'open or create', 'create', 'open' or 'read'", stat, errmsg)
      return
    end select
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

  subroutine store_close(self, stat, errmsg)
    class(perdure_store), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: status
    status = perdure_store_close(self%handle)
    if (status == perdure_ok) self%handle = c_null_ptr
    call conclude(status, stat, errmsg)
  end subroutine

  subroutine store_discard(self, stat, errmsg)
    class(perdure_store), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer :: status
    status = perdure_store_discard(self%handle)
    if (status == perdure_ok) self%handle = c_null_ptr
    call conclude(status, stat, errmsg)
  end subroutine

  ! ---- what arrays are ---------------------------------------------------------------------------------------

  subroutine store_create(self, id, type, dims, layout, compression, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, type
    class(*), intent(in) :: dims(:)
    character(*), intent(in), optional :: layout, compression
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(array_options) :: options
    integer(int64) :: reversed(size(dims))
    logical :: is_sound
    call choose(options, layout, compression, is_sound, stat, errmsg)
    if (.not. is_sound) return
    if (.not. are_integers(dims)) then
      call refuse('dimensions are of kind int32 or int64', stat, errmsg)
      return
    end if
    reversed = to_int64(dims)
    reversed = reversed(size(reversed):1:-1)
    call conclude(perdure_array_create(self%handle, trim(id) // c_null_char, trim(type) // c_null_char, &
      size(reversed, kind=c_size_t), reversed, options), stat, errmsg)
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
    character(:), allocatable :: type
    call describe(self, id, type, dims, stat, errmsg)
  end function

  function store_type_of(self, id, stat, errmsg) result(type)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: type
    integer(int64), allocatable :: dims(:)
    call describe(self, id, type, dims, stat, errmsg)
  end function

  subroutine store_erase(self, id, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call conclude(perdure_array_erase(self%handle, trim(id) // c_null_char), stat, errmsg)
  end subroutine

  ! ---- texts -------------------------------------------------------------------------------------------------

  subroutine store_text(self, id, text, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(array_options) :: options
    integer(int64) :: none(0)
    options%struct_size = c_sizeof(options)
    call conclude(perdure_array_store_variable(self%handle, trim(id) // c_null_char, 'string' // c_null_char, &
      0_c_size_t, none, text // c_null_char, [len(text, int64)], options), stat, errmsg)
  end subroutine

  subroutine store_texts(self, id, texts, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, texts(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(array_options) :: options
    integer(int64) :: ends(size(texts))
    character(:), allocatable :: bytes
    integer(int64) :: last
    integer :: i
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
    options%struct_size = c_sizeof(options)
    call conclude(perdure_array_store_variable(self%handle, trim(id) // c_null_char, 'string' // c_null_char, &
      1_c_size_t, [size(texts, kind=int64)], bytes, ends, options), stat, errmsg)
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

  ! All as long as the longest; not allocated where it fails.
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
    if (status /= perdure_ok) return
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

  subroutine store_int8(self, id, values, layout, compression, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int8), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'int8', c_loc(values), shape(values, int64), layout, compression, stat, errmsg)
  end subroutine

  subroutine store_int16(self, id, values, layout, compression, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int16), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'int16', c_loc(values), shape(values, int64), layout, compression, stat, errmsg)
  end subroutine

  subroutine store_int32(self, id, values, layout, compression, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int32), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'int32', c_loc(values), shape(values, int64), layout, compression, stat, errmsg)
  end subroutine

  subroutine store_int64(self, id, values, layout, compression, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    integer(int64), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'int64', c_loc(values), shape(values, int64), layout, compression, stat, errmsg)
  end subroutine

  subroutine store_real32(self, id, values, layout, compression, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real32), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'float32', c_loc(values), shape(values, int64), layout, compression, stat, errmsg)
  end subroutine

  subroutine store_real64(self, id, values, layout, compression, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    real(real64), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'float64', c_loc(values), shape(values, int64), layout, compression, stat, errmsg)
  end subroutine

  subroutine store_complex32(self, id, values, layout, compression, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real32), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'complex64', c_loc(values), shape(values, int64), layout, compression, stat, errmsg)
  end subroutine

  subroutine store_complex64(self, id, values, layout, compression, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    complex(real64), intent(in), contiguous, target :: values(..)
    character(*), intent(in), optional :: layout, compression
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call store_values(self, id, 'complex128', c_loc(values), shape(values, int64), layout, compression, stat, errmsg)
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

  ! ---- what they share ---------------------------------------------------------------------------------------

  subroutine store_values(self, id, type, values, dims, layout, compression, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id, type
    type(c_ptr), intent(in) :: values
    integer(int64), intent(in) :: dims(:)
    character(*), intent(in), optional :: layout, compression
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(array_options) :: options
    logical :: is_sound
    call choose(options, layout, compression, is_sound, stat, errmsg)
    if (.not. is_sound) return
    call conclude(perdure_array_store(self%handle, trim(id) // c_null_char, type // c_null_char, &
      size(dims, kind=c_size_t), dims(size(dims):1:-1), values, options), stat, errmsg)
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
    integer(int64), allocatable :: stored(:)
    character(:), allocatable :: stored_type
    logical :: is_sound
    if (.not. present(first)) then
      call describe(self, id, stored_type, stored, stat, errmsg)
      if (.not. allocated(stored)) return
      if (.not. same_shape(stored, dims) .and. .not. present(step)) then
        call refuse('the array "' // trim(id) // '" of shape ' // shape_text(stored) // ' is loaded into one of shape ' &
          // shape_text(dims) // ': say with first= where a part begins', stat, errmsg)
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
    integer(int64), allocatable :: stored(:)
    character(:), allocatable :: stored_type
    integer(int64) :: steps
    logical :: fits
    call describe(self, id, stored_type, stored, stat, errmsg)
    if (.not. allocated(stored)) return
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

  subroutine describe(self, id, type, dims, stat, errmsg)
    class(perdure_store), intent(in) :: self
    character(*), intent(in) :: id
    character(:), allocatable, intent(out) :: type
    integer(int64), allocatable, intent(out) :: dims(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: list, array
    type(array_info), pointer :: info
    integer(int64), pointer :: found(:)
    integer :: status
    status = perdure_array_find(self%handle, trim(id) // c_null_char, list)
    call conclude(status, stat, errmsg)
    if (status /= perdure_ok) return
    status = perdure_array_list_at(list, 0_c_size_t, array)
    call c_f_pointer(array, info)
    type = text_at(info%type, strlen(info%type))
    call c_f_pointer(info%dims, found, [info%rank])
    dims = found(info%rank:1:-1)
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

  subroutine choose(options, layout, compression, is_sound, stat, errmsg)
    type(array_options), intent(out) :: options
    character(*), intent(in), optional :: layout, compression
    logical, intent(out) :: is_sound
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    options%struct_size = c_sizeof(options)
    is_sound = .true.
    if (present(layout)) then
      select case (layout)
      case ('blocks'); options%layout = 0
      case ('contiguous'); options%layout = 1
      case ('chunked'); options%layout = 2
      case default; is_sound = .false.
      end select
      if (.not. is_sound) &
        call refuse("there is no layout '" // layout // "': take 'blocks', 'contiguous' or 'chunked'", stat, errmsg)
    end if
    if (present(compression) .and. is_sound) then
      select case (compression)
      case ('none'); options%compression = 0
      case ('lz4'); options%compression = 1
      case ('zstd'); options%compression = 2
      case default; is_sound = .false.
      end select
      if (.not. is_sound) &
        call refuse("there is no compression '" // compression // "': take 'none', 'lz4' or 'zstd'", stat, errmsg)
    end if
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
