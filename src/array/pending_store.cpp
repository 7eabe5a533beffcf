// Handles of asynchronous stores, and what is behind them.
#include "perdure/array/pending_store.hpp"

#include <chrono>
#include <new>
#include <perdure/error.hpp>
#include <utility>

#include "array/array_name.hpp"
#include "array/running_store.hpp"

namespace perdure {

namespace detail {

void running_store::run(const std::function<void()>& work) noexcept {
  try {
    work();
  } catch (...) {
    promise_.set_exception(std::current_exception());
    return;
  }
  promise_.set_value();
}

void running_store::require_here() const {
  if (is_here()) return;
  throw error(errc::invalid_argument, detail::quoted(id_) +
                                          " is being stored by the process that this one was forked from: "
                                          "only that process can wait for it");
}

bool running_store::has_ended() const {
  return outcome_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

void running_store::require_may_wait() const {
  // The store stays open until this has ended.
  if (!has_ended()) store_.require_not_writing("the store of an array in the background");
}

std::exception_ptr running_store::failure() const noexcept {
  try {
    outcome_.get();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace detail

pending_store::pending_store(std::shared_ptr<detail::running_store> of) noexcept : of_(std::move(of)) {}

pending_store& pending_store::operator=(pending_store&& other) noexcept {
  if (this == &other) return *this;
  pending_store before(std::move(of_));
  of_ = std::move(other.of_);
  return *this;
}

pending_store::~pending_store() {
  if (of_ && of_->is_here()) of_->wait();
}

void pending_store::wait() const {
  if (const std::exception_ptr failure = error()) std::rethrow_exception(failure);
}

bool pending_store::ready() const {
  if (!of_) return true;
  of_->require_here();
  return of_->has_ended();
}

std::exception_ptr pending_store::error() const {
  if (!of_) return nullptr;
  of_->require_here();
  of_->require_may_wait();
  std::exception_ptr failure = of_->failure();
  if (failure) of_->note_told();
  return failure;
}

}  // namespace perdure
