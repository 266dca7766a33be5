// Tests that assertions abort the process if an invariant does not hold, and that the functions that compute expected
// results for assertions are correct.
#include <string_view>

#include "check.hpp"
#include "death.hpp"
#include "expand/expanders.hpp"
#include "expand/literal.hpp"
#include "index/two_bit_table.hpp"
#include "informed/assignment.hpp"
#include "informed/open_list.hpp"
#include "informed/local_pdb_table.hpp"
#include "state/state_table.hpp"
#include "store/sorting.hpp"
#include "store/delta_coding.hpp"
#include "tasks.hpp"

using namespace fewest;

namespace {

#ifdef FEWEST_ASSERTIONS

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

void a_false_condition_ends_the_process_and_says_where() {
  const int three = 3;
  const std::string words = last_words_of([&] { FEWEST_ASSERT(three == 4, "three is four"); });
  CHECK(contains(words, "test_assertions.cpp:"));
  CHECK(contains(words, "assertion failed: three is four (three == 4)"));
  CHECK(last_words_of([&] { FEWEST_ASSERT(three == 3, "three is three"); }).empty());
}

void a_sample_has_the_first_calls_and_then_a_share() {
  Sample sample;
  int early = 0, late = 0;
  for (int i = 0; i < 256; ++i) early += sample.next();
  for (int i = 0; i < 251 * 100; ++i) late += sample.next();
  CHECK(early == 256 && late == 100);
}

#endif

// Two places of a piece, and one operator from the first to the second.
tasks::Task step() {
  tasks::Task task(2);
  task.exactly_one = {{0, 1}};
  task.start({0});
  task.op({0}, {1}, {0, 1});
  task.goal({1});
  return task;
}

#ifdef FEWEST_ASSERTIONS

template <class Broken>
void ends(Broken broken, std::string_view message) {
  CHECK(contains(last_words_of(broken), message));
}

void broken_invariants_end_the_process() {
  Budget budget;
  ends([&] { budget.give_back(1); }, "no more is given back than was taken");
  PageArray<Word> array(budget);
  CHECK(array.grow(10));
  ends([&] { array[array.capacity()] = 1; }, "an index is within the array");
  StateTable<1> table(budget);
  CHECK(table.reserve(1));
  ends([&] { table.insert(State<1>{{7}}, 1); }, "a state is inserted with its own hash");
  OpenList open(budget);
  ends([&] { (void)open.least_f(); }, "an empty queue has no least f");
  MarkPlanes marks(budget);
  CHECK(marks.allocate(100));
  ends([&] { marks.mark(100, Mark::out); }, "the number is that of a state");
  Byte gap[16];
  ends([&] { write_gap(State<1>{{2}}, State<1>{{1}}, gap); }, "states are written in ascending order");
  State<1> descending[] = {{{2}}, {{1}}};
  ends([&] { subtract(descending, descending + 2, descending, descending + 1, 0); }, "both lists are ascending");
  Assignment assignment;
  assignment.resize(1);
  const Distance far = kFar;
  assignment.row(0) = &far;
  CHECK(assignment.solve() == kNever);
  ends([&] { assignment.with_row(0, &far); }, "an assignment is solved before a row changes");
  LocalPdbTable local_pdb;
  local_pdb.add(5, 1, 0);
  ends([&] { local_pdb.add(5, 3, 1); }, "the regions of a code are disjoint");
}

void a_broken_table_of_costs_ends_the_process() {
  tasks::Task task = step();
  task.weight = {-1};
  ends([&] { task.search(false); }, "weights are not negative");
}

#endif

void plans_are_replayed() {
  const tasks::Task task = step();
  const Problem problem = task.problem();
  const CostTable costs = task.costs();
  const FactSet start{1};
  CHECK(literal::cost_of_plan(problem, costs, start, {0}) == PackedCost{1});
  CHECK(!literal::cost_of_plan(problem, costs, start, {}));      // the empty plan does not end in a goal state
  CHECK(!literal::cost_of_plan(problem, costs, start, {0, 0}));  // the operator is not applicable twice
  CHECK(!literal::cost_of_plan(problem, costs, start, {1}));     // the operator does not exist
  CHECK(literal::is_plan(problem, costs, {0}, 1) && !literal::is_plan(problem, costs, {0}, 2));
}

void wrong_successors_are_noticed() {
  const tasks::Task task = step();
  const Problem problem = task.problem();
  const Invariants invariants(problem);
  const Layout layout(problem, invariants);
  const Compiler compiler(problem, invariants, layout);
  const FactSet packed = layout.pack(problem.initial);
  const auto initial = state_from<1>(packed.data(), packed.size());
  const auto expander = equal_cost_expander<1>(compiler, task.costs());
  Successors<1, Plain<1>> out;
  CHECK(!literal::are_successors(compiler, nullptr, initial, out, 0));
  CHECK(literal::are_successors(compiler, nullptr, initial, out, 0, true));  // some successors may be missing
  expander->expand(initial, out);
  CHECK(out.size() == 1 && literal::are_successors(compiler, nullptr, initial, out, 0));
  out.push(State<1>{{3}}, {});  // in this state, the piece is in both places
  CHECK(!literal::are_successors(compiler, nullptr, initial, out, 0));
}

const check::Suite suite("assertions", [] {
#ifdef FEWEST_ASSERTIONS
  a_false_condition_ends_the_process_and_says_where();
  a_sample_has_the_first_calls_and_then_a_share();
  broken_invariants_end_the_process();
  a_broken_table_of_costs_ends_the_process();
#endif
  plans_are_replayed();
  wrong_successors_are_noticed();
});

}  // namespace
