program arrays
  use, intrinsic :: iso_fortran_env, only: real64
  use perdure
  implicit none
  integer, parameter :: nx = 4, ny = 3, nz = 5
  type(perdure_store) :: run
  real(real64) :: t(nx, ny), row(nx)
  character(:), allocatable :: units, ids(:)

  call run%open('run.store')                                ! made where there is none
  t = 20
  call run%store('temperature', t, dimensions=['x', 'y'])   ! any rank up to 7; integers, reals, complex, texts
  call run%set_attribute('temperature', 'units', 'degrees')
  if (.not. run%exists('field')) &
    call run%create('field', 'float64', [nx, ny, nz], layout='chunked', chunk=[nx, ny, 1])
  call run%write('field', t, first=[1, 1, 5])               ! the last plane
  call run%checkpoint()                                     ! durable from here on
  call run%load('temperature', row, first=[1, 2])           ! a row
  call run%get_attribute('temperature', 'units', units)
  call run%list(ids)
  print '(f0.1, 1x, a, a, i0, a)', row(1), units, ' in one of ', size(ids), ' arrays'
  call run%close()
end program arrays
