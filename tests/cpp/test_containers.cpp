#include <set>
#include <vector>

#include "blind/buckets.hpp"
#include "check.hpp"
#include "informed/open_list.hpp"
#include "state/memory.hpp"
#include "state/state_table.hpp"

using namespace fewest;

namespace {

void arrays_grow_within_their_budget() {
  Budget budget(std::size_t{64} << 20);
  {
    PageArray<std::uint64_t> array(budget);
    CHECK(array.capacity() == 0);
    CHECK(array.grow(100));
    for (std::size_t i = 0; i < 100; ++i) CHECK(array[i] == 0);
    for (std::size_t i = 0; i < 100; ++i) array[i] = i * i;
    CHECK(array.grow(1000000));  // the array moves from malloc to memory pages
    CHECK(array.grow(4000000));  // the array gets more memory pages
    bool same = true, zero = true;
    for (std::size_t i = 0; i < 100; ++i) same = same && array[i] == i * i;
    for (std::size_t i = 100; i < array.capacity(); ++i) zero = zero && array[i] == 0;
    CHECK(same && zero);
    CHECK(budget.used() >= 4000000 * sizeof(std::uint64_t));
    CHECK(!array.grow(100000000));  // this call fails and changes nothing
    CHECK(array[99] == 99 * 99);
    CHECK(array.capacity() < 100000000);
    CHECK(!array.grow(std::size_t{1} << 62));
    CHECK(budget.used() <= (std::size_t{64} << 20));
  }
  CHECK(budget.used() == 0);
  CHECK(budget.peak() >= 4000000 * sizeof(std::uint64_t));
}

template <int P>
State<P> numbered(std::uint64_t i) {
  State<P> s = zero_state<P>();
  s.w[0] = i % 1000;
  s.w[P - 1] += (i / 1000) << 32;
  return s;
}

template <int P>
void tables_hold_what_was_put_in() {
  Budget budget;
  StateTable<P> table(budget);
  CHECK(table.find(numbered<P>(1)) == kNoState);
  constexpr std::uint64_t count = 100000;
  bool in_order = true, again = true, found = true, absent = true;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!table.reserve(1)) CHECK(false);
    const auto s = numbered<P>(i);
    const auto [index, is_new] = table.insert(s, hash(s));
    in_order = in_order && is_new && index == i;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto s = numbered<P>(i);
    CHECK(table.reserve(1));
    const auto [index, is_new] = table.insert(s, hash(s));
    again = again && !is_new && index == i;
    found = found && table.find(s) == i && table[i] == s;
    absent = absent && table.find(numbered<P>(i + count)) == kNoState;
  }
  CHECK(in_order && again && found && absent);
  CHECK(table.size() == count);
}

void an_approach_stays_right_while_others_come() {
  Budget budget;
  StateTable<1> table(budget, Growth::tight);
  constexpr std::size_t count = 3000;
  CHECK(table.reserve(2 * count));
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < 2 * count; ++i)
    at.push_back(table.approach(hash(numbered<1>(i % count))));
  bool right = true;
  for (std::size_t i = 0; i < 2 * count; ++i) {
    const auto s = numbered<1>(i % count);
    const auto [index, is_new] = table.insert(s, hash(s), at[i]);
    right = right && index == i % count && is_new == (i < count);
  }
  CHECK(right);
}

void a_table_can_be_stopped_while_it_grows() {
  Budget budget;
  int num_checks = 0;
  StateTable<1> table(budget, Growth::generous, [&] { return ++num_checks < 3; });
  std::size_t i = 0;
  for (; i < 1000000 && table.reserve(1); ++i) {
    const auto s = numbered<1>(i);
    table.insert(s, hash(s));
  }
  CHECK(i > 100000 && i < 1000000 && num_checks == 3 && table.size() == i);
}

void a_table_fills_its_memory_and_stays_readable() {
  Budget budget(1000000);
  StateTable<1> table(budget);
  std::uint64_t count = 0;
  for (; table.reserve(1); ++count) {
    const State<1> s{{count * count + 1}};
    CHECK(table.insert(s, hash(s)).is_new);
    if (count > 10000000) break;
  }
  CHECK(budget.peak() <= 1000000);
  CHECK(count > 1000000 / 16);  // a state takes at most 16 bytes
  bool found = true;
  for (std::uint64_t i = 0; i < count; ++i) found = found && table.find({{i * i + 1}}) == i;
  CHECK(found);
  Budget nothing(1);
  StateTable<1> none(nothing);
  CHECK(!none.reserve(1));
  CHECK(none.find({{1}}) == kNoState);
}

