// The ranks of a communicator that Python has, as sets of stores need them.
#include "python_ranks.hpp"

#include <climits>
#include <cstring>
#include <perdure/detail/rank_wait.hpp>
#include <perdure/error.hpp>
#include <span>
#include <thread>

#include "element_buffer.hpp"

namespace nb = nanobind;

namespace perdure::python {

namespace {

nb::bytes bytes_of(std::span<const std::byte> all) {
  return nb::bytes(all.data(), all.size());
}

template <class Message>
std::span<const std::byte> bytes_in(const Message& message) {
  return std::as_bytes(std::span(&message, 1));
}

/// Combines the votes of `from` with those of `into`, one behind the other.
void combine_votes(const nb::handle& from, const nb::handle& into) {
  const element_buffer given(from.ptr(), false);
  const element_buffer sums(into.ptr(), true);
  if (given.bytes() != sums.bytes() || given.bytes() % sizeof(detail::vote) != 0)
    throw error(errc::invalid_argument, "votes of ranks have " + std::to_string(sizeof(detail::vote)) +
                                            " bytes each, and as many are combined with as many");
  const auto* one = static_cast<const std::byte*>(given.data());
  auto* sum = static_cast<std::byte*>(const_cast<void*>(sums.data()));
  for (std::size_t at = 0; at < sums.bytes(); at += sizeof(detail::vote)) {
    detail::vote vote;
    detail::vote all;
    std::memcpy(&vote, one + at, sizeof vote);
    std::memcpy(&all, sum + at, sizeof all);
    all.add(vote);
    std::memcpy(sum + at, &all, sizeof all);
  }
}

}  // namespace

template <class Work>
auto python_ranks::with_python(Work&& work) {
  const nb::gil_scoped_acquire python;
  try {
    return work(nb::handle(channel_));
  } catch (const nb::python_error& raised) {
    is_left_ = true;
    throw error(errc::io,
                "a message to the other ranks failed: " + std::string(nb::str(raised.value()).c_str()));
  }
}

python_ranks::python_ranks(nb::handle channel, std::chrono::milliseconds timeout)
    : channel_(channel.ptr()), timeout_(timeout) {
  {
    const nb::gil_scoped_acquire python;
    Py_INCREF(channel_);
  }
  try {
    with_python([this](nb::handle of) {
      rank_ = nb::cast<int>(of.attr("rank"));
      size_ = nb::cast<int>(of.attr("size"));
    });
    exchange("begin");
  } catch (...) {
    // The destructor does not run.
    const nb::gil_scoped_acquire python;
    if (!is_left_) Py_DECREF(channel_);
    throw;
  }
}

python_ranks::~python_ranks() {
  // MPI may still use the memory of a message that never ended.
  if (is_left_ || Py_IsInitialized() == 0) return;
  const nb::gil_scoped_acquire python;
  PyObject* const freed = PyObject_CallMethod(channel_, "free", nullptr);
  if (freed == nullptr) PyErr_WriteUnraisable(channel_);
  Py_XDECREF(freed);
  Py_DECREF(channel_);
}

void python_ranks::require_running() {
  const bool has_ended = Py_IsInitialized() == 0 ||
                         with_python([](nb::handle of) { return nb::cast<bool>(of.attr("has_ended")()); });
  if (!has_ended) return;
  is_left_ = true;
  throw error(
      errc::invalid_argument,
      "MPI has ended, and no rank can be asked: checkpoint and close a set of stores before MPI.Finalize");
}

std::string python_ranks::wait() {
  const auto is_done = [this] {
    return with_python([](nb::handle of) { return nb::cast<bool>(of.attr("test")()); });
  };
  if (!detail::wait_until_done(is_done, timeout_)) {
    is_left_ = true;
    detail::throw_waited_in_vain(rank_, timeout_);
  }
  return with_python([](nb::handle of) {
    const auto all = nb::cast<nb::bytes>(of.attr("result")());
    return std::string(all.c_str(), all.size());
  });
}

template <class... Arguments>
std::string python_ranks::exchange(const char* method, Arguments&&... arguments) {
  require_running();
  with_python([&](nb::handle of) { of.attr(method)(arguments()...); });
  return wait();
}

detail::vote python_ranks::reduce(const detail::vote& own) {
  count(counted_.reductions, sizeof own);
  const std::string all = exchange("reduce", [&] { return bytes_of(bytes_in(own)); });
  detail::vote result = own;
  if (all.size() == sizeof result) std::memcpy(&result, all.data(), sizeof result);
  return result;
}

void python_ranks::broadcast(detail::outcome& told) {
  count(counted_.broadcasts, sizeof told);
  const std::string all = exchange("broadcast", [&] { return bytes_of(bytes_in(told)); });
  if (all.size() != sizeof told)
    throw error(errc::io, "a message of rank 0 has " + std::to_string(all.size()) + " bytes, not " +
                              std::to_string(sizeof told));
  std::memcpy(&told, all.data(), sizeof told);
}

std::vector<std::string> python_ranks::gather(const std::string& bytes) {
  const auto size = static_cast<std::int32_t>(bytes.size());
  count(counted_.gathers, sizeof size + bytes.size());
  const std::string sizes = exchange("gather_sizes", [&] { return nb::int_(size); });
  const std::string all = exchange("gather", [&] { return bytes_of(std::as_bytes(std::span(bytes))); });
  std::vector<std::string> result;
  if (rank_ != 0) return result;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < sizes.size(); at += sizeof(std::int32_t)) {
    std::int32_t length = 0;
    std::memcpy(&length, sizes.data() + at, sizeof length);
    result.push_back(all.substr(begin, static_cast<std::size_t>(length)));
    begin += static_cast<std::size_t>(length);
  }
  return result;
}

std::size_t python_ranks::most_gathered() const noexcept {
  return static_cast<std::size_t>(INT_MAX / size_);
}

void python_ranks::pause() {
  require_running();
  with_python([](nb::handle of) { of.attr("progress")(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void bind_ranks(nb::module_& module) {
  module.def("_combine_votes", combine_votes, nb::arg("votes"), nb::arg("into"));
}

}  // namespace perdure::python
