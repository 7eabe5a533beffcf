! Ends with a store open: what was stored since the last checkpoint is lost and the program fails, but what it has
! written to its units is there.
program left_open
  use perdure
  implicit none
  type(perdure_store) :: run
  character(4096) :: path
  integer :: unit
  call get_command_argument(1, path)
  call run%open(path)
  call run%store('x', 1)
  open (newunit=unit, file=trim(path) // '.txt', status='replace')
  write (unit, '(a)') 'written to a file'
  print '(a)', 'printed'
end program left_open