void a_table_has_the_room_that_it_promises() {
  // 701 states get 1,051 slots, which is not a multiple of 16. There is memory for more states, but not for more slots.
  std::size_t most = 0;
  for (std::size_t wanted = 940; wanted < 1000; ++wanted) {
    Budget budget(1051 * 4 + 1000 * 8);
    StateTable<1> table(budget);
    CHECK(table.reserve(701));
    if (!table.reserve(wanted)) continue;
    most = wanted;
    bool are_new = true;
    for (std::uint64_t i = 0; i < wanted; ++i) {
      const State<1> s{{i * i + 1}};
      are_new = are_new && table.insert(s, hash(s)).is_new;
    }
    CHECK(are_new);
  }
  CHECK(most == 1051 / 16 * 15);
}

void hashes_spread() {
  std::set<std::size_t> slots;
  std::set<std::uint32_t> tags;
  for (Word i = 0; i < 4096; ++i) {
    const Word h = hash(State<1>{{i << 40}});
    slots.insert(scale_to(h, 4096));
    tags.insert(static_cast<std::uint32_t>(h) >> 24);
  }
  CHECK(slots.size() > 2400);  // a random function would fill a fraction 1 - 1/e of the 4,096 slots
  CHECK(tags.size() == 256);
}

void buckets_come_cheapest_first() {
  Budget budget;
  {
    Buckets buckets(budget);
    for (StateId i = 0; i < 1000; ++i) CHECK(buckets.push((i * 7919u) % 97u, i));
    PackedCost last = 0;
    std::size_t seen = 0;
    while (!buckets.empty()) {
      CHECK(buckets.cheapest() >= last);
      last = buckets.cheapest();
      for (StateId i : buckets.cheapest_list()) CHECK((i * 7919u) % 97u == last);
      seen += buckets.cheapest_list().size();
      buckets.remove_cheapest();
    }
    CHECK(seen == 1000);
    CHECK(buckets.push(5, 1));
  }
  CHECK(budget.used() == 0);
  Budget small(100);
  Buckets refused(small);
  CHECK(!refused.push(1, 1));
}

void open_states_are_taken_once_each_and_cheapest_first() {
  Budget budget(std::size_t{16} << 20);
  OpenList open(budget);
  const std::uint32_t per_f = 40000;
  for (std::uint32_t i = 0; i < 2 * per_f; ++i) CHECK(open.push(10 + 2 * (i / per_f), i % 7, i));
  std::vector<char> taken(2 * per_f, 0);
  bool is_once = true, is_cheapest = true, is_nearest = true;
  std::uint32_t num_farther = 0;
  for (std::uint32_t i = 0; i < 2 * per_f; ++i) {
    const std::uint32_t nearest = open.peek(), state = open.pop_diversified();
    is_cheapest = is_cheapest && state / per_f == i / per_f;
    const bool is_farther = nearest != kNoState && state % 7 > nearest % 7;
    is_nearest = is_nearest && !(is_farther && i % per_f < 10000);  // diversification starts later
    num_farther += is_farther;
    is_once = is_once && !taken[state];
    taken[state] = 1;
  }
  CHECK(open.empty() && is_once && is_cheapest && is_nearest);
  CHECK(num_farther > 2000 && num_farther < per_f / 2);
}

const check::Suite suite("containers", [] {
  arrays_grow_within_their_budget();
  tables_hold_what_was_put_in<1>();
  tables_hold_what_was_put_in<2>();
  tables_hold_what_was_put_in<16>();
  an_approach_stays_right_while_others_come();
  a_table_can_be_stopped_while_it_grows();
  a_table_fills_its_memory_and_stays_readable();
  a_table_has_the_room_that_it_promises();
  hashes_spread();
  buckets_come_cheapest_first();
  open_states_are_taken_once_each_and_cheapest_first();
});

}  // namespace
