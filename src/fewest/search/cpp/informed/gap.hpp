// The gap: the only empty cell of a board.
//
// Problem: if pieces leave exactly one cell of a board empty, the state determines this cell, but no fact names it. A
// projected state, which contains only some pieces, does not determine the cell.
// Solution: cells are sets of mutually exclusive facts. The gap exists if there are at most 64 cells, exactly one of
// them is empty at the start, and no move changes the number of empty cells. Each possible move then takes the gap from
// one cell to another or leaves it where it is.
#pragma once

#include "informed/pieces.hpp"

namespace fewest {

struct Gap {
  Gap(const Pieces& pieces, const Problem& problem);

  struct Step {
    Word from = 0, to = 0;  // cells as bits; both 0: the gap stays
    bool is_possible = true;  // false: the move would need several empty cells
  };

  bool exists = false;
  Word cells = 1;            // all cells, as bits; valid only if the gap exists
  std::vector<Word> covers;  // the cells that each spot covers; all zero if a word is too small for the cells
  std::vector<Step> steps;   // per move
};

}  // namespace fewest
