#include <algorithm>
#include <random>

#include "check.hpp"
#include "expand/generator.hpp"
#include "tasks.hpp"

using namespace fewest;
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

// Random walks: the generator finds what the definition says, and inverses undo.
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
  task.exactly_one = {{0, 1}};  // not kept by the rows below, which need not be reachable
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

const check::Suite suite("expansion", [] {
  generators_agree_with_the_definition<1>(tasks::tiles(3, 3));
  generators_agree_with_the_definition<1>(tasks::tiles(4, 4));
  generators_agree_with_the_definition<2>(tasks::tiles(4, 5));
  generators_agree_with_the_definition<1>(tasks::hanoi(6));
  generators_agree_with_the_definition<1>(tasks::hanoi(30));
  generators_agree_with_the_definition<1>(tasks::warehouse(4, 5, 0, 6, 13, 0, 1));
  generators_agree_with_the_definition<2>(tasks::warehouse(9, 11, 0, 13, 40, 0, 1));
  generators_agree_with_the_definition<4>(tasks::path(150, {0, 64, 149}, {1}, false));
  rows_of_any_states_expand();
});

}  // namespace
