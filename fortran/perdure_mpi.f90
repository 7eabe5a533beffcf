! Sets of stores of the ranks of an MPI program, for Fortran.
!
!     use mpi_f08
!     use perdure
!     use perdure_mpi
!     type(perdure_store) :: run
!     call run%open('run.set', ranks=perdure_mpi_ranks(MPI_COMM_WORLD))
!     call run%write('temperature', mine, first=[1, first_column])
!     call run%checkpoint()                      ! of all ranks, or of none
!     call run%close()                           ! before MPI_Finalize
!
! The ranks may be given as an integer too, as programs with `use mpi` have them. The set gets a communicator of its
! own, so that its messages meet no others. MPI is called only by the thread that calls procedures of the set.
!
! Compile it with the program, by the MPI's compiler: it needs the modules perdure and mpi_f08.
module perdure_mpi
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use perdure, only: perdure_ranks
  implicit none
  private
  public :: perdure_mpi_ranks

  ! Returns the ranks of a communicator, for one opening or repartition. Where MPI does not run, or the communicator is
  ! MPI_COMM_NULL, that is an error then.
  interface perdure_mpi_ranks
    module procedure ranks_of_communicator, ranks_of_number
  end interface

  ! A communicator with the one message that is under way in it.
  type :: channel
    type(MPI_Comm) :: given, own
    type(MPI_Datatype) :: vote
    type(MPI_Op) :: combination
    type(MPI_Request) :: request
  end type channel

  character(kind=c_char, len=112), target, save :: no_mpi = &
    'MPI is not initialised, or has ended: a set of stores is opened between MPI_Init and MPI_Finalize' // c_null_char
  character(kind=c_char, len=64), target, save :: no_communicator = &
    'a set of stores cannot be opened on MPI_COMM_NULL' // c_null_char

  interface
    subroutine perdure_combine_votes(from, into, count) bind(c)
      import :: c_ptr, c_int32_t
      type(c_ptr), value :: from, into
      integer(c_int32_t), value :: count
    end subroutine
  end interface

