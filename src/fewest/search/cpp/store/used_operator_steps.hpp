// Expands entries with marks (used_operators.hpp); used in place of the expander in single_steps.hpp.
#pragma once

#include "expand/single_steps.hpp"
#include "store/used_operators.hpp"

namespace fewest {

class UsedOperatorSteps final : public Expander<1, NoExtra> {
 public:
  UsedOperatorSteps(const Compiler& compiler, const Marks& marks)
      : Expander<1, NoExtra>(CubeList<1>(compiler, compiler.problem().goals)),
        compiler_(compiler),
        generator_(compiler, Direction::forward),
        scratch_(generator_.scratch()),
        forbidden_(compiler, compiler.problem().forbidden),
        bits_(marks.bits) {
    for (std::uint32_t row = 0; row < generator_.table().size(); ++row) {
      const OperatorId op = generator_.table().id(row);  // -1: the operator never applies
      own_.push_back(op < 0 ? 0 : marks.own[op]);
      undone_by_.push_back(op < 0 ? 0 : marks.undone_by[op]);
    }
  }

  int bits() const { return bits_; }
  const char* algorithm() const override { return "bfs"; }
  std::unique_ptr<Expander<1, NoExtra>> copy() const override { return std::make_unique<UsedOperatorSteps>(*this); }
  State<1> start(const State<1>& initial, NoExtra&) override {
    FEWEST_ASSERT(initial.w[0] << bits_ >> bits_ == initial.w[0], "a state leaves the bits of its marks free");
    return {{initial.w[0] << bits_}};
  }

  FEWEST_FLATTEN void expand(const State<1>& entry, Successors<1, NoExtra>& out) override {
    const State<1> s{{entry.w[0] >> bits_}};
    const Word marks = entry.w[0] & ((Word{1} << bits_) - 1);
    const auto rows = generator_.applicable(s, scratch_);
    Word once = 0, twice = 0;
    for (std::uint32_t row : rows) {
      twice |= once & own_[row];
      once |= own_[row];
    }
    const Word back = marks & ~twice;
    has_doubts_ |= marks != back || marks == 0;
    auto* next = out.room(rows.size());
    const bool may_be_forbidden = !forbidden_.empty();
    for (std::uint32_t row : rows) {
      const State<1> successor = s ^ generator_.table().flip(row);
      FEWEST_ASSERT(successor.w[0] << bits_ >> bits_ == successor.w[0], "a state leaves the bits of its marks free");
      next->state.w[0] = successor.w[0] << bits_ | undone_by_[row];
      next += (own_[row] & back) == 0 && !(may_be_forbidden && forbidden_.contain(successor));
    }
    out.add(next);
  }

  // Returns a plan. The plan search uses states without marks.
  std::vector<OperatorId> plan(const Layers<1>& layers, const State<1>& goal, std::size_t layer) override {
    return SingleSteps<1>(compiler_).plan(layers, goal, layer);
  }

  // Whether some state that was generated since the last call may be a state from which the search reached the expanded
  // state.
  bool take_doubts() { return std::exchange(has_doubts_, false); }

 private:
  const Compiler& compiler_;
  Generator<1> generator_;
  Scratch scratch_;
  CubeList<1> forbidden_;
  int bits_;
  std::vector<Word> own_, undone_by_;  // per row
  bool has_doubts_ = false;
};

}  // namespace fewest
