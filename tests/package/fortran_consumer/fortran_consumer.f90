! A program outside the project, in Fortran: it counts its own runs in a store.
program fortran_consumer
  use, intrinsic :: iso_fortran_env, only: int64
  use perdure
  implicit none
  type(perdure_store) :: store
  character(4096) :: path
  integer(int64) :: runs
  call get_command_argument(1, path)
  call store%open(path)
  runs = 0
  if (store%exists('runs')) call store%load('runs', runs)
  runs = runs + 1
  call store%store('runs', runs)
  call store%close()
  print '(i0)', runs
end program
