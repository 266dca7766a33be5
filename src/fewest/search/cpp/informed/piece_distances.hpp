// The distances from one piece to goal spots, in the projection onto that piece and the agent.
//
// Problem: a lower bound needs the least cost of moving a piece to its goal.
// Solution: remove all other pieces. The remaining state is small: the spot of the piece, and the part of the open
// places that contains the agent (together a *row*). Moves of the piece are edges between rows. A move of another piece
// can also take the agent from one place to a second one; in that case, both places belong to the same part. Backward
// searches (backward_search.hpp) compute the distances to every goal spot. If no goal spot is reachable from a row, a
// piece in this row is *dead*, unless its group has more pieces than goal spots. If a move moves m pieces, each piece
// is charged 1/m of the move's cost (in units of 1/scale), so that the sum over all pieces is a lower bound. The pieces
// of a group are interchangeable, so there is an edge for each combination of a deleted spot and an added spot of the
// group. If the goal has more than eight cubes, the table of a single piece contains the minimum over the cubes, and
// the tables of other groups contain zeros.
#pragma once

#include "informed/pieces.hpp"

namespace fewest {

using Distance = std::uint16_t;
inline constexpr Distance kFar = 0xffff;  // infinite

class PieceDistances {
 public:
  // `component`: the number of the part of the metric: 0, or 1 for the second part of a lexicographic pair.
  PieceDistances(const Pieces& pieces, int num_components, int component);

  struct Group {
    int count = 0;       // pieces, which are the columns of a row; columns without a goal spot contain zeros
    bool is_complete = false;  // every piece has a goal spot
    std::vector<int> goal_spots;  // empty if the table is for several cubes
    std::vector<Distance> table;  // [rows, count]
  };
  struct Alternative {
    std::vector<Group> groups;
  };

  int scale() const { return scale_; }
  int num_groups() const { return num_groups_; }
  const std::vector<Alternative>& alternatives() const { return alternatives_; }
  int group_of(int spot) const {  // -1: none
    FEWEST_ASSERT(spot >= 0 && static_cast<std::size_t>(spot) < group_of_.size(), "the spot is one of the pieces'");
    return group_of_[spot];
  }
  int row(int spot, int place) const {
    FEWEST_ASSERT(place < num_places_, "the place is one of the agent's");
    return first_row_[spot] + (place < 0 ? 0 : part_[static_cast<std::size_t>(spot) * num_places_ + place]);
  }
  // Whether the distances show that no goal state can be reached after the move.
  bool is_dead(const PieceMove& move) const;

 private:
  void find_parts();
  void add_alternative(const std::vector<const PieceCube*>& goals);
  std::vector<Distance> distances_to(int group, const std::vector<int>& spots) const;

  struct Edge {  // a move of the piece
    int from;      // row
    Distance cost;
  };
  struct Rows;  // the projection onto a piece of one group

  const Pieces& pieces_;
  int num_places_, num_groups_, scale_ = 1;
  std::vector<int> group_of_, first_row_;  // per spot
  std::vector<int> num_rows_;              // per group
  std::vector<std::uint8_t> part_;         // [spots, places]
  std::vector<std::vector<std::vector<Edge>>> into_;  // the edges that lead to a row: [group][row]
  std::vector<Alternative> alternatives_;
};

}  // namespace fewest
