! What fortran_test.cpp calls: each procedure returns how many of its checks failed.
module procedures
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  use perdure
  implicit none
  private
  public :: stores_everything, loads_what_cpp_stored, works_in_parts, tells_errors

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
    character(:), allocatable :: text
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
    call run%discard()
    tells_errors = failed
  end function

end module procedures
