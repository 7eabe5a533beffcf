! What fortran_test.cpp calls: each procedure returns how many of its checks failed.
module procedures
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use perdure
  implicit none
  private
  public :: stores_everything, loads_what_cpp_stored, works_in_parts, tells_errors, keeps_what_is_open, &
    has_attributes, chooses_how_arrays_are_kept, counts_from_one, stores_lists

  integer :: failed = 0

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    write (error_unit, '(3a)') what, ': ', perdure_error_message()
    failed = failed + 1
  end subroutine

  ! A C string.
  function path_from(text) result(path)
    character(kind=c_char), intent(in) :: text(*)
    character(:), allocatable :: path
    integer :: length, i
    length = 0
    do while (text(length + 1) /= c_null_char)
      length = length + 1
    end do
    allocate (character(length) :: path)
    do i = 1, length
      path(i:i) = text(i)
    end do
  end function

  integer(c_int) function stores_everything(path) bind(c)
    character(kind=c_char), intent(in) :: path(*)
    type(perdure_store) :: run
    real(real64) :: cube(2, 3, 4), wide(4, 6)
    integer(int32) :: deep(1, 2, 1, 2, 1, 2, 1)
    integer(int64), allocatable :: dims(:)
    integer :: i, j, k
    failed = 0
    do k = 1, 4
      do j = 1, 3
        do i = 1, 2
          cube(i, j, k) = 100 * i + 10 * j + k
        end do
      end do
    end do
    deep = reshape([1, 2, 3, 4, 5, 6, 7, 8], shape(deep))
    wide = 0
    wide(2, 1:6:2) = [1, 2, 3]
    call run%open(path_from(path), 'create')
    call run%store('cube', cube)
    call run%store('deep', deep)
    call run%store('row', wide(2, 1:6:2))
    call run%store('i8', 8_int8)
    call run%store('i16', [16_int16, -16_int16])
    call run%store('i64', 64_int64)
    call run%store('r32', 0.5_real32)
    call run%store('c32', (1.0_real32, 2.0_real32))
    call run%store('c64', [(1.0_real64, 2.0_real64), (3.0_real64, 4.0_real64)])
    call run%store('title', 'a run ')
    call run%store('names', ['neon  ', 'helium', '      '])
    call run%store('packed', cube, compression='none', layout='chunked')
    dims = run%shape_of('cube')
    call check(size(dims) == 3, 'rank')
    call check(all(dims == [2, 3, 4]), 'dimensions in Fortran''s order')
    call check(run%type_of('cube') == 'float64', 'type')
    call check(run%exists('cube') .and. .not. run%exists('cub'), 'exists')
    call run%checkpoint('all')
    call run%close()
    stores_everything = failed
  end function

  integer(c_int) function loads_what_cpp_stored(path) bind(c)
    character(kind=c_char), intent(in) :: path(*)
    type(perdure_store) :: run
    real(real32) :: plane(3, 2), part(2, 2), scattered(6, 4)
    integer(int64) :: n
    complex(real64) :: z
    character(:), allocatable :: title, names(:)
    failed = 0
    call run%open(path_from(path), 'read')
    call run%load('plane', plane)
    call check(all(plane == reshape([0, 1, 2, 10, 11, 12], [3, 2])), 'a plane of C++')
    call run%load('plane', part, first=[2, 1])
    call check(all(part == reshape([1, 2, 11, 12], [2, 2])), 'a part of it')
    call run%load('plane', part, first=[1, 1], step=[2, 1])
    call check(all(part == reshape([0, 2, 10, 12], [2, 2])), 'every second element')
    scattered = -1
    call run%load('plane', scattered(1:6:2, 1:4:3))
    call check(scattered(5, 4) == 12 .and. scattered(3, 1) == 1 .and. scattered(2, 1) == -1, 'into a section')
    call run%load('n', n)
    call check(n == 7, 'a number')
    call run%load('z', z)
    call check(z == (1, 2), 'a complex number')
    call run%load('title', title)
    call check(title == 'from C++' .and. len(title) == 8, 'a text')
    call run%load('names', names)
    call check(size(names) == 3 .and. len(names) == 6 .and. names(2) == 'helium' .and. names(3) == '', 'texts')
    call run%close()
    loads_what_cpp_stored = failed
  end function

  integer(c_int) function works_in_parts(path) bind(c)
    character(kind=c_char), intent(in) :: path(*)
    type(perdure_store) :: run
    integer(int32) :: all_of_it(4, 5), column(4), block(2, 2)
    integer(int64) :: first(2)
    failed = 0
    call run%open(path_from(path))
    call run%create('a', 'int32', [4, 5], layout='contiguous')
    column = [1, 2, 3, 4]
    call run%write('a', column, first=[1, 5])
    first = [3_int64, 2_int64]
    block = reshape([31, 41, 32, 42], [2, 2])
    call run%write('a', block, first=first)
    call run%load('a', all_of_it)
    call check(all(all_of_it(:, 5) == column), 'a column')
    call check(all_of_it(3, 2) == 31 .and. all_of_it(4, 2) == 41 .and. all_of_it(3, 3) == 32, 'a block')
    call check(count(all_of_it == 0) == 12, 'zeros elsewhere')
    call run%create('steps', 'int32', [4, 0], layout='chunked')
    call run%append('steps', column)
    call run%append('steps', all_of_it)
    call check(all(run%shape_of('steps') == [4, 6]), 'six steps')
    call run%load('steps', column, first=[1, 6])
    call check(all(column == [1, 2, 3, 4]), 'the last step')
    call run%erase('a')
    call check(.not. run%exists('a'), 'erased')
    call run%discard()
    works_in_parts = failed
  end function

  integer(c_int) function tells_errors(path) bind(c)
    character(kind=c_char), intent(in) :: path(*)
    type(perdure_store) :: run
    real(real64) :: x(2, 3)
    integer(int32) :: i(2, 3)
    character(200) :: message
    character(:), allocatable :: text, texts(:)
    integer :: stat
    failed = 0
    x = 1
    call run%store('x', x, stat=stat)
    call check(stat == perdure_invalid_argument, 'no store')
    call run%open('/nowhere/at/all', 'open', stat=stat, errmsg=message)
    call check(stat == perdure_not_found .and. index(message, '/nowhere/at/all') > 0, 'no path')
    call run%open(path_from(path), 'sideways', stat=stat)
    call check(stat == perdure_invalid_argument, 'no mode')
    call run%open(path_from(path), stat=stat)
    call check(stat == perdure_ok, 'open')
    call run%store('x', x, stat=stat)
    call check(stat == perdure_ok, 'store')
    call run%load('x', i, stat=stat, errmsg=message)
    call check(stat == perdure_wrong_type .and. index(message, 'float64') > 0, 'another kind')
    call run%load('x', x(1, :), stat=stat, errmsg=message)
    call check(stat == perdure_invalid_argument, 'another shape')
    call check(message == 'the array "x" of shape (2, 3) is loaded into one of shape (3): say with first= where a part &
      &begins', 'and says so: ' // message)
    call run%load('y', x, stat=stat)
    call check(stat == perdure_not_found, 'no array')
    call run%load('x', x, first=[1, 2], stat=stat)
    call check(stat == perdure_invalid_argument, 'a part outside')
    call run%load('x', x, first=[0, 1], stat=stat)
    call check(stat == perdure_invalid_argument, 'indices from 1')
    call run%load('x', x, first=[1], stat=stat)
    call check(stat == perdure_invalid_argument, 'too few indices')
    call run%load('x', x, first=[1.0, 1.0], stat=stat)
    call check(stat == perdure_invalid_argument, 'indices that are no integers')
    call run%append('x', x(:, 1:1), stat=stat)
    call check(stat == perdure_ok, 'append to blocks')
    call run%append('x', i(:, 1:1), stat=stat)
    call check(stat == perdure_wrong_type, 'append another kind')
    call run%store('y', x, layout='round', stat=stat)
    call check(stat == perdure_invalid_argument, 'no layout')
    call run%store('y', x, compression='tight', stat=stat)
    call check(stat == perdure_invalid_argument, 'no compression')
    call run%store('names', ['a', 'b'])
    call run%load('names', text, stat=stat)
    call check(stat == perdure_invalid_argument, 'several texts')
    ! Nothing is returned, and nothing crashes.
    call check(size(run%shape_of('none', stat=stat)) == 0 .and. stat == perdure_not_found, 'no shape')
    call check(run%type_of('none', stat=stat) == '' .and. stat == perdure_not_found, 'no type')
    call check(run%layout_of('none', stat=stat) == '' .and. stat == perdure_not_found, 'no layout')
    call check(size(run%chunk_of('none', stat=stat)) == 0 .and. stat == perdure_not_found, 'no chunk')
    call run%dimensions_of('none', texts, stat=stat)
    call check(size(texts) == 0 .and. stat == perdure_not_found, 'no dimensions')
    call run%attributes('none', texts, stat=stat)
    call check(size(texts) == 0 .and. stat == perdure_not_found, 'no array with attributes')
    call run%load('none', text, stat=stat)
    call check(text == '' .and. stat == perdure_not_found, 'no text')
    call run%load('none', texts, stat=stat)
    call check(size(texts) == 0 .and. stat == perdure_not_found, 'no texts')
    call run%discard()
    tells_errors = failed
  end function

  integer(c_int) function keeps_what_is_open(path) bind(c)
    character(kind=c_char), intent(in) :: path(*)
    type(perdure_store) :: run, copy, other
    character(300) :: message
    integer :: stat, x
    integer(int64) :: before, after, rate
    failed = 0
    call check(.not. run%is_open(), 'not open yet')
    call run%open(path_from(path))
    call run%store('x', 7)
    call run%open('/nonexistent/typo.store', stat=stat, errmsg=message)
    call check(stat == perdure_invalid_argument .and. index(message, path_from(path)) > 0, 'refused: ' // message)
    call run%open(path_from(path) // '.other', 'create', stat=stat)
    call check(stat == perdure_invalid_argument, 'refused, though it could be made')
    call run%open('anything', 'sideways', stat=stat)
    call check(stat == perdure_invalid_argument, 'no mode')
    call run%checkpoint(stat=stat)
    call check(stat == perdure_ok .and. run%is_open(), 'open as before')
    call run%load('x', x)
    call check(x == 7, 'with what was stored')
    ! Another variable waits, in vain.
    call system_clock(before, rate)
    call other%open(path_from(path), wait_ms=300, stat=stat)
    call system_clock(after)
    call check(stat == perdure_in_use .and. 10 * (after - before) >= 3 * rate, 'waits')
    call check(.not. other%is_open(), 'and is not open')
    ! A copy of what is closed may be opened anew.
    copy = run
    call run%close()
    call check(.not. copy%is_open(), 'closed by another variable')
    call copy%open(path_from(path), 'open')
    call copy%load('x', x)
    call check(x == 7, 'opened again')
    call copy%close()
    call copy%checkpoint(stat=stat)
    call check(stat == perdure_invalid_argument, 'closed')
    keeps_what_is_open = failed
  end function

  integer(c_int) function has_attributes(path) bind(c)
    character(kind=c_char), intent(in) :: path(*)
    type(perdure_store) :: run
    real(real64) :: range(2), matrix(2, 3), back(2, 3)
    real(real32) :: other
    integer :: stat, count
    integer(int64) :: wide
    complex(real64) :: z
    character(:), allocatable :: text, keys(:)
    character(300) :: message
    failed = 0
    call run%open(path_from(path), 'create')
    call run%store('t', [1.0_real64, 2.0_real64])
    call run%attributes('t', keys)
    call check(size(keys) == 0, 'none yet')
    matrix = reshape([1, 2, 3, 4, 5, 6], [2, 3])
    call run%set_attribute('t', 'units', 'K ')
    call run%set_attribute('t', 'range', [0.5_real64, 1.5_real64])
    call run%set_attribute('t', 'matrix', matrix)
    call run%set_attribute('t', 'count', 12)
    call run%set_attribute('t', 'wide', 2_int64**40)
    call run%set_attribute('t', 'z', (1.0_real64, 2.0_real64))
    call run%get_attribute('t', 'units', text)
    call check(text == 'K ' .and. len(text) == 2, 'a text')
    call run%get_attribute('t', 'range', range)
    call check(all(range == [0.5_real64, 1.5_real64]), 'a list of numbers')
    call run%get_attribute('t', 'matrix', back)
    call check(all(back == matrix), 'a matrix')
    call run%get_attribute('t', 'count', count)
    call run%get_attribute('t', 'wide', wide)
    call run%get_attribute('t', 'z', z)
    call check(count == 12 .and. wide == 2_int64**40 .and. z == (1, 2), 'numbers')
    call check(all(run%shape_of_attribute('t', 'matrix') == [2, 3]), 'a shape in Fortran''s order')
    call check(size(run%shape_of_attribute('t', 'units')) == 0, 'a text has no shape')
    call check(run%type_of_attribute('t', 'range') == 'float64' .and. &
      run%type_of_attribute('t', 'units') == 'string', 'types')
    call run%attributes('t', keys)
    call check(size(keys) == 6 .and. keys(1) == 'count' .and. keys(6) == 'z', 'keys')
    call run%remove_attribute('t', 'z')
    call run%remove_attribute('t', 'z', stat=stat)
    call check(stat == perdure_not_found, 'removed')
    call run%get_attribute('t', 'z', z, stat=stat)
    call check(stat == perdure_not_found, 'not there')
    call run%get_attribute('t', 'z', text, stat=stat)
    call check(stat == perdure_not_found .and. text == '', 'no text there')
    call check(size(run%shape_of_attribute('t', 'z', stat=stat)) == 0 .and. stat == perdure_not_found, 'no shape')
    call check(run%type_of_attribute('t', 'z', stat=stat) == '' .and. stat == perdure_not_found, 'no type')
    call run%get_attribute('t', 'count', other, stat=stat)
    call check(stat == perdure_wrong_type, 'another kind')
    call run%get_attribute('t', 'matrix', range, stat=stat, errmsg=message)
    call check(stat == perdure_invalid_argument .and. message == 'the attribute "matrix" of the array "t" has the &
      &shape (2, 3), and is loaded into one of shape (2)', 'another shape: ' // message)
    call run%set_attribute('none', 'units', 'K', stat=stat)
    call check(stat == perdure_not_found, 'no array')
    call run%close()
    has_attributes = failed
  end function

  integer(c_int) function chooses_how_arrays_are_kept(path) bind(c)
    character(kind=c_char), intent(in) :: path(*)
    type(perdure_store) :: run
    integer(int32) :: field(6, 4), small(4, 3)
    integer :: i, stat
    character(:), allocatable :: names(:), ids(:)
    failed = 0
    field = reshape([(i, i = 1, 24)], [6, 4])
    call run%open(path_from(path), 'create')
    call run%store('run/field', field, layout='chunked', chunk=[3_int64, 2_int64], dimensions=['x   ', 'time'])
    call check(all(run%chunk_of('run/field') == [3, 2]), 'chunks')
    call check(run%layout_of('run/field') == 'chunked', 'layout')
    call run%dimensions_of('run/field', names)
    call check(size(names) == 2 .and. names(1) == 'x' .and. names(2) == 'time', 'names of dimensions')
    call run%create('run/plain', 'int32', [2, 2])
    call check(size(run%chunk_of('run/plain')) == 0 .and. run%layout_of('run/plain') == 'blocks', 'no chunks')
    call run%dimensions_of('run/plain', names)
    call check(size(names) == 0, 'no names')
    call run%store('other', 1)
    call run%list(ids)
    call check(size(ids) == 3 .and. ids(1) == 'other' .and. ids(2) == 'run/field', 'all arrays')
    call run%list(ids, 'run')
    call check(size(ids) == 2 .and. ids(2) == 'run/plain', 'those of a group')
    call run%list(ids, group='none')
    call check(size(ids) == 0, 'none of a group')
    ! The first dimension here is the last one in C.
    call run%resize('run/field', [4, 3])
    call run%load('run/field', small)
    call check(all(small == field(:4, :3)), 'smaller')
    call run%resize('run/field', [6, 4])
    call run%load('run/field', field)
    call check(all(field(:4, :3) == small) .and. all(field(5:, :) == 0) .and. all(field(:, 4) == 0), 'larger')
    call run%resize('run/field', [6], stat=stat)
    call check(stat == perdure_invalid_argument, 'of another rank')
    call run%resize('run/field', [-1, 2], stat=stat)
    call check(stat == perdure_invalid_argument, 'negative')
    call run%store('run/field', field, layout='chunked', chunk=[3], stat=stat)
    call check(stat == perdure_invalid_argument, 'too few numbers of a chunk')
    call run%store('run/field', field, layout='chunked', chunk=[0, 2], stat=stat)
    call check(stat == perdure_invalid_argument, 'empty chunks')
    call run%store('run/field', field, dimensions=['x'], stat=stat)
    call check(stat == perdure_invalid_argument, 'too few names')
    ! Another type.
    call run%set_attribute('run/plain', 'units', 'm')
    call run%store('run/plain', 0.5_real32, stat=stat)
    call check(stat == perdure_wrong_type, 'not replaced')
    call run%store('run/plain', 0.5_real32, replaces_any=.false., stat=stat)
    call check(stat == perdure_wrong_type, 'nor so')
    call run%store('run/plain', 0.5_real32, replaces_any=.true.)
    call check(run%type_of('run/plain') == 'float32', 'replaced')
    call check(run%type_of_attribute('run/plain', 'units', stat=stat) == '', 'with its attributes')
    call run%store('run/plain', 'a text', replaces_any=.true.)
    call run%store('run/plain', ['two  ', 'texts'], dimensions=['names'], replaces_any=.true.)
    call check(run%type_of('run/plain') == 'string', 'by texts')
    call run%create('run/plain', 'int8', [2], stat=stat)
    call check(stat == perdure_already_exists, 'not created')
    call run%create('run/plain', 'int8', [2], replaces_any=.true.)
    call check(run%type_of('run/plain') == 'int8', 'created anew')
    call run%close()
    chooses_how_arrays_are_kept = failed
  end function

  integer(c_int) function stores_lists(path) bind(c)
    character(kind=c_char), intent(in) :: path(*)
    type(perdure_store) :: run
    real(real64), allocatable :: numbers(:)
    integer(int16), allocatable :: small(:)
    integer(int64), allocatable :: ends(:)
    integer :: stat
    failed = 0
    call run%open(path_from(path), 'open')
    call run%load_lists('from C++', small, ends)
    call check(size(ends) == 3 .and. all(ends == [2, 2, 5]), 'ends')
    call check(size(small) == 5 .and. all(small == [1, 2, 3, 4, 5]), 'values')
    call run%store_lists('lists', [0.5_real64, 1.5_real64, 2.5_real64], [1, 1, 3])
    call run%load_lists('lists', numbers, ends)
    call check(all(ends == [1, 1, 3]) .and. all(numbers == [0.5_real64, 1.5_real64, 2.5_real64]), 'the same again')
    call run%store_lists('none', numbers(:0), ends(:0))
    call run%load_lists('none', numbers, ends)
    call check(size(numbers) == 0 .and. size(ends) == 0, 'no lists')
    call run%store_lists('empty', numbers, [0_int64, 0_int64])
    call run%load_lists('empty', numbers, ends)
    call check(size(numbers) == 0 .and. size(ends) == 2, 'empty lists')
    call run%store_lists('lists', small, ends, stat=stat)
    call check(stat == perdure_invalid_argument, 'values behind the last list')
    call run%store_lists('lists', small, [3, 2, 5], stat=stat)
    call check(stat == perdure_invalid_argument, 'ends that fall')
    call run%store_lists('lists', small, [-1, 5], stat=stat)
    call check(stat == perdure_invalid_argument, 'a negative end')
    call run%store_lists('lists', small, [5], stat=stat)
    call check(stat == perdure_wrong_type, 'another kind')
    call run%load_lists('lists', small, ends, stat=stat)
    call check(stat == perdure_wrong_type .and. size(small) == 0 .and. size(ends) == 0, 'loaded as another kind')
    call run%load_lists('missing', small, ends, stat=stat)
    call check(stat == perdure_not_found .and. size(small) == 0 .and. size(ends) == 0, 'no array')
    call run%close()
    stores_lists = failed
  end function

  integer(c_int) function counts_from_one(path) bind(c)
    character(kind=c_char), intent(in) :: path(*)
    type(perdure_store) :: run
    real(real64) :: field(3, 4), column(3)
    character(300) :: message
    integer :: stat
    failed = 0
    field = 1
    column = 2
    call run%open(path_from(path), 'create')
    call run%store('field', field)
    call run%load('field', column, first=[1, 5], stat=stat, errmsg=message)
    call check(index(message, 'the part at (1, 5) of (3, 1) elements is not inside the array "field" of (3, 4)') > 0, &
      'reading: ' // message)
    call run%write('field', column, first=[2, 1], stat=stat, errmsg=message)
    call check(index(message, 'the part at (2, 1) of (3, 1) elements is not inside') > 0, 'writing: ' // message)
    call run%append('field', field(:2, :), stat=stat, errmsg=message)
    call check(message == 'values of shape (2, 4) cannot be appended to the array "field" of shape (3, 4)', &
      'appending: ' // message)
    call run%resize('field', [3, 4, 5], stat=stat, errmsg=message)
    call check(index(message, 'cannot be made one of (3, 4, 5)') > 0, 'resizing: ' // message)
    call run%create('huge', 'float64', [10_int64, 2_int64**61], stat=stat, errmsg=message)
    call check(stat == perdure_invalid_argument .and. index(message, '(10, 2305843009213693952)') > 0, &
      'creating: ' // message)
    call run%discard()
    counts_from_one = failed
  end function

end module procedures
