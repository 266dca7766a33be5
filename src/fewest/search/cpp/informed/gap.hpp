// The gap: the only empty cell of a board.
//
// Problem: if pieces leave exactly one cell of a board empty, the state determines this cell, but no fact names it. In
// a projection onto some pieces, the state no longer determines the cell.
// Solution: cells are sets of mutually exclusive facts. The gap exists if exactly one cell is empty at the start and no
// move changes the number of empty cells. Each move then moves the gap from one cell to another or leaves it where it
// is.
#pragma once

#include "informed/pieces.hpp"

namespace fewest {

struct Gap {
  Gap(const Pieces& pieces, const Problem& problem);

  struct Step {
    Word from = 0, to = 0;  // cells as bits; both 0: the gap stays
    bool is_possible = true;
  };

  bool exists = false;
  Word cells = 1;            // all cells; if there is no gap, a single cell that no piece covers
  std::vector<Word> covers;  // the cells that each spot covers; all zero if a word is too small for the cells
  std::vector<Step> steps;   // per move
};

}  // namespace fewest
