// What programs find in metall/metall.hpp without including it themselves. Compiled, not run.
#include <metall/metall.hpp>

int main() {
  boost::container::vector<int> numbers(3);
  const auto begin = metall::mtlldetail::elapsed_time_sec();
  std::cout << metall::mtlldetail::MurmurHash64A(numbers.data(), 3, 1) << metall::mtlldetail::get_page_size()
            << metall::mtlldetail::partial_range(10, 1, 3).first
            << metall::mtlldetail::elapsed_time_sec(begin) << '\n';
}
