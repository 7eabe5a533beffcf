! A set of stores on the communicator of an MPI program in Fortran. Each rank prints what fails, and ends with 1.
program fortran_set
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real64
  use mpi_f08
  use perdure
  use perdure_mpi
  implicit none
  integer, parameter :: rows = 5, columns = 12
  type(perdure_store) :: run
  character(4096) :: path
  character(:), allocatable :: text
  character(400) :: message
  integer :: rank, ranks, first, count, stat, parts, seen_rank, seen_ranks
  integer(int64) :: before, after
  logical :: is_there, has_failed = .false.

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, path)
  first = first_column(rank, ranks)
  count = first_column(rank + 1, ranks) - first

  call run%open(path, ranks=perdure_mpi_ranks(MPI_COMM_WORLD), timeout_ms=60000)
  call run%create('field', 'int32', [rows, columns])
  call run%set_attribute('field', 'units', 'K')
  call write_columns(1, first, count)
  if (rank == ranks - 1) call run%store('names', ['neon  ', 'helium'])
  call run%checkpoint()
  call check(holds(1), 'all of the field')
  call run%get_attribute('field', 'units', text)
  call check(text == 'K', 'an attribute')
  call run%set_info(rank=seen_rank, ranks=seen_ranks, parts=parts, epoch=before)
  call check(seen_rank == rank .and. seen_ranks == ranks .and. parts == ranks, 'what the set is')
  call run%checkpoint('another')
  call run%set_info(epoch=after)
  call check(after == before + 1, 'one checkpoint more')
  if (ranks > 1) then
    call write_columns(2, 3, 2)
    call run%checkpoint(stat=stat, errmsg=message)
    call check(stat == perdure_conflict, 'two have written the same')
    call check(index(message, 'have both written the part at (1, ') > 0 .and. index(message, ' of (5, ') > 0, &
      'in Fortran''s order: ' // message)
  end if
  call run%discard()

  call run%open(path, 'open', ranks=perdure_mpi_ranks(MPI_COMM_WORLD))
  call run%set_attribute('field', 'units', merge('C', 'K', rank == ranks - 1))
  call run%checkpoint(stat=stat, errmsg=message)
  if (ranks > 1) call check(stat == perdure_conflict .and. &
    index(message, 'the attribute "units" of the array "field"') > 0, 'an attribute of two values: ' // message)
  call run%discard()

  ! By the first rank alone, and by all again; the communicator as a number.
  if (rank == 0) then
    call perdure_repartition(path, perdure_mpi_ranks(MPI_COMM_SELF%MPI_VAL))
    call run%open(path, 'read')
    call check(holds(1), 'without MPI')
    call run%set_info(parts=parts, stat=stat)
    call check(stat == perdure_invalid_argument, 'no ranks')
    call run%close()
  end if
  call MPI_Barrier(MPI_COMM_WORLD)
  call perdure_repartition(path, perdure_mpi_ranks(MPI_COMM_WORLD))
  call run%open(path, 'open', ranks=perdure_mpi_ranks(MPI_COMM_WORLD))
  call check(holds(1), 'divided anew')
  call write_columns(3, first, count)
  call run%snapshot(trim(path) // '.copy')
  call run%close()
  call run%open(trim(path) // '.copy', 'read', ranks=perdure_mpi_ranks(MPI_COMM_WORLD))
  call check(holds(1), 'a snapshot')
  call run%store('x', 1, stat=stat)
  call check(stat == perdure_read_only, 'only read')
  call run%close()

  call run%open(trim(path) // '.parts', 'create', ranks=perdure_mpi_ranks(MPI_COMM_WORLD), &
    parts_directory=trim(path) // '.device')
  call run%close()
  inquire (file=trim(path) // '.parts/set.0001/part.00000.where', exist=is_there)
  call check(is_there, 'parts elsewhere')

  ! What is refused before the library is asked frees the ranks.
  call run%open(path, 'sideways', ranks=perdure_mpi_ranks(MPI_COMM_WORLD), stat=stat)
  call check(stat == perdure_invalid_argument, 'no mode')
  call run%open(path, ranks=perdure_mpi_ranks(MPI_COMM_NULL), stat=stat, errmsg=message)
  call check(stat == perdure_invalid_argument .and. index(message, 'MPI_COMM_NULL') > 0, message)
  call run%open(path, ranks=perdure_mpi_ranks(MPI_COMM_WORLD))
  call check(holds(3), 'the last state')
  call run%open(path, ranks=perdure_mpi_ranks(MPI_COMM_WORLD), stat=stat)
  call check(stat == perdure_invalid_argument .and. run%is_open(), 'is open')
  call write_columns(4, first, count)
  call MPI_Finalize()

  call run%checkpoint(stat=stat, errmsg=message)
  call check(stat == perdure_invalid_argument .and. index(message, 'before MPI_Finalize') > 0, message)
  call run%discard()
  call run%open(path, ranks=perdure_mpi_ranks(MPI_COMM_WORLD), stat=stat, errmsg=message)
  call check(stat == perdure_invalid_argument .and. index(message, 'MPI_Finalize') > 0, message)
  if (has_failed) error stop

contains

  subroutine check(is_true, what)
    logical, intent(in) :: is_true
    character(*), intent(in) :: what
    if (is_true) return
    write (error_unit, '(a, i0, 4a)') 'fortran_set: rank ', rank, ': ', trim(what), ': ', perdure_error_message()
    has_failed = .true.
  end subroutine

  integer function first_column(of_rank, of_ranks)
    integer, intent(in) :: of_rank, of_ranks
    first_column = columns / of_ranks * of_rank + min(mod(columns, of_ranks), of_rank) + 1
  end function

  pure integer function value(step, row, column)
    integer, intent(in) :: step, row, column
    value = 10000 * step + 100 * row + column
  end function

  subroutine write_columns(step, from, how_many)
    integer, intent(in) :: step, from, how_many
    integer(int32) :: mine(rows, how_many)
    integer :: i, j
    do j = 1, how_many
      do i = 1, rows
        mine(i, j) = value(step, i, from + j - 1)
      end do
    end do
    call run%write('field', mine, first=[1, from])
  end subroutine

  logical function holds(step)
    integer, intent(in) :: step
    integer(int32) :: all_of_it(rows, columns)
    integer :: i, j
    call run%load('field', all_of_it)
    holds = .true.
    do j = 1, columns
      do i = 1, rows
        holds = holds .and. all_of_it(i, j) == value(step, i, j)
      end do
    end do
  end function

end program fortran_set
