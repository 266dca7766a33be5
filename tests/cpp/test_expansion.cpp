#include <algorithm>
#include <random>
#include <set>
#include <tuple>

#include "check.hpp"
#include "expand/closure_index.hpp"
#include "expand/generator.hpp"
#include "expand/blocking_masks.hpp"
#include "tasks.hpp"

using namespace fewest;
using tasks::Facts;
using tasks::Task;

namespace {

std::vector<OperatorId> by_definition(const Task& task, const FactSet& s) {
  std::vector<OperatorId> result;
  for (std::size_t op = 0; op < task.index_fact.size(); ++op) {
    bool holds = true;
    for (int i = 0; i < task.words; ++i)
      holds = holds && (s[i] & task.mask[op * task.words + i]) == task.value[op * task.words + i];
    if (holds) result.push_back(static_cast<OperatorId>(op));
  }
  return result;
}

// On random walks, the generator finds the same successors as the definition, and inverse operators lead back.
template <int P>
void generators_agree_with_the_definition(const Task& task) {
  const Problem problem = task.problem();
  const Invariants invariants(problem);
  const Layout layout(problem, invariants);
  CHECK(layout.words() <= P);
  const Compiler compiler(problem, invariants, layout);
  const Generator<P> forward(compiler, Direction::forward), backward(compiler, Direction::backward);
  Scratch scratch = forward.scratch(), undo = backward.scratch();
  std::mt19937 random(11);
  FactSet s = task.initial;
  for (int step = 0; step < 300; ++step) {
    const FactSet packed = layout.pack(s.data());
    const auto state = state_from<P>(packed.data(), packed.size());
    std::vector<OperatorId> found;
    for (std::uint32_t row : forward.applicable(state, scratch)) {
      found.push_back(forward.table().id(row));
      const State<P> successor = state ^ forward.table().flip(row);
      bool undone = false;
      for (std::uint32_t inverse : backward.applicable(successor, undo))
        undone = undone || (backward.table().id(inverse) == found.back() &&
                            (successor ^ backward.table().flip(inverse)) == state);
      CHECK(undone);
    }
    std::sort(found.begin(), found.end());
    CHECK(found == by_definition(task, s));
    if (found.empty()) break;
    const auto op = static_cast<std::size_t>(found[random() % found.size()]);
    for (int i = 0; i < task.words; ++i) s[i] ^= task.flip[op * task.words + i];
  }
}

void rows_of_any_states_expand() {
  Task task(70);
  task.exactly_one = {{0, 1}};  // the states below violate this group, because they need not be reachable
  task.start({0});
  task.op({0}, {1}, {0, 1});
  task.op({69}, {}, {69});
  task.op({}, {69}, {69});
  task.forbid({0, 69});
  const Problem problem = task.problem();
  const auto expander = make_expander(problem);
  const std::vector<Word> states{1, 0, 3, 1u << 5, 0, 0};
  std::vector<Word> successors;
  std::vector<std::int64_t> parents;
  std::vector<OperatorId> operators;
  expander->expand(states.data(), 3, successors, parents, operators);
  CHECK(parents == (std::vector<std::int64_t>{0, 1, 2}));
  CHECK(operators == (std::vector<OperatorId>{0, 1, 2}));
  CHECK(successors == (std::vector<Word>{2, 0, 3, 0, 0, 1u << 5}));
}

// The rows of each fact, in the layout of a generator.
template <int P>
struct Rows {
  explicit Rows(const Task& task)
      : problem(task.problem()), invariants(problem), layout(problem, invariants, false),
        compiler(problem, invariants, layout), table(compiler) {
    ranges.assign(task.num_facts, {0, 0});
    for (FactId fact = 0; fact < task.num_facts; ++fact) {
      ranges[fact].first = table.size();
      for (std::size_t op = 0; op < task.index_fact.size(); ++op) {
        const std::size_t at = op * task.words;
        if (task.index_fact[op] == fact)
          table.append(static_cast<OperatorId>(op), problem.operators.mask + at, problem.operators.value + at,
                       problem.flip + at, fact);
      }
      if (fact % 3 == 0 && table.size() == ranges[fact].first + 1) table.append_never();
      ranges[fact].second = table.size();
    }
    blocking_masks = BlockingMasks<P>(table, ranges, compiler);
  }

  // Tests the rows of the allowed facts one by one.
  std::vector<std::uint32_t> by_tests(const State<P>& s, const State<P>& may) const {
    Word derived = kAlwaysDerived;
    for (FactId fact = 0; fact < problem.num_facts; ++fact)
      if (has(s.w, fact)) derived ^= compiler.cover(fact);
    std::vector<std::uint32_t> found(table.size() + 1);
    unsigned count = 0;
    for (FactId fact = 0; fact < problem.num_facts; ++fact)
      if (has(s.w, fact) && has(may.w, fact))
        count = table.template applicable<TestKind::both>(ranges[fact].first, ranges[fact].second, s, derived,
                                                          found.data(), count);
    found.resize(count);
    return found;
  }

