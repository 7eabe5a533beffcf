! Heat in a plate, by the ranks of an MPI program: each has some columns, and the field goes on from its last checkpoint
! after any rank was killed, on any number of ranks.
!
!   mpirun -n 4 fortran_heat_mpi plate.set 400          400 steps, with a checkpoint every 20
!   mpirun -n 4 fortran_heat_mpi plate.set 400 130      the same, but the last rank is killed in step 130
!
! It says which step it begins with and, at the end, a digest of the field. A cell is computed from its neighbours by
! the same operations wherever it is, so the digest is the same however often, and on however many ranks, it ran.
program fortran_heat_mpi
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, output_unit, real64
  use mpi_f08
  use perdure
  use perdure_mpi
  implicit none
  integer, parameter :: rows = 160, columns = 120, steps_between_checkpoints = 20
  interface
    integer(c_int) function raise(signal) bind(c)
      import :: c_int
      integer(c_int), value :: signal
    end function
  end interface
  type(perdure_store) :: plate
  real(real64), allocatable :: now(:, :), next(:, :), whole(:, :)
  character(4096) :: path
  integer :: rank, ranks, first, count, step, last_step, killed_in, status

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (command_argument_count() < 2) then
    write (error_unit, '(a)') 'usage: fortran_heat_mpi SET STEPS [STEP_IN_WHICH_A_RANK_IS_KILLED]'
    call MPI_Abort(MPI_COMM_WORLD, 2)
  end if
  call get_command_argument(1, path)
  last_step = argument(2)
  killed_in = 0
  if (command_argument_count() > 2) killed_in = argument(3)
  call fit_to_ranks()

  ! One column more at either end, which are the neighbours'.
  first = first_column(rank)
  count = first_column(rank + 1) - first
  allocate (now(rows, 0:count + 1), next(rows, 0:count + 1))
  call plate%open(path, ranks=perdure_mpi_ranks(MPI_COMM_WORLD))
  step = 0
  if (plate%exists('temperature')) then
    call plate%load('step', step)
    call plate%load('temperature', now(:, 1:count), first=[1, first])
  else
    now = 20
    if (first <= 30) now(:20, 1:min(count, 31 - first)) = 100   ! a hot corner
    call plate%create('temperature', 'float64', [rows, columns], dimensions=['y', 'x'])
    call plate%set_attribute('temperature', 'units', 'degrees')
  end if
  if (rank == 0) then
    print '(a, i0, a, i0)', 'on ', ranks, ' ranks from step ', step
    flush (output_unit)
  end if

  do while (step < last_step)
    call advance()
    step = step + 1
    if (step == killed_in .and. rank == ranks - 1) status = raise(9_c_int)
    if (mod(step, steps_between_checkpoints) /= 0 .and. step /= last_step) cycle
    call plate%write('temperature', now(:, 1:count), first=[1, first])
    if (rank == 0) call plate%store('step', step)
    call plate%checkpoint()                 ! of all ranks, or of none
  end do
  if (rank == 0) then
    allocate (whole(rows, columns))
    call plate%load('temperature', whole)
    print '(a, i0, a, z16.16)', 'step ', step, ', digest ', digest_of(whole)
    flush (output_unit)
  end if
  call plate%close()
  call MPI_Finalize()

contains

  integer function argument(which)
    integer, intent(in) :: which
    character(32) :: text
    call get_command_argument(which, text)
    read (text, *) argument
  end function

  ! As equal shares as can be, the larger ones first, as perdure_repartition divides them.
  integer function first_column(of_rank)
    integer, intent(in) :: of_rank
    first_column = columns / ranks * of_rank + min(mod(columns, ranks), of_rank) + 1
  end function

  ! A set of another number of parts than there are ranks is divided anew.
  subroutine fit_to_ranks()
    type(perdure_store) :: set
    integer :: parts
    logical :: is_there
    inquire (file=trim(path) // '/manifest', exist=is_there)
    if (.not. is_there) return
    call set%open(path, 'read', ranks=perdure_mpi_ranks(MPI_COMM_WORLD))
    call set%set_info(parts=parts)
    call set%close()
    if (parts /= ranks) call perdure_repartition(path, perdure_mpi_ranks(MPI_COMM_WORLD))
  end subroutine

  subroutine advance()
    integer :: left, right, i, j, column
    left = merge(MPI_PROC_NULL, rank - 1, rank == 0)
    right = merge(MPI_PROC_NULL, rank + 1, rank == ranks - 1)
    call MPI_Sendrecv(now(:, 1), rows, MPI_DOUBLE_PRECISION, left, 0, now(:, count + 1), rows, MPI_DOUBLE_PRECISION, &
      right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Sendrecv(now(:, count), rows, MPI_DOUBLE_PRECISION, right, 1, now(:, 0), rows, MPI_DOUBLE_PRECISION, &
      left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    next = now
    do j = 1, count
      column = first + j - 1
      if (column == 1 .or. column == columns) cycle    ! edges keep their temperature
      do i = 2, rows - 1
        next(i, j) = now(i, j) + 0.2_real64 * (now(i, j - 1) + now(i, j + 1) + now(i - 1, j) + now(i + 1, j) &
          - 4 * now(i, j))
      end do
    end do
    now = next
  end subroutine

  integer(int64) function digest_of(field)
    real(real64), intent(in) :: field(:, :)
    integer :: i, j
    digest_of = 0
    do j = 1, size(field, 2)
      do i = 1, size(field, 1)
        digest_of = ieor(ishftc(digest_of, 7), transfer(field(i, j), digest_of))
      end do
    end do
  end function

end program fortran_heat_mpi
