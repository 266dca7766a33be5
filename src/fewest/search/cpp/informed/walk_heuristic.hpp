// A lower bound on the number of remaining walks, that is, of steps of the agent that move no piece.
//
// Problem: the distances of pieces ignore the walks between moves, which matter if walks have a cost.
// Solution: the displacement of the agent. Places and spots have coordinates such that a move shifts the agent exactly
// as it shifts the piece (a push), and a walk is one step along one coordinate. Then the displacement, which is the
// coordinates of the agent minus the sum of the coordinates of the true spots, changes only by walks, one step at a
// time. In a goal cube that determines all pieces, the sum over the spots is known, and the agent is at the place that
// the cube requires, or at a place where the last move of some plan can end. So the number of steps to the nearest
// displacement that is possible at the goal is a lower bound on the number of remaining walks. For instance, an agent
// that pushes everything to the left must walk back to the right. This bound counts only walks, and the bound from piece
// distances counts only moves, so their sum is admissible and consistent. The coordinates are the row and the column of
// a cell, which follow from its number.
// `holds` checks that every move and every walk changes these coordinates as described; otherwise, the heuristic does
// not apply.
#pragma once

#include "informed/pieces.hpp"

namespace fewest {

class WalkHeuristic {
 public:
  struct Displacement {
    int row = 0, column = 0;
  };

  WalkHeuristic(const Pieces& pieces, const std::vector<int>& numbers);

  bool applies() const { return applies_; }

  Displacement of_spots(const std::vector<int>& spots) const {
    Displacement sum;
    for (int spot : spots) sum.row += spots_[spot].row, sum.column += spots_[spot].column;
    return sum;
  }

  // A lower bound on the number of remaining walks, given that the agent is at `place` and that the coordinates of the
  // true spots add up to `sum`.
  unsigned steps(const Displacement& sum, int place) const {
    const int row = places_[place].row - sum.row - least_.row;
    const int column = places_[place].column - sum.column - least_.column;
    FEWEST_ASSERT(row >= 0 && column >= 0 && row < size_.row && column < size_.column,
                  "every displacement is in the table");
    if (row < 0 || column < 0 || row >= size_.row || column >= size_.column) return 0;  // impossible
    return table_[static_cast<std::size_t>(row) * size_.column + column];
  }

 private:
  bool holds(const Pieces& pieces) const;
  // Finds the displacements of goal states. Returns false if there are none, or if some goal cube does not determine the
  // pieces.
  bool find_targets(const Pieces& pieces);
  // Fills the table for all values that can occur. Returns false if there are too many values.
  bool fill(const Pieces& pieces);

  bool applies_ = false;
  std::vector<Displacement> places_, spots_, targets_;
  Displacement least_, size_;
  std::vector<std::uint16_t> table_;  // [size_.row, size_.column]
};

}  // namespace fewest