  Problem problem;
  Invariants invariants;
  Layout layout;
  Compiler compiler;
  OperatorTable<P> table;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  BlockingMasks<P> blocking_masks;
};

// Facts in at-most-one groups. Each fact has up to four operators. Each operator requires some other facts to be false,
// and replaces the fact by a different fact of the same group, or by a fact of an empty group.
Task random_hindrances(std::mt19937& random, int num_facts, int num_groups) {
  Task task(num_facts);
  task.at_most_one.resize(num_groups);
  for (FactId fact = 0; fact < num_facts; ++fact) task.at_most_one[fact % num_groups].push_back(fact);
  for (FactId fact = 0; fact < num_facts; ++fact)
    for (unsigned num_cases = random() % 5; num_cases > 0; --num_cases) {
      const bool stays = random() % 3 == 0;
      const auto& group = task.at_most_one[(fact + (stays ? 0 : 1 + random() % (num_groups - 1))) % num_groups];
      const FactId to = group[random() % group.size()];
      if (to == fact) continue;
      Facts is_false = stays ? Facts{to} : group;
      for (unsigned others = random() % 4; others > 0; --others)
        if (const auto other = static_cast<FactId>(random() % num_facts); other != fact) is_false.push_back(other);
      task.op({fact}, is_false, {fact, to});
    }
  return task;
}

template <int P>
void hindrances_tell_what_tests_tell(int num_facts, int num_groups) {
  std::mt19937 random(5);
  std::size_t num_found = 0;
  for (int number = 0; number < 60; ++number) {
    const Rows<P> rows(random_hindrances(random, num_facts, num_groups));
    CHECK(rows.blocking_masks.are_all());
    CHECK((rows.table.kind() != TestKind::mask) == (P > 1));
    for (int n = 0; n < 60; ++n) {
      State<P> s = zero_state<P>(), may = zero_state<P>();
      for (int group = 0; group < num_groups; ++group)
        if (const auto fact = static_cast<FactId>(group + random() % 8 * num_groups); fact < num_facts) add(s.w, fact);
      for (Word& word : may.w) word = n % 2 == 0 ? ~Word{0} : (Word{random()} << 32) | random();
      const std::vector<std::uint32_t> expected = rows.by_tests(s, may);
      std::vector<std::uint32_t> found(rows.table.size() + 1);
      found.resize(rows.blocking_masks.applicable(s, may, found.data()));
      CHECK(found == expected);
      num_found += found.size();
    }
  }
  CHECK(num_found > 1000);
}

void hindrances_are_not_all_where_more_is_required() {
  const auto are_all = [](const auto& change, int num_facts = 10) {
    Task task(num_facts);
    for (FactId to = 1; to < 5; ++to) task.op({0}, {to}, {0, to});
    change(task);
    return Rows<1>(task).blocking_masks.are_all();
  };
  CHECK(are_all([](Task&) {}));
  CHECK(!are_all([](Task& task) { task.op({1, 2}, {3}, {1, 3}); }));
  CHECK(!are_all([](Task& task) { task.op({0}, {5}, {0, 5}); }));  // with this operator, fact 0 has too many operators
  CHECK(!Rows<1>(Task(3)).blocking_masks.are_all());
  Task wide(150);
  wide.op({0}, {1}, {0, 1});
  CHECK(!Rows<4>(wide).blocking_masks.are_all());
}

void an_index_finds_the_nodes_of_a_closure() {
  struct Node {
    State<2> state;
    RunKey key;
  };
  std::mt19937 random(3);
  ClosureIndex<2> index;
  for (const std::size_t size : {1, 5, 300, 2000}) {
    index.clear();
    std::vector<Node> nodes;
    std::set<std::tuple<Word, Word, RunKey>> known;
    while (nodes.size() < size) {
      const Node node{{{random() % 20, random() % 20}}, static_cast<RunKey>(random() % 10)};
      const bool is_new = known.emplace(node.state.w[0], node.state.w[1], node.key).second;
      CHECK(index.contains(nodes, nodes.size(), node.state, node.key) == !is_new);
      if (is_new) nodes.push_back(node);
    }
  }
}

const check::Suite suite("expansion", [] {
  generators_agree_with_the_definition<1>(tasks::tiles(3, 3));
  generators_agree_with_the_definition<1>(tasks::tiles(4, 4));
  generators_agree_with_the_definition<2>(tasks::tiles(4, 5));
  generators_agree_with_the_definition<1>(tasks::hanoi(6));
  generators_agree_with_the_definition<1>(tasks::hanoi(30));
  generators_agree_with_the_definition<1>(tasks::warehouse(4, 5, 0, 6, 13, 0, 1));
  generators_agree_with_the_definition<2>(tasks::warehouse(9, 11, 0, 13, 40, 0, 1));
  generators_agree_with_the_definition<4>(tasks::path(150, {0, 64, 149}, {1}, false));
  generators_agree_with_the_definition<1>(tasks::path(60, {0, 31, 59}, {1}, false));
  generators_agree_with_the_definition<2>(tasks::path(120, {0, 64, 119}, {1}, false));
  rows_of_any_states_expand();
  hindrances_tell_what_tests_tell<1>(64, 9);
  hindrances_tell_what_tests_tell<2>(120, 17);
  hindrances_are_not_all_where_more_is_required();
  an_index_finds_the_nodes_of_a_closure();
});

}  // namespace