contains

  function ranks_of_number(communicator) result(ranks)
    integer, intent(in) :: communicator
    type(perdure_ranks) :: ranks
    ranks = ranks_of_communicator(MPI_Comm(communicator))
  end function

  function ranks_of_communicator(communicator) result(ranks)
    type(MPI_Comm), intent(in) :: communicator
    type(perdure_ranks) :: ranks
    type(channel), pointer :: made
    logical :: is_running
    integer :: rank, size
    ranks%struct_size = c_sizeof(ranks)
    call MPI_Initialized(is_running)
    if (is_running) is_running = has_ended(c_null_ptr) == 0
    if (.not. is_running) then
      ranks%failure = c_loc(no_mpi)
      return
    end if
    if (communicator == MPI_COMM_NULL) then
      ranks%failure = c_loc(no_communicator)
      return
    end if
    allocate (made)
    made%given = communicator
    made%own = MPI_COMM_NULL
    made%vote = MPI_DATATYPE_NULL
    made%combination = MPI_OP_NULL
    made%request = MPI_REQUEST_NULL
    call MPI_Comm_rank(communicator, rank)
    call MPI_Comm_size(communicator, size)
    ranks%context = c_loc(made)
    ranks%rank = rank
    ranks%size = size
    ranks%begin = c_funloc(begin)
    ranks%reduce = c_funloc(reduce)
    ranks%broadcast = c_funloc(broadcast)
    ranks%gather = c_funloc(gather)
    ranks%test = c_funloc(test)
    ranks%progress = c_funloc(progress)
    ranks%has_ended = c_funloc(has_ended)
    ranks%explain = c_funloc(explain)
    ranks%free = c_funloc(free_channel)
  end function

  ! ---- what the library calls: see perdure_ranks in perdure/c/set.h -------------------------------------------

  integer(c_int) function begin(context) bind(c, name='')
    type(c_ptr), value :: context
    type(channel), pointer :: it
    call c_f_pointer(context, it)
    call MPI_Comm_idup(it%given, it%own, it%request, begin)
  end function

  subroutine combine(from, into, count, datatype)
    type(c_ptr), value :: from, into
    integer :: count
    type(MPI_Datatype) :: datatype
    if (datatype /= MPI_DATATYPE_NULL) call perdure_combine_votes(from, into, int(count, c_int32_t))
  end subroutine

  integer(c_int) function reduce(context, own, all, bytes) bind(c, name='')
    type(c_ptr), value :: context, own, all
    integer(c_size_t), value :: bytes
    type(channel), pointer :: it
    integer(c_int8_t), pointer, contiguous :: from(:), into(:)
    call c_f_pointer(context, it)
    if (it%vote == MPI_DATATYPE_NULL) then
      call MPI_Comm_set_errhandler(it%own, MPI_ERRORS_RETURN, reduce)
      if (reduce == MPI_SUCCESS) call MPI_Op_create(combine, .true., it%combination, reduce)
      if (reduce == MPI_SUCCESS) call MPI_Type_contiguous(int(bytes), MPI_BYTE, it%vote, reduce)
      if (reduce == MPI_SUCCESS) call MPI_Type_commit(it%vote, reduce)
      if (reduce /= MPI_SUCCESS) return
    end if
    call c_f_pointer(own, from, [bytes])
    call c_f_pointer(all, into, [bytes])
    call MPI_Ireduce(from, into, 1, it%vote, it%combination, 0, it%own, it%request, reduce)
  end function

  integer(c_int) function broadcast(context, data, bytes) bind(c, name='')
    type(c_ptr), value :: context, data
    integer(c_size_t), value :: bytes
    type(channel), pointer :: it
    integer(c_int8_t), pointer, contiguous :: told(:)
    call c_f_pointer(context, it)
    call c_f_pointer(data, told, [bytes])
    call MPI_Ibcast(told, int(bytes), MPI_BYTE, 0, it%own, it%request, broadcast)
  end function

  integer(c_int) function gather(context, own, bytes, all, sizes, offsets) bind(c, name='')
    type(c_ptr), value :: context, own, all, sizes, offsets
    integer(c_int32_t), value :: bytes
    type(channel), pointer :: it
    integer(c_int8_t), pointer, contiguous :: from(:), into(:)
    integer(c_int32_t), pointer, contiguous :: lengths(:), begins(:)
    integer :: rank, ranks
    call c_f_pointer(context, it)
    call MPI_Comm_rank(it%own, rank)
    ranks = 0
    if (rank == 0) call MPI_Comm_size(it%own, ranks)
    call c_f_pointer(own, from, [bytes])
    call c_f_pointer(sizes, lengths, [ranks])
    call c_f_pointer(offsets, begins, [ranks])
    call c_f_pointer(all, into, [sum(lengths)])
    call MPI_Igatherv(from, bytes, MPI_BYTE, into, lengths, begins, MPI_BYTE, 0, it%own, it%request, gather)
  end function

  integer(c_int) function test(context, is_done) bind(c, name='')
    type(c_ptr), value :: context
    integer(c_int), intent(out) :: is_done
    type(channel), pointer :: it
    logical :: has_happened
    call c_f_pointer(context, it)
    call MPI_Test(it%request, has_happened, MPI_STATUS_IGNORE, test)
    is_done = merge(1, 0, has_happened)
  end function

  integer(c_int) function progress(context) bind(c, name='')
    type(c_ptr), value :: context
    type(channel), pointer :: it
    logical :: is_there
    call c_f_pointer(context, it)
    call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, it%own, is_there, MPI_STATUS_IGNORE, progress)
  end function

  integer(c_int) function has_ended(context) bind(c, name='')
    type(c_ptr), value :: context
    logical :: is_finalized
    associate (not_used => context)
    end associate
    call MPI_Finalized(is_finalized)
    has_ended = merge(1, 0, is_finalized)
  end function

  subroutine explain(context, code, text, capacity) bind(c, name='')
    type(c_ptr), value :: context
    integer(c_int), value :: code
    integer(c_size_t), value :: capacity
    character(kind=c_char), intent(out) :: text(capacity)
    character(MPI_MAX_ERROR_STRING) :: words
    integer :: length, i
    length = 0
    if (c_associated(context)) call MPI_Error_string(code, words, length)
    length = min(length, int(capacity) - 1)
    do i = 1, length
      text(i) = words(i:i)
    end do
    text(length + 1) = c_null_char
  end subroutine

  subroutine free_channel(context, is_left) bind(c, name='')
    type(c_ptr), value :: context
    integer(c_int), value :: is_left
    type(channel), pointer :: it
    if (is_left /= 0 .or. .not. c_associated(context)) return   ! MPI may still use it
    call c_f_pointer(context, it)
    if (has_ended(context) == 0) then
      if (it%combination /= MPI_OP_NULL) call MPI_Op_free(it%combination)
      if (it%vote /= MPI_DATATYPE_NULL) call MPI_Type_free(it%vote)
      if (it%own /= MPI_COMM_NULL) call MPI_Comm_free(it%own)
    end if
    deallocate (it)
  end subroutine

end module perdure_mpi
