// The predecessors of a state: the states from which an operator or a merged move leads to it.
//
// Problem: the index stores neither parent pointers nor layers, so finding plans and goal distances requires the
// inverses of moves.
// Solution: inverse operators are applied repeatedly, as long as the operators that they undo form one merged move. An
// inverse operator may lead to a state that violates the invariants, because its precondition does not mention the cell
// to which the piece returns. The number of such a state is invalid or belongs to a different state, so the state is
// dropped.
#pragma once

#include "expand/generator.hpp"
#include "index/numbering.hpp"
#include "state/costs.hpp"

namespace fewest {

template <int P, int Q>
class Predecessors {
 public:
  // The metric must have one part, in which all weights are equal and positive.
  Predecessors(const Compiler& compiler, const CostTable& costs, const Numbers<P, Q>& numbers)
      : costs_(costs),
        numbers_(numbers),
        inverse_(compiler, Direction::backward),
        scratch_(inverse_.scratch()),
        forbidden_(compiler, compiler.problem().forbidden),
        cursor_(numbers) {}

  // Calls visit(number, state) for every consistent predecessor, possibly more than once. `visit` returns false to
  // stop.
  template <class Visit>
  void before(const State<P>& s, Visit visit) {
    FEWEST_ASSERT_SAMPLED(numbers_.rank(s) < numbers_.size(), "a state whose predecessors are computed has a number");
    undone_.assign(1, {s, kNoRun, -1, -1});
    for (std::size_t i = 0; i < undone_.size(); ++i) {
      const UndoneOperator node = undone_[i];
      // No move leads to a forbidden state, not even to a forbidden initial state.
      if (forbidden_.contain(node.state) || (i > 0 && node.key == kNoRun)) continue;
      for (std::uint32_t row : inverse_.applicable(node.state, scratch_)) {
        const OperatorId op = inverse_.table().id(row);
        if (i > 0 && !may_continue(costs_.run_out[op], node.key)) continue;
        const State<P> earlier = node.state ^ inverse_.table().flip(row);
        const RunKey key = costs_.run_in[op];
        if (key != kNoRun && std::any_of(undone_.begin() + 1, undone_.end(), [&](const UndoneOperator& u) {
              return u.key == key && u.state == earlier;
            }))
          continue;
        const Number number = numbers_.rank(earlier);
        if (number >= numbers_.size()) continue;
        cursor_.seek(number);
        if (!(cursor_.state() == earlier)) continue;
        undone_.push_back({earlier, key, op, static_cast<std::int32_t>(i)});
        if (!visit(number, earlier)) return;
      }
    }
  }

  // Appends the operators of one move from `from` to `to`. Returns false if there is no such move.
  bool append_move(const State<P>& from, const State<P>& to, std::vector<OperatorId>& plan) {
    bool is_found = false;
    before(to, [&](Number, const State<P>& s) { return !(is_found = s == from); });
    if (!is_found) return false;
    for (auto i = static_cast<std::int32_t>(undone_.size()) - 1; i > 0; i = undone_[i].later)
      plan.push_back(undone_[i].op);
    return true;
  }

 private:
  struct UndoneOperator {
    State<P> state;
    RunKey key;  // the key that the undone operator continues
    OperatorId op;
    std::int32_t later;
  };

  const CostTable& costs_;
  const Numbers<P, Q>& numbers_;
  Generator<P> inverse_;
  Scratch scratch_;
  CubeList<P> forbidden_;
  Cursor<P, Q> cursor_;
  std::vector<UndoneOperator> undone_;
};

}  // namespace fewest
