// Pattern databases for goals that consist of several lists: lower bounds from the variables of each list.
//
// Problem: the goal "every tube has one colour" has a list of cubes for each tube. Bounds from single pieces use at
// most one list. The bounds of two lists cannot be added, because a move that changes two tubes must not be
// counted twice.
// Solution: each list has a pattern, which contains the variables on which its cubes impose different conditions. A
// variable on which all cubes of a list impose the same condition has its own pattern. The projection of a pattern
// keeps the variables of the pattern. As far as the limits allow, it also keeps the variables that at least half of the
// moves that change the pattern require. A *variable* is a group with exactly one true spot, or a single spot. An
// abstract state is a goal state if, for each list, it is in the projection of some cube of the list. So the image of
// every goal state is a goal state.
// - A table contains only those abstract states that can be reached from the start.
// - The cost of a move is divided among the patterns that it changes (cost partitioning: Katz and Domshlak, 2010), so
//   the sum of their distances is a consistent lower bound. At first the shares are equal. Then a pattern gets a larger
//   share of a move if its cheapest abstract plans need the move more often (subgradient ascent: Pommerening and
//   others, 2019). The cost that a pattern does not need is left to the next pattern (saturated cost partitioning:
//   Seipp, Keller and Helmert, 2020).
// - Costs are in units of 1/kScale; the sum is rounded up.
// The bound is sound in every metric in which merged moves are macro operators (macro_moves.hpp). For a lexicographic
// pair, each part has its own tables. An abstract state that cannot be reached from the start has the distance 0.
// Usage:
//   VariablePdbs pdbs(pieces, num_components);
//   VariablePdbHeuristic bound(pdbs);
//   bound.set(spots);            // of a state
//   bound.after(move_index);     // of its successor
#pragma once

#include <span>

#include "informed/pieces.hpp"

namespace fewest {

class VariablePdbs {
 public:
  static constexpr int kScale = 12;
  static constexpr int kUnreachable = 0xffff;

  // The change of the code of an abstract state, modulo 2^32, by a move or by a spot that becomes true.
  struct Change {
    int pdb;
    std::uint32_t code;
  };

  // There are no tables if the goal has a single list, or if there is an agent.
  VariablePdbs(const Pieces& pieces, int num_components);

  bool empty() const { return num_pdbs_ == 0; }
  // Whether every pattern has a table with all its variables. In that case, other bounds are seldom higher.
  bool are_complete() const { return are_complete_; }
  int num_pdbs() const { return num_pdbs_; }
  int num_components() const { return static_cast<int>(distances_.size()); }
  std::size_t num_entries() const;
  std::size_t bytes() const { return num_entries() * sizeof(std::uint16_t) * distances_.size(); }

  std::span<const Change> of_spot(int spot) const { return of_spot_[spot]; }
  std::span<const Change> of_move(int move) const { return of_move_[move]; }
  // The distance in units of 1/kScale, or kUnreachable if no abstract goal state can be reached.
  int distance(int component, int pdb, std::uint32_t code) const {
    FEWEST_ASSERT(code < distances_[component][pdb].size(), "a code is one of the table");
    return distances_[component][pdb][code];
  }

 private:
  int num_pdbs_ = 0;
  bool are_complete_ = true;
  std::vector<std::vector<Change>> of_spot_, of_move_;
  std::vector<std::vector<std::vector<std::uint16_t>>> distances_;  // [component][pdb][code]
};

// Computes the bound of a state and of its successors. Each search has its own copy of this object.
class VariablePdbHeuristic {
 public:
  static constexpr PackedCost kUnreachable = ~PackedCost{0};

  explicit VariablePdbHeuristic(const VariablePdbs& pdbs)
      : pdbs_(&pdbs), codes_(pdbs.num_pdbs()), distances_(pdbs.num_components(), std::vector<int>(pdbs.num_pdbs())),
        sums_(pdbs.num_components()) {}

  // The bound of a state with these true spots. The result is kUnreachable if the tables show that the state is dead.
  PackedCost set(const std::vector<int>& spots) {
    std::fill(codes_.begin(), codes_.end(), 0);
    for (int spot : spots)
      for (const VariablePdbs::Change& change : pdbs_->of_spot(spot)) codes_[change.pdb] += change.code;
    is_dead_ = false;
    for (std::size_t c = 0; c < sums_.size(); ++c) {
      sums_[c] = 0;
      for (std::size_t p = 0; p < codes_.size(); ++p) {
        distances_[c][p] = pdbs_->distance(static_cast<int>(c), static_cast<int>(p), codes_[p]);
        is_dead_ = is_dead_ || distances_[c][p] == VariablePdbs::kUnreachable;
        sums_[c] += distances_[c][p];
      }
    }
    return is_dead_ ? kUnreachable : packed(sums_);
  }

  // The bound of the state that a move reaches from the state most recently passed to `set`.
  PackedCost after(int move) const {
    if (is_dead_) return kUnreachable;
    PackedCost packed = 0;
    for (std::size_t c = 0; c < sums_.size(); ++c) {
      int sum = sums_[c];
      for (const VariablePdbs::Change& change : pdbs_->of_move(move)) {
        const int d = pdbs_->distance(static_cast<int>(c), change.pdb, codes_[change.pdb] + change.code);
        if (d == VariablePdbs::kUnreachable) return kUnreachable;
        sum += d - distances_[c][change.pdb];
      }
      packed = packed << 32 | rounded(sum);
    }
    return packed;
  }

 private:
  static PackedCost rounded(int sum) {
    FEWEST_ASSERT(sum >= 0, "no distance is negative");
    return static_cast<PackedCost>((sum + VariablePdbs::kScale - 1) / VariablePdbs::kScale);
  }
  static PackedCost packed(const std::vector<int>& sums) {
    PackedCost packed = 0;
    for (int sum : sums) packed = packed << 32 | rounded(sum);
    return packed;
  }

  const VariablePdbs* pdbs_;
  std::vector<std::uint32_t> codes_;
  std::vector<std::vector<int>> distances_;  // [component][pdb]
  std::vector<int> sums_;
  bool is_dead_ = false;
};

}  // namespace fewest
