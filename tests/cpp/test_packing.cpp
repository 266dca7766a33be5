#include <random>

#include "check.hpp"
#include "state/compiler.hpp"
#include "expand/operators.hpp"
#include "tasks.hpp"

using namespace fewest;
using tasks::Task;

namespace {

void fifteen_tiles_fit_one_word() {
  const Task task = tasks::tiles(4, 4);
  const Problem problem = task.problem();
  const Invariants invariants(problem);
  CHECK(problem.words == 4);
  CHECK(invariants.exactly_one().size() == 15);
  CHECK(invariants.at_most_one().size() == 16);
  const Layout layout(problem, invariants);
  CHECK(layout.is_packed());
  CHECK(layout.words() == 1);
  CHECK(layout.unpack(layout.pack(problem.initial).data()) == task.initial);
  // In the packed form, a flip is also a constant.
  for (std::size_t op = 0; op < problem.operators.count; ++op) {
    FactSet s(problem.words), after(problem.words);
    for (int i = 0; i < problem.words; ++i) {
      s[i] = problem.operators.value[op * problem.words + i];
      after[i] = s[i] ^ problem.flip[op * problem.words + i];
    }
    CHECK((layout.pack(s.data())[0] ^ layout.pack_flip(problem.flip + op * problem.words)[0]) ==
          layout.pack(after.data())[0]);
  }
  // "No tile is on the cell" is one bit of the derived word.
  const Compiler compiler(problem, invariants, layout);
  CHECK(compiler.has_derived());
  const CompiledCube cube =
      compiler.compile(problem.operators.mask, problem.operators.value, problem.index_fact[0]);
  CHECK(cube.is_possible);
  CHECK(std::popcount(cube.derived_mask) == 1);
  CHECK(cube.mask[0] == 0);
  CHECK(cube.differ.empty());
}

void false_groups_are_not_believed() {
  Task task(140);
  task.exactly_one = {{0, 1, 2}, {10, 11}, {20, 21}, {30, 31}, {30, 40}};
  task.at_most_one = {{50, 51}, {52, 53}, {54, 55}, {56, 57}};
  task.start({0, 10, 11, 20, 30, 50, 54});
  task.op({0}, {1}, {0, 1});        // this operator preserves the first group
  task.op({20}, {}, {20});          // this operator leaves no fact of the third group true
  task.op({50}, {51}, {50, 51});    // this operator preserves the group of 50 and 51
  task.op({}, {53}, {53});          // this operator breaks the group of 53, since 52 may be true
  task.op({54}, {56}, {56});        // this operator breaks the group of 56, since 57 may be true
  task.op({52}, {55}, {52, 55});    // this operator breaks the group of 55, since 54 may be true
  const Problem problem = task.problem();
  const Invariants invariants(problem);
  CHECK(invariants.exactly_one() == (std::vector<tasks::Facts>{{0, 1, 2}, {30, 31}}));
  CHECK(invariants.group_of(2) == 0 && invariants.group_of(20) == -1);
  CHECK(invariants.at_most_one().size() == 1);
  CHECK(has(invariants.at_most_one()[0].data(), 51));
}

// A random cube holds in a packed state if and only if it holds in the unpacked state.
void compiled_cubes_hold_where_the_cubes_do() {
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    Task task(130);
    tasks::Facts raw;
    std::vector<tasks::Facts> groups;
    for (FactId fact = 0; fact < 130;) {
      const int size = std::min(130 - fact, 1 + below(40));
      tasks::Facts group;
      for (int i = 0; i < size; ++i) group.push_back(fact++);
      if (below(4) == 0 && raw.size() < 30)
        raw.insert(raw.end(), group.begin(), group.end());
      else
        groups.push_back(group);
    }
    task.exactly_one = groups;
    const auto random_state = [&] {
      FactSet s(task.words);
      for (const auto& group : groups) add(s.data(), group[below(static_cast<int>(group.size()))]);
      for (FactId fact : raw)
        if (below(2)) add(s.data(), fact);
      return s;
    };
    task.initial = random_state();
    const Problem problem = task.problem();
    const Invariants invariants(problem);
    const Layout layout(problem, invariants);
    const Compiler compiler(problem, invariants, layout);
    for (int i = 0; i < 30; ++i) {
      FactSet mask(task.words), value(task.words);
      const FactSet near = random_state();
      for (int j = below(6); j > 0; --j) {
        const FactId fact = below(130);
        add(mask.data(), fact);
        if (below(8) ? has(near.data(), fact) : below(2)) add(value.data(), fact);
      }
      Cubes cubes{1, mask.data(), value.data()};
      const CubeList<4> list(compiler, cubes);
      for (int j = 0; j < 20; ++j) {
        const FactSet s = j == 0 ? near : random_state();
        bool holds = true;
        for (int w = 0; w < task.words; ++w) holds = holds && (s[w] & mask[w]) == value[w];
        const FactSet packed = layout.pack(s.data());
        CHECK(layout.unpack(packed.data()) == s);
        CHECK(list.contain(state_from<4>(packed.data(), packed.size())) == holds);
      }
    }
  }
}

const check::Suite suite("packing", [] {
  fifteen_tiles_fit_one_word();
  false_groups_are_not_believed();
  compiled_cubes_hold_where_the_cubes_do();
});

}  // namespace
