// The projection of a problem onto a few variables (variable_pdbs.hpp), with its reachable states, moves and distances.
//
// Abstract states are numbered in the order in which a breadth-first search from the start finds them. Concrete moves
// that are equal in the projection form one *row*, which has the cost of the cheapest of these moves.
// Usage:
//   std::optional<VariableProjection> projection = VariableProjection::make(pieces, variables, limits);
//   projection->measure(cost_of_row);   // distances, and how often the cheapest plans need each row
#pragma once

#include <functional>
#include <optional>

#include "informed/pieces.hpp"

namespace fewest {

// A variable. If `is_single`, the variable has only one spot, and its value is the truth value of this spot. Otherwise,
// exactly one of its spots is true, and this spot determines the value of the variable.
struct PieceVariable {
  std::vector<int> spots;
  bool is_single = false;

  std::uint32_t num_values() const { return is_single ? 2 : static_cast<std::uint32_t>(spots.size()); }
};

class VariableProjection {
 public:
  struct Limits {
    std::size_t codes, states, transitions;
  };

  // Returns nullopt if the projection exceeds the limits, or if a move has no image.
  static std::optional<VariableProjection> make(const Pieces& pieces, std::vector<PieceVariable> variables,
                                                const Limits& limits);

  static constexpr int kFar = 0x7fffffff, kMostDistance = 1 << 30;

  const std::vector<PieceVariable>& variables() const { return variables_; }
  std::uint32_t stride(std::size_t variable) const { return strides_[variable]; }
  std::uint32_t num_codes() const { return num_codes_; }
  std::size_t num_states() const { return codes_.size(); }
  std::size_t num_transitions() const { return transitions_.size(); }
  std::uint32_t code(std::size_t state) const { return codes_[state]; }
  // The concrete moves of each row, by their index in `pieces.moves`.
  std::size_t num_rows() const { return moves_of_.size(); }
  const std::vector<int>& moves_of(std::size_t row) const { return moves_of_[row]; }

  // Computes the goal distances for these costs of the rows; distances are capped at kMostDistance. The costs must be
  // less than 2^30.
  void measure(const std::vector<int>& costs);
  const std::vector<int>& distances() const { return distances_; }  // kFar: the state is dead
  // Must be called after `measure`. Returns, for each row, how often a cheapest plan uses the row on average. Half of
  // the plans begin at the start; the beginnings of the others are spread evenly over the states that can reach a goal
  // state.
  std::vector<double> usage() const;
  // The mean goal distance of all states that can reach a goal state.
  double mean_distance() const;
  // For each row: the lowest cost at which no distance changes.
  std::vector<int> needed_costs() const;

 private:
  struct Transition {
    std::uint32_t from, to, row;
  };
  struct Literal {
    int variable, value;
  };
  struct Row {
    std::vector<Literal> needs, excludes, changes;
  };

  bool add_rows(const Pieces& pieces);
  bool find_states(const Pieces& pieces, const Limits& limits);
  void find_goals(const Pieces& pieces);
  int value_in(std::uint32_t code, int variable) const {
    return static_cast<int>(code / strides_[variable] % variables_[variable].num_values());
  }
  bool holds(std::uint32_t code, const PieceCube& cube) const;

  std::vector<PieceVariable> variables_;
  std::vector<std::uint32_t> strides_;
  std::uint32_t num_codes_ = 1;
  std::vector<int> variable_of_, value_of_;  // for each spot; -1 if the spot is not in the projection
  std::vector<Row> rows_;
  std::vector<std::vector<int>> moves_of_;   // per row
  std::vector<std::uint32_t> codes_;         // per state
  std::vector<Transition> transitions_;      // ordered by target state
  std::vector<std::uint32_t> into_;          // per state: its first transition; at the end: the total number
  std::vector<char> is_goal_;
  // Results of the last `measure`.
  std::vector<int> distances_;
  std::vector<std::uint32_t> order_;  // the states that can reach a goal state, nearest first
  std::vector<int> first_;            // per state: the first transition of a cheapest plan; -1: none
};

}  // namespace fewest
