// A metric with at most one part, and the numbers that encode its nodes: position × (number of runs + 1) + run. Here,
// `run` is 0 if no run is in progress; otherwise it is the task's number for the run, plus 1. If there are no runs, the
// number of a node is the number of its position.
#pragma once

#include <cstdint>
#include <vector>

#include "delta_list.hpp"
#include "layers.hpp"

namespace fewest::checkers {

class Runs {
 public:
  // `num_positions`: the number of positions that have a number. Throws Rejected if the numbers of nodes would not all
  // be below 2^63, or if moves of different costs merge.
  Runs(const LayersInput& input, std::uint64_t num_positions)
      : part_(input.parts.empty() ? nullptr : &input.parts[0]),
        stride_(part_ == nullptr ? 1 : part_->run_weight.size() + 1) {
    if (num_positions > (std::uint64_t{1} << 63) / stride_) throw Rejected("the numbers of the nodes have more than 63 bits");
    if (part_ == nullptr) {
      unit_ = 1;
      return;
    }
    bool is_unit = true;
    for (const std::uint64_t weight : part_->weight) {
      if (weight == 0) continue;
      if (unit_ == 0) unit_ = weight;
      is_unit = is_unit && weight == unit_;
    }
    if (part_->weight.empty()) unit_ = 1;
    for (const std::uint64_t weight : part_->run_weight) is_unit = is_unit && weight == unit_;
    if (!is_unit) unit_ = 0;
    if (stride_ > 1 && unit_ == 0) throw Rejected("moves that merge do not all cost the same");
  }

  // The common cost of all moves that are not free, or 0 if they differ in cost or if all moves are free.
  std::uint64_t unit() const { return unit_; }

  std::uint64_t position(std::uint64_t node) const { return stride_ == 1 ? node : node / stride_; }
  std::uint64_t node(std::uint64_t position, std::uint32_t run) const {
    FEWEST_ASSERT(run < stride_, "the run is one of the metric, or none");
    return position * stride_ + run;
  }
  std::uint64_t size() const { return stride_; }

  // The cost of a move that follows `run` (0: no run is in progress), and the run that is in progress after the move.
  // `changes`: whether a move may change a fact.
  struct Step {
    std::uint64_t cost;
    std::uint32_t run;
  };
  template <class Changes>
  Step step(std::uint32_t o, std::uint32_t run, Changes&& changes) const {
    if (part_ == nullptr) return {1, 0};
    FEWEST_ASSERT(o < part_->weight.size() && run < stride_, "the move and the run are of the metric");
    const std::uint64_t weight = part_->weight[o];
    if (stride_ == 1) return {weight, 0};
    if (weight == 0) {
      const int fact = run == 0 ? -1 : part_->run_fact[run - 1];
      return {0, fact >= 0 && changes(o, fact) ? 0 : run};
    }
    const bool goes_on = run != 0 && part_->run_in[o] == static_cast<int>(run) - 1;
    return {goes_on ? 0 : weight, static_cast<std::uint32_t>(part_->run_out[o] + 1)};
  }

  // Calls `found` with every position that occurs in some nodes, in ascending order, and with the runs of the position.
  template <class Found>
  void for_each_position(const Ascending& nodes, Found&& found) const {
    std::vector<std::uint32_t> runs;
    for (Cursor at(nodes); !at.is_end();) {
      const std::uint64_t position = this->position(at.number()), begin = position * stride_;
      runs.clear();
      for (; !at.is_end() && at.number() - begin < stride_; at.next())
        runs.push_back(static_cast<std::uint32_t>(at.number() - begin));
      found(position, runs);
    }
  }

  // Whether a list of nodes contains the position of a node. Successive calls must pass ascending nodes.
  bool finds_position(Cursor& nodes, std::uint64_t node) const {
    const std::uint64_t begin = position(node) * stride_;
    nodes.finds(begin);
    FEWEST_ASSERT(nodes.number() >= begin, "a list is looked through in ascending order");
    return !nodes.is_end() && nodes.number() - begin < stride_;
  }

 private:
  const PartRows* part_;
  std::uint64_t stride_, unit_ = 0;
};

}  // namespace fewest::checkers
