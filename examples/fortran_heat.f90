! A rod that cools at its ends: each run goes on where the last one ended, and adds what it computed to the history.
program fortran_heat
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use perdure
  implicit none
  integer, parameter :: n = 64
  type(perdure_store) :: store
  real(real64) :: rod(n)
  integer :: step

  call store%open('heat.store')
  if (store%exists('rod')) then
    call store%load('rod', rod)
  else
    rod = 100
    call store%create('history', 'float64', [n, 0], layout='chunked')
  end if
  do step = 1, 100
    rod(2:n - 1) = rod(2:n - 1) + 0.25_real64 * (rod(1:n - 2) - 2 * rod(2:n - 1) + rod(3:n))
    rod(1) = 0
    rod(n) = 0
    if (mod(step, 50) == 0) call store%append('history', rod)
  end do
  call store%store('rod', rod)
  print '(a, i0, a, f0.3)', 'states kept: ', last(store%shape_of('history')), ', in the middle: ', rod(n / 2)
  call store%close()          ! a checkpoint: all of this run, or nothing of it

contains

  integer(int64) function last(dims)
    integer(int64), intent(in) :: dims(:)
    last = dims(size(dims))
  end function

end program fortran_heat
