// Tests permutations of facts, alone and together with flips, in states of one word and in wider states.
#include <numeric>

#include "check.hpp"
#include "tasks.hpp"

using namespace fewest;
using tasks::Facts;
using tasks::Task;

namespace {

// Different pieces in a row; the number of a fact is cell * size + piece. The permutations move the pieces of the whole
// row.
Task row(int size, const std::vector<std::vector<int>>& permutations) {
  Task task(size * size);
  for (const std::vector<int>& goes : permutations) {
    Facts image(size * size);
    for (int cell = 0; cell < size; ++cell)
      for (int piece = 0; piece < size; ++piece) image[cell * size + piece] = goes[cell] * size + piece;
    task.permutation(image);
  }
  for (int cell = 0; cell < size; ++cell) {
    Facts on_cell;
    for (int piece = 0; piece < size; ++piece) on_cell.push_back(cell * size + piece);
    task.exactly_one.push_back(on_cell);
  }
  return task;
}

// Each permutation turns over a certain number of pancakes at the top of the stack.
Task pancakes(int size) {
  std::vector<std::vector<int>> permutations;
  for (int top = 2; top <= size; ++top) {
    std::vector<int> goes(size);
    std::iota(goes.begin(), goes.end(), 0);
    for (int cell = 0; cell < top; ++cell) goes[cell] = top - 1 - cell;
    permutations.push_back(goes);
  }
  return row(size, permutations);
}

Facts standing(const std::vector<int>& pieces) {
  Facts facts;
  for (std::size_t cell = 0; cell < pieces.size(); ++cell)
    facts.push_back(static_cast<FactId>(cell * pieces.size() + pieces[cell]));
  return facts;
}

std::vector<int> in_order(int size) {
  std::vector<int> pieces(size);
  std::iota(pieces.begin(), pieces.end(), 0);
  return pieces;
}

// All n! stacks are reachable. The worst stacks of 2 to 6 pancakes take 1, 3, 4, 5 and 7 flips (OEIS A058986).
void stacks_of_pancakes() {
  const std::size_t stacks[] = {1, 1, 2, 6, 24, 120, 720};
  const std::uint64_t farthest[] = {0, 0, 1, 3, 4, 5, 7};
  for (int size = 2; size <= 6; ++size) {
    Task task = pancakes(size);
    task.start(standing(in_order(size)));
    task.goal({0, 1});  // two pieces on one cell, which is impossible
    const Outcome outcome = task.search(true);
    CHECK(!outcome.cost);
    CHECK(outcome.num_states == stacks[size]);
    CHECK(outcome.layers.back().first == farthest[size]);
  }
}

void plans_of_turns_replay() {
  Task task = pancakes(9);  // 81 facts: two words in the unpacked form
  task.start(standing({4, 2, 0, 8, 6, 1, 5, 3, 7}));
  task.goal(standing(in_order(9)));
  const Outcome outcome = task.search(false);
  CHECK(outcome.cost && task.replays(outcome));
  CHECK(outcome.plan.size() == *outcome.cost);
}

// A ring of five places that rotates in one direction only, so a step back takes four rotations, or one flip.
void permutations_beside_flips() {
  Task task = tasks::ring(5);
  const Facts image = tasks::one_further(5);
  Task both = task;
  task.permutation(image);
  CHECK(task.search(false).cost == PackedCost{4});
  CHECK(task.search(true).num_states == 5);
  both.op({2}, {0}, {2, 0});
  both.permutation(image);
  const Outcome outcome = both.search(false);
  CHECK(outcome.cost == PackedCost{2} && both.replays(outcome));
  CHECK(outcome.plan == (std::vector<OperatorId>{1, 0}));
}

// A token on a ring of five that rotates in one direction; a consequence of each rotation switches a lamp.
void permutations_beside_moves_with_consequences() {
  const int size = 5, lamp = 5, noted = 6;
  Task task(size + 2);
  Facts image, all;
  for (FactId fact = 0; fact < size; ++fact) {
    image.push_back((fact + 1) % size);
    all.push_back(fact);
  }
  image.push_back(lamp);
  image.push_back(noted);
  task.exactly_one.push_back(all);
  task.op({}, {noted}, {noted});
  task.effect(0, 0, {noted, lamp}, {}, {}, {noted, lamp});
  task.effect(0, 0, {noted}, {lamp}, {lamp}, {noted});
  task.everywhere = {1};
  task.pending_facts = {noted};
  task.permutation(image);
  task.start({1});
  task.goal({0, lamp});
  for (const bool exhaust : {false, true}) {
    const Outcome outcome = task.search(exhaust);
    CHECK(outcome.cost == PackedCost{5});
    CHECK(outcome.plan.size() == 5 && std::count(outcome.plan.begin(), outcome.plan.end(), 0) == 1);
    if (exhaust) CHECK(outcome.num_states == 10);
  }
}

void unequal_weights_are_refused() {
  Task task = pancakes(3);
  task.start(standing(in_order(3)));
  task.goal({0});
  task.weight[0] = 2;
  bool is_refused = false;
  try {
    task.search(true);
  } catch (const std::invalid_argument&) {
    is_refused = true;
  }
  CHECK(is_refused);
}

const check::Suite suite("permutations", [] {
  stacks_of_pancakes();
  plans_of_turns_replay();
  permutations_beside_flips();
  permutations_beside_moves_with_consequences();
  unequal_weights_are_refused();
});

}  // namespace
